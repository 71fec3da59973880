/** API keys: `ck_live_` and 32 base62 characters, 190 bits of chance. Only their SHA-256 is kept. */
import { createHash, randomInt } from 'node:crypto';
import { prefixedId } from '../../schemas/identity.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 32;
const KEY = /^ck_live_[0-9A-Za-z]{32}$/;

export interface NewKey {
  /** Shown once, to whoever asked for it; never stored, logged or sent by mail. */
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

/** SHA-256 in hexadecimal digits. A key is long and random, so it needs no slow hash: nobody can guess their way back. */
export const hashKey = (key: string): string => createHash('sha256').update(key).digest('hex');
