/** Counts calls, each in all its windows or in none. Calls that wait at the same time share a statement. */
import { z } from 'zod';
import type { Queryable } from '../../log/postgres/database.ts';
import { limitReached } from '../../schemas/observation.ts';
import { type Charge, type Counted, reportedWindow, type Window } from './limits.ts';
import { noteUsage } from './usage.ts';

/** Maximum number of groups of calls in one statement. */
const MAX_BATCH = 128;

const CHARGE_GROUPS = {
  name: 'access_charge_groups',
  // Times in milliseconds: the driver takes several times as long to read a timestamp as a number.
  text: `SELECT granted, before, (extract(epoch FROM ends_at) * 1000)::float8, (extract(epoch FROM at) * 1000)::float8
    FROM access.charge_groups($1, $2, $3, $4, $5)`,
  rowMode: 'array',
} as const;
const GroupRows = z.array(z.tuple([z.int(), z.int(), z.number(), z.number()]));
/** Whole numbers as PostgreSQL reads an array: the driver would escape each of them. */
const arrayOf = (numbers: readonly number[]): string => `{${numbers.join(',')}}`;

interface WaitingCall extends PromiseWithResolvers<Charge> {
  readonly group: string;
  readonly windows: readonly Window[];
}

/** Calls with the same windows and limits, in the order in which they came. */
interface Group {
  readonly windows: readonly Window[];
  readonly calls: WaitingCall[];
}

/** Identifies the calls with the same windows and limits. */
const groupOf = (windows: readonly Window[]): string =>
  windows.map(({ key, max, seconds }) => `${key} ${max}/${seconds}`).join('\n');

/** No group has this name. */
const BLOCKED = '';

/** Divides waiting calls into those of the next statement and the others, which share a window with an earlier call. */
function nextGroups(waiting: readonly WaitingCall[]): { groups: Group[]; others: WaitingCall[] } {
  const groups = new Map<string, Group>();
  const others: WaitingCall[] = [];
  /** The group that comes first for a window. */
  const first = new Map<string, string>();
  for (const call of waiting) {
    const isFree = call.windows.every(({ key }) => (first.get(key) ?? call.group) === call.group);
    const fits = isFree && (groups.has(call.group) || groups.size < MAX_BATCH);
    const group = groups.get(call.group) ?? { windows: call.windows, calls: [] };
    // No later call of another group passes one that has to wait.
    for (const { key } of call.windows) first.set(key, fits ? call.group : BLOCKED);
    if (!fits) {
      others.push(call);
      continue;
    }
    group.calls.push(call);
    groups.set(call.group, group);
  }
  return { groups: [...groups.values()], others };
}

/** Charges groups of calls with one statement, and answers each call. */
async function chargeGroups(database: Queryable, groups: readonly Group[]): Promise<void> {
  const charged = groups.flatMap(({ windows, calls }, number) =>
    windows.map((window) => ({ number, window, need: calls.length })),
  );
  const values = [
    arrayOf(charged.map(({ number }) => number)),
    charged.map(({ window }) => window.key),
    arrayOf(charged.map(({ window }) => window.max)),
    arrayOf(charged.map(({ window }) => window.seconds)),
    arrayOf(charged.map(({ need }) => need)),
  ];
  const rows = GroupRows.parse((await database.query({ ...CHARGE_GROUPS, values })).rows).values();
  for (const { windows, calls } of groups) {
    const counted = windows.flatMap((window) => {
      const { value } = rows.next();
      return value ? [{ window, row: value }] : [];
    });
    const [granted, , , moment] = counted[0]?.row ?? [calls.length, 0, 0, Date.now()];
    for (const [index, { resolve }] of calls.entries())
      resolve({
        fits: index < granted,
        at: new Date(moment),
        windows: counted.map(({ window, row: [, before, endsAt] }) => ({
          ...window,
          used: before + Math.min(index + 1, granted),
          endsAt: new Date(endsAt),
        })),
      });
  }
}

type ChargeCall = (windows: readonly Window[]) => Promise<Charge>;

/** Charges calls one statement at a time: what arrives meanwhile shares the next, in its order. */
function chargerOf(database: Queryable): ChargeCall {
  let waiting: WaitingCall[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const { groups, others } = nextGroups(waiting);
      waiting = others;
      await chargeGroups(database, groups).catch((error) => {
        for (const { calls } of groups) for (const { reject } of calls) reject(error);
      });
    }
    isRunning = false;
  }

  return (windows) => {
    const call: WaitingCall = { group: groupOf(windows), windows, ...Promise.withResolvers<Charge>() };
    waiting.push(call);
    // After this turn of the event loop: a burst is one statement.
    if (!isRunning) setImmediate(run);
    isRunning = true;
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
  const parsed = rows.map((row) => Row.parse(row));
  const counted: Counted[] = windows.flatMap((window, index) => {
    const [, used, endsAt] = parsed[index] ?? [];
    return used === undefined || endsAt === undefined ? [] : [{ ...window, used, endsAt }];
  });
  return { fits: parsed[0]?.[0] ?? true, windows: counted, at: parsed[0]?.[3] ?? now ?? new Date() };
}

const chargers = new WeakMap<Queryable, ChargeCall>();

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
  const chargeCall = chargers.get(database) ?? chargerOf(database);
  chargers.set(database, chargeCall);
  const counted = await (now === null ? chargeCall(windows) : call(database, windows, 1, now, null));
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
