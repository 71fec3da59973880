/** GET /operate: what waits for operators and reviewers as counts with the oldest age, and how the service does. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { loadProposals } from '../../../ingest/roster/source-proposals.ts';
import { DAY, formatDay } from '../../../language/days.ts';
import type { Markup } from '../../../presentation/markup.ts';
import { spanInWords } from '../../../presentation/quality.ts';
import { listAccounts } from '../../../projector/models/accounts-queries.ts';
import { candidateBrands, headlinesOf } from '../../../projector/models/catalogue-queries.ts';
import {
  listCorrections,
  openMistakes,
  type ReportedMistake,
  reviewQueue,
  stepDelays,
} from '../../../projector/models/review-queries.ts';
import { listHeld } from '../../../projector/models/signals-queries.ts';
import { healthSnapshot } from '../../../projector/models/source-health-queries.ts';
import { listParked } from '../../../projector/parked-events.ts';
import { mayActAs, type Role } from '../../../schemas/access.ts';
import { board, counted, excerpt, listPart, plainList, table } from '../../parts.ts';
import type { Site } from '../../site.ts';
import { MISTAKE_NAMES } from '../signal-mistake.ts';
import type { Operator } from './operator-forms.ts';
import { goLive, operatorPage } from './operator-page.ts';

/** More cases than this are not counted. */
const MAXIMUM_COUNTED = 100;
const CANDIDATE_DAYS = 30;
const DELAY_DAYS = 7;
const LISTED = 6;

interface WaitingCases {
  /** Below `/operate/`. */
  readonly path: string;
  readonly name: string;
  readonly count: number;
  /** When the oldest came; null where that is not known. */
  readonly oldest: Date | null;
  readonly role: Role;
  readonly isUrgent?: boolean;
}

const oldestOf = (times: readonly (string | Date)[]): Date | null =>
  times.length === 0 ? null : new Date(Math.min(...times.map((time) => new Date(time).getTime())));

/** @param times when each came, where that is known */
const waitingCases = (
  path: string,
  name: string,
  waiting: readonly unknown[],
  times: readonly (string | Date)[] = [],
  { role = 'reviewer', ...urgency }: Partial<Pick<WaitingCases, 'role' | 'isUrgent'>> = {},
): WaitingCases => ({ path, name, count: waiting.length, oldest: oldestOf(times), role, ...urgency });

/** Loads the cases that wait, and the open reports of readers. */
async function loadWaiting({ database, store, directory, now }: Site): Promise<{
  cases: WaitingCases[];
  mistakes: ReportedMistake[];
}> {
  const catalogued = directory.brands.flatMap(({ slug }) => directory.slugsOf(slug));
  const since = new Date(now().getTime() - CANDIDATE_DAYS * DAY);
  const [applications, proposals, held, parked, queue, candidates] = await Promise.all([
    listAccounts(database, { application: 'pending' }),
    loadProposals(store),
    listHeld(database, MAXIMUM_COUNTED),
    listParked(database),
    reviewQueue(database, now(), MAXIMUM_COUNTED),
    candidateBrands(database, { known: catalogued, since, limit: MAXIMUM_COUNTED }),
  ]);
  const reported = queue.filter(({ mistakes }) => mistakes > 0).map(({ id }) => id);
  const mistakes = reported.length === 0 ? [] : await openMistakes(database, reported);
  const pending = proposals.filter(({ status }) => status === 'pending');
  const waiting = parked.filter(({ skipped }) => !skipped);
  const undecided = candidates.filter(({ decision }) => decision === null);
  const cases = [
    waitingCases(
      'review',
      'mistakes reported by readers',
      reported,
      mistakes.map(({ at }) => at),
      { isUrgent: true },
    ),
    waitingCases('review', 'signals not reviewed', queue),
    waitingCases(
      'signals',
      'signals held',
      held,
      held.map(({ published_at }) => published_at),
      { role: 'operator' },
    ),
    waitingCases(
      'catalogue/candidates',
      'names without a page',
      undecided,
      undecided.map(({ first_seen_at }) => first_seen_at),
    ),
    waitingCases(
      'proposals',
      'sources proposed',
      pending,
      pending.map(({ submitted_at }) => submitted_at),
      { role: 'operator' },
    ),
    waitingCases(
      'applications',
      'applications for keys',
      applications,
      applications.flatMap(({ application }) => application?.submitted_at ?? []),
      { role: 'operator' },
    ),
    waitingCases('parked', 'events parked', waiting, [], { role: 'operator', isUrgent: true }),
  ];
  return { cases, mistakes };
}

