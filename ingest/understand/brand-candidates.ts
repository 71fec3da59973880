/**
 * Candidates: which words of a headline name a brand of the catalogue, an investor, or a company that the catalogue
 * lacks; which words can be the name of a company, and which are a person, a place or a thing.
 */

import type { PreparedCatalogue } from '../../facts/text/catalogue.ts';
import {
  GENERIC,
  isPossessive,
  isSentenceCase,
  type Span,
  type Subject,
  tidyName,
  trimName,
} from '../../facts/text/headline-subject.ts';
import type { Mention, Part, Reading, WrittenBrand } from '../../facts/text/item-reading.ts';
import { APPOINT, INSTITUTIONS, LAUNCH, NAME_ENDS, OPEN, RAISE, STRONG } from '../../language/lexicon.ts';
import { fold, gapAfter, nameKey, sliceOf } from '../../language/tokens.ts';
import { GIVEN_NAMES, isCommon } from '../../language/words.ts';
import type { CatalogueBrand } from '../../schemas/catalogue.ts';
import { brandSlugOf } from '../../schemas/scalar.ts';

const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter(Boolean));

/** A name does not begin with one of these, and does not consist of them: countries, regions, months, feasts, periods, authorities. */
const NOT_NAMES = wordSet(
  `india indian indians bharat asia asian africa african europe european america american russia russian sweden swedish swiss
  switzerland german french danish denmark italian italy spain spanish korean british britain england chinese japanese arab
  arabia gulf taiwan japan china korea germany france dubai singapore australia australian us uk uae usa eu saudi qatar oman
  kuwait bahrain bangladesh pakistan nepal bhutan lanka lankan sri maldives myanmar thailand thai vietnam vietnamese indonesia
  indonesian malaysia malaysian philippines turkey turkish iran iranian iraq israel israeli egypt kenya nigeria canada canadian
  mexico mexican brazil brazilian ukraine scotland scottish ireland irish netherlands dutch belgium poland
  andhra karnataka kerala maharashtra gujarat rajasthan punjab haryana bihar odisha assam goa telangana tamil nadu madhya pradesh
  uttar bengal himachal uttarakhand jharkhand chhattisgarh sikkim kashmir ncr
  january february march april may june july august september october november december monday tuesday wednesday thursday
  friday saturday sunday diwali onam holi dussehra navratri rakhi pongal eid ramadan christmas dhanteras durga ganesh
  rs fy24 fy25 fy26 fy27 fy28 fy29 fy30 q1 q2 q3 q4 h1 h2 9m noel rcb pli fema nino fifa ipl gst mrp fdi gen ipo ipos drhp mou jv b2b b2c d2c esop cagr
  yoy qoq gmv aov arr ai companies consumers customers experts govt government centre council inc regulatory creditors report
  women men kids exclusive update other here new experience charge global now el west middle south north east retail staring
  sea apac emea mena gcc hackers thieves scammers fraudsters robbers geopolitical festive monsoon summer winter budget parliament cabinet sensex nifty rupee gold silver crude oil`,
);

/** A name with one of these as its last word is a thing: `Keyword Wars`, `Geopolitical Concerns`, `Retail Inflation`. */
const THINGS = wordSet(
  `concerns concern wars war race battle battles crisis boom rush push inflation demand prices price imports exports funds plan
  plans scheme policy norms row probe boycott fever frenzy craze hype bet bets season festival week weekend day days month year
  years sector industry economy rally crash selloff workers employees farmers sales buyers shoppers users tensions tension
  tariffs tariff duty duties tax taxes curbs ban costs cost margins margin growth slowdown recovery outlook questions question
  story test blues woes pangs hopes hope fears fear bites effect impact heat heatwave rains leaders executives investors bankers
  analysts lenders creditors officials sources attorneys regulators authorities history verdict hearing order trial penalty fine
  consumption spending sentiment leasing volumes orders discounts deals offers awards award summit conclave podcast gap jinx
  valuation valuations timeline deadline shortage supply crunch pressure momentum`,
);
/** A seat or a profession: a name with one of these in it is a person's. */
const SEATS = wordSet(
  `ceo cfo coo cmo cto cbo chro cpo cio md vp svp avp evp chairman chairperson chairwoman president director founder cofounder executive exec
  veteran head minister secy secretary commissioner governor actor actress cricketer cricketers singer rapper comedian influencer
  billionaire entrepreneur investor economist analyst justice judge advocate shri smt dr mr mrs ms`,
);

