/** Composes an answer without a model: every sentence is stored text, or counted from the signals that it cites. */
import type { PreparedCatalogue } from '../ingest/understand/catalogue.ts';
import { persons, results } from './compose/fact-answers.ts';
import { falsePremise, happened, list, refuse, sources, when, why } from './compose/list-answers.ts';
import { compare, comparePeriods, count, network, rank, rankSignals } from './compose/number-answers.ts';
import { type Draft, nothing } from './draft.ts';
import type { Evidence } from './evidence.ts';
import type { Found } from './find-evidence.ts';
import { unreadableAnswer } from './question/query-languages.ts';
import { isSpecific } from './question/query-words.ts';
import type { TypedQuery } from './question/typed-query.ts';
import { hasWord } from './word-match.ts';

/** The answer to a question that a record of moves cannot answer. */
const OUTSIDE =
  'That is not something the record can answer. It contains dated moves in Indian retail: store openings, deals, people, results, launches, strategy and rules.';

/** Attributes of a place or a person that no kind of move has. */
const ATTRIBUTES: ReadonlySet<string> = new Set(
  'rent rental rentals salary address timings royalty headcount parking rating ratings deposit warranty'.split(' '),
);

interface Composing {
  readonly catalogue: PreparedCatalogue;
  /** The signals that the answer before this one cited, for a question about its sources. */
  readonly cited: readonly Evidence[];
  /** What was found in the period that is compared with; null for a question without one. */
  readonly before: Found | null;
}

/** Composes the answer to a query, without a model. */
export function compose(query: TypedQuery, found: Found, { catalogue, cited, before }: Composing): Draft {
  const { intent } = query;
  if (intent === 'unreadable') return nothing(unreadableAnswer(query.language));
  if (intent === 'outside') return nothing(OUTSIDE);
  if (intent === 'sources') return sources(query.among.length > 0 ? cited : found.evidence.slice(0, 8));
  const premise = falsePremise(query, found);
  if (premise) return premise;
  if (query.measure === 'network') return network(query, found);
  if (before) return comparePeriods(query, found, before);
  if (
    query.measure === 'metric' ||
    intent === 'result' ||
    (query.condition && query.condition.metric !== 'amount' && query.condition.metric !== 'stores' && intent === 'list')
  )
    return results(query, found);
  if (intent === 'count' || intent === 'sum') return count(query, found);
  const isBySize = query.by === null || (query.kinds[0] === 'deals' && (query.measure ?? 'signals') === 'signals');
  if (intent === 'rank') return isBySize ? rankSignals(query, found) : rank(query, found, catalogue);
  if (intent === 'compare') return compare(query, found, catalogue);
  if (intent === 'person' || (intent === 'list' && query.person !== null)) return persons(query, found);
  if (intent === 'why') return why(query, found);
  if (intent === 'when') return when(query, found);
  if (intent === 'happened') return happened(query, found);
  // "What is the rent of the store?" asks for what the opening of the store does not tell.
  const isTold = (word: string): boolean => found.evidence.some(({ stems }) => hasWord(stems, word));
  if (query.words.some((word) => (ATTRIBUTES.has(word) || isSpecific(word)) && !isTold(word)))
    return refuse(query, { ...found, near: found.evidence.slice(0, 3) });
  return list(query, found);
}
