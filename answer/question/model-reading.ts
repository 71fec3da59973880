/**
 * What a model says of a question, and how it becomes a typed query. A model names companies, places and topics in words and
 * times by days; what these are is decided here, by the catalogue and the record, as for words of the question itself. Nothing
 * that a model writes is taken for an identifier, and nothing of it but the query has an effect.
 */

import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { PreparedCatalogue } from '../../facts/text/catalogue.ts';
import { istDay } from '../../language/days.ts';
import { tokenise } from '../../language/tokens.ts';
import { CATEGORIES, type Category } from '../../schemas/catalogue.ts';
import { MOVES, Move } from '../../schemas/scalar.ts';
import { normalise } from './marked-question.ts';
import { findNamesIn, type KnownName, type Span, STOP } from './query-names.ts';
import { isUnderstood, kindWords, seatIn } from './query-words.ts';
import { periodOfDays, queryPeriod, readPeriods } from './question-period.ts';
import { fieldsOfKinds, filtersOf, KINDS_OF_INTENT, measureOf } from './read-query.ts';
import { MAX_QUERIES, type QueryForm, valuesOf } from './reading-form.ts';
import { describeQuery, EMPTY_QUERY, type Filters, INTENTS, TypedQuery, wantOf } from './typed-query.ts';

/** What only rules decide: a language that is not read, and the reports behind the answer before. */
const BY_RULES = ['unreadable', 'sources'] as const;
type ByRules = (typeof BY_RULES)[number];
const isByRules = (intent: TypedQuery['intent']): intent is ByRules => (BY_RULES as readonly string[]).includes(intent);

const Named = {
  names: z.array(z.string()),
  topics: z.array(z.string()),
  places: z.array(z.string()),
  kinds: z.array(Move),
};
const Days = z
  .strictObject({
    first_day: z.string().nullable(),
    last_day: z.string().nullable(),
    fiscal: z.string().nullable(),
  })
  .nullable();

/** A question as a model reads it. Values are words; lists that the protocol cannot bound are cut in `resolveReading`. */
export const ModelReading = z.strictObject({
  intent: z.enum(INTENTS).exclude(BY_RULES),
  ...Named,
  except: z.strictObject(Named),
  period: Days,
  against: Days,
  store_status: TypedQuery.shape.store_status,
  deal: TypedQuery.shape.deal,
  person: z
    .strictObject({
      role: z.string().nullable(),
      direction: z.enum(['joined', 'left', 'promoted']).nullable(),
      name: z.string().nullable(),
      asks: z.enum(['predecessor', 'successor']).nullable(),
    })
    .nullable(),
  metric: TypedQuery.shape.metric,
  action: TypedQuery.shape.action,
  condition: TypedQuery.shape.condition,
  measure: TypedQuery.shape.measure,
  by: TypedQuery.shape.by,
  order: TypedQuery.shape.order,
  limit: z.number().nullable(),
  minimum_outlets: z.number().nullable(),
  words: z.array(z.string()),
});
export type ModelReading = z.infer<typeof ModelReading>;

/** What a model is given to read a question: never a signal. */
export interface QuestionToRead {
  readonly question: string;
  /** The present IST day, `YYYY-MM-DD`. */
  readonly today: string;
  /** How the turn before was read; unset for a first question. */
  readonly before?: QueryForm;
  /** A reading of this question that found nothing; unset where nothing was searched yet. */
  readonly found_nothing?: QueryForm;
}

/** The port of a model that reads questions. */
export interface QuestionReader {
  /** Readings of a question, one for each of its parts; null when the provider fails, is slow or over budget, or answers in another form. */
  read(
    question: QuestionToRead,
  ): Promise<{ readonly readings: readonly ModelReading[]; readonly cost_usd: number } | null>;
}

const topicOf = (slug: string): string => slug.replaceAll('_', ' ');

/** The queries of a form that can be read, without those that have a value that is none. */
export const readingsIn = (queries: readonly QueryForm[]): ModelReading[] =>
  queries.slice(0, MAX_QUERIES).flatMap((form) => ModelReading.safeParse(valuesOf(form)).data ?? []);

