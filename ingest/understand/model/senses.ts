/** What a headline says in classes of words: who does what to which kind of thing. Words that no labelled text has count too. */
import type { CatalogueBrand } from '../../../schemas/catalogue.ts';
import type { Part } from '../reading.ts';
import type { Subject } from '../subject.ts';
import { gapAfter } from '../tokens.ts';
import { isCommon } from './common.ts';
import { GIVEN_NAMES } from './given-names.ts';
import { joined } from './joined.ts';
import { doesOf, namesOf, PHRASES } from './lexicon.ts';
import { stem } from './stem.ts';

/** Companies whose business is none of the consumer's, though they stand in the catalogue. */
export const OUTSIDE_CATEGORIES: ReadonlySet<string> = new Set([
  'travel_and_hospitality',
  'logistics_and_retail_technology',
  'automobiles',
  'consumer_services',
  'entertainment',
  'other',
  'conglomerate',
]);

const KIND_OF_COUNT =
  /^(?:dark stores|experience|fulfil|stores?|outlets?|showrooms?|salons?|restaurants?|cafes?|kiosks?|boutiques?|clinics?|screens?|doors|counters?|studios?|gyms?|kitchens?|branches)/;

/** The kinds of names and figures in a text, and which words they cover. */
function kindsIn(part: Part): { kinds: Set<string>; covered: Uint8Array } {
  const kinds = new Set<string>();
  const covered = new Uint8Array(part.tokens.length);
  for (const { first, last, brand, city, mall, investor } of part.mentions) {
    if (brand?.common_word && first > 0) continue;
    if (brand) kinds.add(OUTSIDE_CATEGORIES.has(brand.category) ? '#outsider' : '#brand');
    else if (mall) kinds.add('#mall');
    else if (city) kinds.add('#city');
    else if (investor) kinds.add('#investor');
    covered.fill(1, first, last + 1);
  }
  for (const { kind, unit } of part.figures)
    kinds.add(kind === 'count' || kind === 'ordinal' ? (KIND_OF_COUNT.test(unit) ? '#stores' : '#count') : `#${kind}`);
  for (let index = 0; index + 1 < part.tokens.length; index++) {
    const token = part.tokens[index];
    const next = part.tokens[index + 1];
    if (!token?.capital || !next?.capital || covered[index] || covered[index + 1]) continue;
    if (GIVEN_NAMES.has(token.fold) && !isCommon(next.fold) && gapAfter(part, index) === ' ') {
      kinds.add('#person');
      covered.fill(1, index, index + 2);
    }
  }
  return { kinds, covered };
}

/** Verbs with what they act on: a consumer brand that does one of these has made a move. */
const DEEDS: readonly (readonly [string, readonly string[]])[] = [
  ['open', ['store', '#mall', '#stores']],
  ['close', ['store', '#stores']],
  ['launch', ['goods']],
  ['raise', ['#money']],
  ['buy', ['stake']],
  ['appoint', ['role']],
  ['leave', ['role']],
  ['list', ['ipo']],
  ['up', ['metric']],
  ['down', ['metric']],
  ['report', ['metric']],
  ['rule', ['legal']],
];

const isBrand = (brand: CatalogueBrand | null): boolean => brand !== null && !OUTSIDE_CATEGORIES.has(brand.category);

/** Adds what a headline says in classes: each verb and noun class, their pairs, and what the subject's own verb does. */
export function addSenses(
  add: (name: string, strength?: number) => void,
  part: Part,
  subject: Subject,
  brands: readonly (CatalogueBrand | null)[],
): void {
  const { kinds, covered } = kindsIn(part);
  const verbs = new Set<string>();
  const nouns = new Set<string>();
  for (const token of part.tokens) {
    if (covered[token.index]) continue;
    const key = stem(token.fold);
    for (const name of doesOf(key)) verbs.add(name);
    for (const name of namesOf(key)) nouns.add(name);
  }
  const phrases = PHRASES.flatMap(([name, form]) => (form.test(part.folded) ? [name] : []));
  const who = brands.some(isBrand) ? 'brand' : brands.length > 0 ? 'somebody' : 'nobody';
  for (const name of verbs) add(joined('does:', name), 0.5);
  for (const name of nouns) add(joined('noun:', name), 0.5);
  for (const name of kinds) add(joined('has:', name), 0.5);
  for (const name of phrases) {
    add(joined('phrase:', name));
    add(joined(joined(who, '+phrase:'), name), 0.5);
    for (const kind of kinds) add(joined(joined('phrase:', name), joined('>', kind)), 0.5);
  }
  for (const verb of verbs) {
    for (const noun of nouns) add(joined(joined(verb, '>'), noun), 0.5);
    for (const kind of kinds) add(joined(joined(verb, '>'), kind), 0.5);
  }
  for (const noun of nouns) for (const kind of kinds) add(joined(joined(noun, '&'), kind), 0.4);
  const own = part.tokens[subject.verb];
  if (!own || subject.names.length === 0) return;
  if (
    who === 'brand' &&
    DEEDS.some(
      ([verb, forms]) =>
        doesOf(stem(own.fold)).includes(verb) && forms.some((form) => nouns.has(form) || kinds.has(form)),
    )
  )
    add('clear-deed');
  for (const verb of doesOf(stem(own.fold))) {
    add(joined('lead:', verb), 0.7);
    add(joined(joined(who, '+lead:'), verb), 0.7);
  }
}
