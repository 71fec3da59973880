/**
 * Answers one question from the record: the question becomes a typed query, signals are found for it, and every
 * sentence of the answer can be checked against the signals that it cites. Without a model every sentence is stored
 * text, or counted from the signals that it cites. And what answering needs, put together from configuration.
 */
import { randomBytes } from 'node:crypto';
import { type PreparedCatalogue, prepareCatalogue } from '../facts/text/catalogue.ts';
import { isCommon } from '../language/words.ts';
import type { EventStore } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import { findByMeaning, nearnessOf, postgresSearch, type SignalSearch } from '../projector/models/search-queries.ts';
import type { AskQuery, Citation } from '../schemas/ask.ts';
import { StoredSignalId } from '../schemas/scalar.ts';
import type { MeaningOf } from '../schemas/story.ts';
import type { AskServices } from './ask.ts';
import { type Closest, closestReports, hasWords, rankReports, SHOWN } from './closest-reports.ts';
import { enforced, persons, prices, results } from './compose/fact-answers.ts';
import {
  closest,
  evidenceOfPremise,
  falsePremise,
  happened,
  list,
  MAX_ITEMS,
  refuse,
  sources,
  when,
  why,
} from './compose/list-answers.ts';
import { compare, comparePeriods, count, network, rank, rankSignals } from './compose/number-answers.ts';
import { statedBesides } from './compose/sentences.ts';
import {
  confidenceOf,
  type Draft,
  escapeMarkdown,
  joined,
  nothing,
  type Piece,
  pieces,
  quotation,
  sentencesOf,
  Verifier,
} from './draft.ts';
import { type Evidence, evidenceBy, hasWord, stemsOf } from './evidence.ts';
import { timeOf } from './evidence-fit.ts';
import { type Found, findEvidence, settled } from './find-evidence.ts';
import { MOST_GIVEN, type Writer, withModel } from './model-answer.ts';
import type { QuestionReader } from './question/model-reading.ts';
import { unreadableAnswer } from './question/query-languages.ts';
import { isSpecific } from './question/query-words.ts';
import { askQueryOf, isCounted, type TypedQuery } from './question/typed-query.ts';
import { type Asked, type EarlierTurn, type ReadingContext, readAsked } from './read-asked.ts';
import type { ResearchServices } from './research.ts';

/** The answer to a question that a record of moves cannot answer. */
const OUTSIDE =
  'That is not something the record can answer. It contains dated moves in Indian retail: store openings, deals, people, results, launches, strategy and rules.';

/** Attributes of a place or a person that no kind of move has. */
const ATTRIBUTES: ReadonlySet<string> = new Set(
  'rent rental rentals salary earn pay package address timings royalty headcount parking rating ratings deposit warranty'.split(
    ' ',
  ),
);

interface Composing {
  readonly catalogue: PreparedCatalogue;
  /** The signals that the answer before this one cited, for a question about its sources. */
  readonly cited: readonly Evidence[];
  /** What was found in the period that is compared with; null for a question without one. */
  readonly before: Found | null;
  /** All words of the question that a report can have: what is quoted has as many of them as it can. */
  readonly words?: string[];
  /** The closest reports, of which one may give a reason that what was found does not. */
  readonly closest?: readonly Evidence[];
}

