/** The brands of an item: whom it is about (primary) and who else is named (secondary). */
import type { CatalogueBrand } from '../../schemas/catalogue.ts';
import { slugify } from '../../schemas/identity.ts';
import type { BrandMention } from '../../schemas/story.ts';
import type { PreparedCatalogue } from './catalogue.ts';
import { isCommon } from './model/common.ts';
import { nameText } from './names.ts';
import type { Mention, Part, Reading } from './reading.ts';
import { type Span, type Subject, sentenceCase } from './subject.ts';
import { nameKey, sliceOf } from './tokens.ts';
import { APPOINT, INSTITUTIONS, LAUNCH, OPEN, RAISE } from './verbs.ts';

/** A brand with the words by which the headline names it. */
export type NamedBrand = BrandMention & { readonly written: string };

export interface Brands {
  readonly brands: readonly NamedBrand[];
  /** The clause whose names were taken. */
  readonly subject: Subject;
}

const touches = (span: Span, other: Span): boolean => span.first <= other.last && other.first <= span.last;

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
  'swedish swiss german french danish italian korean british noel rcb pli fema nino japan china us uk europe bharat asia america russia korea germany france dubai singapore australia here rs fy27 fy26 noel q1 q2 q3 q4 companies consumers customers experts govt government centre regulatory other creditors report women men exclusive update'.split(
    ' ',
  ),
);

/** Verbs that only a company does to itself: before them even ordinary words are a name (`Bad Boy Pizza Raises`). */
const companyDoes = (word: string): boolean =>
  RAISE.has(word) ||
  OPEN.has(word) ||
  LAUNCH.has(word) ||
  APPOINT.has(word) ||
  /^(?:plans|targets|expands|enters|strengthens|reports|posts|files|acquires|partners|crosses|unveils)$/.test(word);

/** Whether a span that the catalogue lacks can be the name of a company. */
function plausible(part: Part, span: Span, subject: Subject, sentence: boolean): boolean {
  const words = part.tokens.slice(span.first, span.last + 1);
  const name = sliceOf(part, span.first, span.last);
  const first = words[0];
  if (!first || words.length > 5 || name.length < 2 || name.length > 60 || !/\p{L}/u.test(name)) return false;
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
const isPerson = (brand: NamedBrand): boolean =>
  brand.provisional && PERSON.test(brand.name) && !brand.name.split(' ').some((word) => isCommon(word.toLowerCase()));

/** The brand that a whole name is, with a company's ending dropped if need be. */
function byName(name: string, catalogue: PreparedCatalogue): CatalogueBrand | undefined {
  const key = nameKey(name);
  const bare = key.replace(/ (?:india|ltd|limited|group|brands?|retail)(?= $)/, '');
  return (catalogue.names.get(key) ?? catalogue.names.get(bare))?.brand;
}

/** What a reading of brands works on. */
interface Desk {
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
  written: legalName(brand, written) || clipped(brand, written) ? brand.name : written,
});

/** A company's name in filings is not how readers know it. */
const legalName = (brand: CatalogueBrand, written: string): boolean => {
  const key = nameKey(written);
  return (
    brand.legal_names.some((name) => nameKey(name).startsWith(key)) &&
    !nameKey(brand.name).startsWith(key.trimEnd()) &&
    ![brand.name, ...brand.aliases].some((name) => nameKey(name) === key)
  );
};

/** `Tata Consumer` for `Tata Consumer Products`: what is left ends in an ordinary word, so readers miss the rest. */
const clipped = (brand: CatalogueBrand, written: string): boolean =>
  nameKey(brand.name).startsWith(nameKey(written)) &&
  written.includes(' ') &&
  isCommon(nameKey(written).trim().split(' ').at(-1) ?? '');

const sayMention = (part: Part, mention: Mention, role: NamedBrand['role']): NamedBrand =>
  known(mention.brand as CatalogueBrand, role, nameText(part, mention));

/** The brands that a span names: a whole catalogue name, catalogue names inside it, or a provisional one. */
function named(desk: Desk, span: Span, subject: Subject): NamedBrand[] {
  const { title } = desk.reading;
  const name = nameText(title, span);
  const whole = byName(name, desk.catalogue);
  if (whole && inContext(whole, desk.reading, desk.catalogue, true)) return [known(whole, 'primary', name)];
  const inside = desk.mentions.filter((mention) => touches(span, mention));
  const covering = inside.filter((mention) => mention.first <= span.first && mention.last >= span.last);
  if (covering.length > 0) return covering.map((mention) => sayMention(title, mention, 'primary'));
  if (plausible(title, span, subject, desk.sentence)) {
    const extended = inside.length === 1 && inside[0]?.first === span.first && span.last > inside[0].last;
    if (inside.length > 0 && !extended) return inside.map((mention) => sayMention(title, mention, 'primary'));
    if (
      !title.mentions.some(
        (mention) => (mention.city || mention.mall) && mention.first === span.first && mention.last === span.last,
      )
    )
      return [{ slug: slugify(name), name, role: 'primary', provisional: true, written: name }];
  }
  return inside.map((mention) => sayMention(title, mention, 'primary'));
}

const unique = (brands: readonly NamedBrand[]): NamedBrand[] =>
  brands.filter((brand, index) => brands.findIndex((other) => other.slug === brand.slug) === index);

