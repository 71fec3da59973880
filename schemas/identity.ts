/** Identifiers are computed, never drawn, wherever the same fact must get the same id again. */
import { createHash } from 'node:crypto';

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
export const signalId = (canonicalUrl: string): string => prefixedId('sig', canonicalUrl);

/** A fingerprint of text: 32 hex digits of SHA-256, to tell an edited item from an unchanged one. */
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
