/**
 * Answers one question from the record: every sentence can be checked against the signals that it cites. And what
 * answering needs, put together from configuration.
 */
import { randomBytes } from 'node:crypto';
import { type PreparedCatalogue, prepareCatalogue } from '../ingest/understand/catalogue.ts';
import type { EventStore } from '../log/event-store.ts';
import type { Database, Queryable } from '../log/postgres/database.ts';
import type { Citation } from '../schemas/ask.ts';
import type { AskServices } from './ask.ts';
import { compose, wantsCount } from './compose-answer.ts';
import { confidenceOf, type Draft, escapeMarkdown, nothing, type Piece, pieces, Verifier } from './draft.ts';
import { namesAlike, namesInRecord, presentSlugs, type RecordName, toNamedBrand } from './question/question-names.ts';
import { inLightOf, type Question, readQuestion } from './question/read-question.ts';
import type { ResearchServices } from './research.ts';
import { type Evidence, retrieve, retrieveAll } from './retrieve-evidence.ts';
import { type Writer, writtenDraft } from './written-draft.ts';

interface Understood {
  readonly question: Question;
  /** Names that were spelled otherwise in the question. */
  readonly guessed: readonly RecordName[];
}

interface Sources {
  readonly database: Queryable;
  readonly catalogue: PreparedCatalogue;
}

/** Earlier questions that count; those before them are forgotten. */
const REMEMBERED = 6;

async function understandOne(text: string, { database, catalogue }: Sources, now: Date): Promise<Understood> {
  const present = presentSlugs(catalogue);
  const known = (names: readonly RecordName[]): RecordName[] =>
    names.map((name) => (name.type === 'brand' ? { ...name, slug: present(toNamedBrand(name).slug) } : name));
  const written = known(await namesInRecord(database, text));
  const question = readQuestion(text, catalogue, now, written);
  if (question.unknown.length === 0 || question.intent.outside) return { question, guessed: [] };
  const guessed = known(await namesAlike(database, question.unknown));
  if (guessed.length === 0) return { question, guessed };
  return { question: readQuestion(text, catalogue, now, [...written, ...guessed]), guessed };
}

/** @param earlier questions of the same person before this one, the oldest first */
export async function understandQuestion(
  text: string,
  earlier: readonly string[],
  sources: Sources,
  now: Date,
): Promise<Understood> {
  const own = await understandOne(text, sources, now);
  let before: Question | null = null;
  for (const one of earlier.slice(-REMEMBERED))
    before = inLightOf(before, (await understandOne(one, sources, now)).question);
  return { ...own, question: inLightOf(before, own.question) };
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
  /** What a model cost for it, in US dollars. */
  readonly cost_usd: number;
  /** The topic of a briefing that could add to the answer; null where the answer is complete. */
  readonly research_topic: string | null;
  /** Ids of the signals that were considered, the most relevant first. */
  readonly found: readonly string[];
}

interface Asked {
  readonly text: string;
  /** Earlier questions of the session, the oldest first. */
  readonly earlier: readonly string[];
}

/** With more signals than this about a question, an answer shows only some of them. */
const MANY = 25;

const topicOf = (question: Question, found: number): string | null => {
  const { intent, brands, themes, categories, text } = question;
  if (intent.outside || intent.metric || intent.person || wantsCount(question)) return null;
  const named = brands.length + themes.length + categories.length > 0;
  return (intent.broad && found > 0) || (named && found > MANY) ? text : null;
};

/** Answers a question. Reads the record and changes nothing. */
export async function answerQuestion(context: AnswerContext, asked: Asked): Promise<Answer> {
  const { question, guessed } = await understandQuestion(asked.text, asked.earlier, context, context.now());
  const counts = wantsCount(question) && !question.intent.outside;
  const [retrieved, all] = await Promise.all([
    question.intent.outside ? { evidence: [], words: [], unmet: [] } : retrieve(question, context),
    counts ? retrieveAll(question, context) : [],
  ]);
  const evidence: readonly Evidence[] = [...retrieved.evidence, ...all];
  const verifier = new Verifier(evidence);
  const own = compose(question, retrieved, all);
  const written = await writtenDraft(context.writer, question.text, own, retrieved.evidence);
  const checked = verifier.check(written.draft) ?? verifier.check(own);
  const draft = withNotes(checked ?? nothing('What was found could not be verified, so it is not shown.'), guessed);
  const parts = pieces(draft);
  return {
    content: parts.map(({ text }) => text).join(''),
    pieces: parts,
    citations: verifier.citations([...draft.lead, ...draft.items]),
    confidence: confidenceOf(draft),
    basis: draft.basis,
    cost_usd: written.cost_usd,
    research_topic: draft.basis === 'none' ? null : topicOf(question, retrieved.evidence.length),
    found: [...new Set([...(counts ? all : []), ...retrieved.evidence].map(({ signal }) => signal.id))],
  };
}

function withNotes(
  draft: Draft,
  guessed: readonly { readonly name: string; readonly spelled: string | null }[],
): Draft {
  const read = guessed.map(
    ({ name, spelled }) => `“${escapeMarkdown(spelled ?? '')}” was read as ${escapeMarkdown(name)}.`,
  );
  return read.length > 0 ? { ...draft, notes: [...draft.notes, ...read] } : draft;
}

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
