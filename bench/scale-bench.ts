/** One to four matchers on one topic: whether a second one does the work of a second one. */
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
import { type Bench, type Child, type Context, figureOf, type Given, median, startChild } from './bench.ts';
import { signalHistory } from './generated-history.ts';

const COUNT = 3_000;
/** Before these others warm the compilers up: as many, however many matchers share them, so that all find one window. */
const WARM = 9_000;
const PARTITIONS = 32;
const MATCHERS = [1, 2, 4];
const LOOK = 20;

const Line = z.object({ ready: z.boolean(), seconds: z.number() });
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
    if (++count === WARM + COUNT) return;
  }
}

interface Run {
  readonly perSecond: number;
  /** Processor time of all matchers for one story, in microseconds. */
  readonly cost: number;
}

async function lineWhere(matcher: Matcher, ready: boolean): Promise<number> {
  const lines = matcher.lines[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = await lines.next();
    if (done) throw new Error('a matcher ended too soon');
    if (value.ready === ready) return value.seconds;
  }
}

async function measured({ url, database }: Given, matchers: number): Promise<Run> {
  const topics = postgresTopics(database, { partitions: PARTITIONS });
  const topic = topics.topic(STORIES);
  await topic.publish([]);
  const running = Array.from({ length: matchers }, () => startChild('scale-bench.ts', [url], Line));
  await Promise.all(running.map((matcher) => lineWhere(matcher, true)));
  const all = [...stories()];
  const matched = async (some: typeof all): Promise<void> => {
    await topic.publish(some);
    while ((await topic.lag(MATCH_GROUP)) > 0n) await sleep(LOOK);
  };
  await matched(all.slice(0, WARM));
  for (const { process } of running) process.kill('SIGUSR2');
  const begun = performance.now();
  await matched(all.slice(WARM));
  const seconds = (performance.now() - begun) / 1000;
  for (const { process } of running) process.kill('SIGTERM');
  const spent = await Promise.all(running.map((matcher) => lineWhere(matcher, false)));
  for (const matcher of running) await matcher.ended();
  await topics.close();
  return { perSecond: COUNT / seconds, cost: (spent.reduce((sum, one) => sum + one, 0) / COUNT) * 1e6 };
}

/** Each count in turn, round after round, so that what else the machine does meets all of them alike. */
async function inTurn({ empty, rounds, log }: Context): Promise<Map<number, Run[]>> {
  const runs = new Map<number, Run[]>(MATCHERS.map((matchers) => [matchers, []]));
  for (let round = 1; round <= rounds; round++)
    for (const matchers of MATCHERS) {
      const run = await measured(await empty(), matchers);
      log(
        `round ${round}, ${matchers} matchers: ${run.perSecond.toFixed(0)} stories/s, ${run.cost.toFixed(0)} µs each`,
      );
      runs.get(matchers)?.push(run);
    }
  return runs;
}

export const scaling: Bench = {
  name: 'scale',
  async run(context) {
    const runs = await inTurn(context);
    const of = (matchers: number): Run => ({
      perSecond: median((runs.get(matchers) ?? []).map(({ perSecond }) => perSecond)),
      cost: median((runs.get(matchers) ?? []).map(({ cost }) => cost)),
    });
    const one = of(1);
    return MATCHERS.flatMap((matchers) => {
      const run = of(matchers);
      const baseline = matchers === 1 ? null : one;
      const many = `${matchers} matcher${matchers === 1 ? '' : 's'}`;
      return [
        figureOf({
          figure: `stories into signals, ${many} on ${cpus().length} cores`,
          unit: 'stories/s',
          measured: run.perSecond,
          baseline: baseline && { what: '1 matcher', measured: baseline.perSecond },
        }),
        // A machine with fewer cores than matchers cannot be faster; the work for a story must stay what it was.
        figureOf({
          figure: `processor time of a story, ${many}`,
          unit: 'µs',
          measured: run.cost,
          baseline: baseline && { what: '1 matcher', measured: baseline.cost },
          limit: baseline && { of: 'ratio', at: 'most', value: 1.15 },
        }),
      ];
    });
  },
};

/** `ready` when it owns its partitions; `seconds` of processor time from SIGUSR2, when it is warm, to its end. */
interface MatcherLine {
  readonly ready: boolean;
  readonly seconds: number;
}

/** Matches until the signal aborts. */
async function matchingUntil(url: string, signal: AbortSignal, log: (line: MatcherLine) => void): Promise<void> {
  const database = openDatabase(url, { name: 'bench match' });
  const [store, topics] = [postgresEventStore(database), postgresTopics(database)];
  const stories = topics.topic(STORIES);
  let ready = false;
  let begun: NodeJS.CpuUsage | undefined;
  process.once('SIGUSR2', () => {
    begun = process.cpuUsage();
  });
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
            if (!ready) log({ ready: true, seconds: 0 });
            ready = true;
          },
        }),
    },
    logger: pino({ level: 'silent' }),
    signal,
  });
  const { user, system } = process.cpuUsage(begun);
  log({ ready: false, seconds: (user + system) / 1e6 });
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
