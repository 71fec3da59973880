/** From words to brands: what the catalogue knows by a name, and which unknown words can be one. */
import type { CatalogueBrand } from '../../schemas/catalogue.ts';
import { slugify } from '../../schemas/identity.ts';
import type { BrandMention } from '../../schemas/story.ts';
import type { PreparedCatalogue } from './catalogue.ts';
import { isCommon } from './model/common.ts';
import { nameIn, nameText } from './names.ts';
import type { Mention, Part, Reading } from './reading.ts';
import type { Span, Subject } from './subject.ts';
import { gapAfter, nameKey, sliceOf } from './tokens.ts';
import { APPOINT, INSTITUTIONS, LAUNCH, NAME_ENDS, OPEN, RAISE, STRONG } from './verbs.ts';

/** A brand with the words by which the headline names it. */
export type NamedBrand = BrandMention & { readonly written: string };

/** Whether two spans share a word. */
export const touches = (span: Span, other: Span): boolean => span.first <= other.last && other.first <= span.last;

/** Whether a name that is also an ordinary word means the brand here: it is the subject, or its context stands near. */
export function inContext(
  brand: CatalogueBrand,
  reading: Reading,
  catalogue: PreparedCatalogue,
  subject: boolean,
): boolean {
  const context = catalogue.contexts.get(brand.slug);
  if (!context) return true;
  const text = `${reading.title.folded}${reading.summary.folded}`;
  if (context.against.some((key) => text.includes(key))) return false;
  if (!brand.common_word) return true;
  return subject || context.near.some((key) => text.includes(key));
}

const NOT_NAMES = new Set(
  (
    'india indian bharat asia asian africa african europe european america american russia russian swedish swiss german french danish italian korean british chinese japanese arab gulf taiwan japan china korea germany france dubai singapore australia us uk uae saudi ' +
    'andhra karnataka kerala maharashtra gujarat rajasthan punjab haryana bihar odisha assam goa telangana tamil nadu madhya pradesh uttar bengal himachal uttarakhand jharkhand chhattisgarh sikkim kashmir ' +
    'january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday diwali onam holi ' +
    'rs fy25 fy26 fy27 fy28 q1 q2 q3 q4 h1 h2 noel rcb pli fema nino fifa ipl gst mrp fdi gen companies consumers customers experts govt government centre council inc regulatory creditors report women men exclusive update other here new experience charge'
  ).split(' '),
);

/** Verbs that only a company does to itself: before them even ordinary words are a name (`Bad Boy Pizza Raises`). */
export const companyDoes = (word: string): boolean =>
  RAISE.has(word) ||
  OPEN.has(word) ||
  LAUNCH.has(word) ||
  APPOINT.has(word) ||
  /^(?:plans|targets|expands|enters|strengthens|reports|posts|files|acquires|partners|crosses|unveils)$/.test(word);

/** What a company raises is not whom it raises it from: `picks up $14 million in Series A`. */
const ROUND = /^(?:pre[- ]?)?(?:series [a-k]\d?|(?:seed|bridge|angel|growth)(?: (?:round|funding|capital))?)$/i;

/** Whether a span that the catalogue lacks can be the name of a company. */
function plausible(part: Part, span: Span, subject: Subject, sentence: boolean): boolean {
  const words = part.tokens.slice(span.first, span.last + 1);
  const name = sliceOf(part, span.first, span.last);
  const first = words[0];
  if (!first || words.length > 5 || name.length < 2 || name.length > 60 || !/\p{L}/u.test(name)) return false;
  if (ROUND.test(name)) return false;
  if (words.every((word) => NOT_NAMES.has(word.fold)) || NOT_NAMES.has(first.fold)) return false;
  if (
    words.some((word) => INSTITUTIONS.has(word.fold) && (word.text.length > 4 || word.text === word.text.toUpperCase()))
  )
    return false;
  const small = words.filter(
    (word) => !word.capital && !/^(?:of|and|by|the|x|n|de|for|s|i|a|in)$/.test(word.fold) && !/\p{Lu}/u.test(word.text),
  );
  if (small.length > 0 && !/[.&@]/.test(name)) return false;
  if (words.some((word) => !isCommon(word.fold) || (sentence && word.index > 0 && /^\p{Lu}\p{Ll}/u.test(word.text))))
    return true;
  return (
    !sentence && words.length >= 2 && (subject.names.length > 1 || companyDoes(part.tokens[subject.verb]?.fold ?? ''))
  );
}

const PERSON = /^\p{Lu}[\p{Ll}']+(?:\s\p{Lu}[\p{L}.']*){1,2}$/u;
/** Whether a name that the catalogue lacks has the form of a person's. */
export const isPerson = (brand: NamedBrand): boolean =>
  brand.provisional && PERSON.test(brand.name) && !brand.name.split(' ').some((word) => isCommon(word.toLowerCase()));

/** The brand that a whole name is, with a company's ending dropped if need be. */
function byName(name: string, catalogue: PreparedCatalogue): CatalogueBrand | undefined {
  const key = nameKey(name);
  const bare = key.replace(/ (?:india|ltd|limited|group|brands?|retail)(?= $)/, '');
  return (catalogue.names.get(key) ?? catalogue.names.get(bare))?.brand;
}

/** What a reading of brands works on. */
export interface Desk {
  readonly reading: Reading;
  readonly catalogue: PreparedCatalogue;
  readonly mentions: readonly Mention[];
  readonly sentence: boolean;
}

const known = (brand: CatalogueBrand, role: NamedBrand['role'], written: string): NamedBrand => ({
  slug: brand.slug,
  name: brand.name,
  role,
  provisional: false,
  written: written !== brand.name && (legalName(brand, written) || clipped(brand, written)) ? brand.name : written,
});

