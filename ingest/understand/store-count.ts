/** How many stores a headline counts, and whether that is a move or all that there are. */
import type { Figure } from './figures.ts';
import type { Part } from './reading.ts';

const STORE_UNIT =
  /^(?:stores?|outlets?|showrooms?|dark stores|experience cent(?:re|er)s|fulfil?ment cent(?:re|er)s|centres?|centers?|salons?|restaurants?|cafes?|kiosks?|boutiques?|clinics?|screens?|kitchens?|studios?|warehouses?|doors|gyms?)$/;
/** More stores than any chain has. */
const MOST = 100_000;

/** True for a figure that counts stores. */
export const countsStores = (figure: Figure): boolean =>
  figure.kind === 'count' && STORE_UNIT.test(figure.unit) && figure.value < MOST;

export interface StoreCount {
  readonly stores: number;
  /** All that there are: `reaches 500 cafes`, `the 290-store mark`. How many of them are new is not told. */
  readonly total: boolean;
  /** Stores to come: `a 60-store expansion`. */
  readonly planned: boolean;
  /** Where it stands in the headline. */
  readonly start: number;
}

/** `60-store expansion`, `50-Store Mark`. */
const HYPHENATED =
  /(?<![\w.,])(\d{1,3}(?:,\d{2,3})*|\d{1,5})-(?:store|outlet|showroom|salon|restaurant|caf[eé]|kiosk|door|screen)\s+(\w+)/i;
/** `2 new Bikanervala stores`, `three Zudio shops`: names stand between, but no word that begins something else. */
const PARTED =
  /(?<![\w.,₹$-])(\d{1,4}|two|three|four|five|six|seven|eight|nine|ten) (?:(?!(?:sq|square|years?|months?|weeks?|days?|hours?|minutes?|cities|towns|states|countries|malls|crore|lakh|million|per|percent|in|of|for|with|and|to|at|by|its|from|into|across|as|on)\b)[\p{L}\p{N}'’&.-]+ ){1,3}?(?:stores|outlets|showrooms|salons|restaurants|caf[eé]s|kiosks|boutiques|shops)\b/iu;
const NUMBERS = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const TOTAL_BEFORE =
  /(?:\b(?:reach(?:es|ed|ing)?|cross(?:es|ed|ing)?|hits?|touch(?:es|ed)?|surpass(?:es|ed)?|complet(?:es|ed)|now (?:at|has|runs|counts)|(?:tally|count) (?:to|at|of))|^(?:at|with)|\b(?:network|footprint|presence|chain|base|expands?|grows?|scales?)\b[^.;,]{0,20}? to)\s+(?:the\s+|over\s+|a\s+|its\s+)?$/i;
const WORD_OF_TOTAL = /^(?:mark|milestone|chain|network)$/i;

const numberOf = (word: string): number =>
  NUMBERS.includes(word.toLowerCase()) ? NUMBERS.indexOf(word.toLowerCase()) + 2 : Number(word.replaceAll(',', ''));

/** The count of stores in a headline; null where none is told. */
export function storeCount({ text, figures }: Part): StoreCount | null {
  const figure = figures.find(countsStores);
  if (figure) {
    const total = TOTAL_BEFORE.test(text.slice(0, figure.start));
    return { stores: figure.value, total, planned: false, start: figure.start };
  }
  const hyphenated = HYPHENATED.exec(text);
  if (hyphenated) {
    const total = WORD_OF_TOTAL.test(hyphenated[2] ?? '');
    return { stores: numberOf(hyphenated[1] ?? ''), total, planned: !total, start: hyphenated.index };
  }
  const parted = PARTED.exec(text);
  return parted ? { stores: numberOf(parted[1] ?? ''), total: false, planned: false, start: parted.index } : null;
}
