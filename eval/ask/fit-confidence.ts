/**
 * The confidence of answers, fitted on answers that were judged at first sight: `node eval/ask/fit-confidence.ts` prints the share
 * of right answers by basis, which `answer/draft.ts` states, and the error when all questions of one author are left out.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { BASES, type Basis } from '../../answer/draft.ts';
import { reliabilityOf } from './grade-answer.ts';

const Counts = z.tuple([z.int().nonnegative(), z.int().nonnegative()]);
/** Answers of one set by basis: how many, and how many of them were right. The sets of one author are left out together. */
const Judged = z.strictObject({
  author: z.string(),
  about: z.string(),
  answers: z.partialRecord(z.enum(BASES), Counts),
});
export type JudgedSet = z.infer<typeof Judged>;

export const readJudged = (): JudgedSet[] =>
  z.array(Judged).parse(JSON.parse(readFileSync(new URL('first-sight.json', import.meta.url), 'utf8')));

/** Each share is put together with so many answers of the share over all authors; of fewer than so many, with ones of chance. */
const PRIOR = 10;
const CHANCE = 0.5;

/** Answers of a basis in all of these sets: how many, and how many of them were right. */
const countOf = (sets: readonly JudgedSet[], basis: Basis): readonly [answers: number, right: number] =>
  sets.reduce<[number, number]>(
    ([answers, right], set) => [answers + (set.answers[basis]?.[0] ?? 0), right + (set.answers[basis]?.[1] ?? 0)],
    [0, 0],
  );

/** The confidence by basis that sets give. */
export function fitConfidence(sets: readonly JudgedSet[]): Record<Basis, number> {
  const all = BASES.map((basis) => countOf(sets, basis));
  const sum = (at: 0 | 1): number => all.reduce((total, counts) => total + counts[at], 0);
  const share = sum(1) / Math.max(1, sum(0));
  return Object.fromEntries(
    BASES.map((basis) => {
      const [answers, right] = countOf(sets, basis);
      const fitted = (right + PRIOR * (answers < PRIOR ? CHANCE : share)) / (answers + PRIOR);
      return [basis, basis === 'none' ? 0 : Math.round(fitted * 100) / 100];
    }),
  ) as Record<Basis, number>;
}

/** The expected calibration error on the sets of each author, of the confidence that the sets of all others give. */
export function errorsLeftOut(sets: readonly JudgedSet[]): ReadonlyMap<string, number> {
  const authors = [...new Set(sets.map(({ author }) => author))];
  return new Map(
    authors.map((author) => {
      const fitted = fitConfidence(sets.filter((one) => one.author !== author));
      const own = sets.filter((one) => one.author === author);
      const answers = BASES.flatMap((basis) => {
        const [number, right] = countOf(own, basis);
        return Array.from({ length: number }, (_, at) => ({ confidence: fitted[basis], points: at < right ? 3 : 0 }));
      });
      return [author, reliabilityOf(answers).error];
    }),
  );
}

if (import.meta.main) {
  const sets = readJudged();
  const fitted = fitConfidence(sets);
  console.table(
    Object.fromEntries(
      BASES.map((basis) => {
        const [answers, right] = countOf(sets, basis);
        return [basis, { answers, right, confidence: fitted[basis] }];
      }),
    ),
  );
  for (const [author, error] of errorsLeftOut(sets)) console.log(`Error without ${author}: ${error.toFixed(3)}`);
}
