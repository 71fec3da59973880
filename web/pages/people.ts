/** GET /people: who joined, left or was promoted, and which seats are vacant. */

import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { formatDay } from '../../language/days.ts';
import { addressWith, brandPath, type Markup, timeTag } from '../../presentation/markup.ts';
import { provisionalBrands } from '../../presentation/public-records.ts';
import { clip, neutralise, parseDocument } from '../../presentation/text.ts';
import { LENS_NAMES, leadershipMoves } from '../../projector/models/leadership-moves-queries.ts';
import { listSignals } from '../../projector/models/signals-queries.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import {
  LENSES,
  type LeadershipMove,
  type LeadershipMoves,
  Lens,
  type VacantSeat,
} from '../../schemas/moves-by-kind.ts';
import { SignalItem } from '../../schemas/resources.ts';
import { type Choice, choiceField, plainChoices, readQuery } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import type { Frame, Site } from '../site.ts';

const WINDOWS = ['30', '90', '180', '365'] as const;
const USUAL = '90';
const LISTED = 30;
const LATEST = 12;
const EXAMPLES = 4;
const DIRECTIONS = ['joined', 'left', 'promoted'] as const;

const PeopleQuery = z.object({
  days: z
    .enum(WINDOWS)
    .describe(`one of ${WINDOWS.join(', ')}`)
    .default(USUAL),
  lens: Lens.describe(`one of ${LENSES.join(', ')}`).optional(),
  direction: z
    .enum(DIRECTIONS)
    .describe(`one of ${DIRECTIONS.join(', ')}`)
    .optional(),
  company: z.string().trim().min(1).max(80).describe('the name of a company').optional(),
});
type PeopleQuery = z.output<typeof PeopleQuery>;

const shown = (text: string | null, maximum = 60): string => clip(neutralise(text ?? ''), maximum);

const companyOf = ({ company, company_slug }: Pick<LeadershipMove, 'company' | 'company_slug'>): Markup =>
  company_slug ? html`<a href="${brandPath(company_slug)}">${shown(company)}</a>` : html`${shown(company)}`;

/** Companies that have no page, as text: they lose their slug. */
async function withPlainNames(site: Site, found: LeadershipMoves): Promise<LeadershipMoves> {
  const named = [...found.moves, ...found.seats_to_watch].flatMap(({ company_slug }) => company_slug ?? []);
  const provisional = await provisionalBrands(site, named);
  const plain = <One extends Pick<LeadershipMove, 'company_slug'>>(one: One): One =>
    one.company_slug !== null && provisional.has(one.company_slug) ? { ...one, company_slug: null } : one;
  return { ...found, moves: found.moves.map(plain), seats_to_watch: found.seats_to_watch.map(plain) };
}

const between = ({ from, to }: LeadershipMove): string =>
  [from && `from ${shown(from)}`, to && `to ${shown(to)}`].filter(Boolean).join(' ');

const move = (one: LeadershipMove): Markup => html`<tr>
  <th scope="row">${shown(one.person)}</th><td>${one.direction}${between(one) ? html`<small>${between(one)}</small>` : null}</td>
  <td>${shown(one.role)}</td><td>${companyOf(one)}</td>
  <td>${one.effective ? timeTag(one.effective, formatDay(one.effective)) : null}</td>
  <td class="long"><a href="/signal/${one.signal.slug}">${shown(one.signal.headline, 100)}</a></td>
</tr>`;

/** @param examples moves without the filters, offered where none matches */
const moves = (list: readonly LeadershipMove[], examples: readonly LeadershipMove[]): Markup =>
  list.length === 0
    ? html`<div class="empty"><p>No leadership moves match these filters in this period. <a href="/people?days=365">Show all of a year</a>${examples.length > 0 ? ', or for example:' : '.'}</p>
      <ul class="plain-list">${examples.map(({ person, direction, company }) => html`<li><a href="${addressWith('/people', { company: company ?? undefined, days: '365' })}">${shown(company)}</a>: ${shown(person)} ${direction}</li>`)}</ul></div>`
    : html`<div class="scroll" tabindex="0" role="region" aria-label="Leadership moves"><table>
  <thead><tr><th scope="col">Who</th><th scope="col">What</th><th scope="col">Role</th><th scope="col">Company</th><th scope="col">Effective</th><th scope="col">Entry</th></tr></thead>
  <tbody>${list.map(move)}</tbody></table></div>`;

