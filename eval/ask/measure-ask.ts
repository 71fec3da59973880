/**
 * How well questions about a recorded month are answered: `npm run eval -- ask [--wrong] [--json FILE] [--commit]`. Fills a
 * record with the month, asks every question at its time, grades the answers from 0 to 3, and prints the figures by kind
 * and the reliability of the confidence; exits with 1 when a figure fell below the committed one.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Answer, answerQuestion } from '../../answer/answer-question.ts';
import type { EarlierTurn } from '../../answer/read-asked.ts';
import { openCatalogue } from '../../bin/services.ts';
import { foundItem } from '../../ingest/stream-items.ts';
import { meaningsByEncoder } from '../../ingest/understand/encoder/item-encoder.ts';
import { postgresSearch } from '../../projector/models/search-queries.ts';
import { commitFigures, listFallen, readCommitted, type Section } from '../evaluate.ts';
import { BASE_URL, readRecordedSignals, withOpenRecord } from '../filled-record.ts';
import { checkSentences } from '../measure-answers.ts';
import {
  type AskQuestion,
  askable,
  eventOf,
  eventsCited,
  type Grade,
  gradeAnswer,
  isNoise,
  type MonthItem,
  readAskQuestions,
  readMonth,
  reliabilityOf,
} from './grade-answer.ts';

interface Outcome {
  readonly question: AskQuestion;
  readonly answer: Answer;
  /** Events of the cited signals. */
  readonly cited: readonly string[];
  /** Null where the record lacks what the question is about. */
  readonly grade: Grade | null;
}
type Graded = Outcome & { readonly grade: Grade };

interface Run {
  readonly outcomes: readonly Outcome[];
  /** Items of events that are in no public signal, and noise that is in one, at the end of the month. */
  readonly missed: readonly MonthItem[];
  readonly noise: readonly MonthItem[];
}

