/** API keys: `ck_live_` and 32 base62 characters, of which only the SHA-256 is kept, and finding their owners. */
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { batched } from '../log/batched-requests.ts';
import type { Queryable } from '../log/postgres/database.ts';
import { type FoundKey, findKeysByHash } from '../projector/models/accounts-queries.ts';
import { prefixedId } from '../schemas/scalar.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 32;
const KEY = /^ck_live_[0-9A-Za-z]{32}$/;

interface NewKey {
  /** Shown once, to the user who created it; never stored, logged or sent by mail. */
  readonly key: string;
  readonly id: string;
  readonly hash: string;
  readonly ending: string;
}

/** Draws a key. @param draw a whole number from 0 to below its argument, evenly and unforeseeably */
export function newKey(draw: (below: number) => number = randomInt): NewKey {
  const key = `ck_live_${Array.from({ length: LENGTH }, () => BASE62[draw(BASE62.length)]).join('')}`;
  const hash = hashKey(key);
  return { key, id: prefixedId('key', hash), hash, ending: key.slice(-4) };
}

/** Whether a text could be a key at all. */
export const isKey = (text: string): boolean => KEY.test(text);

/** SHA-256 in hexadecimal digits. A key is long and random, so it cannot be guessed and needs no slow hash. */
export const hashKey = (key: string): string => createHash('sha256').update(key).digest('hex');

/** Together with the time until it is projected a revocation acts within a minute on every process. */
const REMEMBERED_MILLISECONDS = 30_000;
const MAX_CACHED_KEYS = 10_000;

interface FindKeyOptions {
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
    if (remembered.size >= MAX_CACHED_KEYS) remembered.delete(remembered.keys().next().value ?? '');
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
