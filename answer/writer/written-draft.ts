/** An answer in a model's words: what fails the check is dropped, and where nothing is left the answer is our own. */
import { escapeMarkdown } from '../compose/markdown.ts';
import type { Evidence } from '../evidence.ts';
import { spoken } from '../question/days.ts';
import type { Question } from '../question/read.ts';
import type { Draft, Sentence } from '../sentence.ts';
import { standsIn } from './check.ts';
import type { GivenSignal, Writer, WrittenSentence } from './writer.ts';

/** Signals that a model is given. */
const GIVEN = 12;

const givenOf = ({ signal, stored, day }: Evidence): GivenSignal => ({
  id: signal.id,
  day: spoken(day),
  outlet: signal.source.outlet,
  text: stored,
});

const sentenceOf = ({ text, ids }: WrittenSentence): Sentence => ({
  markdown: escapeMarkdown(text.trim()),
  ids: [...new Set(ids)],
  quotes: [],
});

/**
 * @param own the answer without a model: kept for what was counted or not found, and wherever the model is no help
 */
export async function writtenDraft(
  writer: Writer | null,
  question: Question,
  own: Draft,
  evidence: readonly Evidence[],
): Promise<{ readonly draft: Draft; readonly cost_usd: number }> {
  if (!writer || own.basis === 'none' || own.basis === 'counted') return { draft: own, cost_usd: 0 };
  const given = evidence.slice(0, GIVEN).map(givenOf);
  const written = await writer.write(question.text, given);
  if (!written) return { draft: own, cost_usd: 0 };
  const kept = written.sentences.filter((sentence) => standsIn(sentence, given));
  if (kept.length === 0) return { draft: own, cost_usd: written.cost_usd };
  const told = new Set(kept.flatMap(({ ids }) => ids));
  // What the model left out of the evidence is told beneath, in its own words.
  const items = own.items.filter(({ ids }) => !ids.some((id) => told.has(id)));
  return { draft: { ...own, lead: kept.map(sentenceOf), items }, cost_usd: written.cost_usd };
}
