/** Reads a question as a typed query, by rules. */
import type { PreparedCatalogue } from '../../facts/text/catalogue.ts';
import { fold, tokenise } from '../../language/tokens.ts';
import { GIVEN_NAMES, isCommon } from '../../language/words.ts';
import { LONGEST_QUESTION } from '../../schemas/ask.ts';
import { MOVES, type Move } from '../../schemas/scalar.ts';
import { fromHindi, rephrased, unreadLanguage } from './query-languages.ts';
import { findNamesIn, type KnownName, type Meaning, type Span, STOP } from './query-names.ts';
import {
  COMPARE,
  conditionIn,
  dealRoleIn,
  dealStatusIn,
  dealTypesIn,
  directionsIn,
  isComparative,
  isOutside,
  isSpecific,
  isUnderstood,
  kindWords,
  limitIn,
  metricIn,
  minimumOutletsIn,
  orderIn,
  roundsIn,
  seatIn,
  storeStatusIn,
  wordMeant,
} from './query-words.ts';
import { HAPPENED, measured, personIn, premiseIn, REPORTED_BY, SOURCES, WHEN, WHY } from './question-intent.ts';
import { MONTH, type Period as NamedPeriod, readPeriods } from './question-period.ts';
import { EMPTY_QUERY, type Filters, type TypedQuery } from './typed-query.ts';

/** A question as it was read: the query, and the text with placeholders for names and times. */
export interface Reading {
  readonly query: TypedQuery;
  readonly masked: string;
}

/** Lower case, without accents and punctuation, figures and their signs kept: how a question is written says nothing of what it asks. */
export function normalise(text: string): string {
  const plain = [...text].slice(0, LONGEST_QUESTION).join('').normalize('NFKC').toLowerCase();
  return fold(plain)
    .normalize('NFC')
    .replace(/[\u200b-\u200f\u2028-\u202e\u2060\ufeff\u00ad]/g, '')
    .replace(/\bstart[- ]up(s?)\b/g, 'startup$1')
    .replace(/(\d),(?=\d{2,3})/g, '$1')
    .replace(/(\d|\bcr|\bcrore)\+(?![\p{L}\p{N}])/gu, '$1 plus ')
    .replace(/:(?=\s)/g, ' show ')
    .replace(/%/g, ' percent ')
    .replace(/₹/g, ' rs ')
    .replace(/\$/g, ' usd ')
    .replace(/>\s?=?/g, ' more than ')
    .replace(/<\s?=?/g, ' less than ')
    .replace(/[^\p{L}\p{N}\p{M}&./-]+/gu, ' ')
    .replace(/(?<!\d)[./-]|[./-](?!\d)/g, ' ')
    .replace(/(?<![\p{L}\p{N}])&(?=\s)/gu, ' and ')
    .replace(/ +/g, ' ')
    .trim();
}

/** Words of the trade that are misspelled, as they are meant. */
const corrected = (text: string, catalogue: PreparedCatalogue, known: readonly KnownName[]): string =>
  text.replace(/[a-z]{5,}/g, (word) => {
    if (isUnderstood(word) || STOP.has(word) || isCommon(word) || GIVEN_NAMES.has(word)) return word;
    if (catalogue.names.has(` ${word} `) || known.some(({ name }) => name.toLowerCase() === word)) return word;
    return wordMeant(word) ?? word;
  });

const LETTER: Readonly<Record<Meaning['type'], string>> = {
  brand: 'b',
  place: 'p',
  category: 'k',
  theme: 't',
  mention: 'm',
  unknown: 'u',
};

interface Masked {
  readonly text: string;
  /** By placeholder, such as `b0`. */
  readonly spans: ReadonlyMap<string, Span>;
}