interface Keys {
  readonly name: string;
  readonly shown: ReadonlySet<string>;
  readonly legal: readonly string[];
}
const KEYS = new WeakMap<CatalogueBrand, Keys>();

/** The forms in which a brand's names are looked up, worked out once. */
function keysOf(brand: CatalogueBrand): Keys {
  const known = KEYS.get(brand);
  if (known) return known;
  const keys = {
    name: nameKey(brand.name),
    shown: new Set([brand.name, ...brand.aliases].map(nameKey)),
    legal: brand.legal_names.map(nameKey),
  };
  KEYS.set(brand, keys);
  return keys;
}

/** A company's name in filings is not how readers know it. */
const legalName = (brand: CatalogueBrand, written: string): boolean => {
  const key = nameKey(written);
  const { name, shown, legal } = keysOf(brand);
  return legal.some((each) => each.startsWith(key)) && !name.startsWith(key.trimEnd()) && !shown.has(key);
};

/** `Tata Consumer` for `Tata Consumer Products`: what is left ends in an ordinary word, so readers miss the rest. */
const clipped = (brand: CatalogueBrand, written: string): boolean =>
  written.includes(' ') &&
  keysOf(brand).name.startsWith(nameKey(written)) &&
  isCommon(nameKey(written).trim().split(' ').at(-1) ?? '');

/** A name of the catalogue as a mention of the story, in the words of the headline. */
export const sayMention = (part: Part, mention: Mention, role: NamedBrand['role']): NamedBrand =>
  known(mention.brand as CatalogueBrand, role, nameText(part, mention));

/** A month, a measure or a role after a name is no part of it. */
const ownWords = (part: Part, first: number, last: number): boolean =>
  part.tokens.slice(first, last + 1).every((token) => !isCommon(token.fold));

/** The brands that a span names: a whole catalogue name, catalogue names inside it, or a provisional one. */
export function named(desk: Desk, span: Span, subject: Subject): NamedBrand[] {
  const { title } = desk.reading;
  const inside = desk.mentions.filter((mention) => touches(span, mention));
  const covering = inside.filter((mention) => mention.first <= span.first && mention.last >= span.last);
  if (covering.length > 0)
    return covering
      .filter((mention) => !byTheWay(title, mention))
      .map((mention) => sayMention(title, mention, 'primary'));
  const name = nameText(title, span);
  const whole = byName(name, desk.catalogue);
  if (whole && inContext(whole, desk.reading, desk.catalogue, true)) return [known(whole, 'primary', name)];
  const [only] = inside;
  const extended = inside.length === 1 && only?.first === span.first && ownWords(title, only.last + 1, span.last);
  const last = inside.at(-1);
  const described = inside.length > 1 && last && STRONG.has(title.tokens[last.first - 1]?.fold ?? '');
  if (inside.length > 0 && !extended)
    return (described ? [last] : inside)
      .filter((mention) => !byTheWay(title, mention))
      .map((mention) => sayMention(title, mention, 'primary'));
  const place = title.mentions.some(
    (each) => (each.city || each.mall) && each.first === span.first && each.last === span.last,
  );
  if (place || !plausible(title, span, subject, desk.sentence)) return [];
  return [{ slug: slugify(name), name, role: 'primary', provisional: true, written: name }];
}

/**
 * A name somewhere in a headline that the rules for its subject did not find: after what a company is
 * (`… Fashion Portal Lipsy`), or, in a headline written as a sentence, any capitalised run that is no ordinary word.
 */
export function nameAnywhere(desk: Desk): NamedBrand[] {
  const { title } = desk.reading;
  const none: Subject = { names: [], objects: [], act: null, verb: title.tokens.length };
  for (let first = 1; first < title.tokens.length; first++) {
    const token = title.tokens[first];
    if (!token?.capital || isCommon(token.fold) || /^\d/.test(token.text)) continue;
    const described = STRONG.has(title.tokens[first - 1]?.fold ?? '');
    if (!described && (!desk.sentence || title.mentions.some((each) => each.first <= first && first <= each.last)))
      continue;
    let last = first;
    while (
      title.tokens[last + 1]?.capital &&
      /^[\s&.'’-]{1,3}$/.test(gapAfter(title, last)) &&
      !NAME_ENDS.has(title.tokens[last + 1]?.fold ?? '') &&
      !/^(?:over|from|to)$/.test(title.tokens[last + 1]?.fold ?? '')
    )
      last++;
    const span = nameIn(title, first, last);
    if (!span || (!described && PERSON.test(nameText(title, span)))) continue;
    const found = named(desk, span, none);
    if (found.length > 0) return found;
  }
  return [];
}

const ANALYSTS = /^(?:report|ratings?|survey|study|data|research|analysts?|veteran|executive|exec|alum|ceo's)$/;

const AGENCIES =
  /crisil|icra|equirus|redseer|nielsen|kantar|jefferies|nuvama|systematix|moody|care-ratings|knight-frank|anarock/;

/** A former employer or the author of a report is named by the way. */
export function byTheWay(part: Part, mention: Mention): boolean {
  const before = part.tokens[mention.first - 1]?.fold ?? '';
  const after = part.tokens[mention.last + 1]?.fold ?? '';
  const last = part.tokens[mention.last]?.fold ?? '';
  return (
    before === 'ex' ||
    before === 'former' ||
    ANALYSTS.test(after) ||
    ANALYSTS.test(last) ||
    AGENCIES.test(mention.brand?.slug ?? '')
  );
}