/** Composes the answer to a query, without a model. */
export function compose(
  query: TypedQuery,
  found: Found,
  { catalogue, cited, before, words = query.words, closest: near = [] }: Composing,
): Draft {
  const { intent } = query;
  if (intent === 'unreadable') return nothing(unreadableAnswer(query.language));
  if (intent === 'outside') return nothing(OUTSIDE);
  if (intent === 'sources') return sources(query.among.length > 0 ? cited : found.evidence.slice(0, 8));
  const both = evidenceOfPremise(query, found, near, catalogue);
  if (query.premise && both?.length === 0) return falsePremise(query.premise, found);
  const retrieval = both ? { ...found, evidence: eachOnce([...both, ...found.evidence]) } : found;
  if (query.measure === 'network') return network(query, retrieval);
  // A figure of a company is reported with its growth on the year before: its periods are not counted.
  if (before && query.metric === null) return comparePeriods(query, retrieval, before);
  if (
    query.measure === 'metric' ||
    intent === 'result' ||
    (query.condition && query.condition.metric !== 'amount' && query.condition.metric !== 'stores' && intent === 'list')
  )
    return results(query, retrieval);
  if (intent === 'count' || intent === 'sum') return count(query, retrieval, catalogue);
  // "Rounds above ₹100 crore" are wanted by their size.
  if (intent === 'list' && query.condition?.metric === 'amount')
    return rankSignals(
      { ...query, measure: query.action ? 'fined' : 'raised', limit: query.limit ?? MAX_ITEMS },
      retrieval,
    );
  const isBySize =
    query.by === null ||
    (query.by !== 'investor' && query.kinds[0] === 'deals' && (query.measure ?? 'signals') === 'signals');
  const isBySizeOfDeal = intent === 'list' && query.kinds.join() === 'deals' && query.brands.length === 0;
  if (isBySizeOfDeal && (query.order === 'largest' || query.order === 'smallest'))
    return rankSignals(
      { ...query, measure: query.deal?.types.includes('acquisition') ? 'spent' : 'raised' },
      retrieval,
    );
  if (intent === 'rank') return isBySize ? rankSignals(query, retrieval) : rank(query, retrieval, catalogue);
  if (intent === 'compare') return compare(query, retrieval, catalogue);
  const lacks = (word: string, textOf: (one: Evidence) => ReadonlySet<string>): boolean =>
    !retrieval.evidence.some((one) => hasWord(textOf(one), word));
  // "What is the rent of the store?" asks for what the opening of the store does not tell.
  if (query.words.some((word) => ATTRIBUTES.has(word) && lacks(word, ({ stored }) => stemsOf(stored))))
    return refuse(query, { ...retrieval, near: retrieval.evidence.slice(0, 3) });
  if (intent === 'person' || (intent === 'list' && query.person !== null)) return persons(query, retrieval, catalogue);
  if (intent === 'why') return why(query, retrieval, words, near);
  if (intent === 'when') return when(query, retrieval);
  if (intent === 'happened') return happened(query, retrieval, words);
  const stated = enforced(query, retrieval) ?? prices(query, retrieval);
  if (stated) return stated;
  if (query.words.some((word) => isSpecific(word) && lacks(word, ({ stems }) => stems)))
    return refuse(query, { ...retrieval, near: retrieval.evidence.slice(0, 3) });
  return list(query, retrieval, words);
}

/** Signals of the answer before that a follow-up can be about. */
const MAX_CITED = 40;

/** The signals that the answer before cited, in the order of its citations. */
async function citedBefore(earlier: readonly EarlierTurn[], context: AnswerContext): Promise<Evidence[]> {
  const ids = (earlier.at(-1)?.cited ?? []).slice(0, MAX_CITED);
  if (ids.length === 0) return [];
  const retrieval = await context.search.search({ ids, limit: MAX_CITED });
  return retrieval
    .map(evidenceBy(context.catalogue))
    .sort((one, other) => ids.indexOf(one.signal.id) - ids.indexOf(other.signal.id));
}

export interface Answer {
  /** Markdown; `[sig_…]` marks a cited signal. */
  readonly content: string;
  /** The content piece by piece, as it is streamed. */
  readonly pieces: readonly Piece[];
  /** In order of first citation. */
  readonly citations: readonly Citation[];
  /** 0 to 1; 0 where nothing was found. */
  readonly confidence: number;
  readonly basis: Draft['basis'];
  /** How the question was read; null where nothing in it can be shown. */
  readonly query: AskQuery | null;
  /** What a model cost for it, in US dollars. */
  readonly cost_usd: number;
  /** The topic of a briefing that could add to the answer; null where the answer is complete. */
  readonly research_topic: string | null;
  /** Ids of the signals that were considered, the most relevant first. */
  readonly found: readonly string[];
}

