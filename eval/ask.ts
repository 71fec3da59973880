/**
 * How well questions are answered: `node eval/ask.ts [--now ISO] [--wrong]`. Asks the project's own questions
 * of the demo newsroom's record, checks every sentence, prints the figures and the reliability of the confidence; ends
 * with 1 when a figure misses its limit.
 */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { type Answer, answerQuestion } from '../answer/answer-question.ts';
import { BASES, RELIABILITY } from '../answer/draft.ts';
import { storedText } from '../answer/retrieve-evidence.ts';
import { openCatalogue } from '../bin/services.ts';
import { query } from '../log/postgres/database.ts';
import { SignalDetail } from '../schemas/resources.ts';
import type { Section } from './figures.ts';
import { type CountedQuestion, type FoundQuestion, readQuestions } from './questions.ts';
import { BASE_URL, type FilledRecord, withRecord } from './record.ts';
import { type Checked, checkSentences } from './sentences.ts';

/** The newsroom's news follow the clock; a fixed one makes the record the same each time. */
const NOW = '2026-11-21T06:30:00Z';
const TOP = 10;
const DAY = 86_400_000;

/** The least of each figure. */
const LIMITS: Section = {
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

const Detail = z.object({ key: z.string(), document: z.string(), urls: z.array(z.string()) });

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
  const misses = Object.entries(LIMITS).filter(([name, least]) => (figures[name] ?? 0) < least);
  for (const [name, least] of misses) console.error(`ask: ${name} is ${figures[name]}, at least ${least} is asked for`);
  return misses.length > 0 ? 1 : 0;
}

async function askAll(
  { database, truth }: FilledRecord,
  now: Date,
  catalogue: Awaited<ReturnType<typeof openCatalogue>>,
): Promise<Outcome[]> {
  const rows = await query(
    database,
    `SELECT key, left(item_document, -1) || ',' || substr(detail_parts, 2) AS document,
       ARRAY(SELECT DISTINCT e.body::jsonb #>> '{data,report,url}' FROM log.event e
         WHERE e.stream = 'signal-' || key AND e.body::jsonb #>> '{data,report,url}' IS NOT NULL) AS urls
     FROM read.signals WHERE status = 'public'`,
    [],
    Detail,
  );
  const stored = new Map(rows.map(({ key, document }) => [key, storedText(SignalDetail.parse(JSON.parse(document)))]));
  const ofUrl = new Map(rows.flatMap(({ key, urls }) => urls.map((url) => [url, key] as const)));
  const events = new Map(truth.events.map((event) => [event.id.replace(/-c\d+$/, ''), event]));
  const signalsOf = (id: string): Set<string> => {
    const event = events.get(id);
    if (!event) throw new Error(`questions.yaml: the newsroom has no event ${id}`);
    return new Set([...event.reports, ...event.corrections].flatMap(({ url }) => ofUrl.get(url) ?? []));
  };
  const context = { database, catalogue, baseUrl: BASE_URL, now: () => now, writer: null };
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
    const told = (lead.match(/\d[\d,]*(?:\.\d+)?/g) ?? []).map((number) => Number(number.replaceAll(',', '')));
    const right = told.includes(figure) && (!first || lead.startsWith(first)) && ids.every((id) => cites(answer, id));
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

/** What was told of each basis beside what turned out. */
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
      told: RELIABILITY[basis],
    };
  });
  console.table(rows.filter(({ basis }) => basis !== 'none'));
}

if (import.meta.main) process.exitCode = await main();
