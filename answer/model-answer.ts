/**
 * Sentences that a model writes about reports: the port of the model, the reports that it is given, and the check of what it
 * writes. Each sentence names the report and the words that it rests on; the words are compared with the stored text, what code
 * can check is checked (`sentence-check.ts`), and a second call judges the rest in one batch. The answer that the service
 * computed itself stays in every case.
 */
import { dayInWords } from '../language/days.ts';
import { type Draft, escapeMarkdown, type Sentence } from './draft.ts';
import { dayOf, type Evidence, type ReportEvidence } from './evidence.ts';
import { doubtOf, isVerbatim, type Support, wordsOf } from './sentence-check.ts';

/** A report as a model is given it. */
export interface GivenReport {
  /** `r1`, `r2`, …: no id of ours is copied. */
  readonly id: string;
  /** In words, as the model reads it: `9 November 2026`. */
  readonly date: string;
  readonly outlet: string;
  /** The title, and on further lines the summary: what may be quoted. */
  readonly text: string;
}

/** A sentence as a model writes it. */
export interface WrittenSentence {
  readonly text: string;
  /** What it rests on: reports that were given, and words of theirs. */
  readonly rests_on: readonly { readonly report: string; readonly words: string }[];
}

export interface Written {
  readonly sentences: readonly WrittenSentence[];
  readonly cost_usd: number;
}

/** A sentence to judge, with the words that it rests on. */
export interface Claim {
  readonly n: number;
  readonly sentence: string;
  readonly rests_on: readonly {
    readonly outlet: string;
    /** In words. */
    readonly date: string;
    readonly title: string;
    readonly words: string;
  }[];
}

/** The port of a model that composes answers and judges sentences. Each answers null when the provider fails, is slow or over budget. */
export interface Writer {
  /** @param own what the service has computed, which the sentences add to; empty for nothing */
  write(question: string, own: string, reports: readonly GivenReport[]): Promise<Written | null>;
  /**
   * @param question what a sentence with Yes or No answers
   * @returns the numbers of the claims that follow from the words that they rest on
   */
  judge(
    question: string,
    claims: readonly Claim[],
  ): Promise<{ readonly follow: readonly number[]; readonly cost_usd: number } | null>;
}

/** A report with the signal that it belongs to. */
interface Candidate extends GivenReport {
  readonly signal: string;
  readonly day: string;
  readonly report: ReportEvidence;
}

/** Reports that a model is given, and of one signal before every signal has its turn. */
export const MOST_GIVEN = 18;
const OF_ONE_SIGNAL = 2;

/** The reports of the evidence that an answer rests on, those that it quotes first, then those of the rest. */
function candidatesOf({ lead, items }: Pick<Draft, 'lead' | 'items'>, evidence: readonly Evidence[]): Candidate[] {
  const cited = [...lead, ...items].flatMap(({ ids }) => ids);
  const quoted = [...lead, ...items].flatMap(({ quotes }) => quotes.map(({ text }) => text));
  const rankOf = ({ signal }: Evidence): number =>
    cited.includes(signal.id) ? cited.indexOf(signal.id) : cited.length;
  const weightOf = ({ text, summary }: ReportEvidence): number =>
    Number(quoted.some((words) => text.includes(words))) * 2 + Number(summary !== null);
  const reports = evidence
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .map((one) => one.reports.toSorted((a, b) => weightOf(b) - weightOf(a)).map((report) => ({ report, of: one })));
  const first = reports.flatMap((own) => own.slice(0, OF_ONE_SIGNAL));
  const chosen = [...first, ...reports.flatMap((own) => own.slice(OF_ONE_SIGNAL))].slice(0, MOST_GIVEN);
  return chosen.map(({ report, of }, index) => {
    const day = dayOf(report, of);
    const { outlet, text } = report;
    return { id: `r${index + 1}`, date: dayInWords(day), outlet, text, signal: of.signal.id, day, report };
  });
}

/** Sentences that are read; a model that repeats itself writes more. */
const MAX_SENTENCES = 12;
const MAX_SUPPORTS = 6;
/** Less than this states nothing. */
const SHORTEST_WORDS = 8;

/** A sentence whose words are in the reports that it names. */
interface Quoting {
  readonly text: string;
  readonly quotes: readonly { readonly report: Candidate; readonly words: string }[];
}

/** A sentence with its words as they are stored; null where a report was not given or does not have them. */
function quoting({ text, rests_on }: WrittenSentence, given: readonly Candidate[]): Quoting | null {
  if (rests_on.length === 0 || rests_on.length > MAX_SUPPORTS) return null;
  const quotes = rests_on.flatMap(({ report: id, words: written }) => {
    const report = given.find((one) => one.id === id);
    const words = report && written.trim().length >= SHORTEST_WORDS ? wordsOf(report.text, written) : null;
    return report && words !== null ? [{ report, words }] : [];
  });
  return quotes.length === rests_on.length ? { text: text.trim(), quotes } : null;
}

const supportsOf = ({ quotes }: Quoting): Support[] =>
  quotes.map(({ report: { report, day, outlet }, words }) => ({ title: report.title, day, outlet, words }));

const isStated = ({ text, quotes }: Quoting): boolean =>
  isVerbatim(
    text,
    quotes.flatMap(({ report }) => report.report.lines),
  );

