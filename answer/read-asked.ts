/**
 * Reads what was asked as a typed query: by the service itself, with the names that only the record has and in the light of the turns
 * before; and by a language model, where there is one, what that leaves over.
 */

import type { PreparedCatalogue } from '../facts/text/catalogue.ts';
import { istDay } from '../language/days.ts';
import type { Database } from '../log/postgres/database.ts';
import { StoredSignalId } from '../schemas/scalar.ts';
import type { MeaningOf } from '../schemas/story.ts';
import type { Evidence } from './evidence.ts';
import { type Focus, readTurn } from './question/follow-up.ts';
import { wantReader } from './question/learned-reading.ts';
import { normalise } from './question/marked-question.ts';
import {
  isCertain,
  namesOf,
  type QuestionReader,
  readingOf,
  resolveReading,
  rewritten,
  withNames,
} from './question/model-reading.ts';
import type { KnownName } from './question/query-names.ts';
import { citiesOf } from './question/query-places.ts';
import { kindWords } from './question/query-words.ts';
import { fieldsOfKinds } from './question/read-query.ts';
import { formOf } from './question/reading-form.ts';
import { namesAlike, namesInRecord, presentSlugs } from './question/record-names.ts';
import { decodeQuery, describeQuery, type TypedQuery } from './question/typed-query.ts';
import { settled } from './question/words-left.ts';

/** A question of the same person before this one, and what was answered. */
export interface EarlierTurn {
  readonly question: string;
  /** Ids of the signals that its answer cited, in order. */
  readonly cited: readonly string[];
  /** Its typed query, encoded, where the answer carried it. */
  readonly query?: string | undefined;
}

export interface Asked {
  readonly text: string;
  /** Earlier turns of the session, the oldest first. */
  readonly earlier: readonly EarlierTurn[];
  /** A query that answers in place of a reading of the text: one of an earlier answer, changed by its reader. */
  readonly query?: string | undefined;
}

/** Earlier turns that count; those before them are forgotten. */
const REMEMBERED = 6;

export interface ReadingContext {
  readonly database: Database;
  /** The names that questions are read with. */
  readonly catalogue: PreparedCatalogue;
  readonly now: () => Date;
  /** A language model that reads questions; null for none. */
  readonly reader: QuestionReader | null;
  /** Gives what a question says, for the model that reads questions and for signals in other words; null or unset to go by words alone. */
  readonly meaningOf?: MeaningOf | null | undefined;
}

/** A text with one name in place of another, wherever it is spelled with capitals. */
function replaced(text: string, spelled: string, name: string): string {
  const at = text.toLowerCase().indexOf(spelled.toLowerCase());
  return at < 0 ? text : text.slice(0, at) + name + text.slice(at + spelled.length);
}

/**
 * Reads a text with the names of the record that are in it, and a second time where a name that nothing knows is one of the
 * record, spelled otherwise.
 */
async function readNamed<Query extends TypedQuery | null>(
  wording: string,
  { database, catalogue }: Pick<ReadingContext, 'database' | 'catalogue'>,
  read: (text: string, recordNames: readonly KnownName[]) => Query | Promise<Query>,
): Promise<Query> {
  const present = presentSlugs(catalogue);
  const recordNames = await namesInRecord(database, wording);
  const text = recordNames.reduce((done, { parted, name }) => (parted ? replaced(done, parted, name) : done), wording);
  const names = recordNames.map(({ type, slug, name }) => ({
    type,
    name,
    slug: type === 'brand' ? present(slug) : slug,
  }));
  const query = await read(text, names);
  if (!query || query.unknown_names.length === 0 || query.intent === 'outside') return query;
  const guessed = await namesAlike(database, text, query.unknown_names);
  if (guessed.length === 0) return query;
  const corrected = guessed.reduce((done, { spelled, name }) => replaced(done, spelled, name), text);
  const again = await read(corrected, [...names, ...guessed]);
  const notes = guessed.map(({ spelled, name }) => `“${spelled}” was read as ${name}.`);
  return again && { ...again, notes: [...again.notes, ...notes].slice(0, 10) };
}

/** Reads one turn without a language model. */
const readAlone = (
  text: string,
  context: Omit<ReadingContext, 'reader'>,
  turn: { readonly before: TypedQuery | null; readonly focus?: Focus },
): Promise<TypedQuery> =>
  readNamed(text, context, (words, recordNames) =>
    readTurn(
      words,
      { catalogue: context.catalogue, now: context.now(), known: recordNames, readWant: wantReader(context.meaningOf) },
      turn,
    ),
  );