/** What readers reported, the newest first, each with the way to its review; null where nothing is. */
async function mistakesPart({ database, now }: Site, mistakes: readonly ReportedMistake[]): Promise<Markup | null> {
  const shown = mistakes.slice(0, LISTED);
  const headlines = await headlinesOf(
    database,
    shown.map(({ id }) => id),
  );
  return listPart('Reported by readers', shown, () =>
    table(
      'Reported by readers',
      ['Entry', 'What is wrong', 'Age', ''],
      shown.map(({ id, at, what, note }) => {
        const headline = excerpt(headlines.find(({ key }) => key === id)?.headline ?? id, 120);
        return html`<tr><th scope="row">${headline}</th><td>${MISTAKE_NAMES[what]}${note ? html`<small>${excerpt(note, 200)}</small>` : null}</td>
        <td>${spanInWords(now().getTime() - at.getTime())}</td>
        <td><a class="button plain" href="/operate/review?signal=${id}" aria-label="Review: ${headline}">Review</a></td></tr>`;
      }),
    ),
  );
}

const values = (rows: readonly (readonly [Markup | string, Markup | string])[]): Markup =>
  counted(rows.map(([name, value]) => html`<li>${name} <span>${value}</span></li>`));

/** How the service does: sources that fail with the reason, the delay by step, and the last corrections. */
async function statePart({ database, now }: Site): Promise<Markup> {
  const [{ sources }, { steps }, corrections] = await Promise.all([
    healthSnapshot(database, now()),
    stepDelays(database, new Date(now().getTime() - DELAY_DAYS * DAY)),
    listCorrections(database, LISTED),
  ]);
  const failing = sources.filter(({ health }) => ['failing', 'silent', 'degraded'].includes(health));
  const half = ([seconds]: readonly number[]): string => (seconds === undefined ? '–' : spanInWords(seconds * 1_000));
  return html`
  ${listPart(
    'Sources that fail',
    failing.slice(0, LISTED),
    (rows) =>
      values(
        rows.map(({ id, outlet, health, last_error }) => [
          html`<a href="/operate/sources/${id}">${excerpt(outlet, 40)}</a>`,
          excerpt(last_error ?? health, 60),
        ]),
      ),
    null,
  )}
  ${
    steps === null
      ? null
      : html`<section><h2>Delay by step, half within</h2>${values([
          ['Outlet to item', half(steps.to_poll)],
          ['Item to page', half(steps.to_public)],
          ['Outlet to page', half(steps.to_page)],
        ])}</section>`
  }
  ${listPart(
    'Last corrections',
    corrections,
    (rows) =>
      plainList(
        rows.map(
          ({ entry, slug, headline, status }) =>
            html`<li>${slug && status === 'public' ? html`<a href="/signal/${slug}">${excerpt(headline ?? '', 90)}</a>` : excerpt(headline ?? 'An entry', 90)}<small>${formatDay(entry.at)}</small></li>`,
        ),
      ),
    null,
  )}`;
}

const PAGES: readonly (readonly [path: string, name: string])[] = [
  ['sources', 'Sources'],
  ['catalogue', 'Catalogue'],
  ['accounts', 'Accounts'],
  ['pipeline', 'Pipeline'],
  ['audit', 'Audit log'],
];

const pageLinks = ({ reader }: Operator): Markup | null =>
  mayActAs(reader.role, 'operator')
    ? html`${PAGES.map(([path, name]) => html`<a class="button plain" href="/operate/${path}">${name}</a>`)}`
    : null;

export function operatePage(server: FastifyInstance, site: Site): void {
  operatorPage(server, site, {
    path: '',
    title: 'What waits',
    role: 'reviewer',
    headLinks: pageLinks,
    async body(operator) {
      const { reader } = operator;
      const [{ cases, mistakes }, state] = await Promise.all([
        loadWaiting(site),
        mayActAs(reader.role, 'operator') ? statePart(site) : null,
      ]);
      const age = (oldest: Date | null): string | null =>
        oldest === null ? null : `oldest ${spanInWords(site.now().getTime() - oldest.getTime())}`;
      return html`${board(
        cases
          .filter(({ role }) => mayActAs(reader.role, role))
          .map(({ path, name, count, oldest, isUrgent = false }) => ({
            path: `/operate/${path}`,
            count: count < MAXIMUM_COUNTED ? String(count) : `${MAXIMUM_COUNTED}+`,
            name,
            note: age(oldest),
            isUrgent: isUrgent && count > 0,
          })),
      )}
      <div class="story-columns"><div class="stories">${(await mistakesPart(site, mistakes)) ?? html`<p class="empty">Readers reported no mistake that is open.</p>`}</div>
        ${state === null ? null : html`<aside class="rail" aria-label="How the service does">${state}</aside>`}</div>${goLive(site)}`;
    },
  });
}