/** Verbs whose subject is always a company: before them even ordinary words are a name (`Bad Boy Pizza Raises`). */
export const isCompanyVerb = (word: string): boolean =>
  RAISE.has(word) ||
  OPEN.has(word) ||
  LAUNCH.has(word) ||
  APPOINT.has(word) ||
  /^(?:plans|targets|expands|enters|strengthens|reports|posts|files|acquires|partners|crosses|unveils)$/.test(word);

/** A round is no company: `picks up $14 million in Series A`. */
const ROUND = /^(?:pre[- ]?)?(?:series [a-k]\d?|(?:seed|bridge|angel|growth)(?: (?:round|funding|capital))?)$/i;
const JOINING = /^(?:of|and|by|the|x|n|de|for|s|i|a|in)$/;

/** Whether a headline is not set in capitals throughout, so that a word in capitals is a name: `BUILT Raises $2 Mn`. */
const isSetOff = (part: Part, index: number): boolean => {
  const text = part.tokens[index]?.text ?? '';
  return /^\p{Lu}{3,}$/u.test(text) && part.tokens.some((token) => /\p{Ll}{2}/u.test(token.text));
};

/**
 * Whether a span that the catalogue lacks can be the name of a company.
 * @param sentence whether the headline is written as a sentence, with capitals only for names
 */
function isPlausibleName(part: Part, span: Span, subject: Subject, sentence: boolean): boolean {
  const words = part.tokens.slice(span.first, span.last + 1);
  const name = sliceOf(part, span.first, span.last);
  const first = words[0];
  const last = words.at(-1);
  if (!first || !last || words.length > 5 || name.length < 2 || name.length > 60 || !/\p{L}/u.test(name)) return false;
  // "75% Oyo parent", "After Apple, India's boom": a figure or a comma belongs to the sentence around a name.
  if (/[%₹$,]/.test(name)) return false;
  if (ROUND.test(name) || NOT_NAMES.has(first.fold)) return false;
  if (words.some((word) => SEATS.has(word.fold)) || THINGS.has(last.fold)) return false;
  const ordinary = (fold: string): boolean => isCommon(fold) || NOT_NAMES.has(fold) || GENERIC.has(fold);
  if (
    words.some((word) => INSTITUTIONS.has(word.fold) && (word.text.length > 3 || word.text === word.text.toUpperCase()))
  )
    return false;
  const small = words.filter((word) => !word.capital && !JOINING.test(word.fold) && !/\p{Lu}/u.test(word.text));
  if (small.length > 0 && !/[.&@]/.test(name)) return false;
  if (words.some((word) => !ordinary(word.fold) || (sentence && word.index > 0 && /^\p{Lu}\p{Ll}/u.test(word.text))))
    return !(sentence && span.first === 0 && words.length === 1 && /ing$/.test(first.fold));
  const verb = part.tokens[subject.verb]?.fold ?? '';
  const described = STRONG.has(part.tokens[span.first - 1]?.fold ?? '');
  if (words.length === 1 && isSetOff(part, span.first)) return described || isCompanyVerb(verb);
  if (words.length >= 2 && described) return true;
  return !sentence && words.length >= 2 && (subject.names.length > 1 || isCompanyVerb(verb));
}

