/**
 * Answers one question from the record: the question becomes a typed query, signals are found for it, and every sentence of the
 * answer can be checked against the signals that it cites. And what answering needs, put together from configuration.
 */
import { randomBytes } from 'node:crypto';
import { type PreparedCatalogue, prepareCatalogue } from '../ingest/understand/catalogue.ts';
import type { EventStore } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import { searchSignals } from '../projector/models/search-queries.ts';
import type { AskQuery, Citation } from '../schemas/ask.ts';
import { StoredSignalId } from '../schemas/scalar.ts';
import type { AskServices } from './ask.ts';
import { compose } from './compose-answer.ts';
import { confidenceOf, type Draft, escapeMarkdown, nothing, type Piece, pieces, Verifier } from './draft.ts';
import { type Evidence, evidenceBy } from './evidence.ts';
import { type Found, findEvidence, settled } from './find-evidence.ts';
import { askQueryOf } from './question/describe-query.ts';
import { type Focus, readTurn } from './question/follow-up.ts';
import { citiesOf } from './question/query-places.ts';
import { namesAlike, namesInRecord, presentSlugs } from './question/record-names.ts';
import { decodeQuery, type TypedQuery } from './question/typed-query.ts';
import type { ResearchServices } from './research.ts';
import { type Writer, writtenDraft } from './written-draft.ts';

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
/** Signals of the answer before that a follow-up can be about. */
const MAX_CITED = 40;

type Reading = Pick<AnswerContext, 'database' | 'catalogue'> & { readonly now: Date };

/** Reads one turn, with the names that only the record has, also where they are spelled otherwise. */
async function readOne(
  text: string,
  { database, catalogue, now }: Reading,
  context: { readonly before: TypedQuery | null; readonly focus?: Focus },
): Promise<TypedQuery> {
  const present = presentSlugs(catalogue);
  const known = await namesInRecord(database, text);
  const names = known.map((name) => (name.type === 'brand' ? { ...name, slug: present(name.slug) } : name));
  const query = readTurn(text, catalogue, now, { ...context, known: names });
  if (query.unknown_names.length === 0 || query.intent === 'outside') return query;
  const guessed = await namesAlike(database, query.unknown_names);
  if (guessed.length === 0) return query;
  const replaced = guessed.reduce(
    (done, { spelled, name }) => done.replace(new RegExp(spelled, 'i'), () => name),
    text,
  );
  const again = readTurn(replaced, catalogue, now, { ...context, known: [...names, ...guessed] });
  const notes = guessed.map(({ spelled, name }) => `“${spelled}” was read as ${name}.`);
  return { ...again, notes: [...again.notes, ...notes].slice(0, 10) };
}

/** The signals that the answer before cited, in the order of its citations. */
async function citedBefore(earlier: readonly EarlierTurn[], context: AnswerContext): Promise<Evidence[]> {
  const ids = (earlier.at(-1)?.cited ?? []).slice(0, MAX_CITED);
  if (ids.length === 0) return [];
  const found = await searchSignals(context.database, { ids, limit: MAX_CITED });
  return found
    .map(evidenceBy(context.catalogue))
    .sort((one, other) => ids.indexOf(one.signal.id) - ids.indexOf(other.signal.id));
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

async function readAsked(
  { text, earlier, query }: Asked,
  cited: readonly Evidence[],
  context: AnswerContext,
): Promise<TypedQuery> {
  const { catalogue } = context;
  const cities = (name: string): string[] => [...citiesOf(name, catalogue)];
  const given = query === undefined ? null : decodeQuery(query, cities);
  if (given) return given;
  const reading = { ...context, now: context.now() };
  let before: TypedQuery | null = null;
  for (const turn of earlier.slice(-REMEMBERED)) {
    const kept = turn.query === undefined ? null : decodeQuery(turn.query, cities);
    before = kept ?? (await readOne(turn.question, reading, { before }));
  }
  return readOne(text, reading, { before, focus: focusOf(cited) });
}

/** Reads the topic of a briefing. */
export const readTopic = async (context: AnswerContext, topic: string): Promise<TypedQuery> =>
  settled(await readOne(topic, { ...context, now: context.now() }, { before: null }));

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

function topicOf(text: string, query: TypedQuery, found: number): string | null {
  const { intent, brands, themes, categories } = query;
  if (!['list', 'happened'].includes(intent)) return null;
  return brands.length + themes.length + categories.length > 0 && found > MANY ? text : null;
}

const NOTHING_FOUND: Found = { ...{ evidence: [], near: [], givenUp: [], unmet: [] }, coverage: 0, began: null };

/** Answers a question. Reads the record and changes nothing. */
export async function answerQuestion(context: AnswerContext, asked: Asked): Promise<Answer> {
  const cited = await citedBefore(asked.earlier, context);
  const query = settled(await readAsked(asked, cited, context));
  const isRefused = query.intent === 'outside' || query.intent === 'unreadable';
  const [found, before] = await Promise.all([
    isRefused ? NOTHING_FOUND : findEvidence(query, context),
    query.against ? findEvidence({ ...query, period: query.against, against: null }, context) : null,
  ]);
  const all = [...new Set([...found.evidence, ...found.near, ...(before?.evidence ?? []), ...cited])];
  const verifier = new Verifier(all);
  const own = compose(query, found, { catalogue: context.catalogue, cited, before });
  const written = await writtenDraft(context.writer, asked.text, own, found.evidence);
  const checked = verifier.check(written.draft) ?? verifier.check(own);
  const draft = withNotes(checked ?? nothing('What was found could not be verified, so it is not shown.'), query);
  const parts = pieces(draft);
  return {
    content: parts.map(({ text }) => text).join(''),
    pieces: parts,
    citations: verifier.citations([...draft.lead, ...draft.items]),
    confidence: confidenceOf(draft),
    basis: draft.basis,
    query: isRefused ? null : askQueryOf(query),
    cost_usd: written.cost_usd,
    research_topic: draft.basis === 'none' ? null : topicOf(asked.text, query, found.evidence.length),
    found: [...new Set([...found.evidence, ...found.near, ...(before?.evidence ?? [])])].map(({ signal }) => signal.id),
  };
}

const withNotes = (draft: Draft, { notes }: TypedQuery): Draft =>
  notes.length > 0 ? { ...draft, notes: [...draft.notes, ...notes.map(escapeMarkdown)] } : draft;

export interface AnswerContext {
  readonly database: Database;
  /** The names that questions are read with. */
  readonly catalogue: PreparedCatalogue;
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
  readonly now: () => Date;
  /** A model that words answers; null to compose answers without one. */
  readonly writer: Writer | null;
}

interface AnswerOptions {
  readonly database: Database;
  readonly store: Pick<EventStore, 'append' | 'read'>;
  /** Default: an empty catalogue; names are known from the record only. */
  readonly catalogue?: PreparedCatalogue;
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
  readonly now?: () => Date;
  /** Null or unset: answers are composed without a model. */
  readonly writer?: Writer | null;
}

const EMPTY = {
  ...{ brands: [], themes: [], groups: [], cities: [], malls: [], outlets: [], investors: [], other_years: [] },
  version: 'empty',
};

/** What `ask` and `research` need. */
export const answerServices = (options: AnswerOptions): AskServices & ResearchServices => ({
  database: options.database,
  store: options.store,
  catalogue: options.catalogue ?? prepareCatalogue(EMPTY),
  baseUrl: options.baseUrl,
  now: options.now ?? (() => new Date()),
  writer: options.writer ?? null,
  newId: () => `inv_${randomBytes(8).toString('hex')}`,
});
