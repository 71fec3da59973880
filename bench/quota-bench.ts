/** Counting calls: leases, groups of calls, and one statement per call, for the same callers in the same run. */
import { migrateAccess } from '../access/access.ts';
import { chargerOf } from '../access/quota/charge.ts';
import type { Window } from '../access/quota/limits.ts';
import type { Database, Queryable } from '../log/postgres/database.ts';
import { type Bench, type Figure, figureOf, median } from './bench.ts';

const MILLISECONDS = 2_000;
const CALLERS = 64;
const ACCOUNTS = 1_000_000;

type Count = (windows: readonly Window[]) => Promise<unknown>;

interface Way {
  count: Count;
  /** Statements so far. */
  statements(): number;
  settle(): Promise<void>;
}

/** The database, which counts the statements that it is sent. */
function counting(database: Database): { readonly database: Queryable; statements(): number } {
  let statements = 0;
  const query = (...words: Parameters<Database['query']>): unknown => {
    statements++;
    return database.query(...words);
  };
  return { database: { query } as unknown as Queryable, statements: () => statements };
}

const ONE = {
  name: 'bench_charge',
  text: 'SELECT fits, used, ends_at, at FROM access.charge_calls($1, $2, $3, $4)',
};

/** One statement per call, as many at once as the pool has connections. */
function oneByOne(given: Database): Way {
  const { database, statements } = counting(given);
  const count: Count = (windows) =>
    database.query({
      ...ONE,
      values: [
        windows.map(() => 0),
        windows.map(({ key }) => key),
        windows.map(({ max }) => max),
        windows.map(({ seconds }) => seconds),
      ],
    });
  return { count, statements, settle: async () => undefined };
}

function charging(given: Database, leases: boolean): Way {
  const { database, statements } = counting(given);
  const { charge, settle } = chargerOf(database, leases ? {} : { above: Number.POSITIVE_INFINITY });
  return { count: charge, statements, settle };
}

const windowsOf = (whose: string, minute: number, day: number): readonly Window[] => [
  { key: `${whose} minute`, name: 'minute', max: minute, seconds: 60, code: 'rate_limited' },
  { key: `${whose} day`, name: 'day', max: day, seconds: 86_400, code: 'quota_exhausted' },
];

interface Run {
  readonly perSecond: number;
  /** Statements per 1,000 calls. */
  readonly statements: number;
}

async function run(way: Way, callers: number, nextOf: () => readonly Window[]): Promise<Run> {
  const before = way.statements();
  const started = performance.now();
  let calls = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() - started < MILLISECONDS) {
        await way.count(nextOf());
        calls++;
        // Counting from a lease is no I/O: without a turn of the loop nothing else would run.
        if (calls % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    }),
  );
  const elapsed = performance.now() - started;
  await way.settle();
  return { perSecond: (calls * 1_000) / elapsed, statements: ((way.statements() - before) * 1_000) / calls };
}

const HOT = 1_000_000_000;

export const quota: Bench = {
  name: 'quota',
  async run({ empty, rounds }) {
    const { database } = await empty();
    await migrateAccess(database);
    const figures: Figure[] = [];
    const random = (): string => `acc_${Math.floor(Math.random() * ACCOUNTS)}`;
    const hot = windowsOf('hot', HOT, HOT);
    const full = windowsOf('full', 60, 5_000);
    for (const [who, callers, nextOf, least] of [
      ['one account, 64 calls at once', CALLERS, () => hot, 5],
      ['one account, one call after the other', 1, () => hot, 5],
      ['one account that is refused', CALLERS, () => full, 5],
      [`${ACCOUNTS} accounts, 64 calls at once`, CALLERS, () => windowsOf(random(), 60, 5_000), null],
    ] as const) {
      const runs: Record<'each' | 'grouped' | 'leased', Run[]> = { each: [], grouped: [], leased: [] };
      for (let round = 0; round < rounds; round++) {
        runs.each.push(await run(oneByOne(database), callers, nextOf));
        runs.grouped.push(await run(charging(database, false), callers, nextOf));
        runs.leased.push(await run(charging(database, true), callers, nextOf));
      }
      const middle = (way: keyof typeof runs, of: keyof Run): number => median(runs[way].map((one) => one[of]));
      const baseline = { what: 'one statement per call', measured: middle('each', 'perSecond') };
      figures.push(
        figureOf({
          figure: `${who}: counted with leases`,
          unit: '/s',
          measured: middle('leased', 'perSecond'),
          baseline,
          ...(least === null ? {} : { limit: { of: 'ratio', at: 'least', value: least } as const }),
        }),
        figureOf({ figure: `${who}: without leases`, unit: '/s', measured: middle('grouped', 'perSecond'), baseline }),
        figureOf({
          figure: `${who}: statements per 1,000 calls`,
          unit: '',
          measured: middle('leased', 'statements'),
          baseline: { what: 'without leases', measured: middle('grouped', 'statements') },
        }),
      );
    }
    return figures;
  },
};
