/** Reads a question as a typed query: its names, times and numbers by rules, what it wants by a model that learned. */
import type { PreparedCatalogue } from '../../facts/text/catalogue.ts';
import { istDay } from '../../language/days.ts';
import { quarterDays, quarterName, quarterOf } from '../../language/fiscal.ts';
import { tokenise } from '../../language/tokens.ts';
import { MOVES, type Move } from '../../schemas/scalar.ts';
import type { LearnedReading, WantReader } from './learned-reading.ts';
import { type Marked, marked } from './marked-question.ts';
import { unreadLanguage } from './query-languages.ts';
import type { KnownName, Meaning, Span } from './query-names.ts';
import {
  conditionIn,
  directionsIn,
  isOfAction,
  isSpecific,
  kindWords,
  limitIn,
  minimumOutletsIn,
  roundsIn,
} from './query-words.ts';
import { type Period as NamedPeriod, queryPeriod, readPeriods } from './question-period.ts';
import { personIn, premiseIn, REPORTED_BY } from './question-premise.ts';
import { EMPTY_QUERY, type Filters, isCounted, type TypedQuery } from './typed-query.ts';
import { isOfCondition, narrowerWords, wordsLeft } from './words-left.ts';

/** A question as it was read: the query, and the text with placeholders for names and times. */
export interface Reading {
  readonly query: TypedQuery;
  readonly masked: string;
}

const ANY = '@[bpktmu]\\d+';
const LIST = `(?:(?:in|the|any|all|from|by) )*${ANY}(?: (?:stores?|brands?|cities|companies))?(?: (?:and |or |nor |& )?(?:in |the |from )*${ANY})*`;
/** Words by which a question leaves something out. */
const EXCEPT =
  '(?:other than|apart from|aside from|except(?:ing| for)?|excluding|excludes?|besides|barring|not (?:counting|including)|leaving out|but not|ignor(?:e|ing)|skip(?:ping)?)';
const EXCEPT_NAMES = new RegExp(
  `\\b(?:${EXCEPT}|leave out|minus|without|outside(?: of)?|not (?:in|from|by|for|about|on|at|involving)|non|not) (${LIST})`,
  'g',
);
const EXCEPT_KINDS = new RegExp(
  `\\b(?:${EXCEPT}|leave out|not) (?:(?:the|any|just|about) )?((?:(?:store|new) )?[a-z&]+(?: (?:and|or) [a-z&]+)?)`,
  'g',
);

/** A thing of another sort that is left out, at the begin or the end of a question: "apart from energy drinks, which …". */
const EXCEPT_THINGS = new RegExp(
  `\\b${EXCEPT} ((?:[a-z]+ ){0,2}[a-z]+?)(?= (?:which|what|who|where|when|how|any|list|show|are|is|did|has|have)\\b|$)`,
);

/** A fiscal year ahead is no name, and no time in which something moved: "targets for FY30". */
const FISCAL = /^fy ?\d\d(?:\d\d)?$/i;

const isFiscal = (span: Span | undefined): boolean =>
  span?.meaning.type === 'unknown' && FISCAL.test(span.meaning.name);

/** The filters of placeholders, in the order of the text; each value once. */
export function filtersOf(names: readonly string[], spans: ReadonlyMap<string, Span>): Omit<Filters, 'kinds'> {
  const meanings = names.flatMap((name) => spans.get(name)?.meaning ?? []);
  const once = <T>(values: readonly T[]): T[] => [
    ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
  ];
  return {
    brands: once(meanings.flatMap((one) => (one.type === 'brand' ? [one.brand] : []))),
    unknown_names: once(
      meanings.flatMap((one) => (one.type === 'unknown' && !FISCAL.test(one.name) ? [one.name] : [])),
    ),
    mentions: once(meanings.flatMap((one) => (one.type === 'mention' ? [one.mention] : []))),
    categories: once(meanings.flatMap((one) => (one.type === 'category' ? [...one.categories] : []))),
    themes: once(meanings.flatMap((one) => (one.type === 'theme' ? [one.theme] : []))),
    places: once(meanings.flatMap((one) => (one.type === 'place' ? [one.place] : []))),
  };
}

const NATION =
  /^(japanese|korean|american|chinese|italian|french|british|german|swiss|russian)(?: (?:brands?|companies|retailers?|labels?|chains?|firms?|startups?))?$/;

/** No quarter has results before it ends: "this quarter" is the season of the one before. */
function ended(period: NamedPeriod | undefined, now: Date): NamedPeriod | undefined {
  const isRunning = /^Q/.test(period?.fiscal ?? '') && period?.until.getTime() === now.getTime();
  return isRunning ? (readPeriods('last quarter', now)[0] ?? period) : period;
}

