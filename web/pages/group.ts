/** GET /group/{slug}: the results season of a group of companies. */

import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { formatDay } from '../../language/days.ts';
import { growthChart } from '../../presentation/growth-chart.ts';
import { addressWith, brandPath, type Markup, timeTag } from '../../presentation/markup.ts';
import { clip, labelToWords, neutralise, parseDocument } from '../../presentation/text.ts';
import { type CompanySeasons, groupSeason, groupSeasons } from '../../projector/models/group-season-queries.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { type GroupSeason, type KeyNumber, Quarter } from '../../schemas/moves-by-kind.ts';
import { SignalItem } from '../../schemas/resources.ts';
import { cardPath } from '../cards/subjects.ts';
import { feedList, withoutDeadLinks } from '../feed.ts';
import { readQuery } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import type { Site } from '../site.ts';
import { underIndex } from '../structured-data.ts';
import { saveSearchButton } from './searches.ts';

const GroupQuery = z.object({ quarter: Quarter.describe('a quarter such as Q2 FY27').optional() });

/** The next or previous quarter: `Q1 FY27` and `Q3 FY27` for `Q2 FY27`. */
function adjacentQuarter(quarter: string, step: 1 | -1): string {
  const [, part = '1', year = '0'] = /^Q([1-4]) FY(\d\d)$/.exec(quarter) ?? [];
  const count = (Number(year) * 4 + Number(part) - 1 + step + 400) % 400;
  return `Q${(count % 4) + 1} FY${String(Math.floor(count / 4)).padStart(2, '0')}`;
}

const step = (slug: string, quarter: string, rel: 'prev' | 'next'): Markup =>
  html`<a rel="${rel}" href="${addressWith(`/group/${slug}`, { quarter })}">${quarter}</a>`;

/** Quarters side by side: the one of the page and those before it. */
const QUARTERS = 4;
const MAXIMUM_NUMBERS = 3;

const quartersUntil = (quarter: string): string[] =>
  Array.from({ length: QUARTERS - 1 }).reduce<string[]>(
    (list) => [...list, adjacentQuarter(list.at(-1) ?? quarter, -1)],
    [quarter],
  );

const number = ({ metric, value, growth_pct, signal }: KeyNumber): Markup => {
  const growth = growth_pct === null ? '' : `${growth_pct > 0 ? '+' : ''}${String(growth_pct).replace('-', '−')}%`;
  const shown = [value && clip(neutralise(value), 24), growth].filter(Boolean).join(', ');
  return html`<div>${labelToWords(clip(neutralise(metric), 24))} <a href="/signal/${signal.slug}" title="${clip(neutralise(signal.headline), 160)}">${shown || 'reported'}</a></div>`;
};

/** Whether a company reported the quarter of the page, and when. */
const reporting = ({ quarters: [current] }: CompanySeasons, status: GroupSeason['quarter_status']): Markup => {
  const days = current?.numbers.map(({ published_at }) => published_at).toSorted() ?? [];
  const [first] = days;
  if (first) return html`<td>${timeTag(first, formatDay(first))}</td>`;
  return html`<td class="nothing">${status === 'ended' ? 'Not yet' : 'Quarter not ended'}</td>`;
};

/**
 * The companies, those that reported the quarter first, with the key numbers of each quarter. Earlier quarters that no
 * company reported on record are left out.
 */
const seasonTable = (rows: readonly CompanySeasons[], { quarter, quarter_status }: GroupSeason): Markup => {
  const hasReported = ({ quarters: [current] }: CompanySeasons): boolean => (current?.numbers.length ?? 0) > 0;
  const shown = quartersUntil(quarter).filter(
    (_, index) => index === 0 || rows.some(({ quarters }) => (quarters[index]?.numbers.length ?? 0) > 0),
  );
  const ordered = [...rows.filter(hasReported), ...rows.filter((row) => !hasReported(row))];
  return html`<section class="part"><h2>Season by company</h2>
  <div class="scroll" tabindex="0" role="region" aria-label="Season by company"><table class="seasons">
  <thead><tr><th scope="col">Company</th><th scope="col">${quarter} reported</th>${shown.map((one) => html`<th scope="col">${one}</th>`)}</tr></thead>
  <tbody>${ordered.map(
    (row) =>
      html`<tr><th scope="row"><a href="${brandPath(row.company.slug)}">${clip(neutralise(row.company.name), 60)}</a></th>${reporting(row, quarter_status)}${row.quarters.filter((one) => shown.includes(one.quarter)).map(({ numbers }) => (numbers.length === 0 ? html`<td class="nothing">–</td>` : html`<td>${numbers.slice(0, MAXIMUM_NUMBERS).map(number)}</td>`))}</tr>`,
  )}</tbody></table></div>
  <p class="note">Figures and growth against the same quarter of the year before, as reported; each leads to its story. A dash: no report on record.</p></section>`;
};

