/** Counts calls, each in all its windows or in none; callers with many calls a second spend leases (`leases.ts`). */
import { z } from 'zod';
import type { Queryable } from '../../log/postgres/database.ts';
import { stateOfModels } from '../../projector/model-progress.ts';
import { limitReached } from '../../schemas/observation.ts';
import { groupOf, type LeaseRules, Leases, type Unspent } from './leases.ts';
import { type Charge, type Counted, reportedWindow, type Window } from './limits.ts';
import { noteUsage } from './usage.ts';

/** Statements under way at once, and groups of calls in one. */
const ABREAST = 2;
const MAX_BATCH = 128;
/** Calls that wait before a second statement is sent next to the first: a statement for few of them costs nearly as much. */
const WORTH_A_SECOND = 32;
/** Turns of the event loop for which calls are collected, as long as each brings more: a burst is one statement. */
const COLLECTING = 4;
/**
 * Where the statement before had several calls, one for fewer than enough waits for so many milliseconds: a statement costs as much
 * as some calls, and what it saves shortens the waiting of all. A call alone never waits.
 */
const SEVERAL = 4;
const ENOUGH = 12;
const WAIT = 1;
/** Milliseconds between two looks for leases that are over. */
const SWEEP = 250;

const Rows = z.array(z.tuple([z.int(), z.int(), z.int(), z.number(), z.number(), z.string().nullable().optional()]));
/** Whole numbers as PostgreSQL reads an array: the driver would escape each of them. */
const arrayOf = (numbers: readonly number[]): string => `{${numbers.join(',')}}`;
/** Times in milliseconds: the driver takes several times as long to read a timestamp as a number. */
const COLUMNS = `granted, leased, before,
  (extract(epoch FROM ends_at) * 1000)::float8, (extract(epoch FROM at) * 1000)::float8`;
const LEASE = {
  name: 'access_lease_calls',
  text: `SELECT ${COLUMNS} FROM access.lease_calls($1, $2, $3, $4, $5, $6, $7)`,
  rowMode: 'array',
} as const;
/** The same with the state of read models: one round trip in place of two for a call that is answered from what is kept. */
const LEASE_WITH_STATE = {
  name: 'access_lease_calls_state',
  text: `SELECT ${COLUMNS}, (${stateOfModels('$8::text[]')})
    FROM access.lease_calls($1, $2, $3, $4, $5, $6, $7)`,
  rowMode: 'array',
} as const;
const RETURN = { name: 'access_return_calls', text: 'SELECT access.return_calls($1, $2, $3)' } as const;

interface Waiting extends PromiseWithResolvers<Charge> {
  readonly group: string;
  readonly windows: readonly Window[];
  readonly models: readonly string[] | null;
}

/** Calls with the same windows, in the order in which they came. */
interface Group {
  readonly name: string;
  readonly windows: readonly Window[];
  readonly calls: Waiting[];
}

/** Comes before every group: no name of a group is empty. */
const BLOCKED = '';

interface Charger {
  /** Charges a call to all its windows, or to none when one is full. @param models read models whose state is read with it */
  charge(windows: readonly Window[], models?: readonly string[] | null): Promise<Charge>;
  /** Forgets what is known of windows to which a call was given back. */
  reopen(windows: readonly Window[]): void;
  /** Gives back all leases and forgets refusals. @throws the driver's error; then they are lost until their windows end */
  settle(): Promise<void>;
}

/**
 * Makes it for a database. Calls that share a window go one after the other, in the order in which they came: each
 * counts with what the one before it did. Those of one caller that wait together are charged together.
 */