/** The time of results: a quarter that has ended, and with "last year" the fiscal one. */
function seasonOf(period: NamedPeriod | undefined, now: Date, text: string): NamedPeriod | undefined {
  const isLastYear = period?.fiscal === null && /\b(?:last|previous) year\b/i.test(text);
  return isLastYear ? (readPeriods('last fiscal year', now)[0] ?? period) : asQuarter(ended(period, now));
}

/** Results between the days of a quarter are those of the quarter: "April to June". */
function asQuarter(period: NamedPeriod | undefined): NamedPeriod | undefined {
  if (!period || period.fiscal !== null) return period;
  const first = istDay(period.since);
  const quarter = quarterName(quarterOf(first));
  const { since, until } = quarterDays(quarter);
  const isWhole = first === since && istDay(new Date(period.until.getTime() - 1)) === until;
  return isWhole ? { ...period, label: `in ${quarter}`, fiscal: quarter } : period;
}

const periodOf = (period: NamedPeriod | undefined): TypedQuery['period'] => (period ? queryPeriod(period) : null);

/** What a question leaves out, and the rest of its text. */
function withoutExceptions(text: string) {
  const names: string[] = [];
  const kinds: Move[] = [];
  const things: string[] = [];
  const masked = text
    .replace(EXCEPT_NAMES, (_, list: string) => {
      names.push(...[...list.matchAll(/@([bpktmu]\d+)/g)].map(([, name = '']) => name));
      return ' ';
    })
    .replace(EXCEPT_KINDS, (match, phrase: string) => {
      // "Not open yet" is a plan, and excludes nothing.
      const own = /^open\b/.test(phrase) ? [] : kindWords(phrase).map(({ kind }) => kind);
      kinds.push(...own);
      return own.length > 0 ? ' ' : match;
    })
    .replace(EXCEPT_THINGS, (_, thing: string) => {
      things.push(thing);
      return ' ';
    });
  return { masked, names, kinds, things };
}

/** Phrases in the words that reports have for the same. */
const reworded = (text: string): string =>
  text
    .replace(
      /\b(?:laid off|lays off|lay off|laying off|job cuts|jobs? cut|lett?(?:ing)? (?:\w+ )?(?:people|staff|employees|workers) go|cut(?:s|ting)? (?:people|staff|employees|workers))\b/,
      'layoffs',
    )
    .replace(
      /\b(?:ipo )?draft (?:papers|prospectus)(?: for (?:a|an|its|their|the) (?:stock market |stock )?(?:listing|ipo|float))?\b/,
      'drhp',
    )
    .replace(
      /\b(?:(?:stock )?market (?:float|debut|listing)|bourse debut|flotation|(?<=@b\d+(?: s)?(?: india)? )(?:float|listing))\b/,
      'ipo',
    )
    .replace(/ +/g, ' ')
    .trim();

/** The names that a question is about, and those that it leaves out. */
function namesOf(masked: string, excluded: readonly string[], spans: Marked['spans']) {
  const meaningOf = (name: string): Meaning | undefined => spans.get(name)?.meaning;
  const kept = [...spans.keys()].filter((name) => !excluded.includes(name));
  // "In Mumbai, not in Andheri" leaves Mumbai in: a locality is a word of its city.
  const { places } = filtersOf(kept, spans);
  const isInside = (name: string): boolean => {
    const meaning = meaningOf(name);
    return meaning?.type === 'place' && places.some((place) => place.name === meaning.place.name);
  };
  const isMalls = (name: string): boolean => {
    const meaning = meaningOf(name);
    return meaning?.type === 'category' && meaning.categories.includes('malls_and_real_estate');
  };
  // A store at a mall is no mall that opens.
  const atMalls = [...masked.matchAll(/\b(?:at|in|inside|within) (?:the |any |new |big )*@(k\d+)\b/g)]
    .map(([, name = '']) => name)
    .filter(isMalls);
  const names = kept.filter((name) => !atMalls.includes(name));
  return { names, atMalls, left: excluded.filter((name) => !isInside(name)) };
}

/** A question as it was marked up, what it names and leaves out, and the query of that. */
interface Named {
  readonly text: Marked;
  /** Without what it leaves out, in the words that the rules know. */
  readonly masked: string;
  /** Placeholders of the names that it is about, and of malls that only say where. */
  readonly names: readonly string[];
  readonly atMalls: readonly string[];
  /** Nationalities that are looked for as words. */
  readonly nations: readonly string[];
  readonly base: TypedQuery;
}

