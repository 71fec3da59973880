/**
 * Finds the signals that a typed query is about. Names, places, kinds of shop and time narrow; kinds of move and the words
 * that are left only weigh, so that a signal with other words for the same thing is found. Where nothing fits, the filters
 * are given up one by one, and the answer says which.
 */

import type { PreparedCatalogue } from '../facts/text/catalogue.ts';
import { DAY } from '../language/days.ts';
import type { Queryable } from '../log/postgres/database.ts';
import {
  type FoundSignal,
  findByMeaning,
  nearnessOf,
  recordBegan,
  type SearchFilter,
  type SignalSearch,
} from '../projector/models/search-queries.ts';
import type { ItemVector } from '../schemas/story.ts';
import { type Evidence, evidenceBy, hasOwnWord, hasWord, namesBrand } from './evidence.ts';
import {
  best,
  CLOSING,
  citiesOf,
  type Fit,
  fitOf,
  isExcepted,
  isOfAllTopics,
  isOfCategories,
  isOfPeriod,
  MET,
  meetsSize,
  phrasesOf,
  shortName,
  slugsOf,
  themeOf,
  timeOf,
} from './evidence-fit.ts';
import { formsOfPlace } from './question/query-places.ts';
import { isByRows, isCounted, isListed, type TypedQuery } from './question/typed-query.ts';
import { respelled } from './question/words-left.ts';
import { type Candidate, chancesOf } from './relevance.ts';

/** A filter that had to be given up to find anything: any but the company. */
export type GivenUp = Exclude<keyof Fit, 'brands'> | 'period';

export interface Found {
  /** What fits the query, the best first; with `givenUp`, what fits it without a filter of little weight. */
  readonly evidence: readonly Evidence[];
  /** The nearest signals, where nothing fits. */
  readonly near: readonly Evidence[];
  /** Which filters `near` does not meet. */
  readonly givenUp: readonly GivenUp[];
  /** Words of the question that the best evidence does not have. */
  readonly unmet: readonly string[];
  /** From 0 to 1: how much of the question's words, by rarity, the best evidence has; 1 for a question without words. */
  readonly coverage: number;
  /** When the oldest public signal moved; null for an empty record. */
  readonly began: Date | null;
  /** Whether only the newest of what may fit were read. */
  readonly isCut: boolean;
  /** All that has the names of the question, the most likely to answer first, and how likely the first is to, from 0 to 1. */
  readonly ranked: readonly Evidence[];
  readonly chance: number;
  /** Whether the evidence was chosen by that chance, since no field says all that is asked. */
  readonly isByChance: boolean;
}

interface Sources {
  readonly database: Queryable;
  readonly search: SignalSearch;
  readonly catalogue: PreparedCatalogue;
  /** Gives what the question says; null to find by names and words alone. */
  readonly meaning: (() => Promise<ItemVector | null>) | null;
  /** All words of the question that a report can have. */
  readonly words: readonly string[];
  /** Whether more is wanted than what answers: a language model is given what is near, too. */
  readonly isWide: boolean;
}

/** Signals that a structured search may give: more than any count of a month needs. */
const STRUCTURED = 1_000;
/** Signals that it gives where an answer lists the best: what has the names and words of the question is searched besides. */
const LISTED = 300;
/** Signals that the search by all names and words of a question gives, and each by some of them. */
const COMPARED = 250;
const WORDED = 150;
/** News of the record at large are of so many days before its newest. */
const RECENT_DAYS = 14;

/** A question about the record at large: "latest news". */
const isOverview = (query: TypedQuery): boolean =>
  query.words.length === 0 && !hasFilter(query) && (query.intent === 'happened' || query.order !== 'relevance');

/** Whether a query is of topics at places, and of no brand: the rest of what a topic has is not searched. */
const isOfTopicAtPlace = ({ brands, categories, themes, places, person }: TypedQuery): boolean =>
  brands.length === 0 && categories.length + themes.length > 0 && places.length > 0 && person === null;