/** With more signals than this about a question, an answer shows only some of them. */
const MANY = 25;

function topicOf(text: string, query: TypedQuery, count: number): string | null {
  const { intent, brands, themes, categories } = query;
  if (!['list', 'happened'].includes(intent)) return null;
  return brands.length + themes.length + categories.length > 0 && count > MANY ? text : null;
}

const NOTHING_FOUND: Found = {
  evidence: [],
  near: [],
  givenUp: [],
  unmet: [],
  coverage: 0,
  byMeaning: false,
  began: null,
  isCut: false,
};

/** A query that was searched, and the answer to it without a model. */
interface Searched {
  /** As it was searched. */
  readonly query: TypedQuery;
  readonly found: Found;
  /** What was found in the period that is compared with; null for a query without one. */
  readonly before: Found | null;
  readonly own: Draft;
}

const isRefused = ({ intent }: TypedQuery): boolean => intent === 'outside' || intent === 'unreadable';

async function search(
  read: TypedQuery,
  { text, earlier, query: given }: Asked,
  cited: readonly Evidence[],
  context: AnswerContext,
): Promise<Searched> {
  const query = settled(read);
  // What a follow-up says is not all in its text.
  const isWhole = earlier.length === 0 && given === undefined;
  const isMeant = isWhole && query.words.length > 0 && ['list', 'happened', 'why', 'when'].includes(query.intent);
  const { meaningOf } = context;
  let encoding: ReturnType<MeaningOf> | undefined;
  const meaning = isWhole && meaningOf ? () => (encoding ??= meaningOf(text)) : null;
  const sources = { ...context, meaning: isMeant ? meaning : null };
  const finding = isRefused(query) ? Promise.resolve(NOTHING_FOUND) : findEvidence(query, sources);
  const all = finding.then(({ evidence, near }) => [...evidence, ...near]);
  // The reason may be in a report with few of the words.
  const most = query.intent === 'why' ? MOST_GIVEN : SHOWN;
  const [retrieval, before, near] = await Promise.all([
    finding,
    query.against ? findEvidence({ ...query, period: query.against, against: null }, sources) : null,
    isRefused(query) ? null : closestReports(text, query, all, context, most),
  ]);
  const ranked = isOfShown(query)
    ? { ...retrieval, evidence: asShown(query, retrieval.evidence.length > 0 ? retrieval.evidence : cited) }
    : near && isRanked(query)
      ? { ...retrieval, evidence: rankedBy(near, retrieval.evidence) }
      : retrieval;
  const reports = near?.reports.map(({ evidence }) => evidence) ?? [];
  const { catalogue } = context;
  const composed = compose(query, ranked, { catalogue, cited, before, words: near?.words ?? [], closest: reports });
  const own = withStated(text, composed, ranked.evidence);
  const isDoubted = near !== null && isUnsure(query, own, near, retrieval);
  if (near && (isDoubted || own.basis === 'none')) {
    const meant = meaning ? await nearestReports(query, near, await meaning(), context) : null;
    const shown = meant ?? (isDoubted ? near : null);
    if (shown)
      return {
        query,
        found: { ...retrieval, evidence: shown.reports.map((one) => one.evidence) },
        before,
        own: closest(shown),
      };
  }
  // What else the answer may quote.
  const isWider = query.intent === 'why' || query.premise !== null;
  const considered = isWider ? { ...ranked, near: eachOnce([...ranked.near, ...reports]) } : ranked;
  return { query, found: considered, before, own: near ? doubted(query, own, near) : own };
}

/** From this cosine on, what a report says is near enough to a question to be shown in place of a refusal. */
const SAYS_SO = 0.74;
/** Signals this much further than the nearest are shown with it. */
const AS_NEAR = 0.06;

