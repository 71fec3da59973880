/**
 * How late items are found, and for how many polls: sources whose items arrive as those of newsrooms do are polled for
 * weeks by the poller's own code, from a feed that lists the newest, on a simulated clock. The state goes through the
 * event of each poll and the read model, as after a restart.
 */
import type { FetchPage } from '../ingest/poll/fetch/fetch-page.ts';
import { pollSource } from '../ingest/poll/poll-source.ts';
import { evolveSource, type SourceHealthRow } from '../projector/models/source-health-read-model.ts';
import { readEvent } from '../schemas/events.ts';
import { Source } from '../schemas/source.ts';
import { type Bench, type Figure, figureOf, median, quantile } from './bench.ts';
import { type Chance, chance } from './generated-history.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const IST = 5.5 * HOUR;

/** When the items of one source appear, in milliseconds since 1970, ascending. */
export interface SourceArrivals {
  readonly source: string;
  readonly times: readonly number[];
}

/** How a made-up outlet works. */
interface Newsroom {
  readonly source: string;
  /** Mean of a week. */
  readonly itemsPerDay: number;
  /** Share of the items in each hour of the day in IST, in any unit. */
  readonly hours: readonly number[];
  /** Share of each day from Monday, in any unit. */
  readonly days: readonly number[];
  /** How many items come with the first of a burst, on average; within a quarter of an hour. */
  readonly following: number;
}

/** From 06:00 to 22:00 with a long afternoon, some at night: an outlet with shifts. */
const LONG_DAY = [5, 2, 2, 1, 1, 3, 2, 5, 7, 8, 10, 11, 11, 13, 16, 14, 13, 14, 13, 16, 11, 7, 7, 3];
/** From 09:00 to 19:00: an office. */
const OFFICE = [0, 0, 0, 0, 0, 0, 0, 1, 3, 9, 12, 12, 11, 8, 9, 11, 11, 9, 6, 3, 1, 0, 0, 0];
/** A morning's work put out at once, little later. */
const MORNING = [0, 0, 0, 0, 0, 1, 6, 14, 18, 12, 7, 4, 3, 2, 2, 2, 3, 3, 2, 1, 0, 0, 0, 0];

const WORKING_WEEK = [11, 11, 11, 11, 10, 5, 4];
const OFFICE_WEEK = [10, 10, 10, 10, 10, 2, 0];

const NEWSROOMS: readonly Newsroom[] = [
  { source: 'business-daily', itemsPerDay: 14, hours: LONG_DAY, days: WORKING_WEEK, following: 0.3 },
  { source: 'trade-portal', itemsPerDay: 10, hours: OFFICE, days: OFFICE_WEEK, following: 0.3 },
  { source: 'startup-portal', itemsPerDay: 20, hours: LONG_DAY, days: OFFICE_WEEK, following: 0.5 },
  { source: 'weekday-desk', itemsPerDay: 28, hours: OFFICE, days: [10, 10, 10, 10, 10, 0, 0], following: 1 },
  { source: 'morning-desk', itemsPerDay: 15, hours: MORNING, days: WORKING_WEEK, following: 1.5 },
  { source: 'agency', itemsPerDay: 100, hours: LONG_DAY, days: WORKING_WEEK, following: 0.5 },
  { source: 'magazine', itemsPerDay: 3, hours: OFFICE, days: OFFICE_WEEK, following: 0.2 },
  { source: 'blog', itemsPerDay: 0.5, hours: OFFICE, days: OFFICE_WEEK, following: 0 },
];

const MONDAY = Date.parse('2026-06-01T00:00:00+05:30');
const DAYS = 35;

const gap = (rate: number, random: Chance): number => -Math.log(1 - random.next()) / rate;

/** Arrivals of a newsroom by hour, weekday and burst; no two days alike, as a day's volume varies by a third. */
function arrivalsOf(newsroom: Newsroom, random: Chance): SourceArrivals {
  const { hours, days, following, itemsPerDay } = newsroom;
  const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
  const times: number[] = [];
  for (let day = 0; day < DAYS; day++) {
    const busy = 2 / 3 + (random.next() * 2) / 3;
    const expected = (busy * (itemsPerDay * 7 * (days[day % 7] ?? 0))) / total(days) / (1 + following);
    for (const [hour, share] of hours.entries()) {
      const rate = (expected * share) / total(hours);
      // Gaps of a Poisson process, in hours.
      for (let at = gap(rate, random); at < 1; at += gap(rate, random)) {
        const first = MONDAY + day * DAY + (hour + at) * HOUR;
        times.push(first);
        while (random.happens(following / (1 + following))) times.push(first + random.next() * 15 * MINUTE);
      }
    }
  }
  return { source: newsroom.source, times: times.toSorted((one, other) => one - other) };
}

