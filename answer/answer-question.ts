/**
 * Answers one question from the record: the question becomes a typed query, signals are found for it, and every
 * sentence of the answer can be checked against the signals that it cites. Without a model every sentence is stored
 * text, or counted from the signals that it cites. And what answering needs, put together from configuration.
 */
import { randomBytes } from 'node:crypto';
import { type PreparedCatalogue, prepareCatalogue } from '../facts/text/catalogue.ts';
import { isOrdinary } from '../language/words.ts';
import type { EventStore } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import { postgresSearch, type SignalSearch } from '../projector/models/search-queries.ts';
import type { AskQuery, Citation } from '../schemas/ask.ts';
import { StoredSignalId } from '../schemas/scalar.ts';
import type { MeaningOf } from '../schemas/story.ts';
import type { AskServices } from './ask.ts';
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
import { type Found, findByFields, findEvidence, SURE } from './find-evidence.ts';
import { MOST_GIVEN, type Writer, withModel } from './model-answer.ts';
import type { QuestionReader } from './question/model-reading.ts';
import { unreadableAnswer } from './question/query-languages.ts';
import { isSpecific } from './question/query-words.ts';
import { askQueryOf, isCounted, type TypedQuery } from './question/typed-query.ts';
import { settled } from './question/words-left.ts';
import { type Asked, type EarlierTurn, type ReadingContext, readAsked } from './read-asked.ts';
import { comparedWords, towardsReports } from './relevance.ts';
import type { ResearchServices } from './research.ts';

/** The answer to a question that a record of moves cannot answer. */
const OUTSIDE =
  'That is not something the record can answer. It contains dated moves in Indian retail: store openings, deals, people, results, launches, strategy and rules.';

/** Attributes of a place or a person that no kind of move has. */
const ATTRIBUTES: ReadonlySet<string> = new Set(
  'rent rental rentals salary earn pay package address timings royalty headcount parking rating ratings deposit warranty weather phone carbon founded employees'.split(
    ' ',
  ),
);

const asksAttribute = (words: readonly string[]): boolean => words.some((word) => ATTRIBUTES.has(word));

interface Composing {
  readonly catalogue: PreparedCatalogue;
  /** The signals that the answer before this one cited, for a question about its sources. */
  readonly cited: readonly Evidence[];
  /** What was found in the period that is compared with; null for a question without one. */
  readonly before: Found | null;
  /** All words of the question that a report can have: what is quoted has as many of them as it can. */
  readonly words?: readonly string[];
}

/** Composes the answer to a query, without a model. */
export function compose(
  query: TypedQuery,
  found: Found,
  { catalogue, cited, before, words = query.words }: Composing,
): Draft {
  const { intent } = query;
  if (intent === 'unreadable') return nothing(unreadableAnswer(query.language));
  if (intent === 'outside') return nothing(OUTSIDE);
  if (intent === 'sources') return sources(query.among.length > 0 ? cited : found.evidence.slice(0, 8));
  const both = evidenceOfPremise(query, found, catalogue);
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
  if (intent === 'list' && query.condition?.metric === 'amount' && !found.isByChance)
    return rankSignals(
      { ...query, measure: query.action ? 'fined' : 'raised', limit: query.limit ?? MAX_ITEMS },
      retrieval,
    );
  const isBySize =
    query.by === null ||
    (query.by !== 'investor' && query.kinds[0] === 'deals' && (query.measure ?? 'signals') === 'signals');
  const isBySizeOfDeal =
    intent === 'list' && query.kinds.join() === 'deals' && query.brands.length === 0 && !found.isByChance;
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
  if (words.some((word) => ATTRIBUTES.has(word) && lacks(word, ({ stored }) => stemsOf(stored))))
    return refuse(query, { ...retrieval, near: retrieval.evidence.slice(0, 3) });
  if (intent === 'person' || (intent === 'list' && query.person !== null)) return persons(query, retrieval, catalogue);
  if (intent === 'why') return why(query, retrieval, words);
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
  began: null,
  isCut: false,
  ranked: [],
  chance: 0,
  isByChance: false,
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
  const { meaningOf, catalogue } = context;
  // What a follow-up says is not all in its text, and a query that its reader changed is another one.
  const isWhole = earlier.length === 0 && given === undefined;
  const encode = async (): ReturnType<MeaningOf> => {
    const own = meaningOf ? await meaningOf(text) : null;
    return own && towardsReports(own);
  };
  const meaning = isWhole && meaningOf ? encode : null;
  const words = comparedWords(given === undefined ? text : '', query);
  const sources = { ...context, meaning, words, isWide: context.writer !== null };
  const find = (one: TypedQuery): Promise<Found> =>
    isRefused(one) ? Promise.resolve(NOTHING_FOUND) : findEvidence(one, sources);
  const [retrieval, before] = await Promise.all([
    query.intent === 'sources' && query.among.length > 0 ? { ...NOTHING_FOUND, evidence: cited } : find(query),
    query.against ? findByFields({ ...query, period: query.against, against: null }, sources) : null,
  ]);
  if (query.outside > 0 && given === undefined && retrieval.chance < SURE)
    return { query: { ...query, intent: 'outside' }, found: NOTHING_FOUND, before, own: nothing(OUTSIDE) };
  const fit = { ...retrieval, evidence: arranged(query, retrieval, cited) };
  return { query, found: fit, before, own: ownAnswer(query, fit, { catalogue, cited, before, words }) };
}

