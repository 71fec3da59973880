/** The words of a question that nothing has understood, and those that say more than what they were understood as. */
import { tokenise } from '../../language/tokens.ts';
import { isOrdinary } from '../../language/words.ts';
import type { Evidence } from '../evidence.ts';
import { type Span, STOP } from './query-names.ts';
import { isComparative, isOneSlip, isSpecific, isUnderstood, kindWords, SHORTEST_SLIP } from './query-words.ts';
import type { TypedQuery } from './typed-query.ts';

/** "Their first store" is asked for by its number; "the first week" is a time. */
const FIRST = /\bfirst (?:\w+ ){0,2}(?:stores?|outlets?|showrooms?|cafes?|restaurants?|shops?|boutiques?|in @p\d+)\b/;

/** Words that mean a part of a category, which is read from them: "pizza chains" are restaurants, and not all of them. */
const NARROWER =
  /^(?:pizza|burger|sneakers?|mattress(?:es)?|whisky|whiskey|wine|beer|gin|vodka|rum|dairy|snacks?|smartphones?|toys)$/;

/** The words of the categories of a question that mean a part of them only. */
export const narrowerWords = (names: readonly string[], text: string, spans: ReadonlyMap<string, Span>): string[] => {
  const { tokens } = tokenise(text);
  return names
    .filter((name) => name.startsWith('k'))
    .flatMap((name) => {
      const span = spans.get(name);
      return span ? tokens.slice(span.first, span.last + 1).map(({ fold: word }) => word) : [];
    })
    .filter((word) => NARROWER.test(word));
};

/** The words that nothing has understood, each once. */
export function wordsLeft(
  masked: string,
  text: string,
  freed: readonly string[],
  spans: ReadonlyMap<string, Span>,
): string[] {
  const all = tokenise(text).tokens;
  const named = freed.flatMap((name) => {
    const span = spans.get(name);
    return span ? all.slice(span.first, span.last + 1) : [];
  });
  const kinds = kindWords(masked);
  // The price of a deal is its amount, and no word of a report.
  const isAmount = (word: string, start: number, end: number): boolean =>
    /^prices?$/.test(word) && kinds.some((kind) => kind.kind === 'deals' && kind.start <= start && end <= kind.end);
  const left = tokenise(masked).tokens.filter(
    ({ fold: word, start, end, text: written }) =>
      !isAmount(word, start, end) &&
      (!isUnderstood(word) || isSpecific(word) || (word === 'first' && FIRST.test(masked))) &&
      !STOP.has(word) &&
      masked[start - 1] !== '@' &&
      written.length > 1 &&
      !(kinds.some((kind) => kind.start < end && start < kind.end) && !isSpecific(word)),
  );
  return [
    ...new Set(
      [...named, ...left]
        .map(({ fold: word }) => word)
        .filter((word) => word.length <= 80 && !STOP.has(word) && !/^(?:stores?|cafes?|restaurants?)$/.test(word)),
    ),
  ].slice(0, 100);
}

/** Whether a word states a condition or a limit: a number, or the direction of a figure. */
export const isOfCondition = (word: string, condition: TypedQuery['condition'], limit: number | null): boolean =>
  (/^\d/.test(word) && (condition !== null || limit !== null)) || (condition !== null && isComparative(word));

/**
 * A query with words that no report has as those that one slip makes of them: "meghalya".
 * @param unmet the words that none of the evidence has
 * @returns the query itself where no word is respelled
 */
export function respelled(query: TypedQuery, unmet: readonly string[], all: readonly Evidence[]): TypedQuery {
  const strange = unmet.filter((word) => word.length >= SHORTEST_SLIP && !isOrdinary(word));
  if (strange.length === 0) return query;
  const known = new Set(all.flatMap(({ stored }) => stored.toLowerCase().match(/\p{L}{6,}/gu) ?? []));
  const meant = (word: string): string => [...known].find((one) => isOneSlip(word, one)) ?? word;
  const words = query.words.map((word) => (strange.includes(word) ? meant(word) : word));
  return words.some((word, index) => word !== query.words[index]) ? { ...query, words } : query;
}

/**
 * A query as it is searched. A name that nothing knows is one where it was written with a capital and no known brand is named
 * with it; else it is a word like others. An amount is a condition on deals.
 */
export function settled(query: TypedQuery): TypedQuery {
  const { brands, unknown_names, words, kinds, condition } = query;
  const isName = (name: string): boolean =>
    brands.length === 0 && /\p{Lu}/u.test(name) && !isOrdinary(name.toLowerCase());
  return {
    ...query,
    unknown_names: unknown_names.filter(isName),
    words: [
      ...new Set([
        ...words,
        ...unknown_names.filter((name) => !isName(name)).flatMap((name) => name.toLowerCase().split(/\s+/)),
      ]),
    ],
    kinds: kinds.length === 0 && condition?.metric === 'amount' ? ['deals'] : kinds,
  };
}
