/** Reads a question as a typed query, by rules. */
import type { PreparedCatalogue } from '../../facts/text/catalogue.ts';
import { istDay } from '../../language/days.ts';
import { quarterDays, quarterName, quarterOf } from '../../language/fiscal.ts';
import { tokenise } from '../../language/tokens.ts';
import { MOVES, type Move } from '../../schemas/scalar.ts';
import { type Marked, marked } from './marked-question.ts';
import { unreadLanguage } from './query-languages.ts';
import type { KnownName, Meaning, Span } from './query-names.ts';
import {
  actionIn,
  conditionIn,
  dealRoleIn,
  dealStatusIn,
  dealTypesIn,
  directionsIn,
  hasShops,
  isOfAction,
  isOutside,
  kindWords,
  limitIn,
  metricIn,
  minimumOutletsIn,
  orderIn,
  roundsIn,
  seatIn,
  storeStatusIn,
} from './query-words.ts';
import { HAPPENED, measured, personIn, premiseIn, REPORTED_BY, SOURCES, WHEN, WHY } from './question-intent.ts';
import { type Period as NamedPeriod, queryPeriod, readPeriods } from './question-period.ts';
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

const TAKES_OVER = /^(?:take|takes|taken|took) over$/;

const kindsIn = (masked: string): Move[] => {
  const words = kindWords(masked);
  const found = new Set(words.map(({ kind }) => kind));
  // Who takes over as a chief takes a seat, and no company.
  const areAll = (of: Move, form: RegExp): boolean =>
    words.every(({ kind, start, end }) => kind !== of || form.test(masked.slice(start, end)));
  if (seatIn(masked) !== null && areAll('deals', TAKES_OVER)) found.delete('deals');
  // An issue of shares opens, and no shop.
  if (/\bipos?\b/.test(masked) && areAll('stores', IPO_OPENS)) found.delete('stores');
  const deals = words.filter(({ kind }) => kind === 'deals');
  const priced = words.filter(({ kind }) => kind === 'launches');
  if (priced.every((word) => deals.some(({ start, end }) => start <= word.start && word.end <= end)))
    found.delete('launches');
  return MOVES.filter((kind) => found.has(kind));
};

const LEAVES =
  '(?:leav(?:e|es|ing)|left|quit(?:s|ting)?|exit(?:s|ed|ing)?|pull(?:s|ed|ing)? out(?: of)?|withdr(?:aw|aws|ew|awn|awing)(?: from)?|retreat(?:s|ed|ing)?(?: from)?)';
const LEFT_MARKETS = new RegExp(
  `\\b((?:which|what) (?:cit(?:y|ies)|towns?|markets?|states?|countr(?:y|ies)|malls?)(?: \\S+){0,4}) ${LEAVES}(?=$| )`,
);
const LEFT_A_MARKET = new RegExp(
  `\\b${LEAVES} (?:a|the|its|their|some|any)? ?(?:\\w+ )?(?:markets?|cit(?:y|ies)|towns?|countr(?:y|ies))\\b`,
);
const LEFT_MARKET = new RegExp(
  `(@b\\d+(?: \\w+)?) ${LEAVES}(?: from)? (?=(?:the )?(?:@p\\d+|india|cities|markets?)\\b)`,
);
const NATION =
  /^(japanese|korean|american|chinese|italian|french|british|german|swiss|russian)(?: (?:brands?|companies|retailers?|labels?|chains?|firms?|startups?))?$/;
/** What the holder of a seat said is no change of it: `what did the CEO of @b0 say`. */
const SAYS =
  /^what\b.*\b(?:say|says|said|saying|comment\w*|think|thinks|view|views|talk(?:s|ed|ing)? about|predict\w*|expect\w*|announc\w*|promis\w*|pledg\w*|commit\w*|reveal\w*|tell|told|warn\w*)\b|@b\d+ (?:s )?(?:ceo|md|chief|boss|founder|chair(?:man|person|woman)?)s? (?:\w+ )?(?:comment\w*|says?|said|remarks?|views?|statements?|speech|interview)\b/;
