/** Answers one question from the record: every sentence can be checked against the signals that it cites. */
import type { Citation } from '../schemas/ask.ts';
import { compose, wantsCount } from './compose/compose.ts';
import { escapeMarkdown } from './compose/markdown.ts';
import { confidenceOf } from './confidence.ts';
import type { AnswerContext } from './context.ts';
import type { Evidence } from './evidence.ts';
import type { Question } from './question/read.ts';
import { type Piece, pieces } from './render.ts';
import { retrieve, retrieveAll } from './retrieve/retrieve.ts';
import type { Draft } from './sentence.ts';
import { nothing } from './sentence.ts';
import { understandQuestion } from './understand.ts';
import { Verifier } from './verify.ts';
import { writtenDraft } from './writer/written-draft.ts';

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
  /** The topic of a briefing that would say more; null where the answer is whole. */
  readonly research_topic: string | null;
  /** Signals that were looked at, the most relevant first. */
  readonly found: readonly string[];
}

export interface Asked {
  readonly text: string;
  /** Questions of the same person before it, the oldest first. */
  readonly earlier: readonly string[];
}

/** More signals than this about one question, and an answer shows only a part of them. */
const MANY = 25;

const topicOf = (question: Question, found: number): string | null => {
  const { intent, brands, themes, categories, text } = question;
  if (intent.outside || intent.metric || intent.person || wantsCount(question)) return null;
  const named = brands.length + themes.length + categories.length > 0;
  return (intent.broad && found > 0) || (named && found > MANY) ? text : null;
};

/** Answers. Reads the record, changes nothing. */
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
  const written = await writtenDraft(context.writer, question, own, retrieved.evidence);
  const checked = verifier.check(written.draft) ?? verifier.check(own);
  const draft = withNotes(
    checked ?? nothing('What was found could not be verified, so nothing is told of it.'),
    guessed,
  );
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