/** The answer to a query without a model, as far as it is sure. */
function ownAnswer(query: TypedQuery, retrieval: Found, composing: Composing & { readonly words: readonly string[] }) {
  const { words } = composing;
  const { evidence, isByChance } = retrieval;
  if (isByChance && isOfNothing(query, retrieval)) return refuse(query, { ...retrieval, near: [], givenUp: [] });
  // What was chosen by its chance has no rows that are all of what is asked: it is listed.
  const shown: TypedQuery =
    isByChance && isCounted(query) ? { ...query, intent: 'list', measure: null, by: null, order: 'relevance' } : query;
  const composed = compose(shown, retrieval, composing);
  // Where no row has the person, a report may.
  const isSaid = query.intent === 'person' && isByChance && evidence.length > 0 && !asksAttribute(words);
  const own = composed.basis === 'none' && isSaid ? list(shown, retrieval, words) : composed;
  return asSure(withStated(words, own, evidence), query, retrieval, words);
}

/** Evidence in the order in which it is shown. */
function arranged(query: TypedQuery, { evidence, ranked, isByChance }: Found, cited: readonly Evidence[]): Evidence[] {
  if (isOfShown(query)) return asShown(query, evidence.length > 0 ? evidence : cited);
  if (isByChance || query.order !== 'relevance' || query.among.length > 0) return [...evidence];
  const place = new Map(ranked.map(({ signal }, index) => [signal.id, index]));
  const placeOf = ({ signal }: Evidence): number => place.get(signal.id) ?? ranked.length;
  return ['list', 'happened', 'why', 'when'].includes(query.intent)
    ? evidence.toSorted((one, other) => placeOf(one) - placeOf(other))
    : [...evidence];
}

/** From this chance on, what was found is said to answer the question. Where its fields find nothing, it is shown from the second on. */
const ANSWERS = 0.5;
const SHOWN_FROM = 0.87;

/** Whether a number is asked of something that nothing on record has: "stores in Antarctica". */
const isOfNothing = (query: TypedQuery, { ranked }: Found): boolean =>
  isCounted(query) &&
  query.words.some((word) => !isOrdinary(word) && !ranked.some(({ stems }) => hasWord(stems, word)));

/** An answer as far as it is sure: signals that may be about something else are said to be no more than the closest. */
function asSure(own: Draft, query: TypedQuery, retrieval: Found, words: readonly string[]): Draft {
  const { evidence, ranked, chance, isByChance } = retrieval;
  const isAsked =
    words.length > 0 && query.premise === null && query.intent !== 'sources' && query.unknown_names.length === 0;
  const least = evidence.length > 0 ? ANSWERS : SHOWN_FROM;
  if (own.basis === 'none') return isAsked && chance >= least && !asksAttribute(words) ? closest(ranked, words) : own;
  return isByChance && chance < ANSWERS ? closest(ranked, words) : own;
}