/** The reports that say most nearly what a question says, before those with most of its words; null where none is near. */
async function nearestReports(
  query: TypedQuery,
  near: Closest,
  meaning: Awaited<ReturnType<MeaningOf>>,
  { database, search: signals, catalogue }: AnswerContext,
): Promise<Closest | null> {
  if (!meaning || query.premise !== null || near.words.some((word) => ATTRIBUTES.has(word))) return null;
  const ids = await findByMeaning(database, meaning, { ...timeOf(query), limit: SHOWN });
  const cosines = await nearnessOf(database, meaning, ids);
  const most = Math.max(0, ...cosines.values());
  if (most < SAYS_SO) return null;
  const close = ids.filter((id) => (cosines.get(id) ?? 0) >= most - AS_NEAR);
  const all = (await signals.search({ ids: close, limit: SHOWN })).map(evidenceBy(catalogue));
  const nearest = close.flatMap((id) => {
    const evidence = all.find(({ signal }) => signal.id === id);
    const report = evidence && rankReports(near.words, [evidence]).reports[0]?.report;
    return evidence ? [{ evidence, report: report ?? evidence.reports[0] }] : [];
  });
  const reports = nearest.flatMap(({ evidence, report }) => (report ? [{ evidence, report }] : []));
  const others = near.reports.filter(({ evidence }) => !close.includes(evidence.signal.id));
  return { ...near, reports: [...reports, ...others].slice(0, SHOWN) };
}

/** Answers about one signal, of which further lines may state what else is asked. */
const OF_ONE: readonly Draft['basis'][] = ['fact', 'named', 'worded', 'partly', 'loosely', 'meant'];

/** Adds what else the reports of the first signal state of what is asked. */
function withStated(question: string, draft: Draft, evidence: readonly Evidence[]): Draft {
  const [id, ...others] = [...new Set(draft.lead.flatMap(({ ids }) => ids))];
  const one = evidence.find(({ signal }) => signal.id === id);
  if (!one || others.length > 0 || !OF_ONE.includes(draft.basis)) return draft;
  const said = draft.lead.map(({ markdown }) => markdown).join(' ');
  return { ...draft, lead: [...draft.lead, ...statedBesides(question, said, one)] };
}

/**
 * A list that the words of the question hardly meet, and a reason or a time of nothing that was understood, are less likely to be
 * what was meant.
 */
function doubted(query: TypedQuery, own: Draft, { coverage }: Closest): Draft {
  if (!['named', 'worded', 'partly'].includes(own.basis) || query.among.length > 0) return own;
  const isBare = query.words.length + query.kinds.length === 0 && (query.intent === 'why' || query.intent === 'when');
  const isFar = query.words.length > 0 && coverage < CLOSE;
  return isBare || isFar ? { ...own, basis: 'loosely' } : own;
}

/** Whether an answer lists what fits, the closest to the words of the question first. */
const isRanked = ({ intent, order, among }: TypedQuery): boolean =>
  order === 'relevance' && among.length === 0 && ['list', 'happened', 'why', 'when'].includes(intent);

/** Whether a question is why or when of what the answer before showed: of the first of it that fits, else of the first. */
const isOfShown = ({ intent, among }: TypedQuery): boolean =>
  (intent === 'why' || intent === 'when') && among.length > 0;

/** Evidence in the order in which the answer before showed it. */
function asShown({ among }: TypedQuery, evidence: readonly Evidence[]): Evidence[] {
  const ids: readonly string[] = among;
  return evidence.toSorted((one, other) => ids.indexOf(one.signal.id) - ids.indexOf(other.signal.id));
}

/** Weight of the words of a question, all of them, besides the place by what was understood. */
const WORDED = 2;

/** Evidence in the order of how close its reports are to all words of the question, and how well it fits what was understood. */
function rankedBy({ scores }: Closest, evidence: readonly Evidence[]): Evidence[] {
  const worth = new Map(
    evidence.map((one, place) => [one, WORDED * (scores.get(one.signal.id) ?? 0) + 1 - place / evidence.length]),
  );
  return evidence.toSorted((one, other) => (worth.get(other) ?? 0) - (worth.get(one) ?? 0));
}