/** The search for signals with any of the names and words of a query; null for a query without both. */
function wordedFilter(query: TypedQuery): SearchFilter | null {
  const names = [
    ...[...query.brands, ...query.themes, ...query.places].map(({ name }) => name),
    ...query.mentions.map(({ name }) => shortName(name)),
    ...query.unknown_names,
    ...query.categories.map((category) => category.replaceAll('_', ' ')),
    ...query.words,
  ];
  return names.length > 0 ? anyOf(query, names) : null;
}

/** The search for signals with any of some words, at the time of a query. */
const anyOf = (query: TypedQuery, words: readonly string[]): SearchFilter => ({
  ...timeOf(query),
  text: words.join(' '),
  any: true,
  candidates: STRUCTURED,
  limit: COMPARED,
});

/** Searches that together give every signal that may fit; how well each fits is decided afterwards. */
async function candidates(
  query: TypedQuery,
  { search, catalogue }: Pick<Sources, 'search' | 'catalogue'>,
): Promise<{ readonly signals: readonly FoundSignal[]; readonly isCut: boolean }> {
  if (query.among.length > 0)
    return { signals: await search.search({ ids: query.among, limit: STRUCTURED }), isCut: false };
  const time = timeOf(query);
  const brands = slugsOf(query.brands, catalogue);
  const ofCategory = catalogue.catalogue.brands.filter((brand) => isOfCategories(brand, query.categories));
  const cities = citiesOf(query);
  const topics: Partial<SearchFilter>[] = [];
  if (query.categories.length > 0) {
    topics.push({ ...time, brands: ofCategory.map(({ slug }) => slug) });
    topics.push({ ...time, themes: query.categories.map(themeOf) });
  }
  if (query.themes.length > 0) topics.push({ ...time, themes: query.themes.map(({ slug }) => slug) });
  // Of a topic at a place, only what moved there or names it can fit.
  const forms = query.places.flatMap(({ name }) => formsOfPlace(name)).join(' ');
  const inPlaces = isOfTopicAtPlace(query)
    ? topics.flatMap((topic) => [
        { ...topic, cities },
        { ...topic, text: forms, any: true, candidates: WORDED, limit: WORDED },
      ])
    : topics;
  const structured: Partial<SearchFilter>[] = brands.length > 0 ? [{ ...time, brands }] : inPlaces;
  if (structured.length === 0 && cities.length > 0) structured.push({ ...time, cities });
  if (structured.length === 0 && query.kinds.length > 0) {
    const closing = query.store_status === 'closed' ? CLOSING : [];
    structured.push({ ...time, moves: [...query.kinds, ...closing] });
  }
  if (
    structured.length === 0 &&
    (query.period || query.mentions.length > 0 || query.minimum_outlets !== null || isOverview(query))
  )
    structured.push(time);
  const limit = isListed(query) ? LISTED : STRUCTURED;
  const searches = structured.map((filter) => search.search({ candidates: STRUCTURED, limit, ...filter }));
  const worded = wordedFilter(query);
  if (worded) searches.push(search.search(worded));
  // What a theme is about may be said in other words than its name, in signals of another theme.
  const phrases = query.themes.flatMap(({ slug }) => phrasesOf(slug, catalogue));
  if (phrases.length > 0 && brands.length === 0)
    searches.push(search.search({ ...time, text: phrases.join(' '), any: true, limit: WORDED }));
  // A name that only texts have is looked for by itself: among many words it would be lost.
  for (const name of [...query.unknown_names, ...query.mentions.map(({ name: mentioned }) => shortName(mentioned))])
    searches.push(search.search({ ...time, text: name, limit: WORDED }));
  const matches = await Promise.all(searches);
  const signals = [...new Map(matches.flat().map((one) => [one.signal.id, one])).values()];
  return { signals, isCut: matches.slice(0, structured.length).some(({ length }) => length === limit) };
}

/**
 * Whether evidence has to be of the kind that is asked for. Rows that are counted have a kind of their own, and in a list further
 * words say more of what is meant than its kind does.
 */
function needsKind(query: TypedQuery): boolean {
  const { intent, measure, words } = query;
  // The size of a network is mentioned in news of any kind.
  if (measure === 'network') return false;
  if (words.length === 0) return true;
  // A reason is in reports of any kind: sales fall in surveys as well as in results.
  if (intent === 'why') return false;
  if (isCounted(query)) return measure === 'signals';
  return intent !== 'list' || measure !== null;
}

