/** Text as weighted terms: folded and stemmed words, synonyms mapped to one, weighted by rarity, held as sparse vectors of small integers. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Many verbs, one act: headline words of the same meaning, each mapped to the first of its row. */
const ROWS = [
  'raise bag secure net nab garner mop fundraise fund funding funded funds clos',
  'acquire buy acquisition takeover bought purchase snap snapped',
  'appoint name names named hire hires onboard elevate promote join joins joined rope appointment tap taps',
  'leave quit exit resign resignation depart departure outgoing step steps stepped retire retires',
  'ipo drhp udrhp rhp listing prospectus float issue public debut',
  'govt government centre central ministry',
  'approve approval nod okay okays clear clears cleared clearance greenlight ahead goahead',
  'launch launches unveil introduce debuts rollout roll',
  'open opens opened opening inaugurate inaugurates',
  'store outlet showroom boutique shop shops outlets',
  'revenue topline sales turnover',
  'profit pat earnings ebitda bottomline',
  'rise jump surge grow growth climb up zoom soar gain increase increases spike',
  'fall decline drop slip dip down slump shrink narrow',
  'partner partnership tie tieup collaborate collaboration pact team',
  'stake shareholding shares share equity',
  'sell offload divest sale sheds pare dilute',
  'ceo chief md managing',
  'cofounder founder founders cofounders',
  'startup startups company firm',
  'invest investment investor backs back infuse commit',
  'expand expansion scale',
  'plan plans aim eye target bet propose seek',
  'court hc sc tribunal nclt bench',
  'fine penalty penalise',
  'close shut shuts shutter shutdown wind',
  'layoff layoffs fire fires sack retrench',
  'merge merger amalgamate amalgamation',
  'halt pause stop suspend hold delay defer postpone',
  'reject dismiss quash turn',
  'price prices pricing hike',
  'bn billion',
  'mn million',
  'cr crore crores',
  'quickcommerce qcommerce qcomm',
] as const;

/** From a folded word or its stem to the first word of its row. */
const SYNONYMS: ReadonlyMap<string, string> = new Map(
  ROWS.flatMap((row) => {
    const [first = '', ...others] = row.split(' ');
    return [first, ...others].map((word): [string, string] => [word, first]);
  }),
);

// Words as matching sees them: folded, stemmed, and with the trade's many verbs for one act made one.

const MAX_CHARACTERS = 2_000;

/** Lower case, accents and apostrophes removed, `brnd.me` one word. Long text is cut: the event is at its beginning. */
const fold = (text: string): string =>
  text
    .slice(0, MAX_CHARACTERS)
    .normalize('NFKD')
    .replace(/[\u0300-\u036f'’‘`®™]/g, '')
    .toLowerCase()
    .replace(/&(?:amp|nbsp|quot|#0?39|#8217);/g, ' ')
    .replace(/([a-z])\.\s?(?=(?:me|ai|fit|in|com|co|tv)\b)/g, '$1');

/** A light stem: plurals and the commonest verb endings, so that `stores`, `opening` meet `store`, `opens`. */
function stem(word: string): string {
  if (word.length <= 3 || /\d/.test(word)) return word;
  let root = word;
  if (root.endsWith('ies') && root.length > 4) return `${root.slice(0, -3)}y`;
  if (root.endsWith('sses')) return root.slice(0, -2);
  if (root.endsWith('s') && !root.endsWith('ss') && !root.endsWith('us') && !root.endsWith('is'))
    root = root.slice(0, -1);
  if (root.endsWith('ing') && root.length > 6) root = root.slice(0, -3);
  else if (root.endsWith('ed') && root.length > 5) root = root.slice(0, -2);
  return root.length > 4 && root.endsWith('e') ? root.slice(0, -1) : root;
}

/** Words of a text in their order, numbers left out (figures are compared by value elsewhere). */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const raw of fold(text).split(/[^a-z0-9]+/)) {
    if (raw.length < 2 || /^\d+[a-z]{0,3}$/.test(raw)) continue;
    const root = stem(raw);
    words.push(SYNONYMS.get(raw) ?? SYNONYMS.get(root) ?? root);
  }
  return words;
}

// How report a word is, 0 to 1: common words by the shipped table, all others (names above all) full.

const Table = z.record(z.string(), z.number().min(0).max(1));
const TABLE: ReadonlyMap<string, number> = new Map(
  Object.entries(Table.parse(JSON.parse(readFileSync(new URL('./model/words.json', import.meta.url), 'utf8')))),
);

/** Weight of a stemmed word; words that the table lacks are rare and weightOf 1. */
export const weightOf = (word: string): number => TABLE.get(word) ?? 1;

/** Texts as sparse vectors of weighted terms, held as plain arrays of small integers to keep the window light. */

/** Distinct terms in ascending order of their hash, with the sum of their weights and the length of their vector. */
export interface Terms {
  readonly ids: readonly number[];
  readonly weights: readonly number[];
  readonly sum: number;
  readonly norm: number;
}

/** FNV-1a cut to 30 bits, so that V8 keeps it as a small integer. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value ^= text.charCodeAt(index);
    value = Math.imul(value, 0x01000193);
  }
  return (value >>> 0) & 0x3fffffff;
}

/** Makes terms of words; a word's weight counts once, however often it occurs. */
export function termsOf(words: readonly string[], weightOf: (word: string) => number): Terms {
  const ids: number[] = [];
  const weights: number[] = [];
  let [sum, squares] = [0, 0];
  for (const word of words) {
    const weight = weightOf(word);
    if (weight <= 0) continue;
    const id = hash(word);
    // Inserted in order: a text has a few dozen words, and most of them occur once.
    let place = ids.length;
    while (place > 0 && (ids[place - 1] ?? 0) > id) place--;
    if (place > 0 && ids[place - 1] === id) continue;
    ids.splice(place, 0, id);
    weights.splice(place, 0, weight);
  }
  for (const weight of weights) {
    sum += weight;
    squares += weight * weight;
  }
  return { ids, weights, sum, norm: Math.sqrt(squares) };
}

/** What two texts have in common. */
interface Overlap {
  /** Of the products of both weights. */
  readonly product: number;
  /** Summed, as the first of the two texts weighs them. */
  readonly weight: number;
  /** Of the rarest word. */
  readonly rarest: number;
}

/** Runs over the terms that both have, in ascending order. */
export function overlap(a: Terms, b: Terms): Overlap {
  const [ids, others] = [a.ids, b.ids];
  let product = 0;
  let weight = 0;
  let rarest = 0;
  for (let left = 0, right = 0; left < ids.length && right < others.length; ) {
    const difference = (ids[left] ?? 0) - (others[right] ?? 0);
    if (difference < 0) left++;
    else if (difference > 0) right++;
    else {
      const own = a.weights[left] ?? 0;
      product += own * (b.weights[right] ?? 0);
      weight += own;
      if (own > rarest) rarest = own;
      left++;
      right++;
    }
  }
  return { product, weight, rarest };
}

/** Cosine of two vectors by what they have in common, 0 where one is empty. */
export const cosine = (a: Terms, b: Terms, common: Overlap): number =>
  a.norm && b.norm ? common.product / (a.norm * b.norm) : 0;

/** How much of the weight of `a` is in common, 0 to 1. */
export const share = (a: Terms, common: Overlap): number => (a.sum ? common.weight / a.sum : 0);

/** How much of the weight of `a` is found in `b`, 0 to 1. */
export const contained = (a: Terms, b: Terms): number => share(a, overlap(a, b));
