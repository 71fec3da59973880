/** One item read once: cleaned texts, their words and figures, and every catalogue name in them. */

import { istDay } from '../../language/days.ts';
import { type Figure, findFigures } from '../../language/figures.ts';
import { gapAfter, plainText, sliceOf, type Text, tokenise } from '../../language/tokens.ts';
import { isCommon } from '../../language/words.ts';
import type { CatalogueBrand, CatalogueCity, CatalogueInvestor, CatalogueMall } from '../../schemas/catalogue.ts';
import type { BrandMention } from '../../schemas/story.ts';
import type { PreparedCatalogue } from './catalogue.ts';

/** Maximum number of characters of a headline that are read. */
const MAXIMUM_TITLE = 400;

const BRACKETED =
  /^[{[(]\s*(?:funding alert|update|updated|exclusive|breaking|watch|live|video|photos?)[^\]})]{0,20}[\]})]\s*/i;
const LABEL =
  /^(?:(?:retail|fashion|food|beauty|industry|india|business|restaurant|expansion|franchise|ecommerce|e-commerce|news|startup|d2c|qsr|luxury|brand)\s+){1,4}(?:news|alert|update|updates)\s*[:|-]\s+|^(?:exclusive|breaking|watch|updated?|just in|news)\s*[:|]\s+/i;
const TAIL = /\s*[|–—-]\s*(?:report|sources?|details here|read more|watch video)\s*$|\s*:\s*details here\s*$/i;

/**
 * Removes labels, prefixes and endings that an outlet adds to a headline, without changing its sense.
 * @param prefixes the outlet's own prefixes, as the catalogue lists them
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

/** What is understood: the text of an item and its source. */
export interface ItemText {
  readonly title: string;
  readonly summary: string | null;
  readonly url: string;
  readonly outlet: string;
  /** RFC 3339, or null where the outlet does not say. */
  readonly published_at: string | null;
  readonly first_seen_at?: string;
}

/** A catalogue name in a text: the first and the last word that it covers. */
export interface Mention {
  readonly first: number;
  readonly last: number;
  readonly brand?: CatalogueBrand | undefined;
  readonly city?: CatalogueCity | undefined;
  readonly mall?: CatalogueMall | undefined;
  readonly investor?: CatalogueInvestor | undefined;
}

/** A brand with the words by which the text names it. */
export type WrittenBrand = BrandMention & { readonly written: string };

export interface Part extends Text {
  readonly mentions: readonly Mention[];
  readonly figures: readonly Figure[];
}

export interface Reading {
  readonly item: ItemText;
  readonly title: Part;
  readonly summary: Part;
  /** The item's day in IST, `YYYY-MM-DD`, or null when its outlet gives no date. */
  readonly day: string | null;
  /** Host without `www.`, and the parts of the path, which name the section of an outlet. */
  readonly host: string;
  /** Where the outlet publishes, such as `GB`; `IN` for an outlet that the catalogue lacks. */
  readonly country: string;
  readonly path: readonly string[];
}

/** Maximum number of characters of a summary that are read. */
const MAXIMUM_SUMMARY = 4000;

/** The text that an outlet gives with a headline, as plain text. */
export const summaryTextOf = ({ summary }: Pick<ItemText, 'summary'>): string =>
  plainText(summary ?? '', MAXIMUM_SUMMARY);
/** Later times are taken for invalid ones. */
const LAST_MOMENT = Date.parse('9999-12-31');

/** The IST day of an RFC 3339 time or a bare day; null for none or an invalid one. */
function dayOf(time: string | null): string | null {
  const moment = Date.parse(time ?? '');
  return Math.abs(moment) < LAST_MOMENT ? istDay(moment) : null;
}

/** Whether a family name such as `Tata` follows a given name: `Noel Tata` is a person. */
const afterGivenName = (text: Text, first: number): boolean => {
  const before = text.tokens[first - 1];
  return (
    before?.capital === true &&
    /^\p{Lu}\p{Ll}/u.test(before.text) &&
    gapAfter(text, first - 1) === ' ' &&
    !isCommon(before.fold)
  );
};

/** Whether a brand is spelled as in the catalogue: a very short name exactly, any other with a capital at its start or with a figure in it. */
function spelled(text: Text, first: number, last: number, brand: CatalogueBrand): boolean {
  const token = text.tokens[first];
  if (!token) return false;
  const written = sliceOf(text, first, last);
  if (written.length <= 3) {
    const names = [brand.name, ...brand.aliases];
    if (
      !names.includes(written) ||
      (/\W$/.test(brand.name) && brand.name !== written && !brand.aliases.includes(written))
    )
      return false;
  }
  if (first === last && brand.category === 'conglomerate' && afterGivenName(text, first)) return false;
  // `one8`: a figure in it makes it a name.
  return token.capital || /^\p{Ll}/u.test(brand.name) || (first === last && /\d/.test(token.text));
}

/** Finds catalogue names. The longest names win; a shorter one inside a longer one is dropped. */
function findMentions(text: Text, catalogue: PreparedCatalogue): Mention[] {
  const mentions: (Mention & { length: number })[] = [];
  for (const match of catalogue.automaton.matchInText(text.folded)) {
    const first = text.wordAt.get(match.begin);
    const after = text.wordAt.get(match.end - 1);
    const last = (after ?? text.tokens.length) - 1;
    const entry = catalogue.names.get(match.keyword);
    if (first === undefined || !entry || last < first) continue;
    if (entry.brand && !spelled(text, first, last, entry.brand)) continue;
    if (!entry.brand && !text.tokens[first]?.capital) continue;
    mentions.push({ first, last, ...entry, length: last - first });
  }
  mentions.sort((a, b) => b.length - a.length || a.first - b.first);
  const taken = new Uint8Array(text.tokens.length);
  const kept: Mention[] = [];
  for (const { length: _, ...mention } of mentions) {
    if (taken.subarray(mention.first, mention.last + 1).some(Boolean)) continue;
    taken.fill(1, mention.first, mention.last + 1);
    kept.push(mention);
  }
  return kept.sort((a, b) => a.first - b.first);
}

const partOf = (text: string, catalogue: PreparedCatalogue): Part => {
  const tokens = tokenise(text);
  return { ...tokens, mentions: findMentions(tokens, catalogue), figures: findFigures(text) };
};

function addressOf(url: string): { host: string; path: string[] } {
  const parsed = URL.parse(url);
  if (!parsed) return { host: '', path: [] };
  const { hostname, pathname } = parsed;
  return { host: hostname.replace(/^www\./, ''), path: pathname.toLowerCase().split('/').filter(Boolean).slice(0, 6) };
}

/** Reads an item. The cost is linear in the length of the text, which is bounded. */
export function readItem(item: ItemText, catalogue: PreparedCatalogue): Reading {
  const { host, path } = addressOf(item.url);
  const outlet =
    catalogue.outletByDomain.get(host) ?? catalogue.outletByDomain.get(host.split('.').slice(-2).join('.'));
  const title = cleanHeadline(item.title, outlet?.prefixes);
  return {
    item,
    title: partOf(title, catalogue),
    summary: partOf(summaryTextOf(item), catalogue),
    day: dayOf(item.published_at),
    host,
    country: outlet?.country ?? 'IN',
    path,
  };
}
