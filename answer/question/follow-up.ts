/** A question in the light of those before it: "and in Pune?" asks the last question of another city. */
import type { Question } from './read.ts';

const BEGINS = /^\s*(?:and|also|what about|how about|what of|ok(?:ay)?[, ]|then|now|only|just)\b/i;
const REFERS = /\b(?:it|its|they|them|their|theirs|he|she|this|that|those|these|there|the same|same)\b/i;
/** A question of its own names what it is about and what it wants. */
const SHORT = 5;

const isFollowUp = ({ text, brands, moves, intent, themes, categories }: Question): boolean => {
  if (BEGINS.test(text)) return true;
  const named = brands.length + themes.length + categories.length > 0;
  if (!named && REFERS.test(text)) return true;
  const wants = moves.length > 0 || intent.measure !== null || intent.metric !== null || intent.person !== null;
  return text.trim().split(/\s+/).length <= SHORT && !(named && wants) && (!named || !wants);
};

/** What a follow-up leaves open is taken from the question before; any other question stands for itself. */
export function inLightOf(before: Question | null, question: Question): Question {
  if (!before || question.intent.outside || !isFollowUp(question)) return question;
  const subject = question.brands.length + question.themes.length + question.categories.length > 0;
  const wants =
    question.intent.measure !== null ||
    question.intent.metric !== null ||
    question.intent.person !== null ||
    question.moves.length > 0;
  const about = subject ? question : before;
  const asks = wants ? question : before;
  return {
    ...question,
    text: wants ? question.text : `${before.text} ${question.text}`,
    brands: about.brands,
    themes: about.themes,
    categories: about.categories,
    cities: question.cities.length > 0 ? question.cities : before.cities,
    period: question.period ?? before.period,
    moves: asks.moves,
    intent: wants ? question.intent : { ...before.intent, outside: false },
    rest: question.rest.length > 0 || wants ? question.rest : before.rest,
    unknown: question.unknown,
  };
}
