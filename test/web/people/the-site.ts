/** One site for all tests of people: a site per test would cost seconds. */
import { writeUsage } from '../../../access/quota/usage.ts';
import { createFetchPage, createHostGate } from '../../../ingest/poll/fetch/fetch-page.ts';
import { type Judge, previewSource } from '../../../ingest/preview-source.ts';
import { type Outlets, startOutlets } from '../../harness/outlets.ts';
import { understanding } from '../../projector/signal-events.ts';
import { type SigningIn, signingIn } from './signing-in.ts';

const ASKED = [
  'search',
  'names',
  'openings',
  'appointments',
  'results',
  'sessions',
  'investigations',
  'review',
  'corrections',
];

let site: Promise<SigningIn> | undefined;
let outlets: Promise<Outlets> | undefined;

/** Outlets whose feeds operators accept. */
export function theOutlets(): Promise<Outlets> {
  outlets ??= startOutlets(['paper', 'other']);
  return outlets;
}

/** Understands every report as the same. */
const understand = async () => ({
  understanding: understanding({ headline: 'Another event' }),
  understood_by: 'test',
  reasons: [{ field: 'cities', rule: 'place, headline', words: 'Pune' }],
});

/** Takes an item whose title ends with `one` for noise, and every other for a move. */
const judge: Judge['understand'] = async ({ title }) => ({
  relevant: !title.endsWith('one'),
  reason: 'not about retail',
  understanding: understanding({ headline: title }),
});

export function theSite(): Promise<SigningIn> {
  const fetchPage = createFetchPage({ allowAddress: () => true, userAgent: 'test', gate: createHostGate() });
  const preview = async (address: string) => {
    const { engine } = (await theSite()).site;
    const context = { store: engine.store, fetchPage, signal: AbortSignal.timeout(30_000), now: engine.clock() };
    return previewSource({ ...context, understander: { understand: judge } }, address);
  };
  site ??= signingIn({
    models: ['brands', ...ASKED],
    desk: { fetchPage, retry: async () => [], understand, preview },
  });
  return site;
}

/**
 * Moves the calls so far to the day of the pages' clock, which these tests fix; calls are counted on the day
 * of the database.
 */
export async function dateCallsToday(): Promise<void> {
  const { database, clock } = (await theSite()).site.engine;
  await writeUsage(database);
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kolkata' }).format(clock());
  await database.query(
    `WITH moved AS (DELETE FROM access.usage_day WHERE day <> $1::date RETURNING account, calls, questions)
     INSERT INTO access.usage_day AS u SELECT account, $1::date, sum(calls), sum(questions) FROM moved GROUP BY account
     ON CONFLICT (account, day) DO UPDATE SET
       calls = u.calls + EXCLUDED.calls, questions = u.questions + EXCLUDED.questions`,
    [today],
  );
  await database.query(
    `WITH moved AS (DELETE FROM access.usage_key_day WHERE day <> $1::date RETURNING key_id, calls, last_at)
     INSERT INTO access.usage_key_day AS u SELECT key_id, $1::date, sum(calls), max(last_at) FROM moved GROUP BY key_id
     ON CONFLICT (key_id, day) DO UPDATE SET calls = u.calls + EXCLUDED.calls`,
    [today],
  );
}

export async function closeTheSite(): Promise<void> {
  await (await site)?.close();
  await (await outlets)?.close();
}