const WEIGHTS: Readonly<Record<keyof Fit, number>> = {
  brands: 3,
  categories: 2,
  mentions: 2,
  places: 2,
  kinds: 2,
  store_status: 1.5,
  person: 3,
  deal: 1.5,
};
/** Filters whose loss leaves the subject, the place and the time of a question as they are. */
function isWeak(part: GivenUp, { brands, kinds, deal, person, words, store_status }: TypedQuery): boolean {
  // Closures do not answer a question about openings, nor the reverse, unless the words of the question are there: "screens closed".
  if (part === 'store_status')
    return (store_status !== 'closed' && store_status !== 'openings' && brands.length > 0) || words.length > 0;
  // Who holds a seat or puts up money is not answered by another move of the company, unless its words are there.
  // Nor what opened or closed by a move that is none of stores.
  const isExact =
    kinds.some((kind) => kind === 'deals' || kind === 'people') ||
    [person, deal, store_status].some((by) => by !== null);
  return (part === 'kinds' || part === 'deal' || part === 'person') && (!isExact || words.length > 0);
}
/** The order in which filters are given up. */
const LOOSENED: readonly GivenUp[] = [
  'deal',
  'store_status',
  'person',
  'kinds',
  'mentions',
  'period',
  'places',
  'categories',
];
/** So many words ask for something particular of a brand. */
const SEVERAL = 2;
/** So few signals about a brand are kept together. */
const SHORT_LIST = 8;
/** Weight of a kind that evidence need not have: words say more. */
const WISHED_KIND = 1;
/** Weight of words as they were asked, besides that of words with their meaning. */
const OWN_WORD = 0.5;
/** Without a name, a place, a kind or a time, so much of the words has to be met. */
const WORDS_ALONE = 0.6;
/** Evidence with less of the words than this share of what the best has answers another question. */
const NARROWS = 0.6;

type Fitted = Pick<Candidate, 'evidence' | 'fit'>;

interface Scored {
  readonly evidence: Evidence;
  readonly fit: Fit;
  readonly covered: number;
  readonly score: number;
}

/** How rare each word is among the candidates: a word that all have says nothing. */
function weightsOf(words: readonly string[], all: readonly Evidence[]): ReadonlyMap<string, number> {
  return new Map(
    words.map((word) => {
      const having = all.filter(({ stems }) => hasWord(stems, word)).length;
      return [word, Math.log(1 + (all.length + 1) / (1 + having))];
    }),
  );
}

function score(query: TypedQuery, fitted: readonly Fitted[]): Scored[] {
  const weights = weightsOf(query.words, evidenceIn(fitted));
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const isOfKind = needsKind(query);
  return fitted.map(({ evidence, fit }, index) => {
    const met = [...weights].reduce((sum, [word, weight]) => sum + (hasWord(evidence.stems, word) ? weight : 0), 0);
    const covered = total === 0 ? 1 : met / total;
    const parts = (Object.keys(WEIGHTS) as (keyof Fit)[]).reduce(
      (sum, part) => sum + (part === 'kinds' && !isOfKind ? WISHED_KIND : WEIGHTS[part]) * (fit[part] ?? 0),
      0,
    );
    // A word itself says more than one that means the same.
    const own = [...weights].reduce((sum, [word, weight]) => sum + (hasOwnWord(evidence.stems, word) ? weight : 0), 0);
    // Words weigh as much as a name; outlets and freshness decide between equals.
    const worded = total === 0 ? 0 : 3 * covered + (OWN_WORD * own) / total;
    const outlets = Math.min(1, Math.log2(evidence.signal.outlets) / 3);
    return { evidence, fit, covered, score: parts + worded + 0.3 * outlets - index / 1e6 };
  });
}

const required = (query: TypedQuery): readonly (keyof Fit)[] => [
  ...(['brands', 'categories', 'mentions', 'person', 'deal', 'store_status'] as const),
  // A person leads a company, not a city.
  ...(query.person === null ? (['places'] as const) : []),
  ...(needsKind(query) ? (['kinds'] as const) : []),
];

