/** GET /group/{slug}: the stories, openings and results season of a group of companies. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { formatDay } from '../../language/days.ts';
import { growthChart } from '../../presentation/growth-chart.ts';
import { addressWith, type Markup } from '../../presentation/markup.ts';
import { labelToWords, parseDocument } from '../../presentation/text.ts';
import { type CompanySeasons, groupSeason, groupSeasons } from '../../projector/models/group-season-queries.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { type ExpansionMap, type GroupSeason, type KeyNumber, Quarter } from '../../schemas/moves-by-kind.ts';
import { reportedAt, SignalItem } from '../../schemas/resources.ts';
import type { BrandSlug } from '../../schemas/scalar.ts';
import { cardPath } from '../cards/subjects.ts';
import { feedList, filterFeedLinks } from '../feed.ts';
import { withoutDeadLinks } from '../feed-page.ts';
import { readQuery, shareButton } from '../forms.ts';
import { type Page, showPage } from '../layout.ts';
import { brandName } from '../names.ts';
import { dayTag, excerpt, listPart, part, plainList, scrolled, subject, tableHead } from '../parts.ts';
import { quarterBack } from '../season.ts';
import type { Site } from '../site.ts';
import { COLUMN, findOpenings, placeColumn } from './places.ts';
import { saveSearchButton } from './searches-view.ts';

const GroupQuery = z.object({ quarter: Quarter.describe('a quarter such as Q2 FY27').optional() });

const step = (slug: string, quarter: string, rel: 'prev' | 'next'): Markup =>
  html`<a rel="${rel}" href="${addressWith(`/group/${slug}`, { quarter })}">${quarter}</a>`;

/** Quarters side by side: the one of the page and those before it. */
const QUARTERS = 4;
const MAXIMUM_NUMBERS = 3;

const quartersUntil = (quarter: string): string[] =>
  Array.from({ length: QUARTERS }, (_, back) => quarterBack(quarter, back));

const keyNumber = ({ metric, value, growth_pct, signal }: KeyNumber): Markup => {
  const growth = growth_pct === null ? '' : `${growth_pct > 0 ? '+' : ''}${String(growth_pct).replace('-', '−')}%`;
  const stated = [value && excerpt(value, 24), growth].filter(Boolean).join(', ');
  return html`<div>${labelToWords(excerpt(metric, 24))} <a href="/signal/${signal.slug}" title="${excerpt(signal.headline, 160)}">${stated || 'reported'}</a></div>`;
};

/** When a company reported the quarter of the page. */
const reporting = ({ quarters: [current] }: CompanySeasons, status: GroupSeason['quarter_status']): Markup => {
  const [first] = current?.numbers.map(reportedAt).toSorted() ?? [];
  if (first) return html`<td>${dayTag(first)}</td>`;
  return html`<td class="nothing">${status === 'ended' ? 'Not yet' : 'Quarter not ended'}</td>`;
};

/** The companies, those that reported the quarter first, with the key numbers of each quarter on record. */
const seasonTable = (rows: readonly CompanySeasons[], { quarter, quarter_status }: GroupSeason): Markup => {
  const hasReported = ({ quarters }: CompanySeasons, index = 0): boolean => (quarters[index]?.numbers.length ?? 0) > 0;
  const listed = quartersUntil(quarter).filter(
    (_, index) => index === 0 || rows.some((row) => hasReported(row, index)),
  );
  const ordered = [...rows.filter((row) => hasReported(row)), ...rows.filter((row) => !hasReported(row))];
  const cell = ({ numbers }: CompanySeasons['quarters'][number]): Markup =>
    numbers.length === 0
      ? html`<td class="nothing">–</td>`
      : html`<td>${numbers.slice(0, MAXIMUM_NUMBERS).map(keyNumber)}</td>`;
  const lines = ordered.map(
    (row) =>
      html`<tr><th scope="row">${brandName(row.company.name, row.company.slug)}</th>${reporting(row, quarter_status)}${row.quarters.filter((one) => listed.includes(one.quarter)).map(cell)}</tr>`,
  );
  return part(
    'Season by company',
    html`${scrolled('Season by company', html`<table class="seasons">${tableHead(['Company', `${quarter} reported`, ...listed])}<tbody>${lines}</tbody></table>`)}
  <p class="note">Figures and growth against the same quarter of the year before, as reported; each leads to its story. A dash: no report on record.</p>`,
  );
};

