/** A question in the light of the one before it: operations on its typed query. */

import type { PreparedCatalogue } from '../../facts/text/catalogue.ts';
import { dayInWords, istDay, plusDays, startOfDay } from '../../language/days.ts';
import type { SignalId } from '../../schemas/scalar.ts';
import { normalise } from './marked-question.ts';
import { companyOfTrade } from './query-names.ts';
import { storeStatusIn } from './query-words.ts';
import { type Reading, type ReadingTools, readQuestion } from './read-query.ts';
import { LISTS, type NamedRef, type TypedQuery, type Want, wantOf } from './typed-query.ts';

/** What the answer before was about: its main person, brands and signals. */
export interface Focus {
  readonly person: string | null;
  readonly brands: readonly NamedRef[];
  readonly signals: readonly SignalId[];
}

const NO_FOCUS: Focus = { person: null, brands: [], signals: [] };
const MAX_AMONG = 200;

const BEGINS =
  /^(?:and|also|so|compare(?:d)?(?: (?:it|that|this|them))? (?:with|to)|vs|versus|what about|how about|what of|ok|okay|then|now|only|just|but|same|except|excluding|without|not|or|instead|show me only|limit (?:it|that|this|them)? ?to|filter|narrow|drop|add|aur|sirf)\b/;
const COMPARES_WITH = /^(?:and )?(?:compare(?:d)?(?: (?:it|that|this|them))? (?:with|to)|vs|versus) /;
const ONLY = /^(?:(?:and|ok|now|but|show me|show) )?(?:only|just|limit|filter|narrow|sirf)\b|\bonly$/;
const REFERS =
  /\b(?:it|its|they|them|their|theirs|he|she|his|her|him|this|that|those|these|there|the same|same (?:for|in)|the (?:company|brand|deal|round|store|stores|above|(?:last|first|second|other|bigger|larger|smaller|latest|newer) one|former|latter))\b/;
const PERSON = /\b(?:he|she|his|her|him)\b/;
/** Who had a seat before: "what happened to the old one?" */
const FORMER =
  /\bthe (?:old|previous|former|outgoing|last|earlier) (?:one|ceo|cfo|coo|cmo|cto|md|chief|boss|head|chair\w*|person)\b|\b(?:his|her|their) predecessor\b|\bwho (?:was|had it|held it|did the job) before\b/;
const THESE = /\b(?:of (?:these|those|them|that)|these|those|the above|among them)\b/;
const SHIFTS =
  /\b(?:the )?(week|month|quarter|year|fortnight|day) before(?: that| this)?\b|\bthe (?:one|period) before\b|\b(?:the )?(?:previous|prior) (week|month|quarter|year)\b/;
/** A short question without a subject of its own is about the one before. */
const ASKS =
  /^(?:(?:at|by|for|from|in|on|to|with) )?(?:who|whom|whose|what|when|where|which|is|was|did|does|has|how much|how many|any)\b/;
const SHORT = 6;

/** A period as long as the one before, right before it. */
function shifted(period: NonNullable<TypedQuery['period']>, unit: string | undefined): TypedQuery['period'] {
  const [since, until] = [istDay(new Date(period.since)), istDay(new Date(Date.parse(period.until) - 1))];
  const own = Math.round((Date.parse(until) - Date.parse(since)) / 86_400_000) + 1;
  const days = { day: 1, week: 7, fortnight: 14 }[unit ?? ''] ?? own;
  const isMonth = (unit === 'month' || unit === undefined) && since.endsWith('-01');
  const months = unit === 'year' ? 12 : unit === 'quarter' ? 3 : isMonth ? 1 : 0;
  const back = (day: string): string => {
    const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
    return new Date(Date.UTC(year, month - 1 - months, date)).toISOString().slice(0, 10);
  };
  const from = months > 0 ? back(since) : plusDays(since, -days);
  const to = months === 1 ? since : months > 0 ? back(plusDays(until, 1)) : since;
  const label = `between ${dayInWords(from)} and ${dayInWords(plusDays(to, -1))}`;
  return { since: startOfDay(from).toISOString(), until: startOfDay(to).toISOString(), label, fiscal: null };
}