const meets = (one: Scored, parts: readonly (keyof Fit)[]): boolean =>
  parts.every((part) => (one.fit[part] ?? 1) >= MET);

const hasFilter = (query: TypedQuery): boolean =>
  [query.brands, query.unknown_names, query.mentions, query.categories, query.themes, query.places, query.kinds].some(
    ({ length }) => length > 0,
  ) ||
  query.period !== null ||
  query.person !== null ||
  query.among.length > 0;

/** Orders what fits as the query asks. */
function order({ order: by }: TypedQuery, fits: readonly Scored[]): Scored[] {
  const time = ({ evidence }: Scored): number => Date.parse(evidence.moved_at);
  const salience = ({ evidence }: Scored): number => evidence.salience;
  const compare: Readonly<Record<TypedQuery['order'], (one: Scored, other: Scored) => number>> = {
    relevance: (one, other) => other.score - one.score,
    newest: (one, other) => time(other) - time(one),
    oldest: (one, other) => time(one) - time(other),
    // `rankSignals` orders by the size that reports state; here nothing says which size is meant.
    largest: (one, other) => salience(other) - salience(one),
    smallest: (one, other) => salience(one) - salience(other),
    salience: (one, other) => salience(other) - salience(one),
  };
  return fits.toSorted((one, other) => compare[by](one, other) || other.score - one.score);
}

/** Whether evidence is as large, and reported by as many, as the query wants. */
const isLargeEnough = (query: TypedQuery, evidence: Evidence): boolean =>
  meetsSize(query, evidence) && evidence.signal.outlets >= (query.minimum_outlets ?? 1);

/** The cosine of what has no meaning. */
const FAR = 0.5;

/** The signals of which the likeliest is looked for: those that the query finds, those with a word of the question, those near in meaning. */
export async function candidatesOf(query: TypedQuery, sources: Sources): Promise<Candidate[]> {
  const { database, search, catalogue, words, meaning: encode } = sources;
  const isOpen = query.among.length === 0;
  const findMeant = async () => {
    const meaning = isOpen && encode ? await encode() : null;
    const ids = meaning ? await findByMeaning(database, meaning, { ...timeOf(query), limit: MEANT }) : [];
    return { meaning, ids };
  };
  const [structured, worded, { meaning, ids }] = await Promise.all([
    candidates(query, sources),
    isOpen && words.length > 0 ? search.search(anyOf(query, words)) : [],
    findMeant(),
  ]);
  const known = new Map([...structured.signals, ...worded].map((one) => [one.signal.id as string, one]));
  const fresh = ids.filter((id) => !known.has(id));
  const further = fresh.length > 0 ? await search.search({ ids: fresh, limit: MEANT }) : [];
  const { since, until } = timeOf(query);
  const isTimely = ({ moved_at }: Evidence): boolean =>
    (!since || Date.parse(moved_at) >= since.getTime()) && (!until || Date.parse(moved_at) < until.getTime());
  const all = [...known.values(), ...further]
    .map(evidenceBy(catalogue))
    .filter(
      (evidence) =>
        isTimely(evidence) &&
        isOfPeriod(query, evidence) &&
        isLargeEnough(query, evidence) &&
        !isExcepted(query, evidence, catalogue),
    );
  const cosines = meaning
    ? await nearnessOf(
        database,
        meaning,
        all.map(({ signal }) => signal.id),
      )
    : null;
  return all.map((evidence) => ({
    evidence,
    fit: fitOf(query, evidence, catalogue),
    cosine: cosines ? (cosines.get(evidence.signal.id) ?? FAR) : null,
  }));
}

/** What fits by names and words, ordered as the query asks. */
function fitting(query: TypedQuery, scored: readonly Scored[], parts: readonly (keyof Fit)[]): Scored[] {
  const newest = Math.max(0, ...scored.map(({ evidence }) => Date.parse(evidence.moved_at)));
  const isRecent = (one: Scored): boolean =>
    !isOverview(query) || Date.parse(one.evidence.moved_at) > newest - RECENT_DAYS * DAY;
  return order(
    query,
    scored.filter(
      (one) =>
        meets(one, parts) &&
        isRecent(one) &&
        isLargeEnough(query, one.evidence) &&
        (hasFilter(query) || one.covered >= WORDS_ALONE),
    ),
  );
}

