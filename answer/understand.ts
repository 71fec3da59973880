/** From the words of a question, and of those before it, to what it asks. */
import type { PreparedCatalogue } from '../ingest/understand/catalogue.ts';
import type { Queryable } from '../log/postgres/database.ts';
import { inLightOf } from './question/follow-up.ts';
import { type Question, readQuestion } from './question/read.ts';
import { namesAlike, namesInRecord, type RecordName } from './retrieve/record-names.ts';

export interface Understood {
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
  const written = await namesInRecord(database, text);
  const question = readQuestion(text, catalogue, now, written);
  if (question.unknown.length === 0 || question.intent.outside) return { question, guessed: [] };
  const guessed = await namesAlike(database, question.unknown);
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