/** "How fast did @b0 grow" asks for the growth of its revenue. */
const HOW_FAST =
  /\bhow (?:fast|quickly|much) (?:did|has|have|is|are|does) ((?:@b\d+(?: and )?)+|it|they) gr(?:ow|own|owing)\b/;
/** An issue that opens is no shop. */
const IPO_OPENS = /^open(?:s|ed|ing|ings)?$/;
/** How a company fared in a quarter: its results. */
const FARED =
  /\bhow (?:did|has|have|is|are) ((?:@b\d+(?: and )?)+|the (?:company|brand|chain|retailer)|it|they) (?:do|done|doing|far(?:e|es|ed|ing))\b/;

/** Businesses leave a platform, and nobody a seat. */
const LEAVE_PLATFORM = new RegExp(
  `(?<!\\w)((?:@k\\d+|hotels|restaurants|eateries|sellers|merchants|traders|dealers|distributors|brands|riders)(?: \\w+){0,3}) ${LEAVES} (?=@b\\d)`,
);

/** A company that leaves a city closes its places there: it is nobody who leaves a company. */
const withClosures = (masked: string): string =>
  masked
    .replace(LEFT_MARKETS, '$1 closing stores')
    .replace(LEFT_MARKET, '$1 closing stores in ')
    .replace(LEFT_A_MARKET, 'closing stores')
    .replace(LEAVE_PLATFORM, '$1 boycott ');

/** Of companies side by side, their growth or figures are asked for: "is @b0 growing faster than @b1". */
const FARES_BETTER = /\bgr(?:e|o)w(?:s|n|th|ing)?\b|\bfar(?:e|es|ed|ing)\b|\bdo(?:es|ing)? better\b|\bdid better\b/;

/** No quarter has results before it ends: "this quarter" is the season of the one before. */
function ended(period: NamedPeriod | undefined, now: Date): NamedPeriod | undefined {
  const isRunning = /^Q/.test(period?.fiscal ?? '') && period?.until.getTime() === now.getTime();
  return isRunning ? (readPeriods('last quarter', now)[0] ?? period) : period;
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
      const own = /^open\b/.test(phrase) ? [] : kindsIn(phrase);
      kinds.push(...own);
      return own.length > 0 ? ' ' : match;
    })
    .replace(EXCEPT_THINGS, (_, thing: string) => {
      things.push(thing);
      return ' ';
    });
  return { masked, names, kinds, things };
}

/** Phrases in the words by which the rules know what is asked. */
function reworded(text: string, isFiscalPeriod: boolean): string {
  const masked = text
    .replace(HOW_FAST, 'revenue growth of $1')
    .replace(/\bgr(?:ew|ow|ows|owing|own) faster\b/, 'higher revenue growth')
    .replace(/\bfastest growing\b|\b(?:grew|grow|grows|growing) (?:the )?(?:fastest|most)\b/, 'highest revenue growth')
    .replace(
      /\b(?:laid off|lays off|lay off|laying off|job cuts|jobs? cut|lett?(?:ing)? (?:\w+ )?(?:people|staff|employees|workers) go|cut(?:s|ting)? (?:people|staff|employees|workers))\b/,
      'layoffs',
    )
    .replace(/\bon top of (?:what|that|which)\b/, ' ')
    .replace(/\b(?:leave|leaving|left) out (?:the )?talks\b/, ' ')
    .replace(/\bhow many (?:crores?|lakhs?|rupees|dollars|million)\b/, 'how much')
    .replace(/\b(?:order|sort|rank)(?:ed)? by\b/, 'compare by highest')
    .replace(
      /^(?:order|sort) ((?:\S+ ){1,9}?)by (?=(?:\S+ ){0,3}(?:growth|profits?|revenues?|sales|loss|size)\b)/,
      'compare $1by highest ',
    )
    .replace(/\b(?:priciest|costliest|most expensive|dearest)\b/, 'biggest')
    .replace(/\b(announced|signed|agreed) (?:or|and) (?:closed|completed)\b/, '$1')
    .replace(
      /\b(?:hand(?:s|ed|ing)?|put(?:s|ting)?|turn(?:s|ed)?) in (?=(?:their |its |the )?(?:ipo )?(?:draft )?(?:papers|prospectus))/,
      'filed ',
    )
    .replace(
      /\b(?:ipo )?draft (?:papers|prospectus)(?: for (?:a|an|its|their|the) (?:stock market |stock )?(?:listing|ipo|float))?\b/,
      'drhp',
    )
    .replace(
      /\b(?:(?:stock )?market (?:float|debut|listing)|bourse debut|flotation|(?<=@b\d+(?: s)?(?: india)? )(?:float|listing))\b/,
      'ipo',
    )
    .replace(/\b(?:took|take|takes|taken|cash(?:ed|ing)?) (?:money )?out of (?=@b)/, 'sold stakes in ')
    .replace(/ +/g, ' ')
    .trim();
  return withClosures(isFiscalPeriod ? masked.replace(FARED, 'results of $1') : masked);
}

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

