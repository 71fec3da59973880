/** Matching: stories a second after a short and a long history, and how long a matcher takes to start on a long one. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import pino from 'pino';
import { z } from 'zod';
import { match } from '../ingest/match/match-story.ts';
import { featuresOf } from '../ingest/match/report-features.ts';
import { INDEX_SCHEMA, postgresSignalIndex } from '../ingest/match/signal-index.ts';
import { Tracker } from '../ingest/match/signal-tracker.ts';
import { SignalWindow } from '../ingest/match/signal-window.ts';
import { openDatabase } from '../log/postgres/database.ts';
import { postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { type Event, type KnownEvent, readEvent } from '../schemas/events.ts';
import type { Story } from '../schemas/story.ts';
import { type Bench, figureOf, median, startChild } from './bench.ts';
import { signalHistory } from './generated-history.ts';

const SHORT = 10_000;
const LONG = 1_000_000;
/** Signals in memory when the index is searched: few of the history, so that nearly every story asks the index. */
const HELD = 5_000;

const Matched = z.object({ perSecond: z.number(), megabytes: z.number() });
const Started = z.object({
  indexing: z.number(),
  seconds: z.number(),
  held: z.int(),
  indexed: z.int(),
  bytes: z.number(),
  perSecond: z.number(),
  microseconds: z.number(),
});

async function lineOf<Line>(file: string, words: readonly string[], line: z.ZodType<Line>): Promise<Line> {
  const child = startChild(file, words, line);
  const lines: Line[] = [];
  for await (const line of child.lines) lines.push(line);
  await child.ended();
  const [last] = lines.slice(-1);
  if (!last) throw new Error(`${file} said nothing`);
  return last;
}

export const matching: Bench = {
  name: 'match',
  async run({ history, events, rounds, log }) {
    const [short, long]: [z.infer<typeof Matched>[], z.infer<typeof Matched>[]] = [[], []];
    for (let round = 1; round <= rounds; round++) {
      log(`matching after ${SHORT} and after ${LONG} signals, round ${round}`);
      short.push(await lineOf('match-bench.ts', ['memory', String(SHORT)], Matched));
      long.push(await lineOf('match-bench.ts', ['memory', String(LONG)], Matched));
    }
    const perSecond = (all: typeof short): number => median(all.map((one) => one.perSecond));
    const { url } = await history();
    log(`indexing the signals of ${events} events, and searching the index`);
    const start = await lineOf('match-bench.ts', ['index', url, String(events), String(HELD)], Started);
    return [
      figureOf({
        figure: 'stories matched, a long history',
        unit: 'stories/s',
        measured: perSecond(long),
        baseline: { what: `after ${SHORT} signals`, measured: perSecond(short) },
        limit: { of: 'measured', at: 'least', value: 3_000 },
      }),
      figureOf({
        figure: 'cost of a story, a long history',
        unit: 'µs',
        measured: 1e6 / perSecond(long),
        baseline: { what: `after ${SHORT} signals`, measured: 1e6 / perSecond(short) },
        limit: { of: 'ratio', at: 'most', value: 1.2 },
      }),
      figureOf({
        figure: 'memory of a matcher, a long history',
        unit: 'MB',
        measured: median(long.map(({ megabytes }) => megabytes)),
      }),
      figureOf({
        figure: `stories matched, ${start.held} of ${start.indexed} signals in memory (${Math.round(start.microseconds)} µs of the matcher each)`,
        unit: 'stories/s',
        measured: start.perSecond,
      }),
      figureOf({ figure: 'size of the index', unit: 'bytes/signal', measured: start.bytes / start.indexed }),
      figureOf({ figure: 'making the index from the event store', unit: 's', measured: start.indexing }),
      figureOf({ figure: `start of a matcher (${start.held} signals held)`, unit: 's', measured: start.seconds }),
    ];
  },
};

/** Before these as many others warm the compiler up. */
const STORIES = 4_000;
/** Stories in hand at once, as in the matcher. */
const AT_ONCE = 64;

const isDetected = (event: KnownEvent): event is KnownEvent<'SignalDetected'> => event.type === 'SignalDetected';

/** The item and understanding that a signal was detected by. */
const storyOf = ({ data }: KnownEvent<'SignalDetected'>): Story => ({
  item: { ...data.report, role: 'news', language: 'en' },
  understanding: data.understanding,
  understood_by: data.understood_by,
});