/** What is added up from rows. */
const ADDED_UP: ReadonlySet<TypedQuery['measure']> = new Set(['stores', 'raised', 'spent', 'people', 'fined']);

/** Closest reports have at least so much of the words of a question, by rarity; else it is about something else. */
const CLOSE = 0.45;

/**
 * Whether an answer is none that the record states: a number of something else, reports that have few of the words, or none
 * while the reports have most of them.
 */
function isUnsure(query: TypedQuery, { basis }: Draft, near: Closest, retrieval: Found): boolean {
  if (query.intent === 'sources' || query.premise !== null || query.among.length > 0) return false;
  // A name that is not on record is no word: what is close to the others is about something else.
  if (query.unknown_names.length > 0) return false;
  const isWhole = query.words.length === 0;
  // Understood in full and not found: only a report with every word that says something shows that it was not.
  if (basis === 'none' && isWhole)
    return near.words.length > 1 && near.reports.some(({ report }) => hasWords(report, near.words));
  if (basis === 'none') return near.coverage >= CLOSE && !near.words.some((word) => ATTRIBUTES.has(word));
  if (isWhole) return false;
  // A number of what has all of the words is of what was asked, whatever ordinary words nothing on record has.
  if (isCounted(query) && (basis === 'counted' || (basis === 'loosely' && ADDED_UP.has(query.measure))))
    return !query.words.every(
      (word) =>
        (near.absent.includes(word) && isCommon(word)) || retrieval.evidence.every(({ stems }) => hasWord(stems, word)),
    );
  const { brands, mentions, places, categories, themes, period } = query;
  const isNamed = [brands, mentions, places, categories, themes].some(({ length }) => length > 0) || period !== null;
  return basis === 'loosely' && !isNamed && near.coverage >= CLOSE;
}

/** Evidence of each signal once: every search reads it anew. */
const eachOnce = (evidence: readonly Evidence[]): Evidence[] =>
  [...new Map(evidence.toReversed().map((one) => [one.signal.id, one])).values()].toReversed();

/** What was found for the parts of a question, and their answers, as one. */
const together = (main: Searched, others: readonly Searched[]): Searched => ({
  ...main,
  found: { ...main.found, evidence: eachOnce([main, ...others].flatMap(({ found: retrieval }) => retrieval.evidence)) },
  own: joined(
    main.own,
    others.map(({ own }) => own),
  ),
});

/** What an answer shows. */
const shownBy = ({ own, found }: Searched): Evidence[] => {
  const ids = new Set(own.basis === 'none' ? [] : sentencesOf(own).flatMap((sentence) => sentence.ids));
  return found.evidence.filter(({ signal }) => ids.has(signal.id)).slice(0, MAX_CITED);
};

const idsIn = (evidence: readonly Evidence[]): TypedQuery['among'] =>
  evidence.map(({ signal }) => StoredSignalId.parse(signal.id));

/** Whether the second part of a question asks the reason or the time of what the first part found: "recalls, and why". */
const isAboutShown = ({ intent, words, kinds, places }: TypedQuery, first: TypedQuery): boolean =>
  (intent === 'why' || intent === 'when') &&
  words.length === 0 &&
  kinds.join() === first.kinds.join() &&
  places.length === first.places.length;

/**
 * Searches the reading of a question, then the one by rules, then the one that the model rewrites, until one finds something.
 * @returns the first search that found something; where none did, that of the first reading
 */