async function run(month: readonly MonthItem[], questions: readonly AskQuestion[]): Promise<Run> {
  const catalogue = await openCatalogue();
  const outcomes: Outcome[] = [];
  let now = new Date(0);
  let recordedUrls = new Set<string>();
  await withOpenRecord(catalogue, async ({ database, add }) => {
    const meaningOf = meaningsByEncoder(console.warn);
    const search = postgresSearch(database);
    const context = {
      database,
      search,
      catalogue,
      baseUrl: BASE_URL,
      now: () => now,
      reader: null,
      writer: null,
      meaningOf,
    };
    const times = [...new Set(questions.map(({ at }) => Date.parse(at)))].sort((one, other) => one - other);
    for (const time of times) {
      const after = now.getTime();
      now = new Date(time);
      const fresh = month.filter(({ published_at: at }) => Date.parse(at) > after && Date.parse(at) <= time);
      if (fresh.length > 0) await add(fresh.map(foundItem));
      const signals = await readRecordedSignals(database);
      recordedUrls = new Set(signals.flatMap(({ urls }) => urls));
      const ofUrl = new Map(month.map((item) => [item.url, item]));
      const items = new Map(signals.map(({ id, urls }) => [id, urls.flatMap((url) => ofUrl.get(url) ?? [])] as const));
      const stored = new Map(signals.map(({ id, text }) => [id, text]));
      const recorded = new Set([...items.values()].flat().map(({ key }) => eventOf(key)));
      for (const question of questions.filter(({ at }) => Date.parse(at) === time)) {
        const earlier: EarlierTurn[] = [];
        for (const text of question.after) {
          const { citations, query } = await answerQuestion(context, { text, earlier });
          earlier.push({ question: text, cited: citations.map(({ id }) => id), query: query?.query });
        }
        const answer = await answerQuestion(context, { text: question.ask, earlier });
        const cited = answer.citations.map(({ id, quotes }) =>
          eventsCited(
            items.get(id) ?? [],
            quotes.map(({ text }) => text),
          ),
        );
        const checked = checkSentences(answer.content, answer.citations, stored);
        const asked = askable(question, recorded);
        const given = { ...answer, cited, quotesHold: checked.carried === checked.citations };
        const grade = asked && gradeAnswer(asked, given);
        outcomes.push({ question, answer, cited: cited.map((of) => [...of].join('+')), grade });
      }
    }
  });
  const isMissed = ({ key, url }: MonthItem): boolean => !isNoise(eventOf(key)) && !recordedUrls.has(url);
  const isTaken = ({ key, url }: MonthItem): boolean => isNoise(eventOf(key)) && recordedUrls.has(url);
  return { outcomes, missed: month.filter(isMissed), noise: month.filter(isTaken) };
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const isGraded = (one: Outcome): one is Graded => one.grade !== null;
/** Whether nothing but a refusal is right. */
const mustRefuse = ({ question: { all, any } }: Outcome): boolean => all.length + any.length === 0;

function tableOf(outcomes: readonly Outcome[]) {
  const graded = outcomes.filter(isGraded);
  const count = (test: (one: Graded) => boolean): number => graded.filter(test).length;
  return {
    questions: outcomes.length,
    'not in record': outcomes.length - graded.length,
    mean: round(sum(graded.map(({ grade }) => grade.points)) / Math.max(1, graded.length)),
    ...Object.fromEntries(
      [3, 2, 1, 0].map((points) => [`of ${points}`, count(({ grade }) => grade.points === points)]),
    ),
    false: count(({ grade }) => grade.isFalse),
    'needless refusals': count(({ grade }) => grade.needless),
  };
}

/** The figures that are committed: the higher, the better. */
function figuresOf(outcomes: readonly Outcome[]): Section {
  const graded = outcomes.filter(isGraded);
  const of = (some: readonly Graded[], test: (one: Graded) => boolean): number =>
    round(some.filter(test).length / Math.max(1, some.length));
  const [refusable, answerable] = [graded.filter(mustRefuse), graded.filter((one) => !mustRefuse(one))];
  return {
    points: round(sum(graded.map(({ grade }) => grade.points)) / (3 * Math.max(1, graded.length))),
    answered_right: of(answerable, ({ grade }) => grade.points >= 2),
    without_false_statement: of(graded, ({ grade }) => !grade.isFalse),
    not_needlessly_refused: of(answerable, ({ grade }) => !grade.needless),
    unanswerable_refused: of(refusable, ({ grade }) => grade.refused),
  };
}

function printWrong({ question, answer, grade, cited }: Graded): void {
  const turns = [...question.after, question.ask].join(' → ');
  console.log(`\n${grade.points} ${question.kind} ${answer.basis}: ${turns}\n  ${grade.why.join('; ')}`);
  console.log(`  cited: ${cited.join(', ') || 'nothing'}\n  ${answer.content.slice(0, 400).replace(/\n+/g, ' / ')}`);
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { wrong: { type: 'boolean' }, json: { type: 'string' }, commit: { type: 'boolean' } },
    allowPositionals: true,
  });
  const month = readMonth();
  const { outcomes, missed, noise } = await run(month, readAskQuestions(month));
  const graded = outcomes.filter(isGraded);
  if (values.wrong) for (const one of graded.filter(({ grade }) => grade.points < 2)) printWrong(one);

  const events = month.filter(({ key }) => !isNoise(eventOf(key))).length;
  console.log(`\n${missed.length} of ${events} items of events are not in the record:`);
  console.log(missed.map(({ key }) => key).join(', '));
  console.log(`${noise.length} of ${month.length - events} noise items are: ${noise.map(({ key }) => key).join(', ')}`);
  const absent = outcomes.filter((one) => !isGraded(one)).map(({ question }) => question.ask);
  console.log(`Questions about what is not in the record: ${absent.join(' | ') || 'none'}`);
  const kinds = [...new Set(outcomes.map(({ question }) => question.kind))];
  console.table({
    ...Object.fromEntries(kinds.map((kind) => [kind, tableOf(outcomes.filter((one) => one.question.kind === kind))])),
    'every kind': tableOf(outcomes),
  });
  const { bins, error } = reliabilityOf(
    graded.map(({ answer, grade }) => ({ confidence: answer.confidence, points: grade.points })),
  );
  console.table(
    bins
      .filter(({ answers }) => answers > 0)
      .map((bin) => ({
        confidence: `${bin.from.toFixed(1)} to ${(bin.from + 0.1).toFixed(1)}`,
        answers: bin.answers,
        stated: round(bin.stated),
        right: round(bin.right),
      })),
  );
  console.log(`Expected calibration error ${round(error)}`);

  const figures = figuresOf(outcomes);
  console.table(figures);
  if (values.json) {
    const answers = outcomes.map(({ question, answer, cited, grade }) => ({
      ...question,
      basis: answer.basis,
      confidence: answer.confidence,
      cited,
      content: answer.content,
      grade,
    }));
    const record = { missed: missed.map(({ key }) => key), noise: noise.map(({ key }) => key) };
    writeFileSync(
      values.json,
      `${JSON.stringify({ figures, calibration_error: error, bins, record, answers }, null, 2)}\n`,
    );
  }
  if (values.commit) commitFigures('ask', figures);
  const falls = listFallen(readCommitted('ask'), figures);
  for (const fall of falls) console.error(`ask: ${fall}`);
  return falls.length > 0 ? 1 : 0;
}

if (import.meta.main) process.exitCode = await main();