/** "Japanese brands" are no name: the nationality is looked for. */
const withoutNations = (names: readonly string[]): string[] => names.filter((name) => !NATION.test(name));

/** What a question names and leaves out, as a query that wants nothing yet. */
function namedIn(text: Marked): Named {
  const except = withoutExceptions(text.masked);
  const minimum_outlets = minimumOutletsIn(except.masked);
  // "At least 3 outlets" reported it: these are no shops.
  const counted = minimum_outlets === null ? except.masked : except.masked.replace(REPORTED_BY, ' ');
  const masked = reworded(counted);
  const { names, atMalls, left } = namesOf(masked, except.names, text.spans);
  const filters = filtersOf(names, text.spans);
  const excepted = filtersOf(left, text.spans);
  const kinds = MOVES.filter((kind) => except.kinds.includes(kind));
  const base: TypedQuery = {
    ...EMPTY_QUERY,
    ...filters,
    unknown_names: withoutNations(filters.unknown_names),
    except: { ...excepted, unknown_names: [...excepted.unknown_names, ...except.things], kinds },
    notes: [...text.notes],
    minimum_outlets,
  };
  const nations = filters.unknown_names.flatMap((name) => NATION.exec(name)?.[1] ?? []);
  return { text, masked, names, atMalls, nations, base };
}

/** So likely a question is none that a record answers before it is refused; less so, only where nothing surely answers it. */
const SURELY_OUTSIDE = 0.93;
const MAYBE_OUTSIDE = 0.65;
/** Reports behind an answer are asked for by one of these words; whether they differ is asked of what they say. */
const ASKS_SOURCES =
  /^(?!.*\b(?:differ|disagree|conflict)).*(?:\b(?:sources?|reports?|reported|outlets?|links?|urls?|proof|cit(?:e|es|ed|ations?)|references?|publications?|papers?|articles?|coverage|covered|wrote|written|says|said|broke|carried|kaha se)\b|\bwhere did you\b|\bhow do you know\b)/;
/** Nothing but names asks what is new of them. */
const NAMES_ALONE = /^(?:@[bkmpt]\d+ ?)+$/;

/** So likely something is asked for that no field says, nothing is added up or ranked by the fields that are there. */
const SURELY_MORE = 0.85;

/** What kind of answer a question wants, as far as it names what that needs. */
function intentOf(
  { intents, rest, metric }: LearnedReading,
  { masked, text: { periods }, names, base }: Named,
): TypedQuery['intent'] {
  const categories = new Set(names.filter((name) => name.startsWith('k'))).size;
  const several = Math.max(
    base.brands.length + base.unknown_names.length,
    base.places.length,
    periods.length,
    categories,
  );
  const isNamed = base.brands.length + base.unknown_names.length + base.mentions.length > 0;
  const can = (intent: keyof typeof intents): boolean =>
    intent === 'outside'
      ? intents.outside >= SURELY_OUTSIDE && !NAMES_ALONE.test(masked)
      : intent === 'compare'
        ? several > 1
        : intent === 'result'
          ? isNamed || base.categories.length > 0
          : intent !== 'sources' || ASKS_SOURCES.test(masked);
  const [best = 'list'] = (Object.keys(intents) as (keyof typeof intents)[])
    .filter(can)
    .sort((one, other) => intents[other] - intents[one]);
  const isMore = rest >= SURELY_MORE && metric === null && (best === 'count' || best === 'sum' || best === 'rank');
  // One figure of one event is in its reports.
  return best === 'amount' || isMore ? 'list' : best;
}

