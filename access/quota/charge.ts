/** Counts calls, each in all its windows or in none. */
import { z } from 'zod';
import type { Queryable } from '../../log/postgres/database.ts';
import { limitReached } from '../../schemas/observation.ts';
import { noteUsage } from '../usage/usage.ts';
import { chargerOf } from './charge-many.ts';
import { type Charge, type Counted, tellingWindow, type Window } from './window.ts';

const Row = z.tuple([z.boolean(), z.int(), z.date(), z.date()]);

const CHARGE = {
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
  const { rows } = await database.query({ ...CHARGE, values });
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
  const full = charged.fits ? undefined : tellingWindow(charged);
  if (full) limitReached.tell({ code: full.code, window: full.name });
  if (charged.fits) noteUsage(database, charged, 1);
  return charged;
}

/** How the windows stand; charges nothing. */
export const peek = (database: Queryable, windows: readonly Window[], now: Date | null = null): Promise<Charge> =>
  call(database, windows, 0, now, null);

/** Gives a charged call back, to those windows that have not ended since. */
export function refund(database: Queryable, charged: Charge, now: Date | null = null): Promise<Charge> {
  noteUsage(database, charged, -1);
  const ends = charged.windows.map(({ endsAt }) => endsAt);
  return call(database, charged.windows, -1, now, ends);
}

/** Deletes windows that ended, at most so many. @returns how many were deleted */
export async function sweepWindows(database: Queryable, most = 10_000): Promise<number> {
  const { rowCount } = await database.query(
    `DELETE FROM access.quota_window WHERE key IN (
       SELECT key FROM access.quota_window WHERE ends_at < now() ORDER BY ends_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    [most],
  );
  return rowCount ?? 0;
}