const hasSubject = (query: TypedQuery): boolean =>
  query.brands.length +
    query.categories.length +
    query.themes.length +
    query.mentions.length +
    query.unknown_names.length >
  0;

/** Whether a query says what is wanted, not only of whom, where and when. */
const hasWant = ({ kinds, metric, measure, intent, person, condition }: TypedQuery): boolean =>
  kinds.length > 0 ||
  metric !== null ||
  measure !== null ||
  person !== null ||
  condition !== null ||
  intent === 'why' ||
  intent === 'when' ||
  intent === 'compare' ||
  intent === 'sources';

/**
 * Reads a question that may continue the one before. A question that names its own subject and want starts a new query; any other
 * takes what it leaves out from the query before, and nothing else is carried over.
 * @param before the query of the turn before; null for a first question
 * @param focus what the answer before was about, for "they", "he", "these"
 */
export async function readTurn(
  text: string,
  tools: ReadingTools,
  { before, focus = NO_FOCUS }: { readonly before: TypedQuery | null; readonly focus?: Focus },
): Promise<TypedQuery> {
  const reading = inContext(await readQuestion(text, tools, before !== null), before, tools.catalogue);
  const plain = normalise(text);
  return before && continues(reading, plain) ? continued({ ...reading, before, text: plain, focus }) : reading.query;
}

/** A follow-up that names a trade and asks for nothing else. */
const PART = /^(?:and |but |what about )?(?:in|for|within) (?:the )?@[kt]\d+(?: \w+)?$/;

/** A follow-up that names a place and asks for nothing else. */
const PLACE_ALONE = /^(?:and |or |ok |also |then |what about |how about |what of )*@p\d+(?: s)?$/;

/**
 * After a question about a company, the first word of another name of its trade is that company: "Titan in Q1", "what about
 * Kalyan" is Kalyan Jewellers.
 */
function inContext(reading: Reading, before: TypedQuery | null, catalogue: PreparedCatalogue): Reading {
  const { query } = reading;
  // "What about Kalyan" after what a company did, and not after where: the city is the company.
  const isPlace =
    PLACE_ALONE.test(reading.masked) &&
    before !== null &&
    before.places.length === 0 &&
    !before.kinds.includes('stores');
  const names = [...query.unknown_names, ...(isPlace ? query.places.map((place) => place.name) : [])];
  const [name] = names;
  if (name === undefined || names.length > 1 || query.brands.length > 0) return reading;
  const brand = companyOfTrade(name, before?.brands ?? [], catalogue);
  if (!brand) return reading;
  return { ...reading, query: { ...query, unknown_names: [], places: isPlace ? [] : query.places, brands: [brand] } };
}

/** The stores that a follow-up narrows to: "not the planned ones", "only the closed ones". */
const statusAsked = (masked: string): TypedQuery['store_status'] =>
  /\b(?:not|no|without|except|excluding|minus) (?:the )?(?:planned|announced|upcoming)\b/.test(masked)
    ? 'opened'
    : /\b(?:planned|announced|upcoming|closed|opened) ones\b/.test(masked)
      ? storeStatusIn(masked)
      : null;

const isSize = ({ condition }: TypedQuery): boolean => condition?.metric === 'amount' || condition?.metric === 'stores';

function continues({ query, masked }: Reading, text: string): boolean {
  if (query.outside > 0 || query.intent === 'outside' || query.intent === 'unreadable') return false;
  if (BEGINS.test(text) || SHIFTS.test(text))
    return !(
      hasSubject(query) &&
      hasWant(query) &&
      /^(?:and|ok|okay|now|then|also)\b/.test(text) &&
      text.split(' ').length > SHORT
    );
  const subject = hasSubject(query);
  // "This" of "this week" is a time, and no reference.
  if (!subject && (REFERS.test(masked) || FORMER.test(masked))) return true;
  if (subject && PERSON.test(masked)) return true;
  if (query.intent === 'sources' || query.intent === 'why' || query.intent === 'when') return !subject;
  const words = masked.split(' ').length;
  // "Above ₹100 crore" is of what was listed.
  if (isSize(query) && !subject && query.places.length === 0 && words <= SHORT) return true;
  if (query.intent === 'happened' && words > 1 && !/^@\w+$/.test(masked)) return false;
  if (!hasWant(query)) return words <= SHORT;
  if (subject || query.places.length > 0 || query.period !== null) return false;
  return (query.measure !== null && words <= 3) || (ASKS.test(text) && words <= SHORT + 1);
}

