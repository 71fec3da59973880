/**
 * How well questions are answered: `node eval/measure-answers.ts [--now ISO] [--wrong]`. Asks the project's own questions
 * about the demo newsroom's record, checks every sentence, prints the figures and the reliability of the confidence;
 * exits with 1 when a figure misses its limit.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { z } from 'zod';
import { type Answer, answerQuestion } from '../answer/answer-question.ts';
import { BASES, RELIABILITY } from '../answer/draft.ts';
import { openCatalogue } from '../bin/services.ts';
import { postgresSearch } from '../projector/models/search-queries.ts';
import type { Citation } from '../schemas/ask.ts';
import type { Section } from './evaluate.ts';
import { BASE_URL, type FilledRecord, readRecordedSignals, withRecord } from './filled-record.ts';

// The questions.

const FoundSchema = z.strictObject({
  ask: z.string(),
  /** Ids of events of the newsroom; one of them must be cited. */
  events: z.array(z.string()).min(1),
  /** Each of the events must be cited. */
  all: z.boolean().default(false),
});
const CountedSchema = z.strictObject({
  ask: z.string(),
  /** By event, its part of the figure. */
  sum: z.record(z.string(), z.number()),
  /** Only events of this number of past days count. */
  days: z.number().optional(),
  /** The first words of the direct answer. */
  first: z.string().optional(),
});

const Questions = z.strictObject({
  found: z.array(FoundSchema),
  counted: z.array(CountedSchema),
  unanswerable: z.array(z.string()),
});
type Questions = z.infer<typeof Questions>;
type FoundQuestion = z.infer<typeof FoundSchema>;
type CountedQuestion = z.infer<typeof CountedSchema>;

/** Reads the questions. @throws ZodError naming the invalid field */
export const readQuestions = (): Questions =>
  Questions.parse(parse(readFileSync(new URL('questions.yaml', import.meta.url), 'utf8')));

// The check of sentences against the stored signals, independent of the check of the service.

interface Checked {
  /** Sentences with a claim about the record. */
  readonly claims: number;
  /** Claims with a citation. */
  readonly cited: number;
  /** Citations of sentences, and (`carried`) those whose signal contains the sentence. */
  readonly citations: number;
  readonly carried: number;
}

const ID = /\[(sig_[0-9a-f]{16})\]/g;
/** Sentences about the answer, not about the record. */
const SAYS_NOTHING =
  /^(?:A report without a number|Amounts in several|The nearest signals|No \w+ found|No signal listed mentions|Nothing of the kind found|Nothing on record fits exactly|The record has no figure|“[^”]+” was read as|That is not something)/;

