/** Finds the evidence for a question. */
import type { PreparedCatalogue } from '../ingest/understand/catalogue.ts';
import type { Queryable } from '../log/postgres/database.ts';
import { type FoundSignal, type SearchFilter, searchSignals } from '../projector/models/search-queries.ts';
import type { SignalText } from '../schemas/resources.ts';
import type { BrandSlug } from '../schemas/scalar.ts';
import { DAY, dayOf } from './question/calendar.ts';
import { presentSlugs } from './question/question-names.ts';
import { meets, type Question, stemsOf } from './question/read-question.ts';

export interface Evidence extends FoundSignal {
  /** The text that quotes are taken from and verified against. */
  readonly stored: string;
  /** Stems of everything by which the signal is known. */
  readonly stems: ReadonlySet<string>;
  /** IST day on which it moved. */
  readonly day: string;
}

/**
 * The stored text of a signal: headline, summary, deck, key facts, why it matters and what to watch, each that differs
 * on its own line. Offsets of quotes count in it.
 */
export function storedText(signal: SignalText): string {
  const { headline, summary, deck, key_facts, why_it_matters, what_to_watch } = signal;
  const parts = [headline, summary, deck, ...key_facts, why_it_matters, what_to_watch];
  return [...new Set(parts.filter((part): part is string => part !== null && part !== ''))].join('\n');
}

/** A signal that was found, with the text that may be cited of it and the words by which a question is held against it. */
export function evidenceOf(found: FoundSignal): Evidence {
  const { signal, moved_at, titles } = found;
  const stored = storedText(signal);
  const known = [
    stored,
    signal.kind,
    signal.theme?.name,
    signal.delta,
    signal.source.outlet,
    ...signal.cities,
    ...titles,
  ];
  const names = signal.brands.map(({ name }) => name);
  return { ...found, stored, stems: stemsOf([...known, ...names].join('\n')), day: dayOf(new Date(moved_at)) };
}

/**
 * Makes evidence whose brands have their present slugs: a signal keeps the slug that its brand had when it was understood,
 * and would not be counted as one of the brand's.
 */
export function evidenceBy(catalogue: PreparedCatalogue): (found: FoundSignal) => Evidence {
  const present = presentSlugs(catalogue);
  return ({ signal, about, ...found }) =>
    evidenceOf({
      ...found,
      about: [...new Set(about.map(present))],
      signal: { ...signal, brands: signal.brands.map((brand) => ({ ...brand, slug: present(brand.slug) })) },
    });
}

/** Results of a quarter are reported within this many days after its end. */
const SEASON_DAYS = 270;

/** The slugs of a brand, retired ones included. */
const slugsOf = (slug: BrandSlug, catalogue: PreparedCatalogue): BrandSlug[] => [
  slug,
  ...(catalogue.brandBySlug.get(slug)?.retired_slugs ?? []),
];

/** Brands of the kinds of shop that a question names, by slug. */
const brandsOfCategories = ({ categories }: Question, { catalogue }: PreparedCatalogue): BrandSlug[] =>
  catalogue.brands
    .filter(({ category }) => categories.some((one) => one.category === category))
    .map(({ slug }) => slug);

export type Filters = Omit<SearchFilter, 'limit' | 'text' | 'any'>;

/** Whether the period of a question is that of a result, which is reported only after it ends. */
const asksForResults = ({ period, intent, moves }: Question): boolean =>
  period?.fiscal !== null && period?.fiscal !== undefined && (intent.metric !== null || moves.includes('results'));