/** Runs of words with capitals in a question that has lower case too, as keys of names: `More Retail`, `Best Buy`. */
function capitalRuns(text: string): ReadonlySet<string> {
  const { tokens } = tokenise(text.normalize('NFKC'));
  const lower = tokens.filter(({ text: word }) => /^\p{Ll}{2,}$/u.test(word)).length;
  const runs = new Set<string>();
  if (lower < 2) return runs;
  const isCapital = (index: number): boolean => /^\p{Lu}\p{Ll}/u.test(tokens[index]?.text ?? '');
  // The first word of a sentence has a capital whatever it is.
  for (let first = 1; first < tokens.length; first++)
    for (let last = first + 1; last < first + 4 && isCapital(first) && isCapital(last); last++)
      runs.add(
        ` ${tokens
          .slice(first, last + 1)
          .map(({ fold: word }) => word)
          .join(' ')} `,
      );
  return runs;
}

function mask(
  text: string,
  catalogue: PreparedCatalogue,
  known: readonly KnownName[],
  capitals: ReadonlySet<string>,
): Masked {
  const words = tokenise(text);
  const found = findNamesIn(words, catalogue, known, isUnderstood, capitals);
  const spans = new Map<string, Span>();
  let masked = '';
  let at = 0;
  for (const [index, span] of found.entries()) {
    const name = `${LETTER[span.meaning.type]}${index}`;
    spans.set(name, span);
    masked += `${text.slice(at, words.tokens[span.first]?.start)}@${name}`;
    at = words.tokens[span.last]?.end ?? at;
  }
  return { text: masked + text.slice(at), spans };
}

const ANY = '@[bpktmu]\\d+';
const LIST = `(?:(?:in|the|any|all|from|by) )*${ANY}(?: (?:stores?|brands?|cities|companies))?(?: (?:and |or |nor |& )?(?:in |the |from )*${ANY})*`;
const EXCEPT_NAMES = new RegExp(
  `\\b(?:other than|apart from|aside from|except(?:ing| for)?|excluding|excludes?|besides|barring|minus|without|not (?:counting|including)|leaving out|leave out|but not|outside(?: of)?|ignor(?:e|ing)|not (?:in|from|by|for|about|on|at|involving)|non|not|skip(?:ping)?) (${LIST})`,
  'g',
);
const EXCEPT_KINDS =
  /\b(?:other than|apart from|except(?:ing| for)?|excluding|exclude|besides|barring|not (?:counting|including)|leaving out|but not|ignor(?:e|ing)|not|skip(?:ping)?) (?:(?:the|any|just|about) )?((?:(?:store|new) )?[a-z&]+(?: (?:and|or) [a-z&]+)?)/g;

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
  const deals = words.filter(({ kind }) => kind === 'deals');
  if (seatIn(masked) !== null && deals.every(({ start, end }) => TAKES_OVER.test(masked.slice(start, end))))
    found.delete('deals');
  // An issue of shares opens, and no shop.
  const opens = words.filter(({ kind }) => kind === 'stores');
  if (/\bipos?\b/.test(masked) && opens.every(({ start, end }) => IPO_OPENS.test(masked.slice(start, end))))
    found.delete('stores');
  const priced = words.filter(({ kind }) => kind === 'launches');
  if (priced.every((word) => deals.some(({ start, end }) => start <= word.start && word.end <= end)))
    found.delete('launches');
  // Who invests or buys may say so of stores, and a headline about sales can be a result: the more specific kind is meant.
  if (
    found.has('stores') &&
    found.has('launches') &&
    /\blaunch\w*\b/.test(masked) &&
    /\b(?:stores?|outlets?)\b/.test(masked)
  )
    found.delete('launches');
  return MOVES.filter((kind) => found.has(kind));
};

const LEAVES =
  '(?:leav(?:e|es|ing)|left|quit(?:s|ting)?|exit(?:s|ed|ing)?|pull(?:s|ed|ing)? out(?: of)?|withdr(?:aw|aws|ew|awn|awing)(?: from)?|retreat(?:s|ed|ing)?(?: from)?)';