const withoutEscapes = (markdown: string): string => markdown.replace(/\\([\\`*_[\]<>|#~])/g, '$1');
const quotesIn = (text: string): string[] =>
  [...text.matchAll(/“([^“”]*(?:“[^”]*”[^“”]*)*)”/g)].map(([, quote]) => quote ?? '');

/** Pieces of content that end with their citations: a bullet, or a sentence of the lead. */
function sentencesOf(content: string): { text: string; ids: string[] }[] {
  return content
    .split('\n')
    .flatMap((line) => {
      const parts = line.split(/(?<=\[sig_[0-9a-f]{16}\]) (?!\[sig_)/);
      return parts.map((part) => ({
        text: part.replace(ID, '').replace(/^- /, '').trim(),
        ids: [...part.matchAll(ID)].map(([, id]) => id ?? ''),
      }));
    })
    .filter(({ text }) => text !== '');
}

/** Checks an answer. A citation carries a sentence when every quote is in one of the sentence's signals, or it was counted. */
export function checkSentences(
  content: string,
  citations: readonly Citation[],
  stored: ReadonlyMap<string, string>,
): Checked {
  const checked = { claims: 0, cited: 0, citations: 0, carried: 0 };
  const known = new Set(citations.map(({ id }) => id));
  for (const { text, ids } of sentencesOf(content)) {
    if (SAYS_NOTHING.test(text)) continue;
    checked.claims += 1;
    if (ids.length > 0) checked.cited += 1;
    const quotes = quotesIn(withoutEscapes(text));
    for (const id of ids) {
      checked.citations += 1;
      const own = stored.get(id);
      const carries =
        own !== undefined && known.has(id) && (quotes.length === 0 || quotes.some((quote) => own.includes(quote)));
      if (carries && quotes.every((quote) => ids.some((one) => stored.get(one)?.includes(quote)))) checked.carried += 1;
    }
  }
  return checked;
}

// The measurement.

/** The newsroom follows the clock; with a fixed one the record is always the same. */
const NOW = '2026-11-21T06:30:00Z';
const TOP = 10;
const DAY = 86_400_000;

/** The minimum of each figure. */
const MIN_FIGURES: Section = {
  citation_precision: 1,
  citation_recall: 0.9,
  counts_right: 0.95,
  unanswerable_refused: 0.95,
  found_in_top_10: 0.92,
  answered_right: 0.9,
};

interface Outcome {
  readonly ask: string;
  readonly kind: 'found' | 'counted' | 'unanswerable';
  readonly answer: Answer;
  readonly right: boolean;
  readonly inTop: boolean;
  readonly checked: Checked;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { now: { type: 'string', default: NOW }, wrong: { type: 'boolean' } },
  });
  const now = new Date(values.now);
  const catalogue = await openCatalogue();
  const outcomes: Outcome[] = [];
  await withRecord(now, catalogue, async (record) => {
    outcomes.push(...(await askAll(record, now, catalogue)));
  });
  const figures = figuresOf(outcomes);
  console.table(figures);
  reliability(outcomes);
  for (const { ask, kind, right, inTop, answer } of outcomes)
    if (!right || !inTop || values.wrong)
      console.log(
        `${right ? 'right' : 'WRONG'}${inTop ? '' : ' not in top'} ${kind} ${answer.basis}: ${ask}\n    ${answer.content.slice(0, 220).replace(/\n+/g, ' / ')}`,
      );
  console.log(JSON.stringify({ questions: outcomes.length, ...figures }));
  const misses = Object.entries(MIN_FIGURES).filter(([name, least]) => (figures[name] ?? 0) < least);
  for (const [name, least] of misses) console.error(`ask: ${name} is ${figures[name]}, the minimum is ${least}`);
  return misses.length > 0 ? 1 : 0;
}

async function askAll(
  { database, truth }: FilledRecord,
  now: Date,
  catalogue: Awaited<ReturnType<typeof openCatalogue>>,
): Promise<Outcome[]> {
  const signals = await readRecordedSignals(database);
  const stored = new Map(signals.map(({ id, text }) => [id, text]));
  const ofUrl = new Map(signals.flatMap(({ id, urls }) => urls.map((url) => [url, id] as const)));
  const events = new Map(truth.events.map((event) => [event.id.replace(/-c\d+$/, ''), event]));
  const signalsOf = (id: string): Set<string> => {
    const event = events.get(id);
    if (!event) throw new Error(`questions.yaml: the newsroom has no event ${id}`);
    return new Set([...event.reports, ...event.corrections].flatMap(({ url }) => ofUrl.get(url) ?? []));
  };
  const search = postgresSearch(database);
  const context = { database, search, catalogue, baseUrl: BASE_URL, now: () => now, reader: null, writer: null };
  const asked = (text: string): Promise<Answer> => answerQuestion(context, { text, earlier: [] });
  const check = (answer: Answer): Checked => checkSentences(answer.content, answer.citations, stored);
  const cites = (answer: Answer, id: string): boolean => answer.citations.some((one) => signalsOf(id).has(one.id));
  const inTop = (answer: Answer, id: string): boolean =>
    answer.found.slice(0, TOP).some((one) => signalsOf(id).has(one));

  const found = async ({ ask, events: ids, all }: FoundQuestion): Promise<Outcome> => {
    const answer = await asked(ask);
    const some = (test: (id: string) => boolean): boolean => (all ? ids.every(test) : ids.some(test));
    const right = answer.confidence > 0 && some((id) => cites(answer, id));
    return { ask, kind: 'found', answer, right, inTop: some((id) => inTop(answer, id)), checked: check(answer) };
  };
  const counted = async ({ ask, sum, days, first }: CountedQuestion): Promise<Outcome> => {
    const answer = await asked(ask);
    const since = days === undefined ? 0 : now.getTime() - days * DAY;
    const ids = Object.keys(sum).filter((id) => Date.parse(events.get(id)?.occurred_at ?? '') >= since);
    const figure = ids.reduce((total, id) => total + (sum[id] ?? 0), 0);
    const lead = answer.content.split('[sig_')[0] ?? '';
    const numbers = (lead.match(/\d[\d,]*(?:\.\d+)?/g) ?? []).map((number) => Number(number.replaceAll(',', '')));
    const right =
      numbers.includes(figure) && (!first || lead.startsWith(first)) && ids.every((id) => cites(answer, id));
    return { ask, kind: 'counted', answer, right, inTop: ids.every((id) => inTop(answer, id)), checked: check(answer) };
  };
  const unanswerable = async (ask: string): Promise<Outcome> => {
    const answer = await asked(ask);
    return { ask, kind: 'unanswerable', answer, right: answer.confidence === 0, inTop: true, checked: check(answer) };
  };
  const questions = readQuestions();
  const outcomes: Outcome[] = [];
  for (const question of questions.found) outcomes.push(await found(question));
  for (const question of questions.counted) outcomes.push(await counted(question));
  for (const question of questions.unanswerable) outcomes.push(await unanswerable(question));
  return outcomes;
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
const share = (of: readonly Outcome[], test: (one: Outcome) => boolean): number =>
  round(of.filter(test).length / Math.max(1, of.length));

function figuresOf(outcomes: readonly Outcome[]): Section {
  const of = (kind: Outcome['kind']): Outcome[] => outcomes.filter((one) => one.kind === kind);
  const sum = (of: keyof Checked): number => outcomes.reduce((total, { checked }) => total + checked[of], 0);
  return {
    citation_precision: round(sum('carried') / sum('citations')),
    citation_recall: round(sum('cited') / sum('claims')),
    counts_right: share(of('counted'), ({ right }) => right),
    unanswerable_refused: share(of('unanswerable'), ({ right }) => right),
    found_in_top_10: share([...of('found'), ...of('counted')], ({ inTop }) => inTop),
    answered_right: share(of('found'), ({ right }) => right),
  };
}

/** Compares the stated confidence of each basis with the share of right answers. */
function reliability(outcomes: readonly Outcome[]): void {
  const rows = BASES.map((basis) => {
    const of = outcomes.filter(({ answer }) => answer.basis === basis);
    const right = of.filter((one) => one.right && one.kind !== 'unanswerable').length;
    return {
      basis,
      answers: of.length,
      right,
      share: share(of, (one) => one.right && one.kind !== 'unanswerable'),
      smoothed: round((right + 1) / (of.length + 2)),
      stated: RELIABILITY[basis],
    };
  });
  console.table(rows.filter(({ basis }) => basis !== 'none'));
}

if (import.meta.main) process.exitCode = await main();
