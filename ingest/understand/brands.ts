/** The brands of an item: whom it is about (primary) and who else is named (secondary). */
import type { PreparedCatalogue } from './catalogue.ts';
import { GIVEN_NAMES } from './model/given-names.ts';
import {
  byTheWay,
  companyDoes,
  type Desk,
  inContext,
  isPerson,
  type NamedBrand,
  nameAnywhere,
  named,
  sayMention,
  touches,
} from './naming.ts';
import type { Mention, Reading } from './reading.ts';
import { roles, shares } from './roles.ts';
import { type Subject, sentenceCase } from './subject.ts';
import { fold } from './tokens.ts';

export interface Brands {
  readonly brands: readonly NamedBrand[];
  /** The clause whose names were taken. */
  readonly subject: Subject;
}

const unique = (brands: readonly NamedBrand[]): NamedBrand[] =>
  brands.filter((brand, index) => brands.findIndex((other) => other.slug === brand.slug) === index);

/** A person, by a given name among its words: `Tanvi Deshmukh`, `Chief Marketing Officer Sameer Gokhale`. */
const givenName = (brand: NamedBrand): boolean => {
  const words = brand.provisional ? brand.name.split(' ') : [];
  return words.length >= 2 && words.slice(0, -1).some((word) => GIVEN_NAMES.has(fold(word)));
};

/**
 * A single unknown word that opens a headline has its capital from the place (`Curtains for Max Fashion`): a brand that
 * the catalogue knows, named after it, is the subject.
 */
const atStart = ({ reading: { title } }: Desk, brand: NamedBrand, able: readonly Mention[]): boolean =>
  brand.provisional &&
  able.length > 0 &&
  title.tokens[0]?.text === brand.name &&
  /^(?:for|up|on|in|at)$/.test(title.tokens[1]?.fold ?? '');

/** A mall that welcomes a tenant tells the tenant's move. */
const HOSTS = /^(?:welcomes?|signs?|gets?|adds?|brings?|hosts?|onboards?)$/;
const HOST_CATEGORIES: ReadonlySet<string> = new Set(['malls_and_real_estate']);
const HOST_NAME = /\b(?:mall|malls|square|plaza|galleria|citywalk|palassio|arcade|airport)\b/i;
const isHost = (brand: NamedBrand): boolean => brand.role === 'primary' && HOST_NAME.test(brand.name);

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
  const able = rest.filter((mention) => !byTheWay(title, mention));
  for (const mention of rest)
    if (brands.length > 0 && shares(desk, subject, mention, brands)) brands.push(sayMention(title, mention, 'primary'));
  const verb = title.tokens[subject.verb]?.fold ?? '';
  const company = companyDoes(verb) && !brands.some((brand) => brand.role === 'primary' && givenName(brand));
  const people =
    !company &&
    brands.length > 0 &&
    brands.every(
      (brand) => isPerson(brand) || givenName(brand) || brand.role === 'secondary' || atStart(desk, brand, able),
    );
  if (
    !company &&
    brands.some((brand) => !brand.provisional && brand.role === 'primary') &&
    brands[0] &&
    isPerson(brands[0])
  )
    brands.shift();
  if (!brands.some((brand) => brand.role === 'primary') || (people && able.length > 0)) {
    if (people) brands.length = 0;
    brands.push(...able.map((mention) => sayMention(title, mention, 'primary')));
  }
  if (HOSTS.test(verb) && brands.some(isHost))
    for (const mention of able)
      if (mention.first > subject.verb && mention.brand && !HOST_CATEGORIES.has(mention.brand.category))
        brands.push(sayMention(title, mention, 'primary'));
  const others = mentions.filter((mention) => rest.includes(mention) || byTheWay(title, mention));
  brands.push(...others.map((mention) => sayMention(title, mention, 'secondary')));
  if (!brands.some((brand) => brand.role === 'primary')) brands.push(...nameAnywhere(desk));
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
