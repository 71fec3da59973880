/**
 * A world of virtual sources on a virtual clock: the scheduler, the cadence and the host gate are the poller's own
 * (`ingest/poll`), the network is invented. What a poll finds is decided by times alone, so no page is read.
 */
import pino from 'pino';
import TinyQueue from 'tinyqueue';
import { createHostGate } from '../../ingest/poll/fetch/fetch-page.ts';
import { type CadenceState, learnFromPoll, mayWaitUntil, nextPollAt } from '../../ingest/poll/schedule/cadence.ts';
import { createRounds, hostOf, ownerOf } from '../../ingest/poll/schedule/rounds.ts';
import { Source } from '../../schemas/source.ts';
import { type Chance, chance } from '../generated-history.ts';
import {
  arrivals,
  DAY,
  HOUR,
  learntPattern,
  MINUTE,
  MONDAY,
  normal,
  type PlannedReport,
  planReports,
  type VirtualSource,
  virtualSource,
} from './virtual-sources.ts';

export interface WorldOptions {
  readonly sources: number;
  /** Hours from Monday 00:00 IST. */
  readonly hours: number;
  readonly pollers: number;
  /** Mean over all sources. */
  readonly itemsPerDay: number;
  readonly seed: number;
  /** Sources are new instead of known for four weeks. */
  readonly fresh?: boolean;
  /** Events whose reports are followed, for matching. */
  readonly events?: number;
  /** Concurrent polls of a poller. */
  readonly concurrency?: number;
  readonly onProgress?: (done: number, total: number, phase: 'learning' | 'polling') => void;
}

/** A report of the invented news that a poll found. */
export interface FoundReport extends PlannedReport {
  readonly found: number;
}

export interface World {
  readonly sources: number;
  readonly hosts: number;
  readonly polls: number;
  readonly items: {
    readonly published: number;
    readonly found: number;
    /** They left the feed between two polls. */
    readonly missed: number;
    /** Published since the last poll. */
    readonly waiting: number;
  };
  /** Seconds from publication to the end of the poll that found an item. */
  readonly freshness: Quantiles;
  /** Seconds from the moment that a source was due to the beginning of its poll. */
  readonly lateness: Quantiles;
  readonly requests: {
    /** Of all pollers in the busiest second, and in the busiest hour per second. */
    readonly perSecond: number;
    readonly perSecondInBusiestHour: number;
    /** Of one host in its busiest second, at the same time, and in its busiest hour. */
    readonly perHostAndSecond: number;
    readonly perHostAtOnce: number;
    readonly perHostAndHour: number;
    /** The least time between the end of a request and the beginning of the next at one host, in milliseconds. */
    readonly leastRest: number | null;
  };
  /** Polls that began before their source was due. */
  readonly early: number;
  /** The longest time without a poll of one source, in seconds, and the same over what its cadence asked for. */
  readonly longestInterval: number;
  readonly longestOverdue: number;
  readonly neverPolled: number;
  /** Sources of the poller with the most over the mean. */
  readonly imbalance: number;
  readonly reports: readonly FoundReport[];
}

interface Quantiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly maximum: number;
}

interface Timer {
  readonly at: number;
  readonly order: number;
  fire: (() => void) | null;
}

/** A virtual clock: it advances to the next timer when no work is left. */
function createVirtualTime(begin: number) {
  const timers = new TinyQueue<Timer>([], (one, other) => one.at - other.at || one.order - other.order);
  let now = begin;
  let order = 0;
  const pause = (milliseconds: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const over = (): void => {
        timer.fire = null;
        resolve();
      };
      const timer: Timer = {
        at: now + Math.max(0, milliseconds),
        order: order++,
        fire: () => {
          signal?.removeEventListener('abort', over);
          resolve();
        },
      };
      signal?.addEventListener('abort', over, { once: true });
      timers.push(timer);
    });
  };
  return {
    now: () => now,
    pause,
    /** Goes on until a moment; all that follows from a timer is done before the next one. */
    async runUntil(end: number): Promise<void> {
      for (;;) {
        // Called when no promise is left to be settled, and without a turn of the event loop.
        await new Promise<void>((resolve) => process.nextTick(resolve));
        let next = timers.pop();
        while (next && next.fire === null) next = timers.pop();
        if (!next || next.at > end) {
          if (next) timers.push(next);
          now = end;
          return;
        }
        now = Math.max(now, next.at);
        next.fire?.();
      }
    },
  };
}

/** Seconds, counted one by one up to a week. */
function createHistogram() {
  const counts = new Uint32Array(7 * 86_400 + 1);
  let total = 0;
  let maximum = 0;
  const at = (share: number): number => {
    let left = Math.max(1, Math.ceil(share * total));
    for (const [second, count] of counts.entries()) {
      left -= count;
      if (left <= 0) return second;
    }
    return 0;
  };
  return {
    add(milliseconds: number): void {
      const second = Math.min(counts.length - 1, Math.max(0, Math.round(milliseconds / 1_000)));
      counts[second] = (counts[second] ?? 0) + 1;
      total += 1;
      maximum = Math.max(maximum, second);
    },
    quantiles: (): Quantiles => ({ p50: at(0.5), p90: at(0.9), p99: at(0.99), maximum }),
  };
}