type Want = Pick<TypedQuery, 'kinds' | 'condition' | 'premise' | 'metric'> & {
  /** The seat whose holder says something, which is no change of it. */
  readonly speaker: string | null;
  /** Whether the question names a kind of move itself. */
  readonly isKindNamed: boolean;
};

/** The kinds of move and the figures of results that a question is about. */
function wantIn(masked: string, base: TypedQuery, spans: Marked['spans'], isFiscalPeriod: boolean): Want {
  const speaker = SAYS.test(masked) && base.brands.length > 0 ? seatIn(masked) : null;
  // A factory that opens is no shop.
  const isOfPlants = base.themes.some(({ slug }) => slug === 'supply-chain-and-manufacturing') && !hasShops(masked);
  const named = kindsIn(masked).filter((kind) => !(kind === 'people' && speaker) && !(kind === 'stores' && isOfPlants));
  const condition = conditionIn(masked, named);
  // The growth of a company in a quarter is a figure of its results.
  const ofGrowth = named.length === 0 && base.brands.length > 0 && isFiscalPeriod && FARES_BETTER.test(masked);
  const ofResults = ofGrowth || (condition !== null && condition.metric !== 'amount' && condition.metric !== 'stores');
  const premise = premiseIn(masked, spans);
  const kinds = named.length > 0 ? named : ofResults ? ['results' as const] : premise ? [premise.kind] : [];
  // A target is no result: the words of the reports answer it.
  const isTarget = TARGETS.test(masked) && kinds.length === 1 && !condition;
  const isFigure = (kinds.includes('results') || condition !== null) && !isTarget;
  const metric = isFigure ? (metricIn(masked) ?? (ofGrowth ? 'any' : null)) : null;
  return { kinds, condition, premise, metric, speaker, isKindNamed: named.length > 0 };
}

/** What kind of answer a question wants where it neither counts nor compares. */
function intentIn(masked: string, { kinds, metric }: Want, base: TypedQuery, person: TypedQuery['person']) {
  if (WHY.test(masked)) return 'why';
  if (WHEN.test(masked)) return 'when';
  const about = base.brands.length + base.unknown_names.length > 0;
  const wantsPeople = kinds.includes('people') && (seatIn(masked) !== null || /\bwho\b/.test(masked));
  if (metric && about && (metric !== 'any' || kinds.every((kind) => kind === 'results'))) return 'result';
  if (person?.name && /^where\b/.test(masked)) return 'person';
  if (wantsPeople && /\bwho\b|\bnew (?:ceo|cfo|coo|cmo|cto|md|chief|head|boss)\b|\bname of\b/.test(masked))
    return 'person';
  if (HAPPENED.test(masked) && (kinds.length === 0 || about)) return 'happened';
  return kinds.length === 0 && about && !/\b(?:list|show|which|all)\b/.test(masked) ? 'happened' : 'list';
}