/** The searches for a question: usually one; a category is searched by its brands and by its theme. */
export function filtersOf(question: Question, catalogue: PreparedCatalogue): Filters[] {
  const { brands, cities, themes, categories, period, moves } = question;
  const results = asksForResults(question);
  const shared: Filters = {
    cities: cities.map(({ name }) => name),
    moves,
    ...(period ? { since: period.since, until: results ? resultsReportedBy(period.until) : period.until } : {}),
  };
  if (brands.length > 0)
    return [{ ...shared, brands: brands.flatMap(({ slug }) => slugsOf(slug, catalogue)), themes: [] }];
  const searches: Filters[] = [];
  if (categories.length > 0) {
    searches.push({ ...shared, brands: brandsOfCategories(question, catalogue) });
    const slugs = categories.map(({ category }) => category.replaceAll('_', '-'));
    const same = catalogue.catalogue.themes.map(({ slug }) => slug).filter((slug) => slugs.includes(slug));
    if (same.length > 0) searches.push({ ...shared, themes: same });
  }
  if (themes.length > 0) searches.push({ ...shared, themes: themes.map(({ slug }) => slug) });
  return searches.length > 0 ? searches : [shared];
}

/** When the last results of a quarter that ends at a moment are reported. */
const resultsReportedBy = (moment: Date): Date => new Date(moment.getTime() + SEASON_DAYS * DAY);

/** Whether anything narrows a search. */
export const isNarrow = ({ brands, cities, themes, moves, since }: Filters): boolean =>
  [brands, cities, themes, moves].some((values) => values !== undefined && values.length > 0) || since !== undefined;

export interface Retrieved {
  /** The best first. */
  readonly evidence: readonly Evidence[];
  /** Words that evidence has to contain: those that nothing else has understood, and whether the question asks for closures. */
  readonly words: readonly string[];
  /** Those that the best evidence does not contain. */
  readonly unmet: readonly string[];
}

/** Signals of one search that are looked at. */
const SEARCH_LIMIT = 60;
/** Maximum of signals that a count is made from. */
const COUNTED = 1_000;

/** Share of the words of a question that a signal meets; 1 for a question without further words. */
export const coverage = (words: readonly string[], { stems }: Evidence): number =>
  words.length === 0 ? 1 : words.filter((word) => meets(stems, word)).length / words.length;

interface Sources {
  readonly database: Queryable;
  readonly catalogue: PreparedCatalogue;
}

/** So many signals with all the words are enough: those with some of them are then not looked for. */
const ENOUGH = 20;

async function searched(database: Queryable, filters: readonly Filters[], text: string): Promise<FoundSignal[]> {
  const found = await Promise.all(
    filters.map(async (filter) => {
      if (text === '') return isNarrow(filter) ? searchSignals(database, { ...filter, limit: SEARCH_LIMIT }) : [];
      const wide = { ...filter, text, limit: SEARCH_LIMIT };
      const all = await searchSignals(database, wide);
      return all.length >= ENOUGH ? all : [...all, ...(await searchSignals(database, { ...wide, any: true }))];
    }),
  );
  const once = new Map(found.flat().map((one) => [one.signal.id, one]));
  return [...once.values()];
}

/**
 * Fewer words met than this share, and what was found answers another question. Words alone, without a brand, a theme or
 * a kind of move, say less of what is meant.
 */
export const minimumCoverage = ({ brands, themes, categories, moves }: Question): number =>
  brands.length + themes.length + categories.length + moves.length > 0 ? 0.5 : 0.75;

/**
 * Wider and wider readings of a question, each tried where those before it found nothing that answers: without the kind
 * of move, with the owner and the brands of a brand, with the months in which a quarter is reported, by words alone.
 */
function* widerReadings(question: Question, catalogue: PreparedCatalogue): Generator<readonly [Question, string]> {
  const { brands, moves, rest, period, categories, themes } = question;
  const text = rest.join(' ');
  yield [question, text];
  if (rest.length > 0 && brands.length > 0) yield [question, ''];
  if (brands.length > 0 && moves.length > 0)
    yield [{ ...question, moves: [] }, [...rest, ...verbsOf(question)].join(' ')];
  const family = brands.flatMap(({ slug }) => familyOf(slug, catalogue));
  if (family.length > 0) yield [{ ...question, brands: [...brands, ...family] }, text];
  if (period?.fiscal) yield [{ ...question, period: { ...period, until: resultsReportedBy(period.until) } }, text];
  if (brands.length === 0 && rest.length > 1 && categories.length + themes.length > 0)
    yield [
      { ...question, categories: [], themes: [], moves: [] },
      [...rest, ...[...categories, ...themes].map(({ name }) => name)].join(' '),
    ];
}