interface HostUse {
  now: number;
  atOnce: number;
  second: number;
  inSecond: number;
  mostInSecond: number;
  hour: number;
  inHour: number;
  mostInHour: number;
  endedAt: number | null;
  leastRest: number;
}

/** Counts requests at hosts. */
function createHostUses() {
  const hosts = new Map<string, HostUse>();
  const of = (host: string): HostUse => {
    const known = hosts.get(host);
    if (known) return known;
    const counts = { now: 0, atOnce: 0, second: -1, inSecond: 0, mostInSecond: 0, hour: -1, inHour: 0, mostInHour: 0 };
    const use = { ...counts, endedAt: null, leastRest: Number.POSITIVE_INFINITY };
    hosts.set(host, use);
    return use;
  };
  return {
    began(host: string, at: number): void {
      const use = of(host);
      use.now += 1;
      use.atOnce = Math.max(use.atOnce, use.now);
      if (use.endedAt !== null) use.leastRest = Math.min(use.leastRest, use.now > 1 ? 0 : at - use.endedAt);
      const [second, hour] = [Math.floor(at / 1_000), Math.floor(at / HOUR)];
      use.inSecond = use.second === second ? use.inSecond + 1 : 1;
      use.inHour = use.hour === hour ? use.inHour + 1 : 1;
      use.second = second;
      use.hour = hour;
      use.mostInSecond = Math.max(use.mostInSecond, use.inSecond);
      use.mostInHour = Math.max(use.mostInHour, use.inHour);
    },
    ended(host: string, at: number): void {
      const use = of(host);
      use.now -= 1;
      use.endedAt = at;
    },
    all: () => [...hosts.values()],
  };
}

/** A source with what its poller knows of it. */
interface Polled {
  readonly virtual: VirtualSource;
  readonly source: Source;
  readonly draw: Chance;
  readonly times: Generator<number>;
  /** The next arrival that no poll has seen; null after the last. */
  next: number | null;
  state: CadenceState;
  due: number;
  /** The end of the last poll; null before the first. */
  polledAt: number | null;
  readonly reports: PlannedReport[];
}

/** Milliseconds that a request takes, assumed: log-normal, a median of 0.4 s, one in a hundred over 2.6 s. */
const requestTime = (draw: Chance): number => Math.round(Math.min(20_000, 400 * Math.exp(0.8 * normal(draw))));

const nextOf = (times: Generator<number>): number | null => times.next().value ?? null;

/**
 * Lets the pollers poll the world.
 * @returns what happened; the same for the same options
 */