const seat = ({ role, person, vacant_since, signal, ...of }: VacantSeat): Markup => html`<li>
  <b>${shown(role)}</b> at ${companyOf(of)}: left by ${shown(person)}, vacant since ${timeTag(vacant_since, formatDay(vacant_since))}
  <a href="/signal/${signal.slug}" aria-label="Report on ${shown(person)}">Report</a></li>`;

const titled = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const LENS_CHOICES: readonly Choice[] = [
  { value: '', name: 'Every seat' },
  ...LENSES.map((lens) => ({ value: lens, name: titled(LENS_NAMES[lens]) })),
];
const DIRECTION_CHOICES: readonly Choice[] = [
  { value: '', name: 'Joined, left, promoted' },
  ...DIRECTIONS.map((direction) => ({ value: direction, name: titled(direction) })),
];

const chooser = ({
  lens,
  direction,
  company,
  days,
}: PeopleQuery): Markup => html`<form class="row" action="/people" method="get">
  ${choiceField('lens', 'Seats', LENS_CHOICES, lens)}
  ${choiceField('direction', 'Direction', DIRECTION_CHOICES, direction)}
  <div class="field"><label for="company">Company</label><input id="company" name="company" value="${company ?? ''}" maxlength="80" placeholder="Titan"></div>
  ${choiceField('days', 'Days', plainChoices(WINDOWS), days)}
  <button type="submit">Show</button>
</form>`;

const story = ({ slug, headline, published_at }: SignalItem): Markup =>
  html`<li><a href="/signal/${slug}">${shown(headline, 140)}</a><small>${timeTag(published_at, formatDay(published_at))}</small></li>`;

const render = (
  site: Frame,
  asked: PeopleQuery,
  found: LeadershipMoves,
  latest: readonly SignalItem[],
  examples: readonly LeadershipMove[],
): Promise<string> => {
  const { by_direction, week_count, prior_week_count, seats_to_watch } = found;
  return layout(site, {
    title: 'Leadership moves · Clarity',
    description:
      'Who joined, left or was promoted in Indian retail, every move with its report, and the seats to watch.',
    collection: { trail: [{ name: 'People', path: '/people' }], entries: found.moves.map(({ signal }) => signal) },
    path: addressWith('/people', { ...asked, days: asked.days === USUAL ? undefined : asked.days }),
    body: html`<header class="subject"><p class="kicker">People</p><h1>Who joined, left and was promoted</h1><p>${neutralise(found.reading)}</p></header>
    ${chooser(asked)}
    <dl class="figures"><div><dt>this week</dt><dd>${week_count}</dd></div><div><dt>previous week</dt><dd>${prior_week_count}</dd></div>
      <div><dt>joined</dt><dd>${by_direction.joined}</dd></div><div><dt>left</dt><dd>${by_direction.left}</dd></div><div><dt>promoted</dt><dd>${by_direction.promoted}</dd></div></dl>
    <div class="story-columns">
      <section class="part stories"><h2>All moves</h2>${moves(found.moves, examples)}</section>
      ${seats_to_watch.length > 0 ? html`<section class="part"><h2>Seats to watch</h2><ul class="plain-list">${seats_to_watch.map(seat)}</ul></section>` : null}
      ${latest.length > 0 ? html`<section class="part"><h2>Latest stories</h2><ul class="plain-list">${latest.map(story)}</ul></section>` : null}
    </div>`,
  });
};

export function peoplePage(server: FastifyInstance, site: Site): void {
  const { database, gazetteer, baseUrl, now } = site;
  server.get('/people', async (request, reply) => {
    const asked = readQuery(PeopleQuery, request.query);
    const named = asked.company === undefined ? null : gazetteer.findCompany(asked.company);
    if (named && !named.found)
      throw new Refusal(
        'invalid_request',
        `No company has this name. ${named.nearest.length > 0 ? `Similar names: ${named.nearest.join(', ')}.` : ''}`,
      );
    const { lens, direction } = asked;
    const question = { lens, direction, company: named?.found ?? undefined, days: Number(asked.days), limit: LISTED };
    const [found, latest] = await Promise.all([
      leadershipMoves(database, question, { now: now(), baseUrl, gazetteer }),
      listSignals(database, { only: { kind: ['people'] }, limit: LATEST }),
    ]);
    const stories = latest.documents.map((document) => parseDocument(document, SignalItem));
    const plain = await withPlainNames(site, found);
    const others =
      plain.moves.length > 0
        ? []
        : (await leadershipMoves(database, { days: 365, limit: EXAMPLES }, { now: now(), baseUrl, gazetteer })).moves;
    return sendPage(reply, await render(site, { ...asked, company: named?.found?.name }, plain, stories, others));
  });
}