/** Words by which a question has several parts, or wants what no single query is: a course of time, a reason, a judgement. */
const SEVERAL =
  /\b(?:and|or|vs|versus|compare[ds]?|than|while|trend\w*|over time|timeline|so far|chang\w+|evolv\w+|progress\w*|why|how (?:has|have|did|is|are|does|do)|better|worse|best|worst|fastest|slowest|doing|affect\w*|impact\w*|plans?|planning|expected|will|whom|also)\b/i;
/** Content words of a question that rules may be certain of. */
const MAX_CERTAIN = 8;

/**
 * Whether the rules are certain of the whole of a question, so that no model is asked: every word is understood and is of what is
 * searched, and it is one short question. What is about the signals of the answer before is theirs too; that a question is about no
 * move at all is a probability.
 */
export function isCertain(query: TypedQuery, text: string): boolean {
  if (query.intent === 'sources' || query.among.length > 0) return true;
  if (query.intent === 'unreadable' || query.intent === 'outside' || query.outside > 0) return false;
  if (query.words.length > 0 || SEVERAL.test(text)) return false;
  const names = [...query.unknown_names, ...query.except.unknown_names];
  if (names.length > 0 || !describeQuery(query).some(({ field }) => field !== 'intent')) return false;
  const named = [...query.brands, ...query.mentions, ...query.themes].flatMap(({ name }) => contentWords(name, false));
  const words = contentWords(text, false).filter((word) => !named.includes(word));
  const isSearched = (kinds: readonly Move[]): boolean =>
    kinds.length === 0 || kinds.some((kind) => query.kinds.includes(kind));
  return words.length <= MAX_CERTAIN && words.every((word) => isSearched(kindWords(word).map(({ kind }) => kind)));
}

/** A query in the form of a model's reading. */
export function readingOf(query: TypedQuery): ModelReading {
  const named = (filters: Filters): Pick<ModelReading, 'names' | 'topics' | 'places' | 'kinds'> => ({
    names: [
      ...filters.brands.map(({ name }) => name),
      ...filters.mentions.map(({ name }) => name),
      ...filters.unknown_names,
    ],
    topics: [...filters.categories.map(topicOf), ...filters.themes.map(({ name }) => name)],
    places: filters.places.map(({ name }) => name),
    kinds: filters.kinds,
  });
  const days = (period: TypedQuery['period']): ModelReading['period'] =>
    period && {
      first_day: period.fiscal ? null : istDay(new Date(period.since)),
      last_day: period.fiscal ? null : istDay(new Date(Date.parse(period.until) - 1)),
      fiscal: period.fiscal,
    };
  return {
    ...wantOf(query),
    intent: isByRules(query.intent) ? 'list' : query.intent,
    ...named(query),
    except: named(query.except),
    period: days(query.period),
    against: days(query.against),
    minimum_outlets: query.minimum_outlets,
  };
}

/** Values of a list that are read; a model that repeats itself gives more. */
const MAX_READ = 12;
const MAX_WORDS = 8;
const LONGEST = 80;

