/** Questions to `POST /ask` without a model, over 100,000 signals. */
import { migrateAccess, openAccess } from '../access/access.ts';
import { answerServices } from '../answer/answer-question.ts';
import { buildServer } from '../api/server.ts';
import { openCatalogue } from '../bin/services.ts';
import { MEANING, meaningsByEncoder } from '../ingest/understand/encoder/item-encoder.ts';
import { postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { readModels } from '../projector/models/all-read-models.ts';
import { prepareReadModels } from '../projector/promote-build.ts';
import { MEANING_LENGTH } from '../signal/meaning.ts';
import { type Bench, figureOf, quantile } from './bench.ts';
import { CITIES, chance, seedEvents, signalHistory } from './generated-history.ts';
import { rebuildOnce } from './rebuild-bench.ts';

const BASE_URL = 'http://localhost:8080';
/** Of a history in which some signals have several events, and some are merged or held. */
const EVENTS = 277_000;
const QUESTIONS = 400;
const MAX_MILLISECONDS = 120;

const FORMS = [
  'How many stores did BRAND open in the last 90 days?',
  'What did BRAND do in CITY last month?',
  'Who raised more this year, BRAND or OTHER?',
  'What was the profit of BRAND in Q2?',
  'Who is the new chief executive of BRAND?',
  'Which brand opened the most stores in CITY in the last 30 days?',
  'How many deals were made last week?',
  'festive demand in CITY',
  'Compare BRAND and OTHER over the last year',
  'What is the rent of the BRAND store in CITY?',
  'Ten-minute deliveries of pet food in Nagaland',
  // In words that no headline has: found by meaning, if at all.
  'who is letting people go',
  'fresh capital for makers of umbrellas',
] as const;

/** So many different meanings are among the reports. */
const MEANINGS = 5_000;

/** A history whose reports have meanings: of as many bytes as the encoder gives, and all different enough. */
function* withMeanings(history: ReturnType<typeof signalHistory>): ReturnType<typeof signalHistory> {
  const draw = chance(2);
  const meanings = Array.from({ length: MEANINGS }, () =>
    Buffer.from(Int8Array.from({ length: MEANING_LENGTH }, () => draw.between(-127, 127))).toString('base64'),
  );
  for (const written of history) {
    const { report, ...data } = written.event.data as { readonly report?: object };
    const meaning = { by: MEANING, values: meanings[draw.between(0, MEANINGS - 1)] };
    yield report
      ? { ...written, event: { ...written.event, data: { ...data, report: { ...report, meaning } } } }
      : written;
  }
}

export const asking: Bench = {
  name: 'ask',
  async run({ empty, log }) {
    const { url, database } = await empty();
    log('  writing 100,000 signals and their read models');
    await seedEvents(database, withMeanings(signalHistory(EVENTS)));
    for (const model of ['signals', 'search', 'meanings', 'names']) await rebuildOnce(url, model);
    await migrateAccess(database);
    await prepareReadModels(database, readModels({ baseUrl: BASE_URL }));
    const { rows } = await database.query<{ name: string }>(
      `SELECT name FROM read.names WHERE type = 'brand' ORDER BY key`,
    );
    const newest = await database.query<{ at: Date; signals: bigint }>(
      'SELECT max(moved_at) AS at, count(*) AS signals FROM read.search_signals WHERE is_public',
    );
    // The history ends long ago: the questions are asked at its end.
    const end = newest.rows[0]?.at ?? new Date();
    const now = (): Date => end;
    const store = postgresEventStore(database);
    const server = await buildServer({
      database,
      store,
      now,
      configuration: { BASE_URL, TRUST_PROXY: undefined },
      access: openAccess({ database, configuration: { BASE_URL } }),
      answers: answerServices({
        database,
        store,
        catalogue: await openCatalogue(),
        baseUrl: BASE_URL,
        now,
        meaningOf: meaningsByEncoder(log),
      }),
    });
    const draw = chance(1);
    const brand = (): string => rows[Math.floor(draw.next() ** 3 * rows.length)]?.name ?? 'Zudio';
    const ask = async (content: string): Promise<number> => {
      const started = performance.now();
      const payload = { messages: [{ role: 'user', content }] };
      const answer = await server.inject({ method: 'POST', url: '/api/v1/ask', payload });
      if (answer.statusCode !== 200) throw new Error(`${content} answered ${answer.statusCode}: ${answer.body}`);
      return performance.now() - started;
    };
    const taken: number[] = [];
    const byForm = new Map<string, number[]>();
    for (let number = 0; number < QUESTIONS + FORMS.length; number++) {
      // So many questions of one address would fill its minute, were they not forgotten.
      if (number % 20 === 0) await database.query('DELETE FROM access.quota_window');
      const form = FORMS[number % FORMS.length] ?? FORMS[0];
      const question = form.replace('BRAND', brand()).replace('OTHER', brand()).replace('CITY', draw.one(CITIES));
      const milliseconds = await ask(question);
      // The first of each form warms up compilers and caches.
      if (number >= FORMS.length) taken.push(milliseconds);
      if (number >= FORMS.length) byForm.set(form, [...(byForm.get(form) ?? []), milliseconds]);
    }
    for (const [form, times] of byForm)
      log(`  ${form}: median ${quantile(times, 0.5).toFixed(0)} ms, p95 ${quantile(times, 0.95).toFixed(0)} ms`);
    await server.close();
    await store.close();
    const figure = (share: number) => quantile(taken, share);
    return [
      figureOf({
        figure: `/ask without a model, ${newest.rows[0]?.signals} signals, p95`,
        unit: 'ms',
        measured: figure(0.95),
        limit: { of: 'measured', at: 'most', value: MAX_MILLISECONDS },
      }),
      figureOf({ figure: '/ask without a model, median', unit: 'ms', measured: figure(0.5) }),
      figureOf({ figure: '/ask without a model, the slowest', unit: 'ms', measured: figure(1) }),
    ];
  },
};