/** Answers about one signal, of which further lines may state what else is asked. */
const OF_ONE: readonly Draft['basis'][] = ['fact', 'named', 'likely', 'loosely'];

/** Adds what else the reports of the first signal state of what is asked. */
function withStated(words: readonly string[], draft: Draft, evidence: readonly Evidence[]): Draft {
  const [id, ...others] = [...new Set(draft.lead.flatMap(({ ids }) => ids))];
  const one = evidence.find(({ signal }) => signal.id === id);
  if (!one || others.length > 0 || !OF_ONE.includes(draft.basis)) return draft;
  const said = draft.lead.map(({ markdown }) => markdown).join(' ');
  return { ...draft, lead: [...draft.lead, ...statedBesides(words, said, one)] };
}

/** Whether a question is why or when of what the answer before showed: of the first of it that fits, else of the first. */
const isOfShown = ({ intent, among }: TypedQuery): boolean =>
  (intent === 'why' || intent === 'when') && among.length > 0;

/** Evidence in the order in which the answer before showed it. */
function asShown({ among }: TypedQuery, evidence: readonly Evidence[]): Evidence[] {
  const ids: readonly string[] = among;
  return evidence.toSorted((one, other) => ids.indexOf(one.signal.id) - ids.indexOf(other.signal.id));
}

/** Evidence of each signal once: every search reads it anew. */
function eachOnce(evidence: readonly Evidence[]): Evidence[] {
  const ids = new Set<string>();
  return evidence.filter(({ signal: { id } }) => !ids.has(id) && ids.add(id));
}

/** What was found for the parts of a question, and their answers, as one. */
const together = (main: Searched, others: readonly Searched[]): Searched => ({
  ...main,
  found: {
    ...main.found,
    evidence: eachOnce([main, ...others].flatMap(({ found: retrieval }) => retrieval.evidence)),
    // What the answer to a part may quote.
    ranked: eachOnce([main, ...others].flatMap(({ found: retrieval }) => [...retrieval.ranked, ...retrieval.near])),
  },
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
function composable({ query, found: retrieval, own }: Searched, { writer }: AnswerContext): readonly Evidence[] {
  if (!writer || isRefused(query) || query.intent === 'sources') return [];
  if (own.basis === 'none' && query.premise !== null) return [];
  return eachOnce([...retrieval.evidence, ...retrieval.ranked.slice(0, MOST_GIVEN), ...retrieval.near]);
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

/** Gives the meaning of each text once; null where the encoder fails, so that words answer alone. */
function eachTextOnce(meaningOf: MeaningOf): MeaningOf {
  const made = new Map<string, ReturnType<MeaningOf>>();
  return (text) => {
    const meaning = made.get(text) ?? meaningOf(text).catch(() => null);
    made.set(text, meaning);
    return meaning;
  };
}

/** Answers a question. Reads the record and changes nothing. */
export async function answerQuestion(services: AnswerContext, question: Asked): Promise<Answer> {
  const { search: signals, meaningOf } = services;
  const context: AnswerContext = {
    ...services,
    search: eachFilterOnce(signals),
    meaningOf: meaningOf && eachTextOnce(meaningOf),
  };
  const cited = await citedBefore(question.earlier, context);
  if (cited.length > 0 && question.query === undefined && AS_FILE.test(question.text))
    return fileOf(cited, context.baseUrl);
  const searched = await searchAsked(question, cited, context);
  const { query, found: retrieval, before, own, isGuess, cost_usd } = searched;
  const given = composable(searched, context);
  const all = eachOnce([
    ...retrieval.evidence,
    ...retrieval.near,
    ...retrieval.ranked,
    ...(before?.evidence ?? []),
    ...cited,
    ...given,
  ]);
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