/**
 * What of all that fits answers the question as the best does. Where some evidence has the rare words of the question, evidence
 * without them answers another question; but all that a brand did in so short a list belongs together, and rows are chosen by
 * what they state.
 */
function narrowed(query: TypedQuery, fits: readonly Scored[], top: Scored, catalogue: PreparedCatalogue): Scored[] {
  const onTopic = fits.filter(({ evidence }) => isOfAllTopics(query, evidence, catalogue));
  const all = onTopic.length > 0 ? onTopic : [...fits];
  if (isByRows(query) || query.words.length === 0) return all;
  const isShort = query.brands.length + query.unknown_names.length > 0 && fits.length <= SHORT_LIST;
  const isParticular = query.words.length >= SEVERAL && query.order === 'relevance';
  const isByChance = top.covered >= MET && (!isShort || isParticular);
  const isOfKind = (one: Scored): boolean => (one.fit.kinds ?? 1) >= MET;
  // In a short list, what has neither the kind nor a word of the question is about something else.
  const isRelated = (one: Scored): boolean => one.covered > 0 || isOfKind(one);
  const isKind = query.kinds.length > 0 && isRelated(top);
  const worded = all.filter((one) => (isByChance ? one.covered >= top.covered * NARROWS : !isKind || isRelated(one)));
  // Where the best is of the kind, or names all companies of the question, what is not or does not is about something else.
  const isFull = (one: Scored): boolean =>
    (!isByChance || isOfKind(one)) && query.brands.every((brand) => namesBrand(one.evidence, brand));
  return worded.includes(top) && isFull(top) ? worded.filter(isFull) : worded;
}

const evidenceIn = (scored: readonly Pick<Scored, 'evidence'>[]): Evidence[] => scored.map(({ evidence }) => evidence);
/** Words of a query that no evidence has. */
const unmetBy = ({ words }: { readonly words: readonly string[] }, evidence: readonly Evidence[]): string[] =>
  words.filter((word) => !evidence.some(({ stems }) => hasWord(stems, word)));

/** Below this chance no signal answers a question. */
const MAY = 0.15;
/** From this chance on one surely does, whatever the question names or may be about. */
export const SURE = 0.9;
/** From this chance on one is shown though it does not name the place, investor, mall or regulator that the question names. */
const SHOWN = 0.5;
/** A signal with less than this share of the chance of the best answers another question. */
const SHARE = 0.4;
/** Signals that are ranked by their chance, at most. */
const MOST_RANKED = 40;

/** Whether no field says all that is asked, so that signals are chosen by their chance to answer, and nothing is added up. */
const isByChance = (query: TypedQuery): boolean =>
  !['compare', 'result', 'sources'].includes(query.intent) &&
  query.measure !== 'network' &&
  query.measure !== 'metric' &&
  query.metric === null &&
  query.words.length > 0 &&
  query.premise === null &&
  query.among.length === 0;

/** What a question names for certain, and evidence has to have. */
const isNamedIn = ({ fit }: Candidate): boolean => (fit.brands ?? 1) >= MET;
const isMentionedIn = ({ fit }: Candidate): boolean => (fit.mentions ?? 1) >= MET;
/** A person leads a company, not a city. */
const isPlacedIn = ({ fit }: Candidate): boolean => (fit.places ?? 1) >= MET || fit.person !== null;

/**
 * Compares signals by the chance that they answer.
 * @returns all of them, those with the names of the question by their chance, and the words of the query as they are meant
 */
