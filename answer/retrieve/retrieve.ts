/** Finds the evidence for a question. */
import type { PreparedCatalogue } from '../../ingest/understand/catalogue.ts';
import type { Queryable } from '../../log/postgres/database.ts';
import { type FoundSignal, searchSignals } from '../../projector/models/search/queries.ts';
import { type Evidence, evidenceOf } from '../evidence.ts';
import type { Question } from '../question/read.ts';
import { meets } from '../question/words.ts';
import { asksForResults, type Filters, filtersOf, isNarrow } from './filters.ts';

export interface Retrieved {
  /** The best first. */
  readonly evidence: readonly Evidence[];
  /** Words of the question that the best evidence does not meet. */
  readonly unmet: readonly string[];
}

/** Signals of one search that are looked at. */
const LOOKED_AT = 60;
/** Signals that a count is made from, at most. */
export const COUNTED = 1_000;

/** Share of the words of a question that a signal meets; 1 for a question without further words. */
export const coverage = (words: readonly string[], { stems }: Evidence): number =>
  words.length === 0 ? 1 : words.filter((word) => meets(stems, word)).length / words.length;

interface Sources {
  readonly database: Queryable;
  readonly catalogue: PreparedCatalogue;
}

async function searched(database: Queryable, filters: readonly Filters[], text: string): Promise<FoundSignal[]> {
  const found = await Promise.all(
    filters.flatMap((filter) => {
      if (text === '') return isNarrow(filter) ? [searchSignals(database, { ...filter, limit: LOOKED_AT })] : [];
      const wide = { ...filter, text, limit: LOOKED_AT };
      return [searchSignals(database, wide), searchSignals(database, { ...wide, any: true })];
    }),
  );
  const all = found.flat();
  return all.filter(({ signal }, index) => all.findIndex((other) => other.signal.id === signal.id) === index);
}

/**
 * Searches by what was understood, with the words that are left. What meets more of them comes first, then what is
 * about the brands of the question, then what the search put first.
 */
export async function retrieve(question: Question, { database, catalogue }: Sources): Promise<Retrieved> {
  const { rest, brands, period } = question;
  const filters = filtersOf(question, catalogue);
  const found = await searched(database, filters, rest.join(' '));
  // A name that no search narrows by text, such as a brand with a word that none of its signals has.
  if (found.length === 0 && rest.length > 0 && filters.some(isNarrow))
    found.push(...(await searched(database, filters, '')));
  // The kind of a move may be understood otherwise than the question puts it.
  if (found.length === 0 && brands.length > 0 && question.moves.length > 0)
    found.push(
      ...(await searched(
        database,
        filters.map((filter) => ({ ...filter, moves: [] })),
        question.moves.length > 0 ? [...rest, ...verbsOf(question)].join(' ') : '',
      )),
    );
  const slugs = new Set(brands.map(({ slug }) => slug));
  const fits = (evidence: Evidence): boolean =>
    !asksForResults(question) || evidence.facts.result === null || evidence.facts.result.period === period?.fiscal;
  const ranked = found
    .map(evidenceOf)
    .filter(fits)
    .map((evidence, index) => ({
      evidence,
      index,
      met: coverage(rest, evidence),
      about: slugs.size > 0 && evidence.about.some((slug) => slugs.has(slug)) ? 1 : 0,
    }))
    .sort((one, other) => other.met - one.met || other.about - one.about || one.index - other.index);
  const best = ranked[0];
  return {
    evidence: ranked.map(({ evidence }) => evidence),
    unmet: best ? rest.filter((word) => !meets(best.evidence.stems, word)) : rest,
  };
}

const verbsOf = ({ text }: Question): string[] =>
  text.match(/\b(?:open|close|shut|raise|launch|appoint|acquire|partner)\w*/gi) ?? [];

/** All signals that a count is made from, whatever further words the question has; the newest first. */
export async function retrieveAll(question: Question, { database, catalogue }: Sources): Promise<Evidence[]> {
  const filters = filtersOf(question, catalogue);
  const found = await Promise.all(
    filters.map((filter) => searchSignals(database, { ...filter, candidates: COUNTED, limit: COUNTED })),
  );
  const all = found.flat();
  return all
    .filter(({ signal }, index) => all.findIndex((other) => other.signal.id === signal.id) === index)
    .map(evidenceOf);
}
