/** GET /group/{slug}: the results season of a group of companies. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { growthChart } from '../../presentation/growth-chart.ts';
import { addressWith, brandPath, type Markup } from '../../presentation/markup.ts';
import { clip, formatShortDay, neutralise, parseDocument } from '../../presentation/text.ts';
import { groupSeason } from '../../projector/models/group-season.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { SignalItem } from '../../schemas/resources.ts';
import { type GroupSeason, Quarter } from '../../schemas/results-season.ts';
import { cardPath } from '../cards/subjects.ts';
import { feedList, withoutDeadLinks } from '../feed.ts';
import { readQuery } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import type { Site } from '../site.ts';
import { underIndex } from '../structured-data.ts';

const GroupQuery = z.object({ quarter: Quarter.describe('a quarter such as Q2 FY27').optional() });

/** The next or previous quarter: `Q1 FY27` and `Q3 FY27` for `Q2 FY27`. */
function adjacentQuarter(quarter: string, step: 1 | -1): string {
  const [, part = '1', year = '0'] = /^Q([1-4]) FY(\d\d)$/.exec(quarter) ?? [];
  const count = (Number(year) * 4 + Number(part) - 1 + step + 400) % 400;
  return `Q${(count % 4) + 1} FY${String(Math.floor(count / 4)).padStart(2, '0')}`;
}

const step = (slug: string, quarter: string, rel: 'prev' | 'next'): Markup =>
  html`<a rel="${rel}" href="${addressWith(`/group/${slug}`, { quarter })}">${quarter}</a>`;

const watched = ({ what_to_watch }: GroupSeason): Markup | null =>
  what_to_watch.length === 0
    ? null
    : html`<section class="part"><h2>What to watch</h2><ul class="plain-list">${what_to_watch.map(
        ({ text, signal }) =>
          html`<li>${clip(neutralise(text), 300)} ${signal ? html`<a href="/signal/${signal.slug}" aria-label="Report: ${clip(neutralise(signal.headline), 80)}">Report</a>` : null}</li>`,
      )}</ul></section>`;

const render = async (site: Site, season: GroupSeason, asked: string | undefined): Promise<string> => {
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
          ? `${quarter} has not started: it runs from ${formatShortDay(season.quarter_since)} to ${formatShortDay(season.quarter_until)}.`
          : `${progress.reported} of ${progress.expected} companies have reported ${quarter}, according to the record.`
      }</p></header>
    <nav class="steps" aria-label="Quarters">${step(group.slug, adjacentQuarter(quarter, -1), 'prev')}<span aria-current="true">${quarter}</span>${step(group.slug, adjacentQuarter(quarter, 1), 'next')}</nav>
    <section class="part season"><h2>Growth and key numbers</h2>${growthChart(season)}</section>
    ${watched(season)}
    ${
      season.quarter_status === 'ended' && progress.not_yet.length > 0
        ? html`<section class="part"><h2>Not reported yet</h2><ul class="names">${progress.not_yet.map(({ name: company, slug }) => html`<li><a href="${brandPath(slug)}">${clip(neutralise(company), 60)}</a></li>`)}</ul></section>`
        : null
    }
    <section class="part"><h2>Latest signals</h2>${
      moves.length === 0
        ? html`<p class="empty">No signals about this group yet. <a href="/?kind=results">All results</a></p>`
        : feedList(
            await withoutDeadLinks(
              site,
              moves.map((move) => parseDocument(JSON.stringify(move), SignalItem)),
            ),
          )
    }</section>`,
  });
};

/** 404 for a group that the catalogue lacks. */
export function groupPage(server: FastifyInstance, site: Site): void {
  const { database, gazetteer, baseUrl, now } = site;
  server.get<{ Params: { slug: string } }>('/group/:slug', async (request, reply) => {
    const group = gazetteer.groups.find(({ slug }) => slug === request.params.slug);
    if (!group) throw new Refusal('not_found', 'No group of the catalogue has this address.');
    const { quarter } = readQuery(GroupQuery, request.query);
    const season = await groupSeason(database, { group, quarter }, { now: now(), baseUrl, gazetteer });
    return sendPage(reply, await render(site, season, quarter));
  });
}