/** A reading as the fields of a query that say what is wanted. */
function wantOf(learned: LearnedReading, named: Named) {
  const {
    masked,
    text: { spans },
    base,
  } = named;
  const intent = intentOf(learned, named);
  const premise = premiseIn(masked, spans);
  const wanted = new Set<Move>([...learned.kinds, ...(KINDS_OF_INTENT[intent] ?? [])]);
  // Where the model sees no kind, words that name one alone are believed: it has not learned all of them.
  const [worded, ...others] = new Set(kindWords(masked).map(({ kind }) => kind));
  if (wanted.size === 0 && worded && others.length === 0 && intent !== 'happened') wanted.add(worded);
  const isOfMany = isCounted({ intent }) || (intent === 'list' && base.brands.length + base.unknown_names.length === 0);
  const condition = conditionIn(masked, learned.condition, isOfMany ? learned.metric : null, wanted.has('deals'));
  if (condition?.metric === 'amount' && wanted.size === 0) wanted.add('deals');
  if (wanted.size === 0 && premise) wanted.add(premise.kind);
  // "Deals excluding IPOs" are deals all the same.
  const isAllExcepted = [...wanted].every((kind) => base.except.kinds.includes(kind));
  const excepted = isAllExcepted ? base.except.kinds.filter((kind) => !wanted.has(kind)) : base.except.kinds;
  const kinds = MOVES.filter((kind) => wanted.has(kind) && !excepted.includes(kind));
  // How many stores a company has is what is asked where nothing says that they opened or closed.
  const isNetwork =
    intent === 'count' && learned.measure === 'stores' && !learned.store_status && base.brands.length > 0;
  const measure = isNetwork ? 'network' : measureOf({ intent, measure: learned.measure }, kinds);
  const { person, taken } = personIn(masked, spans, { ...learned, isAsked: intent === 'person' });
  const fields = fieldsOfKinds({ ...learned, intent, person }, measure, kinds);
  const isRanked = intent === 'rank' || intent === 'compare';
  // "The biggest news" are the most salient, and no figure of them.
  const isNews = intent === 'rank' && kinds.length === 0 && learned.by === null && (measure ?? 'signals') === 'signals';
  const order: TypedQuery['order'] = isNews
    ? 'salience'
    : isRanked && learned.order !== 'smallest'
      ? 'largest'
      : (learned.order ?? 'relevance');
  return {
    ...fields,
    intent: isNews ? ('list' as const) : intent,
    kinds,
    except: { ...base.except, kinds: excepted },
    condition,
    measure: isNews ? null : measure,
    by: isRanked && !isNews ? learned.by : null,
    order: order === 'largest' && kinds.length === 0 && !isRanked ? ('salience' as const) : order,
    premise,
    taken: kinds.includes('people') ? taken : null,
  };
}

/** The words of a question that its query does not say, and those that say more than the query. */
function wordsOf(
  { masked, text: { timed, spans }, names, atMalls, nations, base }: Named,
  { words, rest }: LearnedReading,
  { condition, limit, action, kinds, measure, by }: TypedQuery,
) {
  // Where a question asks for more than the fields say, its words may say that.
  const isRead = (word: string): boolean => rest < SURELY_MORE && words.has(word) && !isSpecific(word);
  const isLocal = (name: string): boolean => name.startsWith('p') && isLocality(spans.get(name), timed);
  const isFreed = (name: string): boolean =>
    (name.startsWith('u') && isFiscal(spans.get(name))) || (base.brands.length > 0 && name.startsWith('k'));
  const freed = [...names.filter((name) => isFreed(name) || isLocal(name)), ...atMalls];
  return [
    ...wordsLeft(masked, timed, freed, spans).filter(
      (word) => !isRead(word) && !isOfCondition(word, condition, limit) && !isOfAction(word, action),
    ),
    // Where nothing else says what is asked, the direction of a figure is looked for.
    ...(kinds.length === 0 && measure === null && by === null && base.brands.length === 0 ? directionsIn(masked) : []),
    ...roundsIn(masked),
    ...nations,
    ...(base.categories.length > 0 ? narrowerWords(names, timed, spans) : []),
  ];
}

/** What a question is read with. */
export interface ReadingTools {
  readonly catalogue: PreparedCatalogue;
  readonly now: Date;
  /** Names of the record that may be in it, in addition to those of the catalogue. */
  readonly known?: readonly KnownName[];
  readonly readWant: WantReader;
}

/**
 * Reads a question as a typed query: rules find its names, times and numbers, and a model that learned says what it wants. Its time
 * is bounded, since a question is cut to 500 characters.
 * @param isFollowUp whether it may continue another
 */
export async function readQuestion(
  text: string,
  { catalogue, now, known = [], readWant }: ReadingTools,
  isFollowUp = false,
): Promise<Reading> {
  const named = namedIn(marked(text, catalogue, now, known));
  const { masked, names, base } = named;
  const { spans, periods } = named.text;
  const language = unreadLanguage(text);
  if (language) return { query: { ...base, intent: 'unreadable', unknown_names: [], language }, masked };
  const learned = await readWant(named.text);
  const { taken, ...want } = wantOf(learned, named);
  if (want.intent === 'outside') return { query: { ...base, intent: 'outside' }, masked };
  // A brand that is named says more than its kind of shop: "how many cafes did Starbucks open".
  const isNarrow = base.brands.length > 0 && !(want.intent === 'compare' && want.by === 'category');
  const [period, against] = periods;
  // What may continue another question says little by itself.
  const isOutside = learned.intents.outside >= MAYBE_OUTSIDE && !isFollowUp;
  const query: TypedQuery = {
    ...base,
    ...want,
    outside: isOutside && !NAMES_ALONE.test(masked) ? learned.intents.outside : 0,
    categories: isNarrow ? [] : base.categories,
    unknown_names: withoutNations(
      filtersOf(
        names.filter((name) => name !== taken),
        spans,
      ).unknown_names,
    ),
    // Papers for an issue go to the regulator.
    mentions: want.deal?.types.join() === 'ipo' ? base.mentions.filter(({ name }) => name !== 'SEBI') : base.mentions,
    period: periodOf(want.kinds.includes('results') ? seasonOf(period, now, text) : period),
    against: want.intent === 'compare' ? periodOf(against) : null,
    limit: limitIn(masked),
  };
  return { query: asWritten({ ...query, words: wordsOf(named, learned, query) }, text), masked };
}