const sentenceOf = ({ text, quotes }: Quoting): Sentence => ({
  markdown: escapeMarkdown(text),
  ids: [...new Set(quotes.map(({ report }) => report.signal))],
  quotes: quotes.map(({ report: { signal: id, outlet, date }, words }) => ({
    id,
    text: words,
    source: `${outlet}, ${date}`,
  })),
});

/** Answers that are computed; before others, which list reports, come the sentences of the model. */
const COMPUTED: ReadonlySet<Draft['basis']> = new Set(['counted', 'fact']);
/** What a model wrote, and what the checks left of it. */
interface Composed {
  /** In the order of the model. */
  readonly kept: readonly Sentence[];
  /** The share of sentences that were dropped. */
  readonly dropped: number;
  /** Whether the model read the reports and found no answer in them. */
  readonly isSilent: boolean;
  readonly cost_usd: number;
}

const NOTHING: Composed = { kept: [], dropped: 0, isSilent: false, cost_usd: 0 };

/**
 * Lets a model write about reports.
 * @param own what the service answers by itself
 * @returns its sentences without those that fail a check; none when the model fails
 */
export async function composedSentences(
  writer: Writer,
  question: string,
  own: Pick<Draft, 'lead' | 'items' | 'basis'>,
  evidence: readonly Evidence[],
): Promise<Composed> {
  const given = candidatesOf(own, evidence);
  if (given.length === 0) return NOTHING;
  const reports = given.map(({ id, date, outlet, text }) => ({ id, date, outlet, text }));
  // Other answers give way to the sentences.
  const computed = COMPUTED.has(own.basis) ? own.lead : [];
  const written = await writer.write(question, computed.map(({ markdown }) => markdown).join(' '), reports);
  if (!written) return NOTHING;
  const { sentences } = written;
  const read = sentences.slice(0, MAX_SENTENCES).flatMap((one) => quoting(one, given) ?? []);
  const sound = read.filter((one) => doubtOf(one.text, supportsOf(one)) === null);
  const open = sound.filter((one) => !isStated(one));
  const claims = open.map((one, index) => ({
    n: index + 1,
    sentence: one.text,
    rests_on: one.quotes.map(({ report: { report, outlet, date }, words }) => ({
      outlet,
      date,
      title: report.title,
      words,
    })),
  }));
  const judged = claims.length > 0 ? await writer.judge(question, claims) : null;
  const follows = new Set(judged?.follow.flatMap((n) => open[n - 1] ?? []));
  const kept = sound.filter((one) => follows.has(one) || isStated(one)).map(sentenceOf);
  return {
    kept,
    dropped: sentences.length === 0 ? 0 : 1 - kept.length / sentences.length,
    isSilent: sentences.length === 0,
    cost_usd: written.cost_usd + (judged?.cost_usd ?? 0),
  };
}

/** Further reports that stay below sentences of a model, which has read more of them than are shown. */
const FURTHER = 3;
/** Reports that are shown where the model finds no answer in any. */
const CLOSEST = 5;

/** A list of reports in which the model found no answer. */
const closestOf = ({ lead, items, ...own }: Draft): Draft => ({
  ...own,
  lead: [{ markdown: 'The reports found do not answer this. The closest:', ids: [], quotes: [] }],
  items: [...lead.filter(({ ids }) => ids.length > 0), ...items].slice(0, CLOSEST),
  notes: [],
  basis: 'none',
});

/**
 * Adds sentences of a model to an answer. What was computed stays; of a list of reports, those stay that the sentences do not cite.
 * @param question as it was asked
 * @param own the answer without a model; it is returned as it is when the model fails or none of its sentences holds. Where the
 *   model finds no answer in the reports, those that were found are no more than the closest
 * @param evidence what was found for the question; empty where nothing may be added, as to a refusal
 * @param isWhole whether the answer lists all that was asked for, so that all of it stays
 */
export async function withModel(
  writer: Writer | null,
  question: string,
  own: Draft,
  evidence: readonly Evidence[],
  isWhole = false,
): Promise<{ readonly draft: Draft; readonly cost_usd: number }> {
  if (!writer || evidence.length === 0) return { draft: own, cost_usd: 0 };
  const { kept, dropped, isSilent, cost_usd } = await composedSentences(writer, question, own, evidence);
  if (isSilent && !COMPUTED.has(own.basis)) return { draft: own.basis === 'none' ? own : closestOf(own), cost_usd };
  if (kept.length === 0) return { draft: own, cost_usd };
  const cited = new Set(kept.flatMap(({ ids }) => ids));
  const isFurther = ({ ids }: Sentence): boolean => ids.length > 0 && !ids.some((id) => cited.has(id));
  const items = own.items.filter(isFurther);
  if (COMPUTED.has(own.basis))
    return { draft: { ...own, items, dropped, composed: { place: 'after', sentences: kept } }, cost_usd };
  const further = [...own.lead.filter(isFurther), ...items].slice(0, isWhole ? undefined : FURTHER);
  const composed = { place: 'before', sentences: kept } as const;
  const notes = isWhole ? own.notes : [];
  return { draft: { ...own, lead: [], notes, items: further, basis: 'composed', dropped, composed }, cost_usd };
}
