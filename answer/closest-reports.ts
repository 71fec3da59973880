/**
 * The reports whose words are closest to those of a question, by BM25 over the reports of the record: what is shown where a
 * question is not understood in full, and says less than an answer.
 */
import type { PreparedCatalogue } from '../facts/text/catalogue.ts';
import { MONTHS, WEEKDAYS } from '../language/days.ts';
import { NUMBER_WORDS } from '../language/numbers.ts';
import { tokenise } from '../language/tokens.ts';
import type { SignalSearch } from '../projector/models/search-queries.ts';
import {
  type Evidence,
  evidenceBy,
  hasName,
  hasOwnWord,
  hasWord,
  namesBrand,
  type ReportEvidence,
  stemsOf,
} from './evidence.ts';
import { isExcepted, isOfPeriod, timeOf } from './evidence-fit.ts';
import { anyOf, wordedFilter } from './find-evidence.ts';
import { STOP } from './question/query-names.ts';
import { isUnderstood, kindWords } from './question/query-words.ts';
import type { TypedQuery } from './question/typed-query.ts';

export interface ClosestReport {
  readonly evidence: Evidence;
  readonly report: ReportEvidence;
}

export interface Closest {
  /** The closest first, one of each signal. */
  readonly reports: readonly ClosestReport[];
  /** From 0 to 1: how much of the question's words, by rarity, the best of them has. */
  readonly coverage: number;
  /** The score of the best report of each signal, by its id; the highest is 1. */
  readonly scores: ReadonlyMap<string, number>;
  /** The words that no report has that was compared. */
  readonly absent: readonly string[];
  /** The words that were looked for. */
  readonly words: string[];
}

/** Reports that are shown. */
export const SHOWN = 5;
/** A word that means the same counts for so much of the word itself. */
const SYNONYM = 0.5;
/** What the other reports of its signal say counts for so much of what a report says itself. */
const OF_SIGNAL = 0.3;
/** How much a longer text counts for less, as in BM25. */
const LENGTH = 0.4;
/** Reports with less than this share of the best score are left out. */
const LEAST = 0.5;

const TIME = new Set([
  ...[...MONTHS, ...WEEKDAYS].flatMap((name) => [name.toLowerCase(), name.slice(0, 3).toLowerCase()]),
  ...'today yesterday week weeks month months year years quarter day days since until last this past next first between'.split(
    ' ',
  ),
]);

/** Words that only ask, join or fill: in a report they say nothing of what it is about. */
const isFiller = (word: string): boolean =>
  word.length < 2 || STOP.has(word) || (isUnderstood(word) && !(word in NUMBER_WORDS) && kindWords(word).length === 0);

/** The words of a text that a report is looked for by. @param isTimed whether the time of the text was understood */
function contentWords(text: string, isTimed: boolean): string[] {
  return tokenise(text).tokens.flatMap(({ fold }) =>
    isFiller(fold) || (isTimed && (TIME.has(fold) || /^\d{1,4}$/.test(fold))) ? [] : [fold],
  );
}

/** The words of a question and the names that it was read with, each once. */
const wordsOf = (text: string, query: TypedQuery): string[] => [
  ...new Set([
    ...contentWords(text, query.period !== null),
    ...[...query.brands, ...query.mentions, ...query.places].flatMap(({ name }) => contentWords(name, false)),
    ...query.words,
  ]),
];

/**
 * Finds the closest reports.
 * @param question without what a follow-up takes from the one before
 * @param found evidence that was found otherwise, or is being found meanwhile; it is compared too
 * @param most how many are given
 */