/** The kinds of move that an intent is about. */
export const KINDS_OF_INTENT: Readonly<Partial<Record<TypedQuery['intent'], readonly Move[]>>> = {
  result: ['results'],
  person: ['people'],
};

/** What a reader of questions says of the kinds of move that have fields of their own. */
interface WantedFields extends Pick<TypedQuery, 'intent' | 'store_status' | 'deal' | 'person' | 'metric' | 'action'> {}

/** The fields that only some kinds of move have; without these kinds they are left out. */
export function fieldsOfKinds(
  { intent, deal, person, store_status, metric, action }: WantedFields,
  measure: TypedQuery['measure'],
  kinds: readonly Move[],
): Pick<TypedQuery, 'store_status' | 'deal' | 'person' | 'metric' | 'action'> {
  const has = (kind: Move): boolean => kinds.includes(kind);
  // Stores that are counted have opened.
  const areCounted = measure === 'stores' && (store_status ?? 'openings') === 'openings';
  const isDeal = deal && (deal.types.length > 0 || deal.role || deal.status);
  const isOfResults = intent === 'result' || measure === 'metric';
  return {
    store_status: has('stores') ? (areCounted ? 'opened' : store_status) : null,
    deal: has('deals') && isDeal ? deal : null,
    person: has('people') && person && Object.values(person).some((value) => value !== null) ? person : null,
    metric: has('results') ? (metric ?? (isOfResults ? 'any' : null)) : null,
    action: has('rules') ? action : null,
  };
}

/** What is added up; null where the intent is no number. */
export function measureOf(
  { intent, measure }: Pick<TypedQuery, 'intent' | 'measure'>,
  kinds: readonly Move[],
): TypedQuery['measure'] {
  if (!isCounted({ intent })) return null;
  if (intent === 'sum') return measure === 'raised' || measure === 'fined' ? measure : 'spent';
  return measure ?? (kinds.join() === 'stores' ? 'stores' : kinds.join() === 'results' ? 'metric' : 'signals');
}

/** Gives unknown names the letters that the question writes them with. */
function asWritten(query: TypedQuery, text: string): TypedQuery {
  const original = text.normalize('NFKC');
  const { tokens } = tokenise(original);
  const find = (name: string): string => {
    const folds = tokenise(name).tokens.map(({ fold: word }) => word);
    const first = tokens.findIndex((_, index) => folds.every((word, at) => tokens[index + at]?.fold === word));
    return first < 0 || folds.length === 0
      ? name
      : original.slice(tokens[first]?.start, tokens[first + folds.length - 1]?.end).slice(0, 120);
  };
  const side = <T extends { readonly slug: string | null; readonly name: string }>(one: T): T =>
    one.slug === null ? { ...one, name: find(one.name) } : one;
  const { person, premise, except } = query;
  return {
    ...query,
    unknown_names: query.unknown_names.map(find),
    except: { ...except, unknown_names: except.unknown_names.map(find) },
    person: person?.name ? { ...person, name: find(person.name) } : person,
    premise: premise && { ...premise, subject: side(premise.subject), object: side(premise.object) },
  };
}

const FORMER =
  /^(?:bombay|bangalore|calcutta|madras|poona|gurgaon|new delhi|cochin|trivandrum|mysore|mangalore|calicut|baroda|vizag|allahabad|benares|banaras|pondicherry|gauhati|trichy|hubli|belgaum)$/;

/** A part of a city, such as Bandra: its name is looked for too. */
function isLocality(span: Span | undefined, text: string): boolean {
  if (span?.meaning.type !== 'place' || span.spelled || span.meaning.place.cities.length !== 1) return false;
  const written = tokenise(text)
    .tokens.slice(span.first, span.last + 1)
    .map(({ fold: word }) => word)
    .join(' ');
  return written !== span.meaning.place.name.toLowerCase() && !FORMER.test(written);
}