/** Puts those who sell a stake or back somebody behind the one whose stake it is. */
function roles(subject: Subject, actors: NamedBrand[], objects: NamedBrand[]): NamedBrand[] {
  const aside = actors.map((brand) => ({ ...brand, role: 'secondary' as const }));
  const named = actors.some((brand) => !brand.provisional) ? actors.filter((brand) => !isPerson(brand)) : actors;
  if (objects.length === 0) return named;
  // A company that invests in something unnamed invests in itself: `Grasim to invest Rs 3,094 crore in Lyocell`.
  if (
    subject.act === 'invest' &&
    objects.every((brand) => brand.provisional) &&
    actors.some((brand) => !isPerson(brand) && !INVESTOR.test(brand.name))
  )
    return named;
  if (subject.act === 'sell' || subject.act === 'invest') return [...objects, ...aside];
  return [...actors, ...objects];
}

const INVESTOR = /\b(?:capital|ventures?|partners|vc|fund|investments?|angels?|network|equity)\b/i;

const SHARED =
  /\b(?:launch(?:es|ed)?|unveils?|introduces?|opens?|to launch|enters? .{3,60} with|brings?|partners?|ties up|teams up|collaborat\w+|partnership with|jv with|overtakes|expands?)\b/i;

const isParent = (chosen: readonly NamedBrand[], brand: CatalogueBrand | undefined): boolean =>
  brand?.parent !== undefined && chosen.some((other) => other.slug === brand.parent);

/** Whether a brand named after the verb shares the move: it is opened, launched or partnered with, not just a channel. */
function shares(desk: Desk, subject: Subject, mention: Mention, chosen: readonly NamedBrand[]): boolean {
  const { title } = desk.reading;
  const verb = title.tokens[subject.verb];
  if (!verb || mention.first <= subject.verb) return false;
  const between = title.text.slice(verb.start, title.tokens[mention.first]?.start);
  const next = title.tokens[mention.last + 1];
  if (/^(?:stake|shares|ipo|acquisition|takeover)$/.test(next?.fold ?? '') && !/\bamid\b/i.test(between)) return true;
  if (isParent(chosen, mention.brand)) return true;
  if (
    between.length > 60 ||
    between.includes(',') ||
    /\b(?:on|via|across|through|from|amid|after|at|vs|against|of|by|like)\s+(?:\S+\s){0,1}$/i.test(between)
  )
    return false;
  return SHARED.test(between);
}

const ANALYSTS = /^(?:report|ratings?|survey|study|data|research|analysts?|veteran|executive|exec|alum|ceo's)$/;

const AGENCIES =
  /crisil|icra|equirus|redseer|nielsen|kantar|jefferies|nuvama|systematix|moody|care-ratings|knight-frank|anarock/;

/** A former employer or the author of a report is named by the way. */
function aside(part: Part, mention: Mention): boolean {
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

/** Chooses the brands of an item; the clause whose names are the most certain is the one it is about. */
export function brandsOf(reading: Reading, subjects: readonly Subject[], catalogue: PreparedCatalogue): Brands {
  const { title, summary } = reading;
  const subjectSpans = subjects.flatMap((subject) => subject.names);
  const mentions = title.mentions.filter(
    (mention) =>
      mention.brand &&
      inContext(
        mention.brand,
        reading,
        catalogue,
        subjectSpans.some((span) => span.first === mention.first),
      ),
  );
  const desk: Desk = { reading, catalogue, mentions, sentence: sentenceCase(title) };
  const readings = subjects.map((subject) => {
    const actors = subject.names.flatMap((span) => named(desk, span, subject));
    const objects = subject.objects.flatMap((span) => named(desk, span, subject));
    return { subject, actors, objects };
  });
  const score = ({ actors }: { actors: NamedBrand[] }): number =>
    actors.some((brand) => !brand.provisional) ? 2 : actors.length > 0 ? 1 : 0;
  const chosen = readings.reduce(
    (best, each) => (score(each) > score(best) ? each : best),
    readings[0] ?? { subject: { names: [], objects: [], act: null, verb: 0 }, actors: [], objects: [] },
  );
  const { subject } = chosen;
  const brands = roles(subject, chosen.actors, chosen.objects);
  const spans = [...subject.names, ...subject.objects];
  const rest = mentions.filter((mention) => !spans.some((span) => touches(span, mention)));
  const able = rest.filter((mention) => !aside(title, mention));
  for (const mention of rest)
    if (brands.length > 0 && shares(desk, subject, mention, brands)) brands.push(sayMention(title, mention, 'primary'));
  const people = brands.length > 0 && brands.every(isPerson);
  if (!brands.some((brand) => brand.role === 'primary') || (people && able.length > 0)) {
    if (people) brands.length = 0;
    brands.push(...able.map((mention) => sayMention(title, mention, 'primary')));
  }
  brands.push(...rest.map((mention) => sayMention(title, mention, 'secondary')));
  const below = summary.mentions.filter(
    (mention) => mention.brand && inContext(mention.brand, reading, catalogue, false),
  );
  if (brands.length === 0)
    brands.push(
      ...below
        .filter((mention) => mention.first < 10)
        .slice(0, 1)
        .map((mention) => sayMention(summary, mention, 'primary')),
    );
  return { brands: unique(brands), subject };
}