async function searchAsked(
  question: Asked,
  cited: readonly Evidence[],
  context: AnswerContext,
): Promise<Searched & { readonly isGuess: boolean; readonly cost_usd: number }> {
  const { query, text, parts, isGuess, otherwise, cost_usd, rewrite } = await readAsked(question, cited, context);
  const searching = search(query, { ...question, text }, cited, context);
  const others = parts.map(async (part) => {
    const shown = isAboutShown(part.query, query) ? shownBy(await searching) : [];
    return shown.length > 0
      ? search({ ...part.query, among: idsIn(shown) }, { ...question, text: part.text }, shown, context)
      : search(part.query, { ...question, text: part.text }, cited, context);
  });
  const all = await Promise.all([searching, ...others]);
  const [first] = all;
  const retrieval = all.filter(({ own }) => own.basis !== 'none');
  // Next to an answer, the closest reports to another part answer nothing.
  const understood = retrieval.filter(({ own }) => own.basis !== 'closest');
  const answered = understood.length > 0 ? understood : retrieval;
  if (answered[0]) {
    const main = together(answered[0], answered.slice(1));
    const said = stemsOf(main.own.lead.map(({ markdown }) => markdown).join(' '));
    // What the lead quotes answers a part in its own words.
    const missing = parts.filter(
      ({ query: part }, index) =>
        !answered.includes(all[index + 1] as Searched) && !part.words.some((word) => hasWord(said, word)),
    );
    const notes = missing.map((part) => `No answer found to ${quotation(part.text)}.`);
    return { ...main, own: { ...main.own, notes: [...main.own.notes, ...notes] }, isGuess, cost_usd };
  }
  const second = otherwise && (await search(otherwise, question, cited, context));
  if (second && second.own.basis !== 'none') return { ...second, isGuess: false, cost_usd };
  const other = await rewrite(first.query);
  const cost = cost_usd + (other?.cost_usd ?? 0);
  const third = other?.query ? await search(other.query, question, cited, context) : null;
  if (third && third.own.basis !== 'none') return { ...third, isGuess: true, cost_usd: cost };
  return { ...first, isGuess: false, cost_usd: cost };
}

/** Wants what was shown as a file: "export this to excel". */
const AS_FILE =
  /^(?:\w+ ){0,4}(?:export|download|save|send|give|put|get|share)\b.*\b(?:excel|csv|xlsx?|spread ?sheet|(?<!balance )sheet)\b/i;

/** The address of a file with the signals that the answer before cited. */
function fileOf(cited: readonly Evidence[], baseUrl: string): Answer {
  const ids = cited.map(({ signal }) => signal.id);
  const content = `The signals of the answer before as a file: [CSV, opens in Excel](${baseUrl}/ask/export.csv?ids=${ids.join(',')}).`;
  return {
    content,
    pieces: [{ text: content, ids: [] }],
    citations: new Verifier(cited).citations([{ markdown: content, ids, quotes: [] }]),
    confidence: confidenceOf({ basis: 'fact' }),
    basis: 'fact',
    query: null,
    cost_usd: 0,
    research_topic: null,
    found: ids,
  };
}

/** What a model may write about: what was found, then what is closest to the words of the question; nothing for what is refused. */
async function composable(
  { query, found: retrieval, own }: Searched,
  { text }: Asked,
  context: AnswerContext,
): Promise<readonly Evidence[]> {
  if (!context.writer || isRefused(query) || query.intent === 'sources') return [];
  if (own.basis === 'none' && query.premise !== null) return [];
  const { reports } = await closestReports(text, query, retrieval.evidence, context, MOST_GIVEN);
  return eachOnce([...retrieval.evidence, ...reports.map(({ evidence }) => evidence), ...retrieval.near]);
}

/** A search that is made once for each filter: what answers a question and the closest reports are found by the same words. */
function eachFilterOnce(search: SignalSearch): SignalSearch {
  const made = new Map<string, ReturnType<SignalSearch['search']>>();
  return {
    ...search,
    search(filter) {
      const key = JSON.stringify(filter);
      const result = made.get(key) ?? search.search(filter);
      made.set(key, result);
      return result;
    },
  };
}