/** The arrivals of made-up newsrooms over five weeks, the same in every run. */
export const generatedArrivals = (): SourceArrivals[] =>
  NEWSROOMS.map((newsroom, number) => arrivalsOf(newsroom, chance(number + 1)));

export interface Simulated {
  readonly source: string;
  /** Items a day over the whole time. */
  readonly itemsPerDay: number;
  /** Minutes from the arrival of each item to the poll that found it, the first poll's left out. */
  readonly delays: readonly number[];
  /** Polls of each whole day in IST. */
  readonly pollsByDay: readonly number[];
}

/** Entries that a feed lists. */
const LISTED = 40;
const ARTICLES = 'https://outlet.example.in/';

/**
 * Polls a source from its first arrival to the last, as the poller would that has never seen it.
 * @param random from 0 up to 1, for the jitter of polls
 */
export async function simulate({ source: name, times }: SourceArrivals, random: () => number): Promise<Simulated> {
  const source = Source.parse({ id: 'simulated', outlet: name, url: 'https://outlet.example.in/feed' });
  const [began = 0, ended = 0] = [times[0], times.at(-1)];
  let now = began;
  let appeared = 0;
  const fetchPage: FetchPage = async ({ url, etag }) => {
    const answer = { url, headers: { etag: `"${appeared}"` }, movedTo: null };
    if (etag === answer.headers.etag) return { ...answer, status: 304, body: Buffer.alloc(0) };
    return { ...answer, status: 200, body: Buffer.from(feedOf(times, appeared)) };
  };
  const context = { fetchPage, clock: () => new Date(now), random, signal: new AbortController().signal };
  const delays: number[] = [];
  const polls = new Map<number, number>();
  let row: SourceHealthRow | null = null;
  while (appeared < times.length) {
    while ((times[appeared] ?? Number.POSITIVE_INFINITY) <= now) appeared += 1;
    const { poll, items } = await pollSource(source, row?.polls ?? null, context);
    for (const { data } of row ? items : []) {
      const number = Number(data.item_key.slice(ARTICLES.length));
      delays.push((now - (times[number] ?? Number.NaN)) / MINUTE);
    }
    const day = Math.floor((now + IST) / DAY);
    polls.set(day, (polls.get(day) ?? 0) + 1);
    row = evolveSource(row, readEvent(JSON.parse(JSON.stringify(poll))));
    now = Date.parse(poll.data.next_poll_at);
  }
  const whole = [...polls].slice(1, -1).map(([, count]) => count);
  return { source: name, itemsPerDay: times.length / ((ended - began) / DAY), delays, pollsByDay: whole };
}

/** RSS of the newest of the items that have appeared. */
function feedOf(times: readonly number[], appeared: number): string {
  const items = times
    .slice(Math.max(0, appeared - LISTED), appeared)
    .map((at, place) => ({ at, number: Math.max(0, appeared - LISTED) + place }))
    .toReversed()
    .map(
      ({ at, number }) =>
        `<item><title>Story ${number}</title><link>${ARTICLES}${number}</link><pubDate>${new Date(at).toUTCString()}</pubDate></item>`,
    );
  return `<rss version="2.0"><channel><title>Outlet</title>${items.join('')}</channel></rss>`;
}

/** From so many items a day on, limits hold. */
const LIMITED_FROM = 10;

function figuresOf({ source, itemsPerDay, delays, pollsByDay }: Simulated): Figure[] {
  const about = `${source}, ${itemsPerDay.toFixed(1)} items a day`;
  const limited = Math.round(itemsPerDay) >= LIMITED_FROM;
  const most = (value: number) => (limited ? ({ of: 'measured', at: 'most', value } as const) : null);
  return [
    figureOf({ figure: `${about}: delay, median`, unit: 'min', measured: median(delays), limit: most(10) }),
    figureOf({ figure: `${about}: delay, p95`, unit: 'min', measured: quantile(delays, 0.95), limit: most(45) }),
    figureOf({
      figure: `${about}: polls on the busiest day`,
      unit: 'polls',
      measured: Math.max(0, ...pollsByDay),
      limit: most(60),
    }),
  ];
}

export const cadence: Bench = {
  name: 'cadence',
  async run({ log }) {
    const figures: Figure[] = [];
    const random = chance(1);
    for (const one of generatedArrivals()) {
      log(`polling ${one.source}, ${one.times.length} items`);
      figures.push(...figuresOf(await simulate(one, random.next)));
    }
    return figures;
  },
};