/** The deal that a question asks for; null for none. */
function dealIn(masked: string, { kinds, premise }: Want): TypedQuery['deal'] {
  if (!kinds.includes('deals')) return null;
  const types = dealTypesIn(masked);
  const [role, status] = [premise ? null : dealRoleIn(masked), dealStatusIn(masked)];
  return types.length > 0 || role || status ? { types, role, status } : null;
}

/** "Joke" and "bankrupt" are words that nothing knows, hence names as far as reading goes. */
const isRefused = (masked: string, spans: Marked['spans']): boolean =>
  isOutside(masked) ||
  isOutside(
    masked.replace(/@(u\d+)/g, (mark, name: string) => {
      const meaning = spans.get(name)?.meaning;
      return meaning?.type === 'unknown' ? meaning.name : mark;
    }),
  );

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
  const masked = reworded(counted, Boolean(text.periods[0]?.fiscal));
  const { names, atMalls, left } = namesOf(masked, except.names, text.spans);
  const filters = filtersOf(names, text.spans);
  // "Deals excluding IPOs" are deals all the same.
  const wanted = kindsIn(masked);
  const kinds = MOVES.filter((kind) => except.kinds.includes(kind) && !wanted.includes(kind));
  const excepted = filtersOf(left, text.spans);
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

/** Whom a question asks about, with the placeholder of the name that is the person's; null where it asks about nobody. */
function personOf(masked: string, { kinds }: Want, spans: Marked['spans']): ReturnType<typeof personIn> {
  if (!kinds.includes('people')) return { person: null, taken: null };
  const { person, taken } = personIn(masked, spans);
  const isPerson = person && (person.role || person.name || person.direction || /\bwho\b/.test(masked));
  return { person: isPerson ? person : null, taken };
}

/** What an answer has to be, and what it measures. */
function measureOf({ masked, text: { spans, periods }, names, base }: Named, want: Want) {
  const categories = new Set(names.filter((name) => name.startsWith('k'))).size;
  const sides = { brands: base.brands.length, places: base.places.length, periods: periods.length, categories };
  const isSources = SOURCES.test(masked) && !/\b(?:differ|disagree|conflict)/.test(masked);
  const measure = isSources ? null : measured(masked, want.kinds, sides);
  const { person, taken } = personOf(masked, want, spans);
  const plain = intentIn(masked, want, base, person);
  const intent = isSources ? 'sources' : plain === 'why' || plain === 'when' ? plain : (measure?.intent ?? plain);
  // Companies side by side in a quarter are compared by its results.
  const isSideBySide = measure?.intent === 'compare' && measure.by === 'brand' && !want.isKindNamed;
  const bySeason = isSideBySide && Boolean(periods[0]?.fiscal || FARES_BETTER.test(masked));
  return { measure, person, taken, intent, bySeason };
}

/** The words of a question that its query does not say, and those that say more than the query. */
function wordsOf(
  { masked, text: { timed, spans }, names, atMalls, nations, base }: Named,
  want: Want,
  query: TypedQuery,
) {
  const isLocal = (name: string): boolean => name.startsWith('p') && isLocality(spans.get(name), timed);
  const isFreed = (name: string): boolean =>
    (name.startsWith('u') && isFiscal(spans.get(name))) || (base.brands.length > 0 && name.startsWith('k'));
  const freed = [...names.filter((name) => isFreed(name) || isLocal(name)), ...atMalls];
  const { condition, limit, action, kinds, measure, by } = query;
  return [
    ...wordsLeft(masked, timed, freed, spans).filter(
      (word) => !isOfCondition(word, condition, limit) && !isOfAction(word, action),
    ),
    ...(want.speaker ? [want.speaker.toLowerCase()] : []),
    // Where nothing else says what is asked, the direction of a figure is looked for.
    ...(kinds.length === 0 && measure === null && by === null && base.brands.length === 0 ? directionsIn(masked) : []),
    ...roundsIn(masked),
    ...nations,
    ...(base.categories.length > 0 ? narrowerWords(names, timed, spans) : []),
  ];
}

