/**
 * The scalars that events, resources and configuration share, and ids that are computed from what they name. Times are
 * RFC 3339 in UTC, IST days are YYYY-MM-DD.
 */

import { createHash } from 'node:crypto';
import { z } from 'zod';

/** A moment, RFC 3339 in UTC with a trailing `Z`: `2026-11-21T04:30:00Z` or with milliseconds. */
export const Instant = z.iso.datetime({ offset: false });

/** A calendar day in IST, `YYYY-MM-DD`. */
export const IstDay = z.iso.date();

/** Kebab-case ASCII, at most 80 characters: as in the address of a page. */
export const Slug = z
  .string()
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be kebab-case ASCII such as "trent-zudio"')
  .max(90);

/** The slug of a brand: never taken for another text, nor for the slug of a theme. */
export const BrandSlug = Slug.brand<'BrandSlug'>();
export type BrandSlug = z.infer<typeof BrandSlug>;

/** The same in rows and events that the service wrote: typed, not checked again. */
export const StoredBrandSlug = z.string().brand<'BrandSlug'>();

/** The id of a signal as resources and parameters carry it: `sig_` and 16 hexadecimal characters. */
export const SignalIdText = z.string().regex(/^sig_[0-9a-f]{16}$/, 'must be sig_ and 16 hexadecimal characters');

/** The id of a signal in events and state: never taken for another text. */
export const SignalId = SignalIdText.brand<'SignalId'>();
export type SignalId = z.infer<typeof SignalId>;

/** The same in rows that the service wrote: typed, not checked again. */
export const StoredSignalId = z.string().brand<'SignalId'>();

const HttpAddress = z.url({ protocol: /^https?$/ }).max(2048);

/** Whether an address contains a user or a password. */
export const hasCredentials = (address: string): boolean => {
  const url = URL.parse(address);
  return url !== null && (url.username !== '' || url.password !== '');
};

/**
 * What makes two addresses lead to one page or feed: http or https, `www.`, credentials, a fragment and a slash at the end
 * of the path make no other. Text that is no address stays as it is.
 */
export function addressKey(address: string): string {
  const url = URL.parse(address);
  if (!url) return address;
  return `${url.host.replace(/^www\./, '')}${url.pathname.replace(/\/+$/, '')}${url.search}`;
}

/** An http or https address without a user or password: addresses are shown and published. */
export const WebAddress = HttpAddress.refine((address) => !hasCredentials(address), {
  error: 'must not contain a user or a password',
});

/** An http or https address in an event. A user or password that an earlier release took is left out. */
export const StoredWebAddress = HttpAddress.overwrite((address) => {
  if (!hasCredentials(address)) return address;
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url.href;
});

/** Whether a text has a letter or a digit: what has none asks for nothing. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/**
 * Text that people write: counted in characters as it arrives, then without the blanks at its ends, of which the least
 * length takes none. The limits are those that its JSON Schema states.
 */
export const trimmedText = (minimum: number, maximum: number) =>
  z
    .string()
    .check(({ value, issues }) => {
      const limits = { input: value, origin: 'string', inclusive: true } as const;
      if (characters(value) > maximum) issues.push({ ...limits, code: 'too_big', maximum });
      else if (characters(value.trim()) < minimum) issues.push({ ...limits, code: 'too_small', minimum });
    })
    .trim()
    .meta({
      minLength: minimum,
      maxLength: maximum,
      ...(minimum > 0 ? { pattern: minimum === 1 ? '\\S' : `\\S[\\s\\S]{${minimum - 2},}\\S` } : {}),
    });

/** Characters as JSON Schema counts them: an emoji is one. */
export const characters = (text: string): number => [...text].length;

/** `1`, `true`, `yes`, `on` and their opposites; unset is false. */
export const Flag = z
  .enum(['1', 'true', 'yes', 'on', '0', 'false', 'no', 'off', ''])
  .default('')
  .transform((text) => ['1', 'true', 'yes', 'on'].includes(text));

/** The eight kinds of move, in the order in which pages and counts list them. */
export const MOVES = ['stores', 'deals', 'people', 'results', 'launches', 'strategy', 'rules', 'other'] as const;
export const Move = z.enum(MOVES);
export type Move = z.infer<typeof Move>;

/** A count per kind of move, zeros included. */
export const MoveCounts = z.record(Move, z.int().nonnegative());
export type MoveCounts = z.infer<typeof MoveCounts>;

export const BrandRole = z.enum(['primary', 'secondary']);
export type BrandRole = z.infer<typeof BrandRole>;

/** The earlier of two instants. */
export const earlierOf = (one: string, other: string): string => (Date.parse(other) < Date.parse(one) ? other : one);

/** The later of two instants. */
export const laterOf = (one: string, other: string): string => (Date.parse(other) > Date.parse(one) ? other : one);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * The id of an event: a UUID (version 8, RFC 9562) made of the first 122 free bits of SHA-256 over its parts.
 * @param parts what makes the fact the same fact, in a fixed order
 */
export function eventId(...parts: readonly (string | number)[]): string {
  const hex = sha256(JSON.stringify(parts));
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** An id with a prefix such as `sig_`, `fol_`, `inv_`: the first 16 hex digits of SHA-256 over `text`. */
export const prefixedId = <Prefix extends string>(prefix: Prefix, text: string): `${Prefix}_${string}` =>
  `${prefix}_${sha256(text).slice(0, 16)}`;

/** The id of the signal that the item at this canonical URL was the first to report. */
export const signalId = (canonicalUrl: string): SignalId => prefixedId('sig', canonicalUrl) as string as SignalId;

/** A fingerprint of text: 32 hex digits of SHA-256, to distinguish an edited item from an unchanged one. */
export const fingerprint = (...texts: readonly (string | null | undefined)[]): string =>
  sha256(JSON.stringify(texts.map((text) => text ?? null))).slice(0, 32);

const MAXIMUM_SLUG = 80;

/**
 * Kebab-case of a headline: ASCII, at most 80 characters, cut at a word.
 * `&` reads "and", `₹` "rs", `%` "percent". Never empty: text without a letter or digit gives "signal".
 */
export function slugify(text: string): string {
  const words = text
    .replace(/&/g, ' and ')
    .replace(/₹/g, ' rs ')
    .replace(/%/g, ' percent ')
    .normalize('NFKD')
    .replace(/[\u0300-\u036f'’`]/g, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  let slug = '';
  for (const word of words) {
    const longer = slug ? `${slug}-${word}` : word;
    if (longer.length > MAXIMUM_SLUG) break;
    slug = longer;
  }
  return slug || words[0]?.slice(0, MAXIMUM_SLUG) || 'signal';
}

/** The slug of a brand that goes by this name; of one that the catalogue lacks, the slug that its stories carry. */
export const brandSlugOf = (name: string): BrandSlug => slugify(name) as BrandSlug;