/** Reads the topic of a briefing. It asks for nothing, so only the kinds of move that its words name narrow it. */
export async function readTopic(context: Omit<ReadingContext, 'reader'>, topic: string): Promise<TypedQuery> {
  const query = settled(await readAlone(topic, context, { before: null }));
  const named = kindWords(normalise(topic)).map(({ kind }) => kind);
  const kinds = query.kinds.filter((kind) => named.includes(kind));
  return { ...query, kinds, ...fieldsOfKinds(query, query.measure, kinds) };
}

/** What "he", "they" and "these" refer to. */
function focusOf(cited: readonly Evidence[]): Focus {
  const [first] = cited;
  const brands = first?.signal.brands.filter(({ role }) => role === 'primary') ?? [];
  return {
    person: first?.facts.people[0]?.person ?? null,
    brands: brands.map(({ slug, name }) => ({ slug, name })),
    signals: cited.map(({ signal }) => StoredSignalId.parse(signal.id)),
  };
}

/** How a question was read, and how else it can be. */
export interface AskedQuery {
  /** The reading to search first. */
  readonly query: TypedQuery;
  /** Whether it is about other companies than the question names, as far as the service sees by itself. */
  readonly isGuess: boolean;
  /** What the query is of: the question, or its first part. */
  readonly text: string;
  /** Further parts of the question, each with its text. */
  readonly parts: readonly { readonly query: TypedQuery; readonly text: string }[];
  /** The service's own reading, where a language model's comes before it. */
  readonly otherwise: TypedQuery | null;
  /** What the model cost so far, in US dollars. */
  readonly cost_usd: number;
  /**
   * Asks the model for another reading when none found anything.
   * @returns null where there is none, or the model was of no use before
   */
  rewrite(nothingFound: TypedQuery): Promise<{ readonly query: TypedQuery | null; readonly cost_usd: number } | null>;
}

/** Whether a model names other companies than the service's own reading: ones that the question only describes, or does not mean. */
function namesOthers(query: TypedQuery, byRules: TypedQuery, text: string): boolean {
  const has = (brands: TypedQuery['brands'], slug: string): boolean => brands.some((one) => one.slug === slug);
  // A name in another script cannot be compared.
  const isWritten = (name: string): boolean =>
    text.toLowerCase().includes(name.toLowerCase()) || /(?!\p{Script=Latin})\p{L}/u.test(text);
  return (
    byRules.brands.some(({ slug }) => !has(query.brands, slug)) ||
    query.brands.some(({ slug, name }) => !has(byRules.brands, slug) && !isWritten(name))
  );
}

const LONGEST_NOTE = 300;

/** A query with a note that says how the question was read. */
function explained(query: TypedQuery, how: string): TypedQuery {
  const chips = describeQuery(query).map(({ value }) => value);
  const note = `${`${how} ${chips.join(', ')}`.slice(0, LONGEST_NOTE - 1)}.`;
  return { ...query, notes: [...query.notes.slice(0, 9), note] };
}

/** A query without parts and without another reading. */
const only = (query: TypedQuery, text: string): AskedQuery => ({
  query,
  text,
  isGuess: false,
  parts: [],
  otherwise: null,
  cost_usd: 0,
  rewrite: async () => null,
});

/** The query of the turn before, read in the light of those before it; null for a first question. */
async function queryBefore(earlier: readonly EarlierTurn[], context: ReadingContext, cities: Cities) {
  let before: TypedQuery | null = null;
  for (const turn of earlier.slice(-REMEMBERED)) {
    const kept = turn.query === undefined ? null : decodeQuery(turn.query, cities);
    before = kept ?? (await readAlone(turn.question, context, { before }));
  }
  return before;
}
type Cities = (name: string) => string[];