const watched = ({ what_to_watch }: GroupSeason): Markup | null =>
  what_to_watch.length === 0
    ? null
    : html`<section class="part"><h2>What to watch</h2><ul class="plain-list">${what_to_watch.map(
        ({ text, signal }) =>
          html`<li>${clip(neutralise(text), 300)} ${signal ? html`<a href="/signal/${signal.slug}" aria-label="Report: ${clip(neutralise(signal.headline), 80)}">Report</a>` : null}</li>`,
      )}</ul></section>`;

const render = async (
  site: Site,
  season: GroupSeason,
  rows: readonly CompanySeasons[],
  asked: string | undefined,
  save: Markup,
): Promise<string> => {
  const { group, quarter, season: progress, moves } = season;
  const name = clip(neutralise(group.name), 80);
  return layout(site, {
    title: `${name}, ${quarter} · Clarity`,
    description: `The results season of ${name} in ${quarter}: who reported, how revenue grew, and what to watch.`,
    card: cardPath('group', group.slug),
    collection: {
      about: { '@type': 'Thing', name },
      trail: [underIndex, { name, path: `/group/${group.slug}` }],
      entries: moves,
    },
    path: addressWith(`/group/${group.slug}`, { quarter: asked }),
    body: html`<header class="subject"><p class="kicker"><span>Results season</span><span>${quarter}</span></p><h1>${name}</h1>
      <p>${
        season.quarter_status === 'not_begun'
          ? `${quarter} has not started: it runs from ${formatDay(season.quarter_since)} to ${formatDay(season.quarter_until)}.`
          : `${progress.reported} of ${progress.expected} companies have reported ${quarter}, according to the record.`
      }</p>${save}</header>
    <nav class="steps" aria-label="Quarters">${step(group.slug, adjacentQuarter(quarter, -1), 'prev')}<span aria-current="true">${quarter}</span>${step(group.slug, adjacentQuarter(quarter, 1), 'next')}</nav>
    ${seasonTable(rows, season)}
    <div class="story-columns">
    <section class="part stories"><h2>Latest signals</h2>${
      moves.length === 0
        ? html`<p class="empty">No signals about this group yet. <a href="/?kind=results">Results of all companies</a>, or <a href="/tables/results">every figure as a table</a>.</p>`
        : feedList(
            await withoutDeadLinks(
              site,
              moves.map((move) => parseDocument(JSON.stringify(move), SignalItem)),
            ),
          )
    }</section>
    <section class="part season"><h2>Growth and key numbers</h2>${growthChart(season)}</section>
    ${watched(season)}</div>`,
  });
};

/** 301 for a retired slug; 404 for a group that the catalogue lacks. */
export function groupPage(server: FastifyInstance, site: Site): void {
  const { database, directory, gazetteer, baseUrl, now } = site;
  server.get<{ Params: { slug: string } }>('/group/:slug', async (request, reply) => {
    const known = directory.group(request.params.slug);
    if (known && known.slug !== request.params.slug) return reply.redirect(`${baseUrl}/group/${known.slug}`, 301);
    const group = gazetteer.groups.find(({ slug }) => slug === request.params.slug);
    if (!group) throw new Refusal('not_found', 'No group of the catalogue has this address.');
    const { quarter } = readQuery(GroupQuery, request.query);
    const context = { now: now(), baseUrl, gazetteer };
    const season = await groupSeason(database, { group, quarter }, context);
    const rows = await groupSeasons(database, { group, quarters: quartersUntil(season.quarter) }, context);
    // A filter cannot name all brands of a large group; it can name the companies whose season this is.
    const companies = { only: { brand: group.members }, without: {} };
    const name = `${clip(neutralise(group.name), 50)}: listed companies`;
    const save = await saveSearchButton(site, request, companies, name);
    return sendPage(reply, await render(site, season, rows, quarter, save));
  });
}
