/** The brands of an item: whom it is about (primary) and who else is named (secondary). */
import type { CatalogueBrand } from '../../schemas/catalogue.ts';
import { slugify } from '../../schemas/scalar.ts';
import type { BrandMention } from '../../schemas/story.ts';
import type { PreparedCatalogue } from './catalogue.ts';
import { isSentenceCase, type Span, type Subject, tidyName, trimName } from './headline-subject.ts';
import type { Mention, Part, Reading } from './item-reading.ts';
import { APPOINT, INSTITUTIONS, LAUNCH, NAME_ENDS, OPEN, RAISE, STRONG } from './model/lexicon.ts';
import { GIVEN_NAMES, isCommon } from './model/words.ts';
import { fold, gapAfter, nameKey, sliceOf } from './tokens.ts';

// From words to brands: names of the catalogue, and unknown words that can be a name.

/** A brand with the words by which the headline names it. */
export type NamedBrand = BrandMention & { readonly written: string };

/** Whether two spans share a word. */
const overlaps = (span: Span, other: Span): boolean => span.first <= other.last && other.first <= span.last;

/** Whether a name that is also an ordinary word means the brand: it is the subject, or a word of its context is in the text. */
function isInContext(brand: CatalogueBrand, reading: Reading, catalogue: PreparedCatalogue, subject: boolean): boolean {
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

/** Verbs whose subject is always a company: before them even ordinary words are a name (`Bad Boy Pizza Raises`). */
const isCompanyVerb = (word: string): boolean =>
  RAISE.has(word) ||
  OPEN.has(word) ||
  LAUNCH.has(word) ||
  APPOINT.has(word) ||
  /^(?:plans|targets|expands|enters|strengthens|reports|posts|files|acquires|partners|crosses|unveils)$/.test(word);

/** A round is no company: `picks up $14 million in Series A`. */
const ROUND = /^(?:pre[- ]?)?(?:series [a-k]\d?|(?:seed|bridge|angel|growth)(?: (?:round|funding|capital))?)$/i;

/** Whether a span that the catalogue lacks can be the name of a company. */
function isPlausibleName(part: Part, span: Span, subject: Subject, sentence: boolean): boolean {
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
    !sentence && words.length >= 2 && (subject.names.length > 1 || isCompanyVerb(part.tokens[subject.verb]?.fold ?? ''))
  );
}

const PERSON = /^\p{Lu}[\p{Ll}']+(?:\s\p{Lu}[\p{L}.']*){1,2}$/u;
/** Whether a provisional name has the form of a person's name. */
const isPersonName = (brand: NamedBrand): boolean =>
  brand.provisional && PERSON.test(brand.name) && !brand.name.split(' ').some((word) => isCommon(word.toLowerCase()));

/** The catalogue's brand of a whole name, with or without a company's ending such as `Ltd`. */
function byName(name: string, catalogue: PreparedCatalogue): CatalogueBrand | undefined {
  const key = nameKey(name);
  const bare = key.replace(/ (?:india|ltd|limited|group|brands?|retail)(?= $)/, '');
  return (catalogue.names.get(key) ?? catalogue.names.get(bare))?.brand;
}

/** What the rules for brands work on. */
interface HeadlineContext {
  readonly reading: Reading;
  readonly catalogue: PreparedCatalogue;
  readonly mentions: readonly Mention[];
  readonly sentence: boolean;
}