async function rankedFor(query: TypedQuery, sources: Sources) {
  const all = await candidatesOf(query, sources);
  const evidence = evidenceIn(all);
  const unmet = unmetBy(sources, evidence);
  const meant = respelled({ ...query, words: [...sources.words] }, unmet, evidence).words;
  const spelled = new Map(sources.words.map((word, index) => [word, meant[index] ?? word]));
  const words = query.words.map((word) => spelled.get(word) ?? word);
  const chances = chancesOf({ ...query, words }, meant, all);
  const ranked = all
    .map((candidate, index) => ({ ...candidate, chance: chances[index] ?? 0 }))
    .sort((one, other) => other.chance - one.chance);
  const ofBrands = ranked.filter(isNamedIn);
  const whole = ofBrands.filter((one) => isMentionedIn(one) && isPlacedIn(one));
  // A regulator, or where a company goes, is often left out by those who report it.
  const named = whole.length > 0 ? whole : ofBrands.filter(({ chance }) => chance >= SHOWN);
  // "New Delhi" may be the government, and "Nexus" be read as a brand: what surely answers need not be there.
  const close = named.length > 0 ? named : ranked.filter(({ chance }) => chance >= SURE);
  return { ranked: close.slice(0, MOST_RANKED), words, all };
}

/** Whether what fits the fields of a query answers it, and nothing else need be compared: no reason, no other side, no doubt. */
const isOfFields = (query: TypedQuery, { isWide }: Sources): boolean =>
  !isWide && !isByChance(query) && query.intent !== 'why' && query.premise === null && query.outside === 0;

/**
 * What fits a list, by the chance that it answers as far as words tell; all else has an order of its own. And the highest chance,
 * which decides whether little that fits is shown where it has no row: 0 of much.
 */
function likeliest(
  query: TypedQuery,
  evidence: readonly Evidence[],
  { words, catalogue }: Sources,
): Pick<Found, 'ranked' | 'chance'> {
  const isOrdered = query.order === 'relevance' && ['list', 'happened', 'when'].includes(query.intent);
  if (!isOrdered && evidence.length > MOST_RANKED) return { ranked: evidence, chance: 0 };
  const all = evidence.map((one) => ({ evidence: one, fit: fitOf(query, one, catalogue), cosine: null }));
  const chances = new Map(chancesOf(query, words, all).map((chance, index) => [evidence[index], chance]));
  const chanceOf = (one: Evidence): number => chances.get(one) ?? 0;
  return {
    ranked: isOrdered ? evidence.toSorted((one, other) => chanceOf(other) - chanceOf(one)) : evidence,
    chance: Math.max(0, ...chances.values()),
  };
}

/**
 * Finds what answers a query: by its fields where these say all that is asked, else by the chance to answer it.
 * @returns what fits, or the nearest signals with the filters that they do not meet
 */
export async function findEvidence(query: TypedQuery, sources: Sources): Promise<Found> {
  if (isOfFields(query, sources)) {
    const fitted = await findByFields(query, sources);
    if (fitted.evidence.length > 0) return { ...fitted, ...likeliest(query, fitted.evidence, sources) };
  }
  const [{ ranked, words, all }, began] = await Promise.all([rankedFor(query, sources), recordBegan(sources.database)]);
  const chance = ranked[0]?.chance ?? 0;
  const shared = { began, chance, ranked: evidenceIn(ranked), isByChance: isByChance(query) };
  if (!shared.isByChance) return { ...(await findFitting(query, sources, all)), ...shared };
  const kept = ranked.filter((one) => one.chance >= Math.max(MAY, chance * SHARE));
  const scored = kept.map((one) => ({ ...one, covered: 1, score: one.chance }));
  const evidence = evidenceIn(order(isCounted(query) ? { ...query, order: 'relevance' } : query, scored));
  return {
    ...shared,
    evidence,
    near: evidence.length > 0 ? [] : evidenceIn(ranked.slice(0, NEAR)),
    givenUp: [],
    unmet: unmetBy({ words }, evidence.slice(0, 1)),
    coverage: chance,
    isCut: evidence.length === MOST_RANKED,
  };
}

/** Finds what fits the fields and words of a query, without a look at the chance that it answers a question. */
export async function findByFields(query: TypedQuery, sources: FieldSources): Promise<Found> {
  const [fitted, began] = await Promise.all([findFitting(query, sources), recordBegan(sources.database)]);
  return { ...fitted, began, ranked: [], chance: 0, isByChance: false };
}

type FieldSources = Pick<Sources, 'database' | 'search' | 'catalogue'>;
type Fitting = Pick<Found, 'evidence' | 'near' | 'givenUp' | 'unmet' | 'coverage' | 'isCut'>;