/** A follow-up and the query that it continues. */
interface Turn {
  readonly before: TypedQuery;
  readonly query: TypedQuery;
  readonly masked: string;
  readonly text: string;
  readonly focus: Focus;
}

/** What a follow-up is about: "only jewellery" narrows the subject, and anything else that is named takes its place. */
function aboutOf({ before, query, masked, text, focus }: Turn): Partial<TypedQuery> {
  // "In @k0?" after news of a company is a part of its business.
  const only = ONLY.test(text) || (before.brands.length > 0 && PART.test(masked));
  const subject = hasSubject(query);
  const about = subject && !only ? query : before;
  // A category narrows further than a theme such as brands that sell online.
  const isTheme = query.themes.length + query.categories.length > 0;
  const narrowed = {
    brands: only && query.brands.length > 0 ? query.brands : about.brands,
    unknown_names: only && query.unknown_names.length > 0 ? query.unknown_names : about.unknown_names,
    mentions: only && query.mentions.length > 0 ? query.mentions : about.mentions,
    categories: only && query.categories.length > 0 ? query.categories : about.categories,
    themes: only && isTheme ? query.themes : about.themes,
  };
  if (isTopic(before, query, text)) return { ...narrowed, brands: before.brands };
  const isPronoun = !subject && !THESE.test(masked) && narrowed.brands.length === 0 && REFERS.test(masked);
  return isPronoun && focus.brands.length > 0 ? { ...narrowed, brands: [...focus.brands] } : narrowed;
}

/** "Any food safety issue?" after news of a company asks of that company, and nothing else that was asked before. */
const isTopic = (before: TypedQuery, query: TypedQuery, text: string): boolean =>
  !ONLY.test(text) && query.themes.length > 0 && query.brands.length === 0 && before.brands.length > 0;

/** What a follow-up wants: what it says itself, else what was asked before. */
function wantedIn({ before, query, text }: Turn): Want {
  // "Only those above ₹100 crore" narrows what was asked.
  if (isSize(query) && query.kinds.every((kind) => before.kinds.includes(kind)) && query.intent === 'list')
    return { ...wantOf(before), condition: query.condition };
  // "Where is it available?" asks something else of the same company.
  const isOther = query.words.length > 0 && /^(?:and |but |so )?(?:where|how)\b/.test(text);
  if (hasWant(query) || isOther || isTopic(before, query, text)) return wantOf(query);
  const status = before.kinds.includes('stores') ? statusAsked(text) : null;
  // Whom the question before named is not carried over to another company, and "biggest" alone orders what was listed.
  const isRank =
    !hasSubject(query) && query.limit === null && ['largest', 'smallest', 'salience'].includes(query.order);
  const order = query.order === 'smallest' ? 'smallest' : 'largest';
  // What is asked after a reason, in words of its own, is no reason.
  const isNext = (before.intent === 'why' || before.intent === 'when') && ASKS.test(text);
  return {
    ...wantOf(before),
    ...(isNext ? { intent: query.intent } : {}),
    limit: query.limit ?? before.limit,
    words: query.words.length > 0 ? query.words : before.words,
    person: before.person && query.brands.length > 0 ? { ...before.person, name: null } : before.person,
    store_status: status ?? before.store_status,
    ...(isRank ? { intent: 'rank', order } : {}),
  };
}

/** "Who replaced him?": a person, or the seat that somebody had. */
function aboutPerson({ before, query, masked, focus }: Turn, merged: TypedQuery): TypedQuery {
  const meant = PERSON.test(masked) ? (focus.person ?? before.person?.name ?? null) : null;
  const person = { role: null, direction: null, asks: null, ...query.person, name: query.person?.name ?? meant };
  return {
    ...merged,
    // Who came after somebody came later than what was asked about.
    period: person.asks === 'successor' ? query.period : merged.period,
    kinds: ['people'],
    person: { ...person, role: person.role ?? (person.asks ? (before.person?.role ?? null) : null) },
  };
}