const toKnownBrand = (brand: CatalogueBrand, role: NamedBrand['role'], written: string): NamedBrand => ({
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

/** The keys of a brand's names, computed once. */
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

/** Whether a name is one that only filings use. */
const legalName = (brand: CatalogueBrand, written: string): boolean => {
  const key = nameKey(written);
  const { name, shown, legal } = keysOf(brand);
  return legal.some((each) => each.startsWith(key)) && !name.startsWith(key.trimEnd()) && !shown.has(key);
};

/** `Tata Consumer` for `Tata Consumer Products`: a short form that ends in an ordinary word, which readers would not recognise. */
const clipped = (brand: CatalogueBrand, written: string): boolean =>
  written.includes(' ') &&
  keysOf(brand).name.startsWith(nameKey(written)) &&
  isCommon(nameKey(written).trim().split(' ').at(-1) ?? '');

/** The brand of a catalogue mention, with the words of the headline. */
const toNamedBrand = (part: Part, mention: Mention, role: NamedBrand['role']): NamedBrand =>
  toKnownBrand(mention.brand as CatalogueBrand, role, tidyName(part, mention));

/** Whether words belong to a name: a month, a measure or a role after it does not. */
const ownWords = (part: Part, first: number, last: number): boolean =>
  part.tokens.slice(first, last + 1).every((token) => !isCommon(token.fold));

/** Finds the brands that a span names: a whole catalogue name, catalogue names inside it, or a provisional one. */
function nameBrands(desk: HeadlineContext, span: Span, subject: Subject): NamedBrand[] {
  const { title } = desk.reading;
  const inside = desk.mentions.filter((mention) => overlaps(span, mention));
  const covering = inside.filter((mention) => mention.first <= span.first && mention.last >= span.last);
  if (covering.length > 0)
    return covering
      .filter((mention) => !isInPassing(title, mention))
      .map((mention) => toNamedBrand(title, mention, 'primary'));
  const name = tidyName(title, span);
  const whole = byName(name, desk.catalogue);
  if (whole && isInContext(whole, desk.reading, desk.catalogue, true)) return [toKnownBrand(whole, 'primary', name)];
  const [only] = inside;
  const extended = inside.length === 1 && only?.first === span.first && ownWords(title, only.last + 1, span.last);
  const last = inside.at(-1);
  const described = inside.length > 1 && last && STRONG.has(title.tokens[last.first - 1]?.fold ?? '');
  if (inside.length > 0 && !extended)
    return (described ? [last] : inside)
      .filter((mention) => !isInPassing(title, mention))
      .map((mention) => toNamedBrand(title, mention, 'primary'));
  const place = title.mentions.some(
    (each) => (each.city || each.mall) && each.first === span.first && each.last === span.last,
  );
  if (place || !isPlausibleName(title, span, subject, desk.sentence)) return [];
  return [{ slug: slugify(name), name, role: 'primary', provisional: true, written: name }];
}

/**
 * Finds a name that the rules for the subject missed: after a description of a company (`… Fashion Portal Lipsy`), or,
 * in a headline written as a sentence, any capitalised words that are no ordinary ones.
 */
function findNameAnywhere(desk: HeadlineContext): NamedBrand[] {
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
    const span = trimName(title, first, last);
    if (!span || (!described && PERSON.test(tidyName(title, span)))) continue;
    const found = nameBrands(desk, span, none);
    if (found.length > 0) return found;
  }
  return [];
}

const ANALYSTS = /^(?:report|ratings?|survey|study|data|research|analysts?|veteran|executive|exec|alum|ceo's)$/;

const AGENCIES =
  /crisil|icra|equirus|redseer|nielsen|kantar|jefferies|nuvama|systematix|moody|care-ratings|knight-frank|anarock/;

/** Whether a brand is only mentioned in passing: a former employer, or the author of a report. */
function isInPassing(part: Part, mention: Mention): boolean {
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

// Roles: which brands of a headline are primary.

/** Assigns roles: a seller of a stake or an investor is secondary to the company that is sold or funded. */
function assignRoles(subject: Subject, actors: NamedBrand[], objects: NamedBrand[]): NamedBrand[] {
  const aside = actors.map((brand) => ({ ...brand, role: 'secondary' as const }));
  const named = actors.some((brand) => !brand.provisional) ? actors.filter((brand) => !isPersonName(brand)) : actors;
  if (objects.length === 0) return named;
  // A company that invests in something without a known name invests in itself: `Grasim to invest Rs 3,094 crore in Lyocell`.
  if (
    subject.act === 'invest' &&
    objects.every((brand) => brand.provisional) &&
    actors.some((brand) => !isPersonName(brand) && !INVESTOR.test(brand.name))
  )
    return named;
  if (subject.act === 'role') {
    const companies = actors.filter((brand) => !isPersonName(brand));
    return companies.length > 0 ? companies : objects;
  }
  // A partner has to be a company: `Uniqlo Partners with Cotton Farmers` names only one.
  if (subject.act === 'partner')
    return [...named, ...objects.filter((brand) => !brand.provisional || !GROUPS.test(brand.name))];
  if (subject.act === 'sell' || subject.act === 'invest') return [...objects, ...aside];
  return [...actors, ...objects];
}

const GROUPS =
  /^(?:AI|New|Cotton|Local|Indian|School|Clinical)\b|\b(?:farmers|groups?|trust|tool|artisans|government|institute|university|kapoor|students|creators|chef|platform)\b/i;
const INVESTOR = /\b(?:capital|ventures?|partners|vc|fund|investments?|angels?|network|equity)\b/i;

const SHARED =
  /\b(?:launch(?:es|ed)?|unveils?|introduces?|opens?|to launch|enters? .{3,60} with|brings?|partners?|ties up|teams up|collaborat\w+|partnership with|jv with|overtakes|expands?)\b/i;

const isParent = (chosen: readonly NamedBrand[], brand: CatalogueBrand | undefined): boolean =>
  brand?.parent !== undefined && chosen.some((other) => other.slug === brand.parent);

/** Whether a brand named after the verb shares the move: it is opened, launched or partnered with, not just a channel. */
function sharesMove(desk: HeadlineContext, subject: Subject, mention: Mention, chosen: readonly NamedBrand[]): boolean {
  const { title } = desk.reading;
  const verb = title.tokens[subject.verb];
  if (!verb || mention.first <= subject.verb) return false;
  const between = title.text.slice(verb.start, title.tokens[mention.first]?.start);
  const next = title.tokens[mention.last + 1];
  if (/^(?:stake|shares|ipo|acquisition|takeover)$/.test(next?.fold ?? '') && !/\bamid\b/i.test(between)) return true;
  if (isParent(chosen, mention.brand) && !/,|\b(?:as|amid|for)\b/i.test(between)) return true;
  if (
    between.length > 60 ||
    between.includes(',') ||
    /\b(?:on|via|across|through|from|amid|after|at|vs|against|of|by|like)\s+(?:\S+\s){0,1}$/i.test(between)
  )
    return false;
  return SHARED.test(between);
}

// Choosing the brands of an item.

interface FoundBrands {
  readonly brands: readonly NamedBrand[];
  /** The clause whose names were taken. */
  readonly subject: Subject;
}

const unique = (brands: readonly NamedBrand[]): NamedBrand[] =>
  brands.filter((brand, index) => brands.findIndex((other) => other.slug === brand.slug) === index);

/** Whether a provisional brand is a person, by a given name in it: `Tanvi Deshmukh`, `Chief Marketing Officer Sameer Gokhale`. */
const givenName = (brand: NamedBrand): boolean => {
  const words = brand.provisional ? brand.name.split(' ') : [];
  return words.length >= 2 && words.slice(0, -1).some((word) => GIVEN_NAMES.has(fold(word)));
};

/**
 * Whether a name is a single unknown word that is capitalised because it is the first one (`Curtains for Max Fashion`): a
 * brand of the catalogue that follows is the subject.
 */
const atStart = ({ reading: { title } }: HeadlineContext, brand: NamedBrand, able: readonly Mention[]): boolean =>
  brand.provisional &&
  able.length > 0 &&
  title.tokens[0]?.text === brand.name &&
  /^(?:for|up|on|in|at)$/.test(title.tokens[1]?.fold ?? '');

/** A mall that welcomes a tenant reports the tenant's move. */
const HOSTS = /^(?:welcomes?|signs?|gets?|adds?|brings?|hosts?|onboards?)$/;
const HOST_CATEGORIES: ReadonlySet<string> = new Set(['malls_and_real_estate']);
const HOST_NAME = /\b(?:mall|malls|square|plaza|galleria|citywalk|palassio|arcade|airport)\b/i;
const isHost = (brand: NamedBrand): boolean => brand.role === 'primary' && HOST_NAME.test(brand.name);

/**
 * Finds the brands of an item. The clause whose names are the most certain is the one that the item is about.
 * @param subjects the clauses of the headline, see `readSubjects`
 * @returns primary brands first, each brand once
 */
export function findBrands(reading: Reading, subjects: readonly Subject[], catalogue: PreparedCatalogue): FoundBrands {
  const { title, summary } = reading;
  const subjectSpans = subjects.flatMap((subject) => subject.names);
  const mentions = title.mentions.filter(
    (mention) =>
      mention.brand &&
      isInContext(
        mention.brand,
        reading,
        catalogue,
        subjectSpans.some((span) => span.first === mention.first),
      ),
  );
  const desk: HeadlineContext = { reading, catalogue, mentions, sentence: isSentenceCase(title) };
  const readings = subjects.map((subject) => {
    const actors = subject.names.flatMap((span) => nameBrands(desk, span, subject));
    const objects = subject.objects.flatMap((span) => nameBrands(desk, span, subject));
    return { subject, actors, objects };
  });
  const score = ({ actors }: { actors: NamedBrand[] }): number =>
    actors.some((brand) => !brand.provisional) ? 2 : actors.length > 0 ? 1 : 0;
  const chosen = readings.reduce(
    (best, each) => (score(each) > score(best) ? each : best),
    readings[0] ?? { subject: { names: [], objects: [], act: null, verb: 0 }, actors: [], objects: [] },
  );
  const { subject } = chosen;
  const brands = assignRoles(subject, chosen.actors, chosen.objects);
  const spans = [...subject.names, ...subject.objects];
  const rest = mentions.filter((mention) => !spans.some((span) => overlaps(span, mention)));
  const able = rest.filter((mention) => !isInPassing(title, mention));
  for (const mention of rest)
    if (brands.length > 0 && sharesMove(desk, subject, mention, brands))
      brands.push(toNamedBrand(title, mention, 'primary'));
  const verb = title.tokens[subject.verb]?.fold ?? '';
  const company = isCompanyVerb(verb) && !brands.some((brand) => brand.role === 'primary' && givenName(brand));
  const people =
    !company &&
    brands.length > 0 &&
    brands.every(
      (brand) => isPersonName(brand) || givenName(brand) || brand.role === 'secondary' || atStart(desk, brand, able),
    );
  if (
    !company &&
    brands.some((brand) => !brand.provisional && brand.role === 'primary') &&
    brands[0] &&
    isPersonName(brands[0])
  )
    brands.shift();
  if (!brands.some((brand) => brand.role === 'primary') || (people && able.length > 0)) {
    if (people) brands.length = 0;
    brands.push(...able.map((mention) => toNamedBrand(title, mention, 'primary')));
  }
  if (HOSTS.test(verb) && brands.some(isHost))
    for (const mention of able)
      if (mention.first > subject.verb && mention.brand && !HOST_CATEGORIES.has(mention.brand.category))
        brands.push(toNamedBrand(title, mention, 'primary'));
  const others = mentions.filter((mention) => rest.includes(mention) || isInPassing(title, mention));
  brands.push(...others.map((mention) => toNamedBrand(title, mention, 'secondary')));
  if (!brands.some((brand) => brand.role === 'primary')) brands.push(...findNameAnywhere(desk));
  const below = summary.mentions.filter(
    (mention) => mention.brand && isInContext(mention.brand, reading, catalogue, false),
  );
  if (brands.length === 0)
    brands.push(
      ...below
        .filter((mention) => mention.first < 10)
        .slice(0, 1)
        .map((mention) => toNamedBrand(summary, mention, 'primary')),
    );
  return { brands: unique(brands), subject };
}
