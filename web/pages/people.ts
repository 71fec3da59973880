/** GET /people: who joined, left or was promoted, and which seats are vacant. */

import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { capitalised } from '../../language/prose.ts';
import { addressWith, type Markup } from '../../presentation/markup.ts';
import { neutralise, parseDocument } from '../../presentation/text.ts';
import { LENS_NAMES, leadershipMoves } from '../../projector/models/leadership-moves-queries.ts';
import { listSignals } from '../../projector/models/signals-queries.ts';
import {
  LENSES,
  type LeadershipMove,
  type LeadershipMoves,
  Lens,
  type VacantSeat,
} from '../../schemas/moves-by-kind.ts';
import { SignalItem } from '../../schemas/resources.ts';
import { type Choice, choiceField, oneOf, plainChoices, readQuery } from '../forms.ts';
import { type Page, showPage } from '../layout.ts';
import { brandName, unknownName, withPlainNames } from '../names.ts';
import { dayTag, excerpt, figures, listPart, part, plainList, storyItem, subject, table } from '../parts.ts';
import type { Site } from '../site.ts';

const WINDOWS = ['30', '90', '180', '365'] as const;
const USUAL = '90';
const LISTED = 30;
const LATEST = 12;
const EXAMPLES = 4;
const DIRECTIONS = ['joined', 'left', 'promoted'] as const;

const PeopleQuery = z.object({
  days: oneOf(WINDOWS).default(USUAL),
  lens: Lens.describe(`one of ${LENSES.join(', ')}`).optional(),
  direction: oneOf(DIRECTIONS).optional(),
  company: z.string().trim().min(1).max(80).describe('the name of a company').optional(),
});
type PeopleQuery = z.output<typeof PeopleQuery>;

const between = ({ from, to }: LeadershipMove): string =>
  [from && `from ${excerpt(from)}`, to && `to ${excerpt(to)}`].filter(Boolean).join(' ');

const moveRow = (one: LeadershipMove): Markup => html`<tr>
  <th scope="row">${excerpt(one.person)}</th><td>${one.direction}${between(one) ? html`<small>${between(one)}</small>` : null}</td>
  <td>${excerpt(one.role ?? '')}</td><td>${brandName(one.company, one.company_slug)}</td>
  <td>${one.effective ? dayTag(one.effective) : null}</td>
  <td class="long"><a href="/signal/${one.signal.slug}">${excerpt(one.signal.headline, 100)}</a></td>
</tr>`;

/** A move that another choice of filters shows. */
const example = ({ person, direction, company }: LeadershipMove): Markup =>
  html`<li><a href="${addressWith('/people', { company: company ?? undefined, days: '365' })}">${excerpt(company ?? '')}</a>: ${excerpt(person)} ${direction}</li>`;

/** @param examples moves without the filters, offered where none matches */
const moveTable = (moves: readonly LeadershipMove[], examples: readonly LeadershipMove[]): Markup =>
  moves.length === 0
    ? html`<div class="empty"><p>No leadership moves match these filters in this period. <a href="/people?days=365">Show all of a year</a>${examples.length > 0 ? ', or for example:' : '.'}</p>
      ${plainList(examples.map(example))}</div>`
    : table('Leadership moves', ['Who', 'What', 'Role', 'Company', 'Effective', 'Entry'], moves.map(moveRow));

const seat = ({ role, person, vacant_since, signal, company, company_slug }: VacantSeat): Markup => html`<li>
  <b>${excerpt(role)}</b> at ${brandName(company, company_slug)}: left by ${excerpt(person)}, vacant since ${dayTag(vacant_since)}
  <a href="/signal/${signal.slug}" aria-label="Report on ${excerpt(person)}">Report</a></li>`;

const LENS_CHOICES: readonly Choice[] = [
  { value: '', name: 'Every seat' },
  ...LENSES.map((lens) => ({ value: lens, name: capitalised(LENS_NAMES[lens]) })),
];
const DIRECTION_CHOICES: readonly Choice[] = [
  { value: '', name: 'Joined, left, promoted' },
  ...DIRECTIONS.map((direction) => ({ value: direction, name: capitalised(direction) })),
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

interface Shown {
  readonly moves: LeadershipMoves;
  /** The newest signals about people. */
  readonly latest: readonly SignalItem[];
  /** Moves without the filters, where none matches. */
  readonly examples: readonly LeadershipMove[];
}

const peopleView = (query: PeopleQuery, { moves, latest, examples }: Shown): Page => ({
  title: 'Leadership moves',
  description: 'Who joined, left or was promoted in Indian retail, every move with its report, and the seats to watch.',
  path: addressWith('/people', { ...query, days: query.days === USUAL ? undefined : query.days }),
  body: html`${subject('People', 'Who joined, left and was promoted', html`<p>${neutralise(moves.reading)}</p>`)}
    ${chooser(query)}
    ${figures([
      ['this week', moves.week_count],
      ['previous week', moves.prior_week_count],
      ['joined', moves.by_direction.joined],
      ['left', moves.by_direction.left],
      ['promoted', moves.by_direction.promoted],
    ])}
    <div class="story-columns">
      ${part('All moves', moveTable(moves.moves, examples), 'part stories')}
      ${listPart('Seats to watch', moves.seats_to_watch, (seats) => plainList(seats.map(seat)))}
      ${listPart('Latest stories', latest, (stories) => plainList(stories.map((one) => storyItem(one))))}
    </div>`,
});

export function peoplePage(server: FastifyInstance, site: Site): void {
  const { database, gazetteer, baseUrl, now } = site;
  const findMoves = async (question: Parameters<typeof leadershipMoves>[1]): Promise<LeadershipMoves> => {
    const answer = await leadershipMoves(database, question, { now: now(), baseUrl, gazetteer });
    const moves = await withPlainNames(site, 'company_slug', answer.moves);
    const seats_to_watch = await withPlainNames(site, 'company_slug', answer.seats_to_watch);
    return { ...answer, moves, seats_to_watch };
  };
  server.get('/people', async (request, reply) => {
    const query = readQuery(PeopleQuery, request.query);
    const company = query.company === undefined ? null : gazetteer.findCompany(query.company);
    if (company && !company.found) throw unknownName('company', company.nearest);
    const { lens, direction, days } = query;
    const [moves, { documents }] = await Promise.all([
      findMoves({ lens, direction, company: company?.found ?? undefined, days: Number(days), limit: LISTED }),
      listSignals(database, { only: { kind: ['people'] }, dated: 'reported_at', limit: LATEST }),
    ]);
    const latest = documents.map((document) => parseDocument(document, SignalItem));
    const examples = moves.moves.length > 0 ? [] : (await findMoves({ days: 365, limit: EXAMPLES })).moves;
    return showPage(reply, site, peopleView({ ...query, company: company?.found?.name }, { moves, latest, examples }));
  });
}
