/** Finds who a key belongs to. What was found is remembered for a short while, so that a call costs no look-up. */
import { timingSafeEqual } from 'node:crypto';
import { batched } from '../../log/batch.ts';
import type { Queryable } from '../../log/postgres/database.ts';
import { type FoundKey, findKeysByHash } from '../../projector/models/accounts-queries.ts';
import { hashKey, isKey } from './new-key.ts';

/** Together with the time until it is projected a revocation acts within a minute on every process. */
export const REMEMBERED_MILLISECONDS = 30_000;
const MOST_REMEMBERED = 10_000;

export interface FindKeyOptions {
  /** How long a key that was found is believed, in milliseconds. */
  readonly remember?: number;
  readonly now?: () => Date;
}

/** An active key; null for one that was revoked, has expired or was never issued. */
export type FindKey = (key: string) => Promise<FoundKey | null>;

/** Makes the look-up. Keys that are not found are not remembered: one that was just issued works at once. */
export function keyFinder(database: Queryable, options: FindKeyOptions = {}): FindKey {
  const { remember = REMEMBERED_MILLISECONDS, now = () => new Date() } = options;
  const remembered = new Map<string, { readonly until: number; readonly found: Promise<FoundKey | null> }>();

  const find = batched((hashes) => findKeysByHash(database, hashes));

  const lookUp = async (hash: string): Promise<FoundKey | null> => {
    const found = await find(hash);
    // The index compares as it likes; what is let in was compared in constant time.
    return found && timingSafeEqual(Buffer.from(found.hash, 'hex'), Buffer.from(hash, 'hex')) ? found : null;
  };

  const cached = (hash: string, time: number): Promise<FoundKey | null> => {
    const known = remembered.get(hash);
    const left = known ? known.until - time : 0;
    // More than was given is left when the clock was set back: a key that is revoked would live on.
    if (known && left > 0 && left <= remember) return known.found;
    remembered.delete(hash);
    if (remembered.size >= MOST_REMEMBERED) remembered.delete(remembered.keys().next().value ?? '');
    const found = lookUp(hash);
    // Remembered before it is there, so that calls at the same time share one look-up.
    remembered.set(hash, { until: time + remember, found });
    const forget = (): boolean => remembered.get(hash)?.found === found && remembered.delete(hash);
    found.then((key) => key === null && forget(), forget);
    return found;
  };

  return async (key) => {
    if (!isKey(key)) return null;
    const time = now().getTime();
    const found = await cached(hashKey(key), time);
    if (!found || found.revoked) return null;
    return found.expires_at === null || found.expires_at.getTime() > time ? found : null;
  };
}