const watchedItem = ({ text, signal }: GroupSeason['what_to_watch'][number]): Markup =>
  html`<li>${excerpt(text, 300)} ${signal ? html`<a href="/signal/${signal.slug}" aria-label="Report: ${excerpt(signal.headline, 80)}">Report</a>` : null}</li>`;

/** Whether the season has begun, and how far it is. */
const progressText = (season: GroupSeason): string =>
  season.quarter_status === 'not_begun'
    ? `${season.quarter} has not started: it runs from ${formatDay(season.quarter_since)} to ${formatDay(season.quarter_until)}.`
    : `${season.season.reported} of ${season.season.expected} companies have reported ${season.quarter}, according to the record.`;

const NO_SIGNALS = html`<p class="empty">No signals about this group yet. <a href="/?kind=results">Results of all companies</a>, or <a href="/tables/results">every figure as a table</a>.</p>`;

interface Shown {
  readonly season: GroupSeason;
  readonly rows: readonly CompanySeasons[];
  readonly moves: readonly SignalItem[];
  readonly openings: ExpansionMap;
  /** The button that saves the companies as a search. */
  readonly save: Markup;
  /** The companies whose season it is. */
  readonly members: readonly BrandSlug[];
}

const groupView = ({ season, rows, moves, openings, save, members }: Shown, path: string): Page => {
  const { group, quarter } = season;
  const name = excerpt(group.name, 80);
  return {
    title: `${name}, ${quarter}`,
    description: `The results season of ${name} in ${quarter}: who reported, how revenue grew, and what to watch.`,
    card: cardPath('group', group.slug),
    head: filterFeedLinks({ only: { brand: members }, without: {} }, name),
    path,
    body: html`${subject(null, `${name}, ${quarter}`, html`<p>${progressText(season)}</p>`, html`${save}${shareButton(`${name}, ${quarter}`, path)}`)}
    <nav class="steps" aria-label="Quarters">${step(group.slug, quarterBack(quarter, 1), 'prev')}<span aria-current="true">${quarter}</span>${step(group.slug, quarterBack(quarter, -1), 'next')}</nav>
    <div class="story-columns">
    <div class="stories">${moves.length === 0 ? NO_SIGNALS : feedList(moves)}</div>
    <aside class="rail" aria-label="Openings of ${name}">${placeColumn(openings)}</aside>
    <div class="charts">${part('Growth and key numbers', growthChart(season), 'part season')}
    ${listPart('What to watch', season.what_to_watch, (entries) => plainList(entries.map(watchedItem)))}</div></div>
    ${seasonTable(rows, season)}`,
  };
};

/** 301 for a retired slug; 404 for a group that the catalogue lacks. */
export function groupPage(server: FastifyInstance, site: Site): void {
  const { database, directory, gazetteer, baseUrl, now } = site;
  server.get<{ Params: { slug: string } }>('/group/:slug', async (request, reply) => {
    const current = directory.group(request.params.slug)?.slug ?? request.params.slug;
    if (current !== request.params.slug) return reply.redirect(`${baseUrl}/group/${current}`, 301);
    const group = gazetteer.groups.find(({ slug }) => slug === current);
    if (!group) throw new Refusal('not_found', 'No group of the catalogue has this address.');
    const { quarter } = readQuery(GroupQuery, request.query);
    const context = { now: now(), baseUrl, gazetteer };
    const season = await groupSeason(database, { group, quarter }, context);
    const rows = await groupSeasons(database, { group, quarters: quartersUntil(season.quarter) }, context);
    // A filter cannot name all brands of a large group; it can name the companies whose season this is.
    const companies = { only: { brand: group.members }, without: {} };
    const save = await saveSearchButton(site, request, companies, `${excerpt(group.name, 50)}: listed companies`);
    const moves = await withoutDeadLinks(
      site,
      season.moves.map((move) => parseDocument(JSON.stringify(move), SignalItem)),
    );
    const openings = await findOpenings(site, { brands: gazetteer.brandsOfGroup(group), ...COLUMN });
    const path = addressWith(`/group/${group.slug}`, { quarter });
    return showPage(reply, site, groupView({ season, rows, moves, openings, save, members: group.members }, path));
  });
}