const LEFT_MARKETS = new RegExp(
  `\\b((?:which|what) (?:cit(?:y|ies)|towns?|markets?|states?|countr(?:y|ies)|malls?)(?: \\S+){0,4}) ${LEAVES}(?=$| )`,
);
const LEFT_MARKET = new RegExp(`(@b\\d+(?: \\w+)?) ${LEAVES} (?=(?:the )?(?:@p\\d+|india|cities|markets?)\\b)`);
const NATION =
  /^(japanese|korean|american|chinese|italian|french|british|german|swiss|russian)(?: (?:brands?|companies|retailers?|labels?|chains?|firms?|startups?))?$/;
/** Months to compare, not a span of time: `compare June and July`. */
const TWO_MONTHS = new RegExp(`\\b((?:${MONTH})(?: 20\\d\\d)?) and (${MONTH})\\b`, 'i');
/** What the holder of a seat said is no change of it: `what did the CEO of @b0 say`. */
const SAYS =
  /^what\b.*\b(?:say|says|said|saying|comment\w*|think|thinks|view|views|talk(?:s|ed|ing)? about|predict\w*|expect\w*|announc\w*)\b|@b\d+ (?:s )?(?:ceo|md|chief|boss|founder|chair(?:man|person|woman)?)s? (?:\w+ )?(?:comment\w*|says?|said|remarks?|views?|statements?|speech|interview)\b/;
/** Whether outlets agree shows in their reports: the rest of the question says about what. */
const AGREEMENT =
  /\b(?:(?:do|did) )?(?:the )?(?:outlets|sources|reports|papers|newspapers) (?:agree|disagree|differ)(?: (?:on|about|over))?\b/;
/** `us` alone is a pronoun. */
const THE_US = /\bthe u ?s\b(?! (?:dollars?|fda|tariffs?))/;
/** A company that comes to the country. */
const ENTERS_INDIA =
  /\b(?:enter(?:s|ed|ing)?|com(?:e|es|ing) to|came to|debut(?:s|ed|ing)? in|launch(?:es|ed|ing)? in|entr(?:y|ies) (?:in)?to|new to) (?:the )?india(?:n market)?\b|\b(?:new )?entrants?(?: (?:in)?to (?:the )?india(?:n market)?)?\b/;
/** "How fast did @b0 grow" asks for the growth of its revenue. */
const HOW_FAST =
  /\bhow (?:fast|quickly|much) (?:did|has|have|is|are|does) ((?:@b\d+(?: and )?)+|it|they) gr(?:ow|own|owing)\b/;
/** An issue that opens is no shop. */
const IPO_OPENS = /^open(?:s|ed|ing|ings)?$/;
/** How a company fared in a quarter: its results. */
const FARED =
  /\bhow (?:did|has|have|is|are) ((?:@b\d+(?: and )?)+|the (?:company|brand|chain|retailer)|it|they) (?:do|done|doing|far(?:e|es|ed|ing))\b/;

/** A company that leaves a city closes its places there: it is nobody who leaves a company. */
const withClosures = (masked: string): string =>
  masked.replace(LEFT_MARKETS, '$1 closing stores').replace(LEFT_MARKET, '$1 closing stores in ');

/** Of companies side by side, their growth or figures are asked for: "is @b0 growing faster than @b1". */
const FARES_BETTER = /\bgr(?:e|o)w(?:s|n|th|ing)?\b|\bfar(?:e|es|ed|ing)\b|\bdo(?:es|ing)? better\b|\bdid better\b/;

/** The first of two questions in one, where it has a subject of its own: "what is the target of @b0 and how many …". */
const SECOND = /,? and (?=(?:who|whom|what|which|how|when|where|why)\b)/;
function firstAsked(masked: string): string {
  const at = masked.search(SECOND);
  const [one, other] = [masked.slice(0, at), masked.slice(at)];
  const isWhole =
    at > 0 &&
    /@[bupkm]\d/.test(one) &&
    kindWords(one).length > 0 &&
    /\b(?:who|what|which|how|when|where|why)\b/.test(one);
  return isWhole && !/\b(?:replac|succe)\w*/.test(other) && !COMPARE.test(masked) ? one : masked;
}