export async function closestReports(
  question: string,
  query: TypedQuery,
  found: readonly Evidence[] | Promise<readonly Evidence[]>,
  { search, catalogue }: { readonly search: SignalSearch; readonly catalogue: PreparedCatalogue },
  most = SHOWN,
): Promise<Closest> {
  const asked = wordsOf(question, query);
  if (asked.length === 0) return { reports: [], coverage: 0, scores: new Map(), absent: asked, words: asked };
  const [matches, corpus] = await Promise.all([search.search(wordedFilter(query) ?? anyOf(query, asked)), found]);
  const ids = new Set(corpus.map(({ signal }) => signal.id));
  const fresh = matches.filter(({ signal }) => !ids.has(signal.id)).map(evidenceBy(catalogue));
  const { since, until } = timeOf(query);
  const isTimely = ({ moved_at }: Evidence): boolean =>
    (!since || Date.parse(moved_at) >= since.getTime()) && (!until || Date.parse(moved_at) < until.getTime());
  const all = [...corpus.filter(isTimely), ...fresh].filter(
    (evidence) => isOfPeriod(query, evidence) && !isExcepted(query, evidence, catalogue),
  );
  // What is about something else with the same words is not close to a question about a company.
  const named = all.filter((one) => query.brands.length === 0 || query.brands.some((brand) => namesBrand(one, brand)));
  const { mentions } = query;
  const mentioned = named.filter(({ stems }) => mentions.some(({ name }) => hasName(stems, name)));
  // Where no report has a name in full, what the question calls it may be in one.
  const written = contentWords(question, query.period !== null);
  const isFull = mentions.length === 0 || mentioned.length > 0;
  const words = isFull ? asked : asked.filter((word) => written.includes(word) || query.words.includes(word));
  return rankReports(words, mentioned.length > 0 ? mentioned : named.length > 0 ? named : all, most, all);
}

/** Whether a report has every word. */
export const hasWords = ({ text }: ReportEvidence, words: readonly string[]): boolean =>
  words.every((word) => hasWord(stemsOf(text), word));

/** Ranks the reports of evidence by words. Pure. @param corpus how rare a word is shows in these */
export function rankReports(words: string[], all: readonly Evidence[], most = SHOWN, corpus = all): Closest {
  const rarity = new Map(
    words.map((word) => {
      const having = corpus.filter(({ stems }) => hasWord(stems, word)).length;
      return [word, Math.log(1 + (corpus.length - having + 0.5) / (having + 0.5))];
    }),
  );
  const total = [...rarity.values()].reduce((sum, weight) => sum + weight, 0);
  const weigh = (stems: ReadonlySet<string>): number =>
    [...rarity].reduce(
      (sum, [word, weight]) => sum + weight * (hasOwnWord(stems, word) ? 1 : hasWord(stems, word) ? SYNONYM : 0),
      0,
    );
  const texts = all.flatMap((evidence) =>
    evidence.reports.map((report) => ({ evidence, report, stems: stemsOf(report.text) })),
  );
  const mean = texts.reduce((sum, { stems }) => sum + stems.size, 0) / Math.max(1, texts.length);
  const scored = texts
    .map(({ evidence, report, stems }) => {
      const own = weigh(stems) / (1 - LENGTH + (LENGTH * stems.size) / mean);
      return { evidence, report, score: own + OF_SIGNAL * weigh(evidence.stems) };
    })
    .sort((one, other) => other.score - one.score || (one.evidence.moved_at < other.evidence.moved_at ? 1 : -1));
  const seen = new Set<string>();
  const [top] = scored;
  // Of the reports of a signal, the one with most of the words is shown.
  const fullest = (evidence: Evidence): ReportEvidence[] =>
    evidence.reports.toSorted((one, other) => weigh(stemsOf(other.text)) - weigh(stemsOf(one.text)));
  const reports = scored
    .filter(
      ({ evidence: { signal }, score }) =>
        score >= (top?.score ?? 0) * LEAST && !seen.has(signal.id) && seen.add(signal.id),
    )
    .slice(0, most)
    .map(({ evidence, report }) => ({ evidence, report: fullest(evidence)[0] ?? report }));
  const coverage = top && total > 0 ? weigh(top.evidence.stems) / total : 0;
  const scores = new Map<string, number>();
  for (const {
    evidence: { signal },
    score,
  } of scored)
    if (!scores.has(signal.id)) scores.set(signal.id, top && top.score > 0 ? score / top.score : 0);
  const absent = words.filter((word) => !all.some(({ stems }) => hasWord(stems, word)));
  return { reports, coverage, scores, absent, words };
}
