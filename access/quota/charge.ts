/** Counts calls, each in all its windows or in none. */
import { z } from 'zod';
import type { Queryable } from '../../log/postgres/database.ts';
import { limitReached } from '../../schemas/observation.ts';
import { type Charge, type Counted, reportedWindow, type Window } from './limits.ts';
import { noteUsage } from './usage.ts';

/** Statements under way at once, and calls of one. */
const ABREAST = 2;
const MAX_BATCH = 128;

const Rows = z.array(z.tuple([z.boolean(), z.int(), z.date(), z.date()]));
const CHARGE = {
  name: 'access_charge_calls',
  text: 'SELECT fits, used, ends_at, at FROM access.charge_calls($1, $2, $3, $4)',
  rowMode: 'array',
} as const;

interface Waiting extends PromiseWithResolvers<Charge> {
  readonly windows: readonly Window[];
}

async function chargeAll(database: Queryable, calls: readonly Waiting[]): Promise<void> {
  const asked = calls.flatMap(({ windows }, call) => windows.map((window) => ({ call, window })));
  const values = [
    asked.map(({ call }) => call),
    asked.map(({ window }) => window.key),
    asked.map(({ window }) => window.max),
    asked.map(({ window }) => window.seconds),
  ];
  const rows = Rows.parse((await database.query({ ...CHARGE, values })).rows);
  let next = 0;
  for (const { windows, resolve } of calls) {
    const own = rows.slice(next, next + windows.length);
    next += windows.length;
    const counted = windows.flatMap((window, index) => {
      const [, used, endsAt] = own[index] ?? [];
      return used === undefined || endsAt === undefined ? [] : [{ ...window, used, endsAt }];
    });
    resolve({ fits: own[0]?.[0] ?? true, windows: counted, at: own[0]?.[3] ?? new Date() });
  }
}

/**
 * Makes it for a database. Calls that share a window go one after the other, in the order in which they came: each
 * counts with what the one before it did.
 */
export function chargerOf(database: Queryable): (windows: readonly Window[]) => Promise<Charge> {
  let waiting: Waiting[] = [];
  /** Windows of the statements under way. */
  const held = new Set<string>();
  let underWay = 0;
  let planned = false;

  /** Takes the calls that may go now; what shares a window with one before it stays. */
  function take(): Waiting[] {
    const taken: Waiting[] = [];
    const left: Waiting[] = [];
    const spoken = new Set<string>();
    for (const call of waiting) {
      const free = call.windows.every(({ key }) => !held.has(key) && !spoken.has(key));
      if (free && taken.length < MAX_BATCH) taken.push(call);
      else left.push(call);
      for (const { key } of call.windows) spoken.add(key);
    }
    waiting = left;
    return taken;
  }

  function start(): void {
    planned = false;
    while (waiting.length > 0 && underWay < ABREAST) {
      const taken = take();
      if (taken.length === 0) return;
      const keys = taken.flatMap(({ windows }) => windows.map(({ key }) => key));
      for (const key of keys) held.add(key);
      underWay++;
      void chargeAll(database, taken)
        .catch((error) => {
          for (const { reject } of taken) reject(error);
        })
        .finally(() => {
          underWay--;
          for (const key of keys) held.delete(key);
          start();
        });
    }
  }

  return (windows) => {
    const call: Waiting = { windows, ...Promise.withResolvers<Charge>() };
    waiting.push(call);
    if (!planned && underWay < ABREAST) {
      planned = true;
      setImmediate(start);
    }
    return call.promise;
  };
}

const Row = z.tuple([z.boolean(), z.int(), z.date(), z.date()]);

const CHARGE_ONE = {
  name: 'access_charge',
  text: 'SELECT fits, used, ends_at, at FROM access.charge($1, $2, $3, $4, $5, $6)',
  rowMode: 'array',
} as const;

async function call(
  database: Queryable,
  windows: readonly Window[],
  cost: number,
  now: Date | null,
  ended: readonly Date[] | null,
): Promise<Charge> {
  const values = [
    windows.map(({ key }) => key),
    windows.map(({ max }) => max),
    windows.map(({ seconds }) => seconds),
    cost,
    now,
    ended,
  ];
  const { rows } = await database.query({ ...CHARGE_ONE, values });
  const found = rows.map((row) => Row.parse(row));
  const counted: Counted[] = windows.flatMap((window, index) => {
    const [, used, endsAt] = found[index] ?? [];
    return used === undefined || endsAt === undefined ? [] : [{ ...window, used, endsAt }];
  });
  return { fits: found[0]?.[0] ?? true, windows: counted, at: found[0]?.[3] ?? now ?? new Date() };
}

const chargers = new WeakMap<Queryable, ReturnType<typeof chargerOf>>();

/**
 * Charges a call to all windows, or to none when one is full. The keys of the windows must differ.
 * @param now unset, the clock of the database counts, which all processes share
 * @param keyId the key that called, for people to see what each one does
 */
export async function charge(
  database: Queryable,
  windows: readonly Window[],
  now: Date | null = null,
  keyId: string | null = null,
): Promise<Charge> {
  const charger = chargers.get(database) ?? chargerOf(database);
  chargers.set(database, charger);
  const counted = await (now === null ? charger(windows) : call(database, windows, 1, now, null));
  const charged = { ...counted, keyId };
  const full = charged.fits ? undefined : reportedWindow(charged);
  if (full) limitReached.emit({ code: full.code, window: full.name });
  if (charged.fits) noteUsage(database, charged, 1);
  return charged;
}

/** Reads the state of the windows; charges nothing. */
export const peek = (database: Queryable, windows: readonly Window[], now: Date | null = null): Promise<Charge> =>
  call(database, windows, 0, now, null);

/** Gives a charged call back, to those windows that have not ended since. */
export function refund(database: Queryable, charged: Charge, now: Date | null = null): Promise<Charge> {
  noteUsage(database, charged, -1);
  const ends = charged.windows.map(({ endsAt }) => endsAt);
  return call(database, charged.windows, -1, now, ends);
}

/** Deletes windows that ended. @param limit maximum number of rows @returns how many were deleted */
export async function sweepWindows(database: Queryable, limit = 10_000): Promise<number> {
  const { rowCount } = await database.query(
    `DELETE FROM access.quota_window WHERE key IN (
       SELECT key FROM access.quota_window WHERE ends_at < now() ORDER BY ends_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    [limit],
  );
  return rowCount ?? 0;
}
