/** Composes an answer without a model: every sentence is stored text, or counted from the signals it cites. */
import type { Evidence } from '../evidence.ts';
import type { Question } from '../question/read.ts';
import type { Retrieved } from '../retrieve/retrieve.ts';
import { type Draft, nothing } from '../sentence.ts';
import { compare, count } from './count.ts';
import { asksForRole, personFact, resultFact } from './facts.ts';
import { list, refuse } from './list.ts';

/** What a question that no record of moves can answer is told. */
export const OUTSIDE =
  'That is not something the record can answer. It holds dated moves in Indian retail: store openings, deals, people, results, launches, strategy and rules.';

/** Whether a question wants a number that can be counted. */
export const wantsCount = ({ intent, rest, unknown }: Question): boolean =>
  intent.measure !== null && rest.length === 0 && unknown.length === 0;

/**
 * @param retrieved the evidence by relevance
 * @param all for a question that wants a number: everything that the number is counted from
 */
export function compose(question: Question, retrieved: Retrieved, all: readonly Evidence[]): Draft {
  const { intent, brands } = question;
  if (intent.outside) return nothing(OUTSIDE);
  if (intent.measure && wantsCount(question)) {
    const several = brands.length > 1 || (intent.compares && brands.length === 0);
    return several ? compare(question, intent.measure, all) : count(question, intent.measure, all);
  }
  if (question.rest.length === 0) {
    const fact = resultFact(question, retrieved.evidence) ?? personFact(question, retrieved.evidence);
    if (fact) return fact;
    if (intent.metric || asksForRole(question)) return refuse(question, retrieved);
  }
  return list(question, retrieved);
}