export async function simulateWorld(options: WorldOptions): Promise<World> {
  const { sources: count, hours, pollers, seed, fresh = false, events = 0, concurrency = 16 } = options;
  const { onProgress = () => undefined } = options;
  const days = Math.ceil(hours / 24);
  const end = MONDAY + hours * HOUR;
  const jitter = chance(seed + 1);
  const world: Polled[] = [];
  for (let number = 0; number < count; number++) {
    const virtual = virtualSource(number, options);
    const pattern = fresh ? null : learntPattern(virtual, seed, MONDAY);
    const begun = { last_polled_at: null, last_success_at: null, polls_today: 0, arrival_pattern: pattern };
    // As in a service that runs: each source is somewhere between two polls.
    const planned =
      pattern && learnFromPoll({ ...cadenceOf(begun, MONDAY), first: true, published: [], news: 0, listed: 0 });
    const url = `https://${virtual.host}/feed/${number}`;
    const times = arrivals(virtual, seed, MONDAY, days);
    world.push({
      virtual,
      source: Source.parse({ id: `s-${number}`, outlet: virtual.host, url }),
      draw: chance(Math.imul(seed, 31) + number),
      times,
      next: nextOf(times),
      state: begun,
      due: MONDAY + (planned ? Math.round(planned.cadence * 1_000 * jitter.next()) : 0),
      polledAt: null,
      reports: [],
    });
    if (number % 1_000 === 0) onProgress(number, count, 'learning');
  }
  for (const report of planReports(
    world.map(({ virtual }) => virtual.itemsPerDay),
    events,
    days,
    seed,
  ))
    world[report.source]?.reports.push(report);

  const time = createVirtualTime(MONDAY);
  const stop = new AbortController();
  const [freshness, lateness, hosts] = [createHistogram(), createHistogram(), createHostUses()];
  const perSecond = new Uint16Array(hours * 3_600 + 1);
  const reports: FoundReport[] = [];
  const counts = { polls: 0, found: 0, missed: 0, early: 0, longestInterval: 0, longestOverdue: 0 };

  async function poll(one: Polled, gate: ReturnType<typeof createHostGate>): Promise<number> {
    const started = time.now();
    // A poller that has just started reads when the source is due from its last poll.
    if (one.polledAt === null && mayWaitUntil(one.due, 0, started)) return one.due;
    const { host } = one.virtual;
    if (started < one.due) counts.early += 1;
    lateness.add(started - one.due);
    const last = one.polledAt ?? MONDAY;
    counts.longestInterval = Math.max(counts.longestInterval, started - last);
    counts.longestOverdue = Math.max(counts.longestOverdue, started - one.due);
    const leave = await gate.enter(host, stop.signal);
    const asked = time.now();
    hosts.began(host, asked);
    const second = Math.floor((asked - MONDAY) / 1_000);
    perSecond[second] = (perSecond[second] ?? 0) + 1;
    await time.pause(requestTime(one.draw), stop.signal);
    hosts.ended(host, time.now());
    leave();
    counts.polls += 1;
    const published: Date[] = [];
    for (; one.next !== null && one.next <= asked; one.next = nextOf(one.times)) published.push(new Date(one.next));
    // The feed lists the newest.
    const listed = published.slice(-one.virtual.listed);
    counts.missed += published.length - listed.length;
    counts.found += listed.length;
    for (const date of listed) freshness.add(time.now() - date.getTime());
    for (let report = one.reports[0]; report && report.published <= asked; report = one.reports[0]) {
      reports.push({ ...report, found: time.now() });
      one.reports.shift();
    }
    const { pattern, pollsToday, cadence } = learnFromPoll({
      ...cadenceOf(one.state, started),
      first: one.polledAt === null && fresh,
      published: listed,
      news: listed.length,
      listed: one.virtual.listed,
    });
    const at = new Date(started).toISOString();
    one.state = { last_polled_at: at, last_success_at: at, polls_today: pollsToday, arrival_pattern: pattern };
    one.polledAt = time.now();
    one.due = nextPollAt({
      now: new Date(time.now()),
      cadenceSeconds: cadence,
      fixed: false,
      failures: 0,
      retryAt: null,
      freshSeconds: 0,
      jitter: one.draw.next(),
    }).getTime();
    return one.due;
  }

  const members = Array.from({ length: pollers }, (_, number) => `poller-${number}`);
  const shares = new Map<string, Polled[]>(members.map((member) => [member, []]));
  for (const one of world) shares.get(ownerOf(hostOf(one.source), members) ?? '')?.push(one);
  const running = [...shares.values()].map((share) => {
    const known = new Map(share.map((one) => [one.source.id, one]));
    const gate = createHostGate({ pause: time.pause });
    const sources = share.map(({ source }) => source);
    return createRounds({
      sources: () => sources,
      poll: async ({ id }) => {
        const one = known.get(id);
        return one ? poll(one, gate) : end;
      },
      onRemoved: () => undefined,
      clock: () => new Date(time.now()),
      logger: pino({ level: 'silent' }),
      signal: stop.signal,
      pause: time.pause,
      concurrency,
    }).run();
  });
  for (let at = MONDAY; at < end; ) {
    at = Math.min(end, at + 10 * MINUTE);
    await time.runUntil(at);
    onProgress((at - MONDAY) / MINUTE, (end - MONDAY) / MINUTE, 'polling');
  }
  stop.abort();
  // Requests that are under way end with the simulation.
  await time.runUntil(end + DAY);
  await Promise.all(running);

  const uses = hosts.all();
  const most = (of: (use: HostUse) => number): number => uses.reduce((found, use) => Math.max(found, of(use)), 0);
  const leastRest = uses.reduce((found, { leastRest }) => Math.min(found, leastRest), Number.POSITIVE_INFINITY);
  const busiestHour = Array.from({ length: Math.ceil(hours) }, (_, hour) =>
    perSecond.subarray(hour * 3_600, (hour + 1) * 3_600).reduce((total, value) => total + value, 0),
  );
  let waiting = 0;
  for (const one of world) for (; one.next !== null && one.next <= end; one.next = nextOf(one.times)) waiting += 1;
  return {
    sources: count,
    hosts: new Set(world.map(({ virtual }) => virtual.host)).size,
    polls: counts.polls,
    items: {
      published: counts.found + counts.missed + waiting,
      found: counts.found,
      missed: counts.missed,
      waiting,
    },
    freshness: freshness.quantiles(),
    lateness: lateness.quantiles(),
    requests: {
      perSecond: perSecond.reduce((found, value) => Math.max(found, value), 0),
      perSecondInBusiestHour: Math.max(...busiestHour) / 3_600,
      perHostAndSecond: most(({ mostInSecond }) => mostInSecond),
      perHostAtOnce: most(({ atOnce }) => atOnce),
      perHostAndHour: most(({ mostInHour }) => mostInHour),
      leastRest: Number.isFinite(leastRest) ? leastRest : null,
    },
    early: counts.early,
    longestInterval: counts.longestInterval / 1_000,
    longestOverdue: counts.longestOverdue / 1_000,
    neverPolled: world.filter(({ polledAt }) => polledAt === null).length,
    imbalance: (Math.max(...[...shares.values()].map(({ length }) => length)) * pollers) / count,
    reports,
  };
}

const cadenceOf = (before: CadenceState, started: number) => ({
  before,
  started: new Date(started),
  fixed: undefined,
});