/** Answers a question. Reads the record and changes nothing. */
export async function answerQuestion(services: AnswerContext, question: Asked): Promise<Answer> {
  const context: AnswerContext = { ...services, search: eachFilterOnce(services.search) };
  const cited = await citedBefore(question.earlier, context);
  if (cited.length > 0 && question.query === undefined && AS_FILE.test(question.text))
    return fileOf(cited, context.baseUrl);
  const searched = await searchAsked(question, cited, context);
  const { query, found: retrieval, before, own, isGuess, cost_usd } = searched;
  const given = await composable(searched, question, context);
  const all = eachOnce([...retrieval.evidence, ...retrieval.near, ...(before?.evidence ?? []), ...cited, ...given]);
  const verifier = new Verifier(all);
  const written = await withModel(
    context.writer,
    question.text,
    own,
    given,
    query.intent === 'list' && query.words.length === 0 && own.basis === 'named',
  );
  const checked = verifier.check(written.draft) ?? verifier.check(own);
  const worded = withNotes(checked ?? nothing('What was found could not be verified, so it is not shown.'), query);
  // What a guess finds is as far from what was asked as what is found without a filter.
  const draft =
    isGuess && worded.basis !== 'none' && worded.basis !== 'composed'
      ? { ...worded, basis: 'nearest' as const }
      : worded;
  const parts = pieces(draft);
  return {
    content: parts.map(({ text }) => text).join(''),
    pieces: parts,
    citations: verifier.citations(sentencesOf(draft)),
    confidence: confidenceOf(draft),
    basis: draft.basis,
    query: isRefused(query) ? null : askQueryOf(query),
    cost_usd: cost_usd + written.cost_usd,
    research_topic: draft.basis === 'none' ? null : topicOf(question.text, query, retrieval.evidence.length),
    found: eachOnce([...retrieval.evidence, ...retrieval.near, ...(before?.evidence ?? []), ...given]).map(
      ({ signal }) => signal.id,
    ),
  };
}

const withNotes = (draft: Draft, { notes }: TypedQuery): Draft =>
  notes.length > 0 ? { ...draft, notes: [...draft.notes, ...notes.map(escapeMarkdown)] } : draft;

export interface AnswerContext extends ReadingContext {
  readonly search: SignalSearch;
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
  /** A model that words answers; null to compose answers without one. */
  readonly writer: Writer | null;
  /** What a question says, for signals in other words; null or unset to find by names and words alone. */
  readonly meaningOf?: MeaningOf | null | undefined;
}

export interface AnswerOptions {
  readonly database: Database;
  /** That of `database` when unset. */
  readonly search?: SignalSearch | undefined;
  readonly store: Pick<EventStore, 'append' | 'read'>;
  /** A function is called for each question. Default: an empty catalogue; names are known from the record only. */
  readonly catalogue?: PreparedCatalogue | (() => PreparedCatalogue);
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
  readonly now?: () => Date;
  /** A model that reads questions and words answers; null or unset for none. */
  readonly model?: (QuestionReader & Writer) | null;
  /** Default: none, so that questions are answered by names and words alone. */
  readonly meaningOf?: MeaningOf | null;
}

const EMPTY = {
  brands: [],
  themes: [],
  groups: [],
  cities: [],
  malls: [],
  outlets: [],
  investors: [],
  other_years: [],
  indian_years: [],
  version: 'empty',
};

/** What `ask` and `research` need. */
export function answerServices(options: AnswerOptions): AskServices & ResearchServices {
  const { catalogue = prepareCatalogue(EMPTY) } = options;
  return {
    database: options.database,
    search: options.search ?? postgresSearch(options.database),
    store: options.store,
    get catalogue() {
      return typeof catalogue === 'function' ? catalogue() : catalogue;
    },
    baseUrl: options.baseUrl,
    now: options.now ?? (() => new Date()),
    reader: options.model ?? null,
    writer: options.model ?? null,
    meaningOf: options.meaningOf ?? null,
    newId: () => `inv_${randomBytes(8).toString('hex')}`,
  };
}