/** Searches, scores and orders by the fields of a query. @param compared signals that were compared with the query already */
async function findFitting(
  asked: TypedQuery,
  sources: FieldSources,
  compared: readonly Candidate[] = [],
): Promise<Fitting> {
  const { catalogue } = sources;
  // What was compared with the same query need not be again.
  const made = new Map(compared.map((one) => [one.evidence.signal.id as string, one]));
  const toEvidence = evidenceBy(catalogue);
  const read = async (one: TypedQuery) => {
    const { signals, isCut } = await candidates(one, sources);
    const fitted = signals.flatMap((signal): Fitted[] => {
      const before = one === asked ? made.get(signal.signal.id) : undefined;
      if (before) return [before];
      const evidence = toEvidence(signal);
      const isAllowed = isOfPeriod(one, evidence) && !isExcepted(asked, evidence, catalogue);
      return isAllowed ? [{ evidence, fit: fitOf(one, evidence, catalogue) }] : [];
    });
    return { scored: score(one, fitted), isCut };
  };
  const first = await read(asked);
  const firstEvidence = evidenceIn(first.scored);
  const query = respelled(asked, unmetBy(asked, firstEvidence), firstEvidence);
  const { isCut } = first;
  const scored = query === asked ? first.scored : score(query, first.scored);
  const parts = required(query);
  const fits = fitting(query, scored, parts);
  const [top] = fits.toSorted((one, other) => other.score - one.score);
  if (top) {
    const evidence = evidenceIn(narrowed(query, fits, top, catalogue));
    return { near: [], givenUp: [], isCut, evidence, unmet: unmetBy(query, [top.evidence]), coverage: top.covered };
  }
  const { near, givenUp } = await loosened(query, scored, parts, read);
  const coverage = best(near.map((one) => one.covered));
  const all = evidenceIn(near);
  // The same brand, place and time, and something else about it: an answer with less confidence.
  // Whether a company has opened its first store yet is answered by its plan to.
  const isPlan =
    query.brands.length > 0 &&
    (query.store_status === 'opened' || query.store_status === 'planned') &&
    givenUp.join() === 'store_status';
  const isClose =
    givenUp.every((part) => isWeak(part, query)) &&
    (query.words.length === 0 || isPlan ? givenUp.length > 0 : coverage >= MET);
  const evidence = isClose ? all.filter((one) => isLargeEnough(query, one)) : [];
  return { evidence, near: all, givenUp, unmet: unmetBy(query, all), coverage, isCut };
}

/** Signals near in meaning that are compared, in addition to those that names and words find. */
const MEANT = 80;

const NEAR = 5;

/** The nearest signals: the query without one filter after another. */
async function loosened(
  query: TypedQuery,
  scored: readonly Scored[],
  parts: readonly (keyof Fit)[],
  read: (query: TypedQuery) => Promise<{ readonly scored: readonly Scored[] }>,
): Promise<{ readonly near: readonly Scored[]; readonly givenUp: readonly GivenUp[] }> {
  let left = [...parts];
  let all = scored;
  let [wanted, searched] = [query, query];
  const givenUp: GivenUp[] = [];
  const hasPart: Readonly<Record<GivenUp, boolean>> = {
    period: query.period !== null,
    categories: query.brands.length > 0 && query.categories.length + query.themes.length > 0,
    mentions: query.mentions.length > 0,
    places: query.places.length > 0,
    kinds: query.kinds.length > 0,
    store_status: query.store_status !== null,
    person: query.person !== null,
    deal: query.deal !== null,
  };
  for (const part of LOOSENED) {
    if (!hasPart[part]) continue;
    givenUp.push(part);
    if (part === 'period') wanted = { ...wanted, period: null };
    else if (part === 'places' && isOfTopicAtPlace(wanted)) wanted = { ...wanted, places: [] };
    else left = left.filter((one) => one !== part);
    if (wanted !== searched) ({ scored: all } = await read(wanted));
    searched = wanted;
    const near = all.filter((one) => meets(one, left) && (hasFilter(wanted) || one.covered >= WORDS_ALONE));
    if (near.length > 0) return { near: order({ ...query, order: 'relevance' }, near).slice(0, NEAR), givenUp };
  }
  return { near: [], givenUp: [] };
}