/** What a model reads of a question; null where it fails. */
async function readByModel(
  reader: QuestionReader,
  question: string,
  context: ReadingContext,
  queries: Readonly<Record<'before' | 'foundNothing', TypedQuery | null>> & { readonly byRules: TypedQuery },
) {
  const { before, foundNothing, byRules } = queries;
  const now = context.now();
  const answer = await reader.read({
    question,
    today: istDay(now),
    ...(before && { before: formOf(readingOf(before)) }),
    ...(foundNothing && { found_nothing: formOf(readingOf(foundNothing)) }),
  });
  if (!answer) return null;
  const read: TypedQuery[] = [];
  for (const reading of answer.readings) {
    const query = await readNamed(namesOf(reading), context, (names, recordNames) =>
      resolveReading(withNames(reading, names), { catalogue: context.catalogue, now, known: recordNames, byRules }),
    );
    if (query) read.push(query);
  }
  return { query: read[0] ?? null, parts: read.slice(1), cost_usd: answer.cost_usd };
}

/**
 * Reads a question. A model is asked where the service's own reading is not certain of the whole; where it fails, says nothing or
 * says what cannot be, that holds.
 * @param cited the signals that the answer before cited
 */
export async function readAsked(
  { text, earlier, query: given }: Asked,
  cited: readonly Evidence[],
  context: ReadingContext,
): Promise<AskedQuery> {
  const { catalogue, reader } = context;
  const cities: Cities = (name) => [...citiesOf(name, catalogue)];
  const chosen = given === undefined ? null : decodeQuery(given, cities);
  if (chosen) return only(chosen, text);
  const before = await queryBefore(earlier, context, cities);
  const byRules = await readAlone(text, context, { before, focus: focusOf(cited) });
  const isOutside = byRules.intent === 'outside' || byRules.outside > 0;
  if (!reader) {
    const parts = isOutside ? null : await partsOf(text, byRules, before, context);
    return { ...only(byRules, text), ...parts };
  }

  const ask = (foundNothing: TypedQuery | null) =>
    readByModel(reader, text, context, { before, foundNothing, byRules });
  const isFull = isCertain(byRules, text);
  const first = isFull ? null : await ask(null);
  const byModel = first?.query ?? null;
  const isRefused = byModel?.intent === 'outside';
  const isGuess = byModel !== null && !isRefused && namesOthers(byModel, byRules, text);
  return {
    text,
    query: byModel ? (isGuess ? explained(byModel, 'The question was read as:') : byModel) : byRules,
    isGuess,
    parts: (first?.parts ?? []).filter(({ intent }) => intent !== 'outside').map((part) => ({ query: part, text })),
    otherwise: byModel && !isRefused && !isOutside && byRules.intent !== 'unreadable' ? byRules : null,
    cost_usd: first?.cost_usd ?? 0,
    rewrite: async (nothingFound) => {
      // A model that just failed would fail again, and the reader waits.
      if ((!isFull && !first) || isRefusal(nothingFound)) return null;
      const other = await ask(nothingFound);
      if (!other) return null;
      const query = other.query && rewritten(nothingFound, other.query);
      const reread = query && explained(query, 'Nothing was found for the question as it was asked. It was read as:');
      return { query: reread, cost_usd: other.cost_usd };
    },
  };
}

/** Before the second of two questions in one. */
const SECOND = /,?\s+and\s+(?=(?:who|whom|what|which|how|when|where|why)\b)/i;

/** Two questions in one: the first, and the second in the light of it; nothing for one question. */
async function partsOf(
  text: string,
  whole: TypedQuery,
  before: TypedQuery | null,
  context: Omit<ReadingContext, 'reader'>,
): Promise<Pick<AskedQuery, 'query' | 'text' | 'parts'> | null> {
  const [one = '', other, more] = text.split(SECOND);
  if (other === undefined || more !== undefined || whole.intent === 'compare' || whole.person?.asks) return null;
  const query = await readAlone(one, context, { before });
  const isWhole = [query.brands, query.mentions, query.unknown_names, query.kinds, query.words].some(
    ({ length }) => length > 0,
  );
  if (!isWhole) return null;
  const second = await readAlone(other, context, { before: query });
  // "How many are there, and how many are planned" is one number, and what is said of it.
  const isOneNumber = query.intent === 'count' && second.intent === 'count';
  return second.intent === 'outside' || isOneNumber
    ? null
    : { query, text: one, parts: [{ query: second, text: other }] };
}

/** Whether a query that found nothing was answered by that: a question that is refused, a false premise, signals that are given. */
const isRefusal = ({ intent, premise, among }: TypedQuery): boolean =>
  ['outside', 'unreadable', 'sources'].includes(intent) || premise !== null || among.length > 0;