/** A name or word on one line: letters, figures and the marks that names have. What is shown of it is no address and no markup. */
const line = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[^\p{L}\p{M}\p{N}&.'’-]+/gu, ' ')
    .trim()
    .slice(0, LONGEST);
const lines = (texts: readonly string[]): string[] => texts.slice(0, MAX_READ).map(line).filter(Boolean);

const NAME_LISTS = [
  (one: ModelReading) => one.names,
  (one: ModelReading) => one.places,
  (one: ModelReading) => one.except.names,
  (one: ModelReading) => one.except.places,
];

/** The names of a reading as a text, one a line, in which names of the record are looked for. */
export const namesOf = (reading: ModelReading): string => NAME_LISTS.flatMap((of) => lines(of(reading))).join('\n');

/** A reading with other names in place of its own. @param text what `namesOf` gave, with lines changed */
export function withNames(reading: ModelReading, text: string): ModelReading {
  const rest = text.split('\n');
  const [names = [], places = [], exceptNames = [], exceptPlaces = []] = NAME_LISTS.map((of) =>
    rest.splice(0, lines(of(reading)).length),
  );
  return { ...reading, names, places, except: { ...reading.except, names: exceptNames, places: exceptPlaces } };
}

interface Resolved {
  readonly filters: Omit<Filters, 'kinds'>;
  /** Words of names that are part of no known name. */
  readonly words: readonly string[];
}

/** Words with a content, folded; by default only those that no field has. */
const contentWords = (text: string, leftOver = true): string[] =>
  tokenise(text).tokens.flatMap(({ fold }) =>
    fold.length > 1 && fold.length <= LONGEST && !STOP.has(fold) && !(leftOver && isUnderstood(fold)) ? [fold] : [],
  );

/** The names of a reading as the rules find them in a question. */
function resolved(
  { names, topics, places }: Pick<ModelReading, 'names' | 'topics' | 'places'>,
  catalogue: PreparedCatalogue,
  recordNames: readonly KnownName[],
): Resolved {
  const spans: Span[] = [];
  const unknown: string[] = [];
  const words: string[] = [];
  const add = (phrase: string, context: string): boolean => {
    const text = tokenise(`${context}${normalise(phrase)}`);
    const match = findNamesIn(text, catalogue, recordNames, isUnderstood).filter(
      ({ meaning }) => meaning.type !== 'unknown',
    );
    if (match.length === 0) return false;
    spans.push(...match);
    const rest = text.tokens.filter(({ index }) => !match.some(({ first, last }) => first <= index && index <= last));
    words.push(...rest.flatMap(({ text: word }) => contentWords(word)));
    return true;
  };
  // An outlet is one where a report is by it, and "UP" is a state where something is in it.
  for (const name of lines(names)) if (!add(name, '') && !add(name, 'by ')) unknown.push(name);
  for (const place of lines(places)) if (!add(place, 'in ')) unknown.push(place);
  const categories: Category[] = [];
  for (const topic of lines(topics)) {
    const category = CATEGORIES.find((one) => topicOf(one) === topic.toLowerCase());
    if (category) categories.push(category);
    // "Layoffs" is no theme, and as a word of a kind of move still the topic.
    else if (!add(topic, '')) words.push(...contentWords(topic, false));
  }
  const byKey = new Map(spans.map((span, index) => [String(index), span]));
  const filters = filtersOf([...byKey.keys()], byKey);
  return {
    filters: {
      ...filters,
      categories: [...new Set([...categories, ...filters.categories])],
      unknown_names: [...new Set(unknown)],
    },
    words,
  };
}

/** A period; undefined where it cannot be read. */
function periodOf(days: ModelReading['period'], now: Date): TypedQuery['period'] | undefined {
  if (!days) return null;
  const { first_day, last_day, fiscal } = days;
  if (fiscal === null) return first_day === null && last_day === null ? null : periodOfDays(first_day, last_day, now);
  const [match] = readPeriods(line(fiscal), now);
  return match?.fiscal == null ? undefined : queryPeriod(match);
}

/** A whole number of a reading, from 1 to the highest; null for any other. */
const numberIn = (value: number | null, highest: number): number | null =>
  value !== null && Number.isInteger(value) && value > 0 && value <= highest ? value : null;

/** What a reading is resolved by. */
interface Resolving {
  readonly catalogue: PreparedCatalogue;
  readonly now: Date;
  /** Names of the record that may be in the reading. */
  readonly known: readonly KnownName[];
  /** The reading of the rules, from which a premise is taken. */
  readonly byRules: TypedQuery;
}

/**
 * Makes a typed query of a model's reading. Pure.
 * @returns null for a reading that says nothing or has a time that is none
 */
export function resolveReading(
  reading: ModelReading,
  { catalogue, now, known: recordNames, byRules }: Resolving,
): TypedQuery | null {
  const { intent } = reading;
  const [period, against] = [periodOf(reading.period, now), periodOf(reading.against, now)];
  if (period === undefined || against === undefined) return null;
  const own = resolved(reading, catalogue, recordNames);
  const except = resolved(reading.except, catalogue, recordNames);
  if (intent === 'outside') return { ...EMPTY_QUERY, intent };

  const wanted = new Set<Move>([...reading.kinds, ...(KINDS_OF_INTENT[intent] ?? [])]);
  if (reading.condition?.metric === 'amount') wanted.add('deals');
  const kinds = MOVES.filter((kind) => wanted.has(kind));
  const measure = measureOf(reading, kinds);
  const person = reading.person && personOf(reading.person);
  const compares = intent === 'compare' || intent === 'rank';
  const { brands, categories, mentions, unknown_names } = own.filters;
  const names = [...mentions.map(({ name }) => name), ...unknown_names, line(reading.person?.name ?? '')];
  const checked = TypedQuery.safeParse({
    ...EMPTY_QUERY,
    intent,
    ...own.filters,
    // A brand that is named says more than its kind of shop.
    categories: brands.length > 0 && reading.by !== 'category' ? [] : categories,
    kinds,
    except: {
      ...except.filters,
      // "Spirits, but no beer" are of one category.
      categories: except.filters.categories.filter((category) => !categories.includes(category)),
      kinds: reading.except.kinds.filter((kind) => !wanted.has(kind)),
    },
    period,
    against: intent === 'compare' ? against : null,
    ...fieldsOfKinds({ ...reading, person }, measure, kinds),
    condition: reading.condition,
    measure,
    by: compares ? (reading.by ?? (against ? 'period' : null)) : null,
    order: compares && reading.order !== 'smallest' ? 'largest' : reading.order,
    limit: numberIn(reading.limit, 100),
    minimum_outlets: numberIn(reading.minimum_outlets, 100),
    words: [...new Set([...contentWords(reading.words.slice(0, MAX_WORDS).map(line).join(' ')), ...own.words])],
    premise: premiseOf(byRules, names),
  }).data;
  return checked && describeQuery(checked).some(({ field }) => field !== 'intent') ? checked : null;
}

/**
 * What the rules see that the question takes for a fact. A model cannot take it away, unless a side of it is no name but words
 * that the rules took for one.
 */
function premiseOf({ premise }: TypedQuery, names: readonly string[]): TypedQuery['premise'] {
  const isNamed = ({ slug, name }: NonNullable<TypedQuery['premise']>['subject']): boolean =>
    slug !== null || names.some((one) => one.toLowerCase() === name.toLowerCase());
  return premise && isNamed(premise.subject) && isNamed(premise.object) ? premise : null;
}

function personOf({ role, name, ...person }: NonNullable<ModelReading['person']>): TypedQuery['person'] {
  const [seat, called] = [line(role ?? ''), line(name ?? '')];
  return { ...person, role: seat === '' ? null : (seatIn(normalise(seat)) ?? seat), name: called || null };
}

/** Who holds a seat or puts up money is not answered by another move of the company; the seat and the type of deal may be others. */
const EXACT: ReadonlySet<Move> = new Set(['deals', 'people']);

/**
 * A rewriting of a query that found nothing. What is wanted and the words for it may be others; the place, the time, what is
 * excluded and the names that are known stay, since an answer about others would not be one.
 * @returns null for a rewriting that is about others, or changes nothing
 */
export function rewritten(nothingFound: TypedQuery, other: TypedQuery): TypedQuery | null {
  const { brands, mentions, unknown_names, categories, themes, kinds, deal, person } = nothingFound;
  const { places, period, against, except, minimum_outlets } = nothingFound;
  const hasSubject = (query: TypedQuery): boolean =>
    query.brands.length + query.mentions.length + query.unknown_names.length > 0 || Boolean(query.person?.name);
  const topics = [...categories, ...themes.map(({ slug }) => slug)];
  const others = new Set<string>([...other.categories, ...other.themes.map(({ slug }) => slug)]);
  const isSame =
    brands.every(({ slug }) => other.brands.some((one) => one.slug === slug)) &&
    (brands.length === 0 || other.brands.length === brands.length) &&
    mentions.every(({ name }) => other.mentions.some((one) => one.name === name)) &&
    (topics.length === 0 || topics.some((topic) => others.has(topic))) &&
    kinds.every((kind) => !EXACT.has(kind) || other.kinds.includes(kind)) &&
    (!deal?.types.length || Boolean(other.deal?.types.length)) &&
    (!person?.role || Boolean(other.person?.role));
  if (other.intent === 'outside' || !isSame) return null;
  if ((unknown_names.length > 0 || person?.name) && !hasSubject(other)) return null;
  const scope = { places, period, against: other.intent === 'compare' ? against : null, except, minimum_outlets };
  const query = { ...other, ...scope };
  const { notes: _, ...plain } = query;
  const { notes: __, ...before } = nothingFound;
  return isDeepStrictEqual(plain, before) ? null : query;
}