/** "Compare with @b0": the company of the question before, and this one, by what was asked. */
const besideBefore = ({ before, query }: Turn, merged: TypedQuery): TypedQuery => ({
  ...merged,
  ...wantOf(before),
  brands: [...before.brands, ...query.brands],
  intent: 'compare',
  measure: before.metric ? 'metric' : (before.measure ?? (before.kinds.length > 0 ? 'signals' : null)),
  by: 'brand',
  person: null,
});

/** "How many of these" counts what was listed. */
const countOf = ({ before }: Turn, merged: TypedQuery, among: TypedQuery['among']): TypedQuery => ({
  ...merged,
  ...wantOf(before),
  intent: 'count',
  measure: before.kinds.join() === 'stores' ? 'stores' : 'signals',
  by: null,
  order: 'relevance',
  limit: null,
  among,
});

function continued(turn: Turn): TypedQuery {
  const { before, query, masked, text, focus } = turn;
  const subject = hasSubject(query);
  const shift = SHIFTS.exec(text);
  const among = focus.signals.slice(0, MAX_AMONG).map((id) => id as TypedQuery['among'][number]);
  const merged: TypedQuery = {
    ...query,
    ...aboutOf(turn),
    places: query.places.length > 0 ? query.places : before.places,
    period: shift && before.period ? shifted(before.period, shift[1] ?? shift[2]) : (query.period ?? before.period),
    except: mergedExcept(before.except, query.except),
    minimum_outlets: query.minimum_outlets ?? before.minimum_outlets,
    ...wantedIn(turn),
    premise: null,
    among: [],
  };
  if (query.intent === 'sources') return { ...before, intent: 'sources', premise: null, notes: [], outside: 0, among };
  const kinds = query.kinds.length > 0 ? query.kinds : before.kinds;
  // "When did it open there?" after a deal asks of another move; "why" alone asks of what was answered.
  const isSameKind = query.kinds.length === 0 || query.kinds.some((kind) => before.kinds.includes(kind));
  if ((query.intent === 'why' || query.intent === 'when') && isSameKind) {
    const { deal, person, store_status } = before;
    return { ...merged, kinds, deal, person, store_status, among };
  }
  if (COMPARES_WITH.test(text) && query.brands.length > 0 && before.brands.length > 0 && query.kinds.length === 0)
    return besideBefore(turn, merged);
  if (before.person && !subject && FORMER.test(masked)) {
    // The seat of somebody who left before is known by those who left.
    const person = { role: before.person.role, direction: 'left', name: null, asks: null } as const;
    return { ...merged, ...wantOf(before), intent: 'person', kinds: ['people'], person, words: [] };
  }
  if (query.intent === 'person' || PERSON.test(masked)) return aboutPerson(turn, merged);
  // "Who sold?" after stake sales asks for their other side, whatever the verb says of the type of a deal.
  const isOfDeal = !subject && !isSize(query) && query.kinds.join() === 'deals' && before.kinds.includes('deals');
  const isOtherDeal = /\b(?:else|other|another|next|before|earlier|previous)\b/.test(text);
  if (isOfDeal && (query.intent === 'list' || query.intent === 'sum') && !isOtherDeal && focus.signals.length > 0)
    return { ...merged, kinds: ['deals'], deal: before.deal, among };
  const refers = THESE.test(masked);
  if (query.intent === 'count' && query.kinds.length === 0) return countOf(turn, merged, refers ? among : []);
  return refers ? { ...merged, kinds, among } : merged;
}

/** The values of each filter of two; kinds, categories and unknown names each once. */
const mergedExcept = (before: TypedQuery['except'], own: TypedQuery['except']): TypedQuery['except'] =>
  Object.fromEntries(
    LISTS.map((field) => [field, [...new Set<unknown>([...before[field], ...own[field]])]]),
  ) as unknown as TypedQuery['except'];