/**
 * Reads a question as a typed query. Pure; its time is bounded, since a question is cut to 500 characters.
 * @param known names of the record that may be in it, in addition to those of the catalogue
 */
export function readQuestion(
  text: string,
  catalogue: PreparedCatalogue,
  now: Date,
  known: readonly KnownName[] = [],
): Reading {
  const named = namedIn(marked(text, catalogue, now, known));
  const {
    masked,
    names,
    base,
    text: { spans, periods },
  } = named;
  const language = unreadLanguage(text);
  if (language) return { query: { ...base, intent: 'unreadable', unknown_names: [], language }, masked };
  if (isRefused(masked, spans)) return { query: { ...base, intent: 'outside' }, masked };

  const want = wantIn(masked, base, spans, Boolean(periods[0]?.fiscal));
  const { kinds, condition, premise } = want;
  const { measure, person, taken, intent, bySeason } = measureOf(named, want);
  // What is asked of a company that is named has other words for the same: only what is counted of it is read from rows.
  const isEnforced =
    kinds.join() === 'rules' && (isCounted({ intent }) || (intent === 'list' && base.brands.length === 0));
  // A brand that is named says more than its kind of shop: "how many cafes did Starbucks open".
  const isNarrow = base.brands.length > 0 && !(intent === 'compare' && measure?.by === 'category');
  const deal = dealIn(masked, want);
  const isIpo = deal?.types.join() === 'ipo';
  const order = measure && measure.order !== 'relevance' ? measure.order : orderIn(masked);
  // How far a story of a company is, its newest report says, whatever its kind: "status of the IPO of @b0".
  const isState = order === 'newest' && isIpo && base.brands.length > 0 && intent === 'list';
  const untaken = names.filter((name) => name !== taken);
  const [period, against] = periods;
  const query: TypedQuery = {
    ...base,
    intent,
    categories: isNarrow ? [] : base.categories,
    unknown_names: withoutNations(filtersOf(untaken, spans).unknown_names),
    // Papers for an issue go to the regulator.
    mentions: isIpo ? base.mentions.filter(({ name }) => name !== 'SEBI') : base.mentions,
    kinds: bySeason ? ['results'] : isState ? [] : [...kinds],
    period: periodOf(kinds.includes('results') ? asQuarter(ended(period, now)) : period),
    against: intent === 'compare' ? periodOf(against) : null,
    store_status: kinds.includes('stores') ? statusIn(masked, intent, measure?.measure) : null,
    deal: isState ? null : deal,
    person,
    metric: bySeason ? 'any' : want.metric,
    action: isEnforced ? actionIn(masked) : null,
    condition,
    measure: bySeason ? 'metric' : (measure?.measure ?? null),
    by: measure?.by ?? null,
    order,
    limit: limitIn(masked),
    premise,
  };
  const words = [...wordsOf(named, want, query), ...(isState ? ['ipo'] : [])];
  return { query: asWritten({ ...query, words }, text), masked };
}

/** Which stores are asked for: those that are counted have opened. */
function statusIn(masked: string, intent: TypedQuery['intent'], measure: TypedQuery['measure'] | undefined) {
  const status = storeStatusIn(masked);
  const areCounted = measure === 'stores' && isCounted({ intent });
  return areCounted && (status ?? 'openings') === 'openings' ? 'opened' : status;
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

const TARGETS =
  /\b(?:targets?|targeting|aims?|aiming|goals?|outlook|guidance|projects|projected|projections?|forecasts?)\b/;

/** A part of a city, such as Bandra: its name is looked for too. */
function isLocality(span: Span | undefined, text: string): boolean {
  if (span?.meaning.type !== 'place' || span.spelled || span.meaning.place.cities.length !== 1) return false;
  const written = tokenise(text)
    .tokens.slice(span.first, span.last + 1)
    .map(({ fold: word }) => word)
    .join(' ');
  return written !== span.meaning.place.name.toLowerCase() && !FORMER.test(written);
}