/** No quarter has results before it ends: "this quarter" is the season of the one before. */
function ended(period: NamedPeriod | undefined, now: Date): NamedPeriod | undefined {
  const isRunning = /^Q/.test(period?.fiscal ?? '') && period?.until.getTime() === now.getTime();
  return isRunning ? (readPeriods('last quarter', now)[0] ?? period) : period;
}

const periodOf = (period: NamedPeriod | undefined): TypedQuery['period'] =>
  period
    ? {
        since: period.since.toISOString(),
        until: period.until.toISOString(),
        label: period.label,
        fiscal: period.fiscal,
      }
    : null;

/** Reads a question; see `readQuestion`. */
export function readWhole(
  text: string,
  catalogue: PreparedCatalogue,
  now: Date,
  known: readonly KnownName[] = [],
): Reading {
  const language = unreadLanguage(text);
  const lower = normalise(text);
  const spelled = rephrased(corrected(fromHindi(lower), catalogue, known));
  const english = COMPARE.test(spelled) ? spelled.replace(TWO_MONTHS, '$1 versus $2') : spelled;
  const times = readPeriods(english, now);
  // A time that is named twice is one, and no comparison: "sales of @b0 in Q1 and of @b1 in Q1".
  const periods = times.filter(({ label }, index) => times.findIndex((one) => one.label === label) === index);
  let timed = english;
  for (const { label, start, end } of times.toReversed()) {
    const index = periods.findIndex((one) => one.label === label);
    timed = `${timed.slice(0, start)} @d${index} ${timed.slice(end)}`;
  }
  timed = timed.replace(THE_US, 'usa').replace(AGREEMENT, ' ').replace(/ +/g, ' ').trim();
  const masking = (one: string): Masked => mask(one, catalogue, known, capitalRuns(text));
  const first = masking(timed);
  const { text: whole, spans } = /@b\d/.test(first.text) ? first : masking(timed.replace(ENTERS_INDIA, 'india entry'));

  const excluded: string[] = [];
  let masked = whole.replace(EXCEPT_NAMES, (_, list: string) => {
    const names = [...list.matchAll(/@([bpktmu]\d+)/g)].map(([, name]) => name ?? '');
    excluded.push(...names);
    return ' ';
  });
  const exceptKinds: Move[] = [];
  masked = masked.replace(EXCEPT_KINDS, (match, phrase: string) => {
    // "Not open yet" is a plan, and excludes nothing.
    const kinds = /^open\b/.test(phrase) ? [] : kindsIn(phrase);
    exceptKinds.push(...kinds);
    return kinds.length > 0 ? ' ' : match;
  });
  const minimum_outlets = minimumOutletsIn(masked);
  // "At least 3 outlets" reported it: these are no shops.
  if (minimum_outlets !== null) masked = masked.replace(REPORTED_BY, ' ');
  masked = masked
    .replace(HOW_FAST, 'revenue growth of $1')
    .replace(/\bgr(?:ew|ow|ows|owing|own) faster\b/, 'higher revenue growth')
    .replace(/\bfastest growing\b|\b(?:grew|grow|grows|growing) (?:the )?(?:fastest|most)\b/, 'highest revenue growth')
    .replace(CAPEX, (match) =>
      MONEY_RAISED.test(masked) ? match : match.replace(/^invest\w*/, 'capex').replace(/ invest\w*$/, ' capex'),
    )
    .replace(/\b(?:laid off|lays off|lay off|laying off|job cuts|jobs? cut)\b/, 'layoffs')
    .replace(/ +/g, ' ')
    .trim();
  if (periods[0]?.fiscal) masked = masked.replace(FARED, 'results of $1');
  masked = firstAsked(withClosures(masked));

  const isNewWeek = /\b(?:this|current) week\b/.test(english) && periods[0]?.label === 'in the last 7 days';
  const notes = [...spans.values()].flatMap(({ spelled, meaning }) => {
    const name = meaning.type === 'brand' ? meaning.brand.name : meaning.type === 'place' ? meaning.place.name : null;
    return spelled && name ? [`“${spelled}” was read as ${name}.`] : [];
  });
  if (isNewWeek) notes.push('The week has just begun: the last seven days are shown.');
  // "In Mumbai, not in Andheri" leaves Mumbai in: a locality is a word of its city.
  const included = filtersOf(
    [...spans.keys()].filter((name) => !excluded.includes(name)),
    spans,
  ).places;
  const isInside = (name: string): boolean => {
    const meaning = spans.get(name)?.meaning;
    return meaning?.type === 'place' && included.some((place) => place.name === meaning.place.name);
  };
  const isMalls = (name: string): boolean => {
    const meaning = spans.get(name)?.meaning;
    return meaning?.type === 'category' && meaning.categories.includes('malls_and_real_estate');
  };
  // A store at a mall is no mall that opens.
  const atMalls = [...masked.matchAll(/\b(?:at|in|inside|within) (?:the |any |new |big )*@(k\d+)\b/g)]
    .map(([, name = '']) => name)
    .filter(isMalls);
  const names = [...spans.keys()].filter((name) => !excluded.includes(name) && !atMalls.includes(name));
  const written = (query: TypedQuery): TypedQuery => asWritten(query, text);
  // "Deals excluding IPOs" are deals all the same.
  const asked = kindsIn(masked);
  const except = {
    ...filtersOf(
      excluded.filter((name) => !isInside(name)),
      spans,
    ),
    kinds: MOVES.filter((kind) => exceptKinds.includes(kind) && !asked.includes(kind)),
  };
  const filters = filtersOf(names, spans);
  // "Japanese brands" are no name: the nationality is looked for.
  const nations = filters.unknown_names.flatMap((name) => NATION.exec(name)?.[1] ?? []);
  const unknown_names = filters.unknown_names.filter((name) => !NATION.test(name));
  const base: TypedQuery = { ...EMPTY_QUERY, ...filters, unknown_names, except, notes: notes.slice(0, 10) };
  if (language) return { query: { ...base, intent: 'unreadable', unknown_names: [], language }, masked };
  // "Joke" and "bankrupt" are words that nothing knows, hence names as far as reading goes.
  const worded = masked.replace(/@(u\d+)/g, (mark, name: string) => {
    const meaning = spans.get(name)?.meaning;
    return meaning?.type === 'unknown' ? meaning.name : mark;
  });
  if (isOutside(masked) || isOutside(worded)) return { query: { ...base, intent: 'outside' }, masked };

  // Foreign brands that enter do what their theme says, with stores or without.
  const entered = kindWords(masked).filter(({ kind }) => kind === 'stores');
  const isEntry =
    base.themes.some(({ slug }) => slug === 'global-brands-in-india') &&
    entered.every(({ start, end }) => /^(?:enter|entry|foray|debut)/.test(masked.slice(start, end)));
  const said = SAYS.test(masked) && base.brands.length > 0 ? seatIn(masked) : null;
  const named = kindsIn(masked).filter((kind) => !(kind === 'stores' && isEntry) && !(kind === 'people' && said));
  const condition = conditionIn(masked, named);
  // The growth of a company in a quarter is a figure of its results.
  const ofGrowth = named.length === 0 && base.brands.length > 0 && periods[0]?.fiscal && FARES_BETTER.test(masked);
  const ofResults = ofGrowth || (condition !== null && condition.metric !== 'amount' && condition.metric !== 'stores');
  const premise = premiseIn(masked, spans);
  const kinds: readonly Move[] = named.length > 0 ? named : ofResults ? ['results'] : premise ? [premise.kind] : named;
  // A target is no result: the words of the reports answer it.
  const isTarget = TARGETS.test(masked) && kinds.length === 1 && !condition;
  const metric =
    (kinds.includes('results') || condition) && !isTarget ? (metricIn(masked) ?? (ofGrowth ? 'any' : null)) : null;
  // A figure of results says what is wanted: its other words, such as "sales rose after new stores", do not.
  const wantsPeople = kinds.includes('people') && (seatIn(masked) !== null || /\bwho\b/.test(masked));
  const limit = limitIn(masked);
  const sides = {
    brands: base.brands.length,
    places: base.places.length,
    periods: periods.length,
    categories: new Set(names.filter((name) => name.startsWith('k'))).size,
  };
  const wantsSources = SOURCES.test(masked) && !/\b(?:differ|disagree|conflict)/.test(masked);
  const measure = wantsSources ? null : measured(masked, kinds, sides);
  // Companies side by side in a quarter are compared by its results.
  const bySeason =
    measure?.intent === 'compare' &&
    measure.by === 'brand' &&
    named.length === 0 &&
    (periods[0]?.fiscal || FARES_BETTER.test(masked));
  const { person, taken } = kinds.includes('people') ? personIn(masked, spans) : { person: null, taken: null };
  const intent = ((): TypedQuery['intent'] => {
    if (wantsSources) return 'sources';
    if (WHY.test(masked)) return 'why';
    if (WHEN.test(masked)) return 'when';
    if (measure) return measure.intent;
    const about = base.brands.length + base.unknown_names.length > 0;
    if (metric && about && (metric !== 'any' || kinds.every((kind) => kind === 'results'))) return 'result';
    if (person?.name && /^where\b/.test(masked)) return 'person';
    if (wantsPeople && /\bwho\b|\bnew (?:ceo|cfo|coo|cmo|cto|md|chief|head|boss)\b|\bname of\b/.test(masked))
      return 'person';
    if (HAPPENED.test(masked) && (kinds.length === 0 || about)) return 'happened';
    return kinds.length === 0 && about && !/\b(?:list|show|which|all)\b/.test(masked) ? 'happened' : 'list';
  })();
  const types = kinds.includes('deals') ? dealTypesIn(masked) : [];
  const role = kinds.includes('deals') && !premise ? dealRoleIn(masked) : null;
  const status = kinds.includes('deals') ? dealStatusIn(masked) : null;
  const storeStatus = kinds.includes('stores') ? storeStatusIn(masked) : null;
  const wantsStores =
    measure?.measure === 'stores' && (intent === 'count' || intent === 'rank' || intent === 'compare');
  // A brand that is named says more than its kind of shop: "how many cafes did Starbucks open".
  const narrowed = base.brands.length > 0 ? [] : base.categories;
  const freed = [...names, ...atMalls].filter(
    (name) =>
      (name.startsWith('u') && isFiscal(spans.get(name))) ||
      atMalls.includes(name) ||
      (base.brands.length > 0 && name.startsWith('k')) ||
      (name.startsWith('p') && isLocality(spans.get(name), timed)),
  );
  return {
    query: written({
      ...base,
      intent,
      categories: intent === 'compare' && measure?.by === 'category' ? base.categories : narrowed,
      unknown_names: filtersOf(
        names.filter((name) => name !== taken),
        spans,
      ).unknown_names.filter((name) => !NATION.test(name)),
      kinds: bySeason ? ['results'] : [...kinds],
      period: periodOf(kinds.includes('results') ? ended(periods[0], now) : periods[0]),
      against: intent === 'compare' ? periodOf(periods[1]) : null,
      store_status: wantsStores && (storeStatus ?? 'openings') === 'openings' ? 'opened' : storeStatus,
      deal: types.length > 0 || role || status ? { types, role, status } : null,
      person: person && (wantsPeople || person.role || person.name || person.direction) ? person : null,
      metric: bySeason ? 'any' : metric,
      condition,
      measure: bySeason ? 'metric' : (measure?.measure ?? null),
      by: measure?.by ?? null,
      order: measure && measure.order !== 'relevance' ? measure.order : orderIn(masked),
      limit,
      minimum_outlets,
      words: [
        ...wordsLeft(masked, timed, freed, spans).filter(
          (word) => ((!condition && limit === null) || !/^\d/.test(word)) && !(condition && isComparative(word)),
        ),
        ...(said ? [said.toLowerCase()] : []),
        // Where nothing else says what is asked, the direction of a figure is looked for.
        ...(kinds.length === 0 && !measure && base.brands.length === 0 ? directionsIn(masked) : []),
        ...roundsIn(masked),
        ...nations,
        ...(filters.categories.length > 0 ? narrowerWords(names, timed, spans) : []),
        // Money that goes into places is no deal: an amount is of what is invested.
        ...(condition?.metric === 'amount' && /\bcapex\b/.test(masked) ? ['capex'] : []),
      ],
      premise,
    }),
    masked,
  };
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

/** "Their first store" is asked for by its number; "the first week" is a time. */
const FIRST = /\bfirst (?:\w+ ){0,2}(?:stores?|outlets?|showrooms?|cafes?|restaurants?|shops?|boutiques?|in @p\d+)\b/;

/** Money that a company puts into plants and places of its own, which is no deal. */
const CAPEX =
  /\binvest\w*(?: \S+){0,5}? (?:in @p\d+|plants?|factor(?:y|ies)|units?|facilit(?:y|ies)|capacity|manufacturing|@t\d+)\b|\b(?:plants?|factor(?:y|ies)|facilit(?:y|ies)|capacity|@t\d+)\b(?: \S+){0,8} invest\w*/;
const MONEY_RAISED = /\b(?:rais\w+|fund\w*|rounds?|series|investors?|back(?:s|ed|ers)|startups?)\b/;

/** Words that mean a part of a category, which is read from them: "pizza chains" are restaurants, and not all of them. */
const NARROWER =
  /^(?:pizza|burger|sneakers?|mattress(?:es)?|whisky|whiskey|wine|beer|gin|vodka|rum|dairy|snacks?|smartphones?|toys)$/;

/** The words of the categories of a question that mean a part of them only. */
const narrowerWords = (names: readonly string[], text: string, spans: ReadonlyMap<string, Span>): string[] => {
  const { tokens } = tokenise(text);
  return names
    .filter((name) => name.startsWith('k'))
    .flatMap((name) => {
      const span = spans.get(name);
      return span ? tokens.slice(span.first, span.last + 1).map(({ fold: word }) => word) : [];
    })
    .filter((word) => NARROWER.test(word));
};

/** The words that nothing has understood, each once. */
function wordsLeft(masked: string, text: string, freed: readonly string[], spans: ReadonlyMap<string, Span>): string[] {
  const all = tokenise(text).tokens;
  const named = freed.flatMap((name) => {
    const span = spans.get(name);
    return span ? all.slice(span.first, span.last + 1) : [];
  });
  const kinds = kindWords(masked);
  // The price of a deal is its amount, and no word of a report.
  const isAmount = (word: string, start: number, end: number): boolean =>
    /^prices?$/.test(word) && kinds.some((kind) => kind.kind === 'deals' && kind.start <= start && end <= kind.end);
  const left = tokenise(masked).tokens.filter(
    ({ fold: word, start, end, text: written }) =>
      !isAmount(word, start, end) &&
      (!isUnderstood(word) || isSpecific(word) || (word === 'first' && FIRST.test(masked))) &&
      !STOP.has(word) &&
      masked[start - 1] !== '@' &&
      written.length > 1 &&
      !(kinds.some((kind) => kind.start < end && start < kind.end) && !isSpecific(word)),
  );
  return [
    ...new Set(
      [...named, ...left]
        .map(({ fold: word }) => word)
        .filter((word) => word.length <= 80 && !STOP.has(word) && !/^(?:stores?|cafes?|restaurants?)$/.test(word)),
    ),
  ].slice(0, 100);
}

/**
 * Reads a question as a typed query. Pure; its time is bounded, since a question is cut to 500 characters.
 * @param known names of the record that may be in it, in addition to those of the catalogue
 */
export const readQuestion = (
  text: string,
  catalogue: PreparedCatalogue,
  now: Date,
  known: readonly KnownName[] = [],
): TypedQuery => readWhole(text, catalogue, now, known).query;