export function chargerOf(database: Queryable, rules: Partial<LeaseRules> = {}): Charger {
  const leases = new Leases(rules);
  let waiting: Waiting[] = [];
  /** Windows of the statements under way. */
  const held = new Set<string>();
  let underWay = 0;
  let planned = false;
  /** Calls of the latest statement. */
  let latest = 0;
  let sweeping: NodeJS.Timeout | undefined;

  /** Takes the calls that may go now; what shares a window with one of others before it stays. */
  function take(): Group[] {
    const groups = new Map<string, Group>();
    const left: Waiting[] = [];
    /** The group that comes first for a window. */
    const first = new Map<string, string>();
    for (const call of waiting) {
      const { group: name, windows } = call;
      const free = windows.every(({ key }) => !held.has(key) && (first.get(key) ?? name) === name);
      const group = groups.get(name) ?? { name, windows, calls: [] };
      if (free && (groups.has(name) || groups.size < MAX_BATCH)) {
        group.calls.push(call);
        groups.set(name, group);
        for (const { key } of windows) first.set(key, name);
      } else {
        left.push(call);
        // No later call of any group passes this one.
        for (const { key } of windows) first.set(key, BLOCKED);
      }
    }
    waiting = left;
    return [...groups.values()];
  }

  async function chargeAll(groups: readonly Group[]): Promise<void> {
    const sentAt = performance.now();
    latest = groups.reduce((calls, group) => calls + group.calls.length, 0);
    const asked = groups.flatMap((group, number) => {
      const extra = leases.wish(group.name, sentAt);
      return group.windows.map((window) => ({ number, window, need: group.calls.length, extra }));
    });
    // One state is read, of the models of the first call that names some: calls that name others read theirs themselves.
    const models = groups.flatMap(({ calls }) => calls).find((one) => one.models !== null)?.models ?? null;
    const values = [
      arrayOf(asked.map(({ number }) => number)),
      asked.map(({ window }) => window.key),
      arrayOf(asked.map(({ window }) => window.max)),
      arrayOf(asked.map(({ window }) => window.seconds)),
      arrayOf(asked.map(({ need }) => need)),
      arrayOf(asked.map(({ extra }) => extra)),
      leases.share,
    ];
    const statement = models === null ? { ...LEASE, values } : { ...LEASE_WITH_STATE, values: [...values, models] };
    const rows = Rows.parse((await database.query(statement)).rows);
    const receivedAt = performance.now();
    let next = 0;
    for (const { name, windows, calls } of groups) {
      const own = rows.slice(next, next + windows.length);
      next += windows.length;
      const [granted, leased, , , moment, state = null] = own[0] ?? [calls.length, 0, 0, 0, Date.now()];
      const at = new Date(moment);
      const after = (fits: boolean, used: number): Charge => ({
        fits,
        at,
        windows: windows.flatMap((window, index) => {
          const [, , before, endsAt] = own[index] ?? [];
          return before === undefined || endsAt === undefined
            ? []
            : [{ ...window, used: before + used, endsAt: new Date(endsAt) }];
        }),
      });
      for (const [index, call] of calls.entries()) {
        const charged = index < granted ? after(true, index + 1) : after(false, granted);
        call.resolve(models !== null && call.models === models ? { ...charged, modelState: state } : charged);
      }
      if (granted < calls.length) leases.refuse(name, { charge: after(false, granted), sentAt, receivedAt });
      else leases.keep(name, { charge: after(true, granted + leased), sentAt, receivedAt }, leased);
    }
    sweepLater();
  }

  const mayStart = (): boolean => underWay === 0 || (underWay < ABREAST && waiting.length >= WORTH_A_SECOND);

  function plan(): void {
    if (planned || waiting.length === 0 || !mayStart()) return;
    planned = true;
    setImmediate(collect, 1, 0);
  }

  function collect(turn: number, before: number): void {
    const isEnough = waiting.length >= ENOUGH;
    if (!isEnough && turn < COLLECTING && waiting.length > before) setImmediate(collect, turn + 1, waiting.length);
    else if (!isEnough && latest >= SEVERAL) setTimeout(start, WAIT);
    else start();
  }

  function start(): void {
    planned = false;
    serveFromLeases();
    while (waiting.length > 0 && mayStart()) {
      const groups = take();
      if (groups.length === 0) return;
      const keys = groups.flatMap(({ windows }) => windows.map(({ key }) => key));
      for (const key of keys) held.add(key);
      underWay++;
      void chargeAll(groups)
        .catch((error) => {
          for (const { calls } of groups) for (const { reject } of calls) reject(error);
        })
        .finally(() => {
          underWay--;
          for (const key of keys) held.delete(key);
          plan();
        });
    }
  }

  /** Calls that came while their lease was taken. */
  function serveFromLeases(): void {
    const now = performance.now();
    waiting = waiting.filter(({ group, resolve }) => {
      const spent = leases.spend(group, now);
      if (spent) resolve(spent);
      return !spent;
    });
  }

  async function giveBack(unspent: readonly Unspent[]): Promise<void> {
    const returned = unspent.flatMap(({ charge: { windows }, calls }) => windows.map((window) => ({ window, calls })));
    if (returned.length === 0) return;
    const values = [
      returned.map(({ window }) => window.key),
      returned.map(({ calls }) => calls),
      returned.map(({ window }) => window.endsAt),
    ];
    await database.query({ ...RETURN, values });
  }

  function sweepLater(): void {
    if (sweeping || leases.isEmpty) return;
    sweeping = setTimeout(() => {
      sweeping = undefined;
      // Never repeated: a return whose outcome is unknown may have happened, and twice would exceed the limit.
      void giveBack(leases.end(performance.now())).catch(() => undefined);
      sweepLater();
    }, SWEEP);
    sweeping.unref();
  }

  return {
    charge(windows, models = null) {
      const group = groupOf(windows);
      const known = leases.arrive(group, performance.now());
      if (known) return Promise.resolve(known);
      const call: Waiting = { group, windows, models, ...Promise.withResolvers<Charge>() };
      waiting.push(call);
      plan();
      return call.promise;
    },
    reopen: (windows) => leases.reopen(windows.map(({ key }) => key)),
    async settle() {
      clearTimeout(sweeping);
      sweeping = undefined;
      await giveBack(leases.endAll());
    },
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

const chargers = new WeakMap<Queryable, Charger>();

/**
 * Gives back all leases of a process that stops, while its database is still open, and forgets refusals.
 * @throws the driver's error; then the leases are lost until their windows end
 */
export const settleLeases = async (database: Queryable): Promise<void> => chargers.get(database)?.settle();

/**
 * Charges a call to all windows, or to none when one is full. The keys of the windows must differ.
 * @param now unset, the clock of the database counts, which all processes share
 * @param keyId the key that called, for people to see what each one does
 * @param models read models whose state is read with the count, where a statement counts the call: the same array for every
 *   call of a route, since one is read for all calls of a statement
 */
export async function charge(
  database: Queryable,
  windows: readonly Window[],
  now: Date | null = null,
  keyId: string | null = null,
  models: readonly string[] | null = null,
): Promise<Charge> {
  const charger = chargers.get(database) ?? chargerOf(database);
  chargers.set(database, charger);
  const counted = await (now === null ? charger.charge(windows, models) : call(database, windows, 1, now, null));
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
  chargers.get(database)?.reopen(charged.windows);
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
