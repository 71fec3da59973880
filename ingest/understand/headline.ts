/** Headlines cleaned of what an outlet puts round them, without changing their sense. */
import { plainText } from './tokens.ts';

/** Longest headline that is read, in characters. */
export const MAXIMUM_TITLE = 400;

const BRACKETED =
  /^[{[(]\s*(?:funding alert|update|updated|exclusive|breaking|watch|live|video|photos?)[^\]})]{0,20}[\]})]\s*/i;
const LABEL =
  /^(?:(?:retail|fashion|food|beauty|industry|india|business|restaurant|expansion|franchise|ecommerce|e-commerce|news|startup|d2c|qsr|luxury|brand)\s+){1,4}(?:news|alert|update|updates)\s*[:|-]\s+|^(?:exclusive|breaking|watch|updated?|just in|news)\s*[:|]\s+/i;
const TAIL = /\s*[|–—-]\s*(?:report|sources?|details here|read more|watch video)\s*$|\s*:\s*details here\s*$/i;

/**
 * The headline as it is shown and read.
 * @param prefixes house prefixes of the outlet, as the catalogue lists them
 * @returns plain text, never empty unless the title has no text
 */
export function cleanHeadline(title: string, prefixes: readonly string[] = []): string {
  let text = plainText(title, MAXIMUM_TITLE);
  for (let again = true; again; ) {
    const before = text;
    for (const prefix of prefixes)
      if (prefix && text.toLowerCase().startsWith(prefix.toLowerCase())) text = text.slice(prefix.length).trimStart();
    text = text.replace(BRACKETED, '').replace(LABEL, '');
    again = text !== before && text.length > 0;
    if (!text) text = before;
  }
  return text.replace(TAIL, '').replace(/\s+/g, ' ').trim() || plainText(title, MAXIMUM_TITLE);
}