/**
 * Searches by what was understood, with the words that are left. What meets more of them comes first, then what is
 * about the brands of the question, then what the search put first.
 */
export async function retrieve(question: Question, { database, catalogue }: Sources): Promise<Retrieved> {
  const words = wordsToMeet(question);
  let ranked: readonly Evidence[] = [];
  for (const [reading, text] of widerReadings(question, catalogue)) {
    const found = (await searched(database, filtersOf(reading, catalogue), text)).map(evidenceBy(catalogue));
    const known = new Set(ranked.map(({ signal }) => signal.id));
    const added = found.filter((one) => !known.has(one.signal.id) && hasSameVerb(question, reading, one));
    ranked = rank(question, words, [...ranked, ...added]);
    const [best] = ranked;
    if (best && coverage(words, best) >= minimumCoverage(question)) break;
  }
  const [best] = ranked;
  return { evidence: ranked, words, unmet: best ? words.filter((word) => !meets(best.stems, word)) : words };
}

const GOES = /\b(?:clos(?:e|es|ed|ing|ures?)|shut(?:s|ting|ters|down)?)\b/i;
const COMES = /\b(?:open(?:s|ed|ing|ings)?|launch\w*|new)\b/i;

/** What opens does not answer a question for what closed. */
const wordsToMeet = ({ rest, text, moves }: Question): readonly string[] =>
  moves.includes('stores') && GOES.test(text) && !COMES.test(text) ? [...rest, 'close'] : rest;

/** A move of another kind answers only where it contains the question's verb. */
function hasSameVerb(question: Question, reading: Question, { stems }: Evidence): boolean {
  const verbs = verbsOf(question);
  return (
    reading.moves.length === question.moves.length || verbs.length === 0 || verbs.some((verb) => meets(stems, verb))
  );
}

function rank(question: Question, words: readonly string[], found: readonly Evidence[]): Evidence[] {
  const { brands, period } = question;
  const slugs = new Set(brands.map(({ slug }) => slug));
  const fits = ({ facts }: Evidence): boolean =>
    !asksForResults(question) || facts.result === null || facts.result.period === period?.fiscal;
  return found
    .filter(fits)
    .map((evidence, index) => ({
      evidence,
      index,
      met: coverage(words, evidence),
      about: evidence.about.some((slug) => slugs.has(slug)) ? 1 : 0,
    }))
    .sort((one, other) => other.met - one.met || other.about - one.about || one.index - other.index)
    .map(({ evidence }) => evidence);
}

/** The owner of a brand and the brands that it owns. */
function familyOf(slug: BrandSlug, { catalogue, brandBySlug }: PreparedCatalogue): Question['brands'] {
  const parent = brandBySlug.get(slug)?.parent;
  return catalogue.brands
    .filter((brand) => brand.slug === parent || brand.parent === slug)
    .map((brand) => ({ slug: brand.slug, name: brand.name, start: 0, end: 0 }));
}

const verbsOf = ({ text }: Question): string[] =>
  (
    text.match(/\b(?:open|clos|shut|rais|launch|appoint|acquir|partner|add|expand|enter|hir|join|resign)\w*/gi) ?? []
  ).map((verb) => verb.toLowerCase());

/** All signals that a count is made from, whatever further words the question has; the newest first. */
export async function retrieveAll(question: Question, { database, catalogue }: Sources): Promise<Evidence[]> {
  const filters = filtersOf(question, catalogue);
  const found = await Promise.all(
    filters.map((filter) => searchSignals(database, { ...filter, candidates: COUNTED, limit: COUNTED })),
  );
  const all = found.flat();
  return all
    .filter(({ signal }, index) => all.findIndex((other) => other.signal.id === signal.id) === index)
    .map(evidenceBy(catalogue));
}