const PERSON = /^\p{Lu}[\p{Ll}']+(?:\s\p{Lu}[\p{L}.']*){1,2}$/u;
/** Whether a name has the form of a person's: two or three capitalised words that are no ordinary ones. */
export const hasPersonForm = (name: string): boolean =>
  PERSON.test(name) && !name.split(' ').some((word) => isCommon(word.toLowerCase()));

/** Whether a name is a person's by a given name in it: `Tanvi Deshmukh`, `Chief Marketing Officer Sameer Gokhale`. */
export const hasGivenName = (name: string): boolean => {
  const words = name.split(' ');
  return words.length >= 2 && words.slice(0, -1).some((word) => GIVEN_NAMES.has(fold(word)));
};

/** The run of capitalised words that begins at a word, up to the next small word, figure or mark. */
function capitalRun(part: Part, first: number): Span | null {
  if (!part.tokens[first]?.capital || /^\d/.test(part.tokens[first]?.text ?? '')) return null;
  let last = first;
  while (part.tokens[last + 1]?.capital && /^[\s&.'’-]{1,3}$/.test(gapAfter(part, last))) last++;
  return { first, last };
}

/** A brand as the rules handle it, with its place in the headline; null for a name of the summary. */
export type NamedBrand = WrittenBrand & {
  readonly span: Span | null;
  /** An investor of the catalogue: a company, but never the one that an item proposes as a brand. */
  readonly investor?: boolean;
};

/** What the rules for brands work on. */
export interface HeadlineContext {
  readonly reading: Reading;
  readonly catalogue: PreparedCatalogue;
  /** Brands of the catalogue in the headline; a name that is an ordinary word only in its context. */
  readonly mentions: readonly Mention[];
  /** Written as a sentence, with capitals only for names. */
  readonly sentence: boolean;
}

/** Whether two spans share a word. */
export const overlaps = (span: Span, other: Span): boolean => span.first <= other.last && other.first <= span.last;

/** Whether a name that is also an ordinary word means the brand: it is the subject, or a word of its context is in the text. */
export function isInContext(
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

/** Collects what the rules work on. @param subjects the clauses of the headline */
export function contextOf(
  reading: Reading,
  subjects: readonly Subject[],
  catalogue: PreparedCatalogue,
): HeadlineContext {
  const spans = subjects.flatMap((subject) => subject.names);
  const mentions = reading.title.mentions.filter(
    (mention) =>
      mention.brand &&
      isInContext(
        mention.brand,
        reading,
        catalogue,
        spans.some((span) => span.first === mention.first),
      ),
  );
  return { reading, catalogue, mentions, sentence: isSentenceCase(reading.title) };
}

/** The catalogue's brand of a whole name, with or without a company's ending such as `Ltd`. */
function byName(name: string, catalogue: PreparedCatalogue): CatalogueBrand | undefined {
  const key = nameKey(name);
  const bare = key.replace(/ (?:india|ltd|limited|group|brands?|retail)(?= $)/, '');
  return (catalogue.names.get(key) ?? catalogue.names.get(bare))?.brand;
}

/** A brand of the catalogue as a text names it. */
export const toKnownBrand = (
  brand: CatalogueBrand,
  role: NamedBrand['role'],
  written: string,
  span: Span | null,
): NamedBrand => ({
  slug: brand.slug,
  name: brand.name,
  role,
  provisional: false,
  written,
  span,
});

/** The brand of a catalogue mention, with the words of the text. */
export const toNamedBrand = (part: Part, mention: Mention, role: NamedBrand['role']): NamedBrand =>
  toKnownBrand(mention.brand as CatalogueBrand, role, tidyName(part, mention), mention);

/** The investors that a span consists of, such as `IvyCap` or `Accel & 360 ONE`; none when other words are in it. */
function investorsIn(part: Part, span: Span): NamedBrand[] {
  const inside = part.mentions.filter((mention) => mention.investor && !mention.brand && overlaps(span, mention));
  const covered = part.tokens
    .slice(span.first, span.last + 1)
    .every(
      ({ index, fold }) =>
        /^(?:and|capital|ventures|partners|fund|india|investments?)$/.test(fold) ||
        inside.some(({ first, last }) => first <= index && index <= last),
    );
  return covered ? inside.map((mention) => toInvestor(part, mention, 'primary')) : [];
}

/** An investor of the catalogue. */
export const toInvestor = (part: Part, mention: Mention, role: NamedBrand['role']): NamedBrand => {
  const name = mention.investor?.name ?? '';
  return {
    slug: brandSlugOf(name),
    name,
    role,
    provisional: false,
    written: tidyName(part, mention),
    span: mention,
    investor: true,
  };
};

/** A company that the catalogue lacks. */
export const toProvisional = (name: string, role: NamedBrand['role'], span: Span): NamedBrand => ({
  slug: brandSlugOf(name),
  name,
  role,
  provisional: true,
  written: name,
  span,
});

/** Whether words belong to a name: a month, a measure or a role after it does not. */
const ownWords = (part: Part, first: number, last: number): boolean =>
  part.tokens.slice(first, last + 1).every((token) => !isCommon(token.fold));

/** The clause of a headline whose names are looked for wherever they are. */
const withoutSubject = ({ tokens }: Part): Subject => ({
  names: [],
  object: null,
  act: null,
  asides: [],
  verb: tokens.length,
});

/** Finds the brands that a span names: a whole catalogue name, catalogue names inside it, investors, or a provisional one. */
export function nameBrands(headline: HeadlineContext, span: Span, subject: Subject): NamedBrand[] {
  const { title } = headline.reading;
  const inside = headline.mentions.filter((mention) => overlaps(span, mention));
  const covering = inside.filter((mention) => mention.first <= span.first && mention.last >= span.last);
  if (covering.length > 0)
    return covering
      .filter((mention) => !isInPassing(title, mention))
      .map((mention) => toNamedBrand(title, mention, 'primary'));
  const name = tidyName(title, span);
  const whole = byName(name, headline.catalogue);
  if (whole && isInContext(whole, headline.reading, headline.catalogue, true))
    return [toKnownBrand(whole, 'primary', name, span)];
  const [only] = inside;
  const extended =
    inside.length === 1 &&
    only?.first === span.first &&
    // `Wellkart Foods' Asha Rane`: a person of the brand.
    !/^['’]/.test(gapAfter(title, only.last)) &&
    ownWords(title, only.last + 1, span.last) &&
    isPlausibleName(title, span, subject, headline.sentence);
  const last = inside.at(-1);
  const described = inside.length > 1 && last && STRONG.has(title.tokens[last.first - 1]?.fold ?? '');
  if (inside.length > 0 && !extended)
    return (described ? [last] : inside)
      .filter((mention) => !isInPassing(title, mention))
      .map((mention) => toNamedBrand(title, mention, 'primary'));
  const investors = investorsIn(title, span);
  if (investors.length > 0) return investors;
  const place = title.mentions.some((each) => each.city && each.first <= span.first && each.last >= span.last);
  const inMall = title.mentions.some((each) => each.mall && each.first === span.first && each.last === span.last);
  if (place || inMall || !isPlausibleName(title, span, subject, headline.sentence)) return [];
  return [toProvisional(name, 'primary', span)];
}

/**
 * Finds a name that the rules for the subject missed: after a description of a company (`… Fashion Portal Lipsy`), or,
 * in a headline written as a sentence, any capitalised words that are no ordinary ones.
 */
export function findNameAnywhere(headline: HeadlineContext): NamedBrand[] {
  const { title } = headline.reading;
  for (let first = 1; first < title.tokens.length; first++) {
    const token = title.tokens[first];
    if (!token?.capital || isCommon(token.fold) || /^\d/.test(token.text)) continue;
    const described = STRONG.has(title.tokens[first - 1]?.fold ?? '');
    if (!described && (!headline.sentence || title.mentions.some((each) => each.first <= first && first <= each.last)))
      continue;
    let last = first;
    while (
      title.tokens[last + 1]?.capital &&
      /^[\s&.'’-]{1,3}$/.test(gapAfter(title, last)) &&
      !NAME_ENDS.has(title.tokens[last + 1]?.fold ?? '') &&
      !/^(?:over|from|to)$/.test(title.tokens[last + 1]?.fold ?? '')
    )
      last++;
    const span = trimName(title, first, last);
    if (!span || (!described && hasPersonForm(tidyName(title, span)))) continue;
    const brands = nameBrands(headline, span, withoutSubject(title));
    if (brands.length > 0) return brands;
  }
  return [];
}

/** What joins the names of a list. */
const LISTED = /^(?:,\s(?:and\s|&\s)?|\s&\s|\sand\s)$/i;
const MAX_LISTED = 4;

/** The word at which the next name of a list begins, after the last word of one; undefined where none follows. */
const nextInList = ({ text, tokens }: Part, last: number): number | undefined =>
  [last + 1, last + 2].find(
    (first) => tokens[first]?.capital && LISTED.test(text.slice(tokens[last]?.end, tokens[first]?.start)),
  );

/**
 * Names that the catalogue lacks in a list with one that it has, after it: `from Accel, Elevation and Nexus`, `orders Pepsi,
 * Red Bull, Monster to drop`. They have the role of that one.
 */
export function findListedWith(headline: HeadlineContext, brand: NamedBrand): NamedBrand[] {
  const { title } = headline.reading;
  const listed: NamedBrand[] = [];
  let last = brand.span?.last ?? title.tokens.length;
  while (listed.length < MAX_LISTED) {
    const first = nextInList(title, last);
    const run = first === undefined ? null : capitalRun(title, first);
    if (!run || title.mentions.some((mention) => overlaps(run, mention))) break;
    const end = title.tokens.findIndex(({ index, fold }) => index > run.first && index <= run.last && isCommon(fold));
    const name = { first: run.first, last: end < 0 ? run.last : end - 1 };
    const [company] = nameBrands(headline, name, withoutSubject(title));
    if (!company || hasGivenName(company.name)) break;
    listed.push({ ...company, role: brand.role });
    last = name.last;
  }
  return listed;
}

/** Words next to an author of a report. */
const ANALYSTS = /^(?:report|ratings?|survey|study|data|research|analysts?|veteran|executive|exec|alum|ceo's)$/;

const AGENCIES =
  /crisil|icra|equirus|redseer|nielsen|kantar|jefferies|nuvama|systematix|moody|care-ratings|knight-frank|anarock/;

/** Trade bodies: who says something of an industry, unless the body itself moves. */
const ASSOCIATIONS: ReadonlySet<string> = new Set(
  'cait aicpdf nrai ciabc iswai brewers-association-of-india retailers-association-of-india shopping-centres-association-of-india'.split(
    ' ',
  ),
);

/** Whether a brand is only mentioned in passing: a former employer, or the author of a report. */
export function isInPassing(part: Part, mention: Mention): boolean {
  const before = part.tokens[mention.first - 1]?.fold ?? '';
  const after = part.tokens[mention.last + 1]?.fold ?? '';
  const last = part.tokens[mention.last]?.fold ?? '';
  const body = ASSOCIATIONS.has(mention.brand?.slug ?? '');
  return (
    (body && (/[:–—]\s|\s-\s/.test(gapAfter(part, mention.first - 1)) || /^(?:says?|said|urges|flags)$/.test(after))) ||
    before === 'ex' ||
    before === 'former' ||
    ANALYSTS.test(after) ||
    ANALYSTS.test(last) ||
    AGENCIES.test(mention.brand?.slug ?? '')
  );
}

/** `Launches Hydration Brand Aquon`: the name after a description of a company that follows the verb. */
export function findDescribed(headline: HeadlineContext, subject: Subject): NamedBrand[] {
  const { title } = headline.reading;
  for (let index = subject.verb + 1; index < Math.min(title.tokens.length - 1, subject.verb + 12); index++) {
    if (/[,;:]/.test(gapAfter(title, index - 1))) break;
    if (!STRONG.has(title.tokens[index]?.fold ?? '') || gapAfter(title, index) !== ' ') continue;
    const run = capitalRun(title, index + 1);
    if (!run) continue;
    let last = run.first;
    while (
      last < run.last &&
      !NAME_ENDS.has(title.tokens[last + 1]?.fold ?? '') &&
      !/^(?:to|with)$/.test(title.tokens[last + 1]?.fold ?? '')
    )
      last++;
    return nameBrands(headline, { first: run.first, last }, subject);
  }
  return [];
}

/** Words between `opens` and the name of a store: `opens its first`, `opens new`. */
const BEFORE_STORE =
  /^(?:a|an|the|its|first|second|third|fourth|fifth|new|another|flagship|exclusive|premium|luxury|\d+(?:st|nd|rd|th))$/;
const STORE = /^(?:stores?|outlets?|showrooms?|boutiques?|cafe|cafes|restaurants?|kiosks?|salons?|flagship)$/;

/** `Opens First FreshHaat Store`, `Brings VELOURE Chocolate to India`: the name of what is opened or brought. */
export function findOpenedOrBrought(headline: HeadlineContext, subject: Subject, verb: number): NamedBrand[] {
  const { title } = headline.reading;
  let first = verb + 1;
  while (BEFORE_STORE.test(title.tokens[first]?.fold ?? '')) first++;
  const run = capitalRun(title, first);
  if (!run) return [];
  const isBrought = /^bring/.test(title.tokens[verb]?.fold ?? '');
  let last = run.last;
  if (isBrought) {
    if (title.tokens[last + 1]?.fold !== 'to' || title.tokens[last + 2]?.fold !== 'india') return [];
    while (last > first && isCommon(title.tokens[last]?.fold ?? '') && gapAfter(title, last - 1) === ' ') last--;
  } else {
    const store = title.tokens.findIndex(({ index, fold }) => index > first && index <= run.last && STORE.test(fold));
    if (store < 0) return [];
    last = store - 1;
  }
  return isCommon(title.tokens[first]?.fold ?? '') ? [] : nameBrands(headline, { first, last }, subject);
}

const OPERATES = /^(?:operators?|franchisees?|licensees?|bottlers?)$/;
const OWNS = /^(?:parents?|owners?|makers?)$/;

/**
 * Finds the company that a headline names only by its relation to a brand, such as `Pizza Hut operator's profit`: the
 * catalogue's operators or owner of the brand, of which one is the only one or the only one in the summary.
 * @returns null where the headline names the company itself, or nothing decides between several
 */
export function findRelated(headline: HeadlineContext, mention: Span, brand: CatalogueBrand): CatalogueBrand | null {
  const { title, summary } = headline.reading;
  let index = mention.last + 1;
  if (isPossessive(title, index)) index++;
  if (title.tokens[index]?.fold === 'india') index++;
  const word = title.tokens[index]?.fold ?? '';
  const slugs = OPERATES.test(word) ? (brand.operators ?? []) : OWNS.test(word) && brand.parent ? [brand.parent] : [];
  if (slugs.length === 0) return null;
  if (title.tokens[index + 1]?.fold === 'company') index++;
  const next = title.tokens[index + 1];
  const named =
    next &&
    gapAfter(title, index) === ' ' &&
    (headline.mentions.some((each) => each.first === next.index) ||
      (next.capital && !isCommon(next.fold) && !NAME_ENDS.has(next.fold)));
  if (named) return null;
  const inSummary = slugs.filter((slug) => summary.mentions.some((each) => each.brand?.slug === slug));
  const [only, other] = inSummary.length > 0 ? inSummary : slugs;
  return only && !other ? (headline.catalogue.brandBySlug.get(only) ?? null) : null;
}