/** The process that the bench of matching watches: stories matched, without a store, after a history of signals. */
async function matchInMemory([signals = '10000']: readonly string[]): Promise<void> {
  const count = Number(signals);

  function* detections(): Generator<KnownEvent<'SignalDetected'>> {
    for (const { event } of signalHistory(Number.MAX_SAFE_INTEGER)) {
      if ((event as Event).type !== 'SignalDetected') continue;
      const known = readEvent(event);
      if (isDetected(known)) yield known;
    }
  }

  const window = new SignalWindow();
  let position = 0n;
  const stories: Story[] = [];
  for (const event of detections()) {
    if (position < count) {
      window.fold(event, ++position);
      window.shrink(Number.POSITIVE_INFINITY);
    } else if (stories.push(storyOf(event)) >= 2 * STORIES) break;
  }

  const matchOne = (story: Story): void => {
    const features = featuresOf(story.item, story.understanding);
    match(story, features, window.near(features));
  };
  for (let turn = 0; turn < 2; turn++) for (const story of stories.slice(0, STORIES)) matchOne(story);
  const measured = stories.slice(STORIES);
  const begun = process.cpuUsage();
  for (const story of measured) matchOne(story);
  // Processor time, so that what else the machine does does not count.
  const { user, system } = process.cpuUsage(begun);
  // What the window holds, without the garbage that filling it with a million signals left behind.
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  process.stdout.write(
    `${JSON.stringify({
      perSecond: (measured.length * 1e6) / (user + system),
      megabytes: process.memoryUsage().heapUsed / 2 ** 20,
    })}\n`,
  );
}

/**
 * The process that the bench of matching watches: a matcher that makes the index of all signals from the event store,
 * starts again from it, and searches it for the stories that come next.
 */
async function matchFromIndex([url = '', events = '0', capacity = '60000']: readonly string[]): Promise<void> {
  const database = openDatabase(url, { name: 'bench match', max: 16 });
  const store = postgresEventStore(database);
  const index = await postgresSignalIndex(database);
  const open = () => new Tracker(store, pino({ level: 'silent' }), { index, capacity: Number(capacity) });
  const timed = async (work: () => Promise<void>): Promise<number> => {
    const started = performance.now();
    await work();
    return (performance.now() - started) / 1000;
  };

  const first = open();
  const indexing = await timed(async () => {
    await first.catchUp();
    await first.save();
  });
  const tracker = open();
  const seconds = await timed(() => tracker.catchUp());

  const stories: Story[] = [];
  let passed = 0;
  for (const { event } of signalHistory(Number.MAX_SAFE_INTEGER)) {
    if (++passed <= Number(events) || event.type !== 'SignalDetected') continue;
    const known = readEvent(event);
    if (!isDetected(known)) continue;
    if (stories.push(storyOf(known)) === 2 * STORIES) break;
  }

  async function matchAll(some: readonly Story[]): Promise<void> {
    const waiting = some[Symbol.iterator]();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const story of waiting) {
          const features = tracker.features(story);
          await tracker.ofItem(story.item);
          match(story, features, await tracker.near(features));
        }
      }),
    );
  }

  await matchAll(stories.slice(0, STORIES));
  const begun = process.cpuUsage();
  const took = await timed(() => matchAll(stories.slice(STORIES)));
  const { user, system } = process.cpuUsage(begun);
  const { rows } = await database.query<{ signals: number; bytes: number }>(
    `SELECT (SELECT count(*) FROM ${INDEX_SCHEMA}.signal)::int AS signals,
    (SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c WHERE c.relnamespace = '${INDEX_SCHEMA}'::regnamespace
      AND c.relkind = 'r')::float8 AS bytes`,
  );
  process.stdout.write(
    `${JSON.stringify({
      indexing,
      seconds,
      held: tracker.window.size,
      indexed: rows[0]?.signals ?? 0,
      bytes: rows[0]?.bytes ?? 0,
      perSecond: STORIES / took,
      microseconds: (user + system) / STORIES,
    })}\n`,
  );
  await store.close();
  await database.end();
}

if (import.meta.main) {
  const [role, ...words] = process.argv.slice(2);
  await (role === 'memory' ? matchInMemory(words) : matchFromIndex(words));
}
