/** One to four matchers on one topic: whether a second one does the work of a second one. */
import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { z } from 'zod';
import { MATCH_GROUP, runMatcher } from '../ingest/match/matcher.ts';
import { postgresSignalIndex } from '../ingest/match/signal-index.ts';
import { postgresDeadLetters } from '../log/dead-letters.ts';
import { openDatabase } from '../log/postgres/database.ts';
import { postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../log/postgres/topics/postgres-topics.ts';
import { type Event, type KnownEvent, newEvent, readEvent } from '../schemas/events.ts';
import { eventId } from '../schemas/scalar.ts';
import { STORIES } from '../schemas/story.ts';
import {
  type Bench,
  type Child,
  type Context,
  type Figure,
  figureOf,
  type Given,
  median,
  startChild,
} from './bench.ts';
import { signalHistory } from './generated-history.ts';

/** Before all others: as many, however many matchers share them, so that all find one window. */
const WARM = 9_000;
/** Stories after these. Of four matchers each has compiled with 2,250 before, and handles 750. */
const YOUNG = 3_000;
/** Stories after these, 3,000 of each of four matchers: constant cost of a process is divided by as many as of one at `YOUNG`. */
const LATER = 12_000;
const PARTITIONS = 32;
const MATCHERS = [1, 2, 4];
const LOOK = 20;
/** Keeps a core and its caches busy until it is killed. */
const BUSY = 'const kept = []; for (let at = 0; ; at = (at + 7919) % 200000) kept[at] = { at, text: String(at) }';

/** Processor time of a matcher since its start, in seconds. */
const Line = z.object({ seconds: z.number() });
type Matcher = Child<z.infer<typeof Line>>;

const SYLLABLES = [
  'ka',
  'ro',
  'mi',
  'ten',
  'su',
  'lor',
  'vi',
  'pash',
  'dun',
  'gre',
  'bol',
  'zen',
  'tar',
  'qui',
  'hem',
  'nal',
];
const BRAND = /\b([A-Za-z]+)[ -](?:threads|foods|stores|shoes|jewels|beauty|homes|bakes|optics|toys)[ -](\d+)\b/gi;

/** Two words that few other numbers have. */
function nameOf(number: number): [string, string] {
  const bits = Math.imul(number + 1, 0x9e3779b1) >>> 0;
  const word = (from: number) => [0, 4].map((shift) => SYLLABLES[(bits >>> (from + shift)) & 15]).join('');
  return [word(16), word(24)];
}

/**
 * Gives brands names of their own. In the generated history a thousand brands share a hundred names and differ by number only,
 * so that most of their reports would be one event in several partitions, which no real stream has.
 */
const withOwnNames = (event: KnownEvent<'StoryUnderstood'>): KnownEvent<'StoryUnderstood'> =>
  JSON.parse(
    JSON.stringify(event).replace(BRAND, (found: string, _: string, number: string) => {
      const words = nameOf(Number(number));
      return found.includes('-')
        ? words.join('-')
        : words.map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`).join(' ');
    }),
  );

/** Stories as understanding would publish them, keyed by their first brand, which has no owner here. */
function* stories(): Generator<{ key: string; event: Event }> {
  let count = 0;
  for (const { event: written } of signalHistory(Number.MAX_SAFE_INTEGER)) {
    const known = written.type === 'SignalDetected' ? readEvent(written) : null;
    if (known?.type !== 'SignalDetected') continue;
    const { report, understanding, understood_by } = known.data;
    const item = { ...report, role: 'news', language: 'en' } as const;
    const story = newEvent(
      'StoryUnderstood',
      { item, understanding, understood_by },
      { id: eventId('bench story', known.id), time: known.time },
    );
    const event = withOwnNames(story);
    yield { key: event.data.understanding.brands[0]?.slug ?? item.url, event };
    if (++count === WARM + YOUNG + LATER) return;
  }
}

/** Some stories in a row. */
interface Stretch {
  readonly perSecond: number;
  /** Processor time of all matchers for one story, in microseconds. */
  readonly cost: number;
}

interface Run {
  readonly young: Stretch;
  readonly later: Stretch;
}

async function secondsOf(matcher: Matcher): Promise<number> {
  const { value, done } = await matcher.lines[Symbol.asyncIterator]().next();
  if (done) throw new Error('a matcher ended too soon');
  return value.seconds;
}

/** Processor time of all matchers until now, in seconds. */
async function spentBy(matchers: readonly Matcher[]): Promise<number> {
  for (const { process } of matchers) process.kill('SIGUSR2');
  return (await Promise.all(matchers.map(secondsOf))).reduce((sum, one) => sum + one, 0);
}

/**
 * Matches the same stories in each database.
 * @param matchers of each database
 * @param lengths of the stretches
 */
async function measured(given: readonly Given[], matchers: number, lengths: readonly number[]): Promise<Stretch[]> {
  const services = given.map(({ url, database }) => {
    const topics = postgresTopics(database, { partitions: PARTITIONS });
    return { url, topics, topic: topics.topic(STORIES) };
  });
  for (const { topic } of services) await topic.publish([]);
  const running = services.flatMap(({ url }) =>
    Array.from({ length: matchers }, () => startChild('scale-bench.ts', [url], Line)),
  );
  await Promise.all(running.map(secondsOf));
  const all = [...stories()];
  const stretches: Stretch[] = [];
  for (let from = 0; stretches.length < lengths.length; ) {
    const some = all.slice(from, from + (lengths[stretches.length] ?? 0));
    from += some.length;
    const before = await spentBy(running);
    const begun = performance.now();
    await Promise.all(
      services.map(async ({ topic }) => {
        await topic.publish(some);
        while ((await topic.lag(MATCH_GROUP)) > 0n) await sleep(LOOK);
      }),
    );
    const seconds = (performance.now() - begun) / 1000;
    const count = some.length * services.length;
    stretches.push({ perSecond: count / seconds, cost: (((await spentBy(running)) - before) / count) * 1e6 });
  }
  for (const { process } of running) process.kill('SIGTERM');
  for (const matcher of running) await matcher.ended();
  for (const { topics } of services) await topics.close();
  return stretches;
}

const NONE: Stretch = { perSecond: Number.NaN, cost: Number.NaN };

async function together(given: Given, matchers: number): Promise<Run> {
  const [, young = NONE, later = NONE] = await measured([given], matchers, [WARM, YOUNG, LATER]);
  return { young, later };
}

/** One matcher of each of some services, which share nothing but the machine and the server of their databases. */
async function nextToOthers(given: readonly Given[]): Promise<number> {
  const [, young = NONE] = await measured(given, 1, [WARM, YOUNG]);
  return young.cost;
}

async function nextToBusyCore(given: Given): Promise<number> {
  const busy = spawn(process.execPath, ['-e', BUSY], { stdio: 'ignore' });
  try {
    return await nextToOthers([given]);
  } finally {
    busy.kill();
  }
}

interface Measured {
  readonly runs: ReadonlyMap<number, Run[]>;
  /** Processor time of a story of one matcher, in microseconds, by what runs next to it. */
  readonly controls: ReadonlyMap<string, number[]>;
}

/** Each count and control in turn, round after round, so that what else the machine does meets all of them alike. */
async function inTurn({ empty, rounds, log }: Context): Promise<Measured> {
  const runs = new Map<number, Run[]>(MATCHERS.map((matchers) => [matchers, []]));
  const controls = new Map<string, number[]>();
  const noted = (neighbour: string, cost: number): void => {
    log(`one matcher next to ${neighbour}: ${cost.toFixed(0)} µs each`);
    controls.set(neighbour, [...(controls.get(neighbour) ?? []), cost]);
  };
  for (let round = 1; round <= rounds; round++) {
    for (const matchers of MATCHERS) {
      const run = await together(await empty(), matchers);
      const { young, later } = run;
      log(
        `round ${round}, ${matchers} matchers: ${later.perSecond.toFixed(0)} stories/s, ${young.cost.toFixed(0)}, later ${later.cost.toFixed(0)} µs each`,
      );
      runs.get(matchers)?.push(run);
    }
    noted('a busy core', await nextToBusyCore(await empty()));
    noted('one of another service', await nextToOthers([await empty(), await empty()]));
    noted('three of other services', await nextToOthers([await empty(), await empty(), await empty(), await empty()]));
  }
  return { runs, controls };
}

export const scaling: Bench = {
  name: 'scale',
  async run(context) {
    const { runs, controls } = await inTurn(context);
    const of = (matchers: number, value: (run: Run) => number): number => median((runs.get(matchers) ?? []).map(value));
    const many = (matchers: number): string => `${matchers} matcher${matchers === 1 ? '' : 's'}`;
    /** A machine with fewer cores than matchers cannot be faster; the work for a story must stay what it was. */
    const cost = (figure: string, value: (run: Run) => number): Figure[] =>
      MATCHERS.map((matchers) =>
        figureOf({
          figure: `${figure}, ${many(matchers)}`,
          unit: 'µs',
          measured: of(matchers, value),
          baseline: matchers === 1 ? null : { what: '1 matcher', measured: of(1, value) },
          limit: matchers === 1 ? null : { of: 'ratio', at: 'most', value: 1.15 },
        }),
      );
    return [
      ...MATCHERS.map((matchers) =>
        figureOf({
          figure: `stories into signals, ${many(matchers)} on ${cpus().length} cores`,
          unit: 'stories/s',
          measured: of(matchers, ({ later }) => later.perSecond),
          baseline: matchers === 1 ? null : { what: '1 matcher', measured: of(1, ({ later }) => later.perSecond) },
        }),
      ),
      ...cost('processor time of a story', ({ later }) => later.cost),
      ...cost('the same of the first 3,000 after 9,000', ({ young }) => young.cost),
      ...[...controls].map(([neighbour, costs]) =>
        figureOf({
          figure: `the same of one matcher, next to ${neighbour}`,
          unit: 'µs',
          measured: median(costs),
          baseline: { what: '1 matcher alone', measured: of(1, ({ young }) => young.cost) },
        }),
      ),
    ];
  },
};

/** Matches until the signal aborts. A line is written when it owns its partitions, and at each SIGUSR2. */
async function matchingUntil(
  url: string,
  signal: AbortSignal,
  log: (line: z.infer<typeof Line>) => void,
): Promise<void> {
  const database = openDatabase(url, { name: 'bench match' });
  const [store, topics] = [postgresEventStore(database), postgresTopics(database)];
  const stories = topics.topic(STORIES);
  let ready = false;
  const spent = (): void => {
    const { user, system } = process.cpuUsage();
    log({ seconds: (user + system) / 1e6 });
  };
  process.on('SIGUSR2', spent);
  await runMatcher({
    store,
    deadLetters: postgresDeadLetters(database),
    index: await postgresSignalIndex(database),
    stories: {
      ...stories,
      consume: (options) =>
        stories.consume({
          ...options,
          onAssigned: async (partitions) => {
            await options.onAssigned?.(partitions);
            if (!ready) spent();
            ready = true;
          },
        }),
    },
    logger: pino({ level: 'silent' }),
    signal,
  });
  await Promise.all([store.close(), topics.close()]);
  await database.end();
}

/** A matcher in a process of its own, until SIGTERM. */
async function runMatcherProcess([url = '']: readonly string[]): Promise<void> {
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  await matchingUntil(url, stop.signal, (line) => process.stdout.write(`${JSON.stringify(line)}\n`));
}

if (import.meta.main) await runMatcherProcess(process.argv.slice(2));
