/** The questions of `questions.yaml`, and the rules that grade an answer from 0 to 3. Pure functions. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { LONGEST_QUESTION } from '../../schemas/ask.ts';

// The month and its questions.

const MonthItem = z.strictObject({
  /** The event, a dot, and the number of the report. Of `noise-…`, nothing belongs into the record. */
  key: z.string().regex(/^[a-z0-9-]+\.\d+$/),
  outlet: z.string(),
  url: z.url(),
  title: z.string(),
  summary: z.string().nullable(),
  published_at: z.iso.datetime(),
});
export type MonthItem = z.infer<typeof MonthItem>;

/** The event that an item reports. */
export const eventOf = (key: string): string => key.replace(/\.\d+$/, '');
export const isNoise = (event: string): boolean => event.startsWith('noise-');

/** Reads the items of the month in order of time. @throws ZodError naming the invalid field */
export const readMonth = (): MonthItem[] =>
  readFileSync(new URL('month.jsonl', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.trim())
    .map((line) => MonthItem.parse(JSON.parse(line)));

const IN_INDIA = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Kolkata' });
/** The day in India on which an item was published, such as 2026-07-30. */
export const dayOf = ({ published_at }: MonthItem): string => IN_INDIA.format(new Date(published_at));

const Asked = z.string().min(1).max(LONGEST_QUESTION);
const Events = z.array(z.string()).default([]);
const QuestionSchema = z.strictObject({
  kind: z.string(),
  ask: Asked,
  after: z.array(Asked).default([]),
  at: z.iso.datetime({ offset: true }).optional(),
  all: Events,
  any: Events,
  least: z.int().positive().default(1),
  days: z.tuple([z.iso.date(), z.iso.date()]).optional(),
  ok: Events,
  not: Events,
  say: z
    .array(z.union([z.string().transform((one) => [one]), z.array(z.string()).min(1)]))
    .default([])
    .describe('each a list of alternatives'),
  number: z.int().optional(),
  deny: z.array(z.string()).default([]),
  refusal: z.int().min(0).max(3).default(0),
  /** For readers; the rules are those of `gradeAnswer`. */
  rubric: z.string().optional(),
});
const File = z.strictObject({
  defaults: z.strictObject({ at: z.iso.datetime({ offset: true }) }),
  questions: z.array(QuestionSchema),
});
/** A question; the days are resolved to events. */
export type AskQuestion = Omit<z.infer<typeof QuestionSchema>, 'at' | 'days'> & { readonly at: string };

/** Reads the questions. @throws Error for a question that names an event that the month lacks or cannot be answered */
export function readAskQuestions(month: readonly MonthItem[]): AskQuestion[] {
  const { defaults, questions } = File.parse(parse(readFileSync(new URL('questions.yaml', import.meta.url), 'utf8')));
  return questions.map(({ days, at = defaults.at, ...question }) => {
    const known = new Set(
      month.filter((item) => Date.parse(item.published_at) <= Date.parse(at)).map((item) => item.key),
    );
    const events = new Set([...known].map(eventOf));
    const unknown = [question.all, question.any, question.ok, question.not].flat().filter((event) =>
      // What must not be cited may lie in the future.
      question.not.includes(event) ? !month.some(({ key }) => eventOf(key) === event) : !events.has(event),
    );
    if (unknown.length > 0) throw new Error(`questions.yaml: “${question.ask}” names ${unknown.join(', ')}`);
    const inDays = month
      .filter((item) => days && known.has(item.key) && dayOf(item) >= days[0] && dayOf(item) <= days[1])
      .map(({ key }) => eventOf(key))
      .filter((event) => !isNoise(event));
    const any = [...new Set([...question.any, ...inDays])];
    if (question.all.length + any.length === 0 && question.refusal < 3)
      throw new Error(`questions.yaml: “${question.ask}” has neither events nor a refusal`);
    if (any.length > 0 && question.least > any.length)
      throw new Error(`questions.yaml: “${question.ask}” wants more events than there are`);
    return { ...question, any, at };
  });
}

// Grades.

/** An answer, as far as it is graded. */
export interface GivenAnswer {
  readonly content: string;
  readonly confidence: number;
  /** For each cited signal, in order of first citation, the events that it reports. */
  readonly cited: readonly ReadonlySet<string>[];
  /** Whether every quotation is in a report of the signal cited with it. */
  readonly quotesHold: boolean;
}

export interface Grade {
  /** 3 complete and true; 2 true and useful, but incomplete; 1 partly, or hidden in unrelated material; 0 wrong or nothing. */
  readonly points: number;
  readonly refused: boolean;
  /** Refused, though the record has the answer. */
  readonly needless: boolean;
  /** What it states is not so. */
  readonly isFalse: boolean;
  /** What was missing or wrong, for a reader. */
  readonly why: readonly string[];
}

/**
 * The events that a citation refers to: those whose items have a quoted text, since a signal may have mixed two events;
 * all events of the signal where nothing is quoted.
 * @param items the items that the signal reports
 */
export function eventsCited(items: readonly MonthItem[], quotes: readonly string[]): ReadonlySet<string> {
  const quoted = items.filter(({ title, summary }) =>
    quotes.some((quote) => [title, summary ?? ''].some((text) => plain(text).includes(plain(quote).trim()))),
  );
  return new Set((quoted.length > 0 ? quoted : items).map(({ key }) => eventOf(key)));
}

const NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');

/** Lower case, without thousands separators, marks of Markdown and currency signs, so that figures compare. */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[’‘]/g, "'")
    .replace(/\\([\\`*_[\]<>|#~])/g, '$1')
    .replace(/(?<=\d),(?=\d)/g, '')
    .replace(/\[sig_[0-9a-f]+\]/g, ' ')
    .replace(/\s+/g, ' ');

/** Whether a text has a name or figure, not merely as part of a longer one. */
export function says(content: string, wanted: string): boolean {
  const literal = RegExp.escape(plain(wanted).trim());
  return new RegExp(`(?<![\\p{L}\\p{N}]|\\d\\.)${literal}(?![\\p{L}\\p{N}]|\\.\\d)`, 'u').test(plain(content));
}

/** The direct answer: what comes before the first citation. */
const leadOf = (content: string): string => content.split('[sig_')[0] ?? '';

const withoutQuotes = (text: string): string => text.replace(/“[^”]*”/g, ' ');

/** Figures of a text, without days, years, quarters and the number of other outlets. */
function figuresIn(text: string): number[] {
  const counted = plain(text).replace(
    /\b(?:and \d+ more|q[1-4]|fy ?\d+|20\d\d|\d{1,2} (?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)\w*|(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)\w* \d{1,2})\b/g,
    ' ',
  );
  const words = NUMBERS.flatMap((word, value) => (says(counted, word) ? [value] : []));
  return [...(counted.match(/\d+(?:\.\d+)?/g) ?? []).map(Number), ...words];
}

/**
 * What of a question the record can answer: events that understanding missed are left out, so that finding is measured
 * apart from understanding.
 * @param recorded the events of public signals
 * @returns null where the record lacks what the question is about
 */
export function askable(question: AskQuestion, recorded: ReadonlySet<string>): AskQuestion | null {
  const [all, any] = [question.all, question.any].map((events) => events.filter((event) => recorded.has(event))) as [
    string[],
    string[],
  ];
  if (question.all.length + question.any.length === 0) return question;
  if (all.length + any.length === 0) return null;
  // A figure or name that is wanted may be in the one that is missing.
  if (all.length < question.all.length && (question.all.length <= 2 || question.say.length > 0)) return null;
  if (question.say.length > 0 && question.any.length > 0 && any.length === 0) return null;
  return { ...question, all, any, least: Math.min(question.least, any.length) };
}

const share = (part: number, all: number): number => (all === 0 ? 1 : part / all);

/** From this share of related citations on, an answer can have 3 points, or 2. */
const MIN_PRECISION = { 3: 0.5, 2: 1 / 3 };

/**
 * Grades an answer.
 * - A refusal gets the points of the question, 0 unless it says otherwise. A question that must be refused gets 0 for
 *   everything else.
 * - A false statement gets 0: one of `deny`, another number than `number` in the direct answer, a quotation that is not in
 *   its signal, or an event of `not` as the first citation.
 * - 3: every event and every name or figure that is wanted, the first citation is one of the wanted events, at least half of
 *   the citations are related to the question, and none must not be cited.
 * - 2: at least half of the events and half of the names and figures, and a third of the citations related.
 * - 1: any of the wanted events.
 */
export function gradeAnswer(question: AskQuestion, { content, confidence, cited, quotesHold }: GivenAnswer): Grade {
  const { all, any, least, say, number, deny, ok, not, refusal } = question;
  const answerable = all.length + any.length > 0;
  const refused = confidence === 0;
  const own = content.replaceAll(question.ask, ' ');
  const wrong = [
    ...deny.filter((phrase) => says(own, phrase)).map((phrase) => `says “${phrase}”`),
    ...(quotesHold ? [] : ['quotes what is not in the signal']),
  ];
  const grade = (points: number, why: readonly string[] = []): Grade => ({
    points: wrong.length > 0 ? 0 : points,
    refused,
    needless: refused && answerable && refusal < 2,
    isFalse: wrong.length > 0,
    why: [...wrong, ...why],
  });
  if (refused) return grade(refusal, refusal < 3 ? ['refused'] : []);
  if (!answerable) return grade(0, ['not refused']);

  const lead = leadOf(content);
  // A figure in words of its own is the answer; without one, those of the quotation are.
  const stated = figuresIn(withoutQuotes(lead));
  const counted = number === undefined || (stated.length > 0 ? stated : figuresIn(lead)).includes(number);
  if (!counted && stated.length > 0) wrong.push(`counts ${stated.join(', ')} instead of ${number}`);
  const has = (signal: ReadonlySet<string> | undefined, events: readonly string[]): boolean =>
    events.some((event) => signal?.has(event));
  const citesOneOf = (events: readonly string[]): boolean => cited.some((signal) => has(signal, events));
  if (has(cited[0], not) && !has(cited[0], [...all, ...any])) wrong.push('the first citation is one that must not be');

  const missing = all.filter((event) => !citesOneOf([event]));
  const found = any.filter((event) => citesOneOf([event])).length;
  const wantedOfAny = any.length > 0 ? least : 0;
  const covered = share(all.length - missing.length + Math.min(found, wantedOfAny), all.length + wantedOfAny);
  const unsaid = say.filter((alternatives) => !alternatives.some((one) => says(own, one)));
  const wanted = say.length + (number === undefined ? 0 : 1);
  const said = share(wanted - unsaid.length - (counted ? 0 : 1), wanted);
  const related = cited.filter((signal) => has(signal, [...all, ...any, ...ok])).length;
  const precision = share(related, cited.length);
  const excluded = not.filter((event) =>
    cited.some((signal) => signal.has(event) && !has(signal, [...all, ...any, ...ok])),
  );
  const leads = has(cited[0], [...all, ...any]);
  const why = [
    ...missing.map((event) => `${event} not cited`),
    ...(found < wantedOfAny ? [`${found} of ${wantedOfAny} events`] : []),
    ...unsaid.map((alternatives) => `“${alternatives.join('” or “')}” not said`),
    ...(counted ? [] : [`${number} not in the direct answer`]),
    ...excluded.map((event) => `${event} cited`),
    ...(leads ? [] : ['the first citation is another event']),
    ...(related < cited.length ? [`${related} of ${cited.length} citations related`] : []),
  ];
  if (covered === 1 && said === 1 && precision >= MIN_PRECISION[3] && leads && excluded.length === 0)
    return grade(3, why);
  if (covered >= 0.5 && said >= 0.5 && precision >= MIN_PRECISION[2] && excluded.length === 0) return grade(2, why);
  return grade(covered > 0 ? 1 : 0, why);
}

// Calibration.

export interface Bin {
  /** The confidences of the bin, such as 0.9 to 1. */
  readonly from: number;
  readonly answers: number;
  /** Mean stated confidence, and share of answers with at least 2 points. */
  readonly stated: number;
  readonly right: number;
}

/** Compares stated confidence with the share of right answers, in ten bins. Refusals state nothing and are left out. */
export function reliabilityOf(answers: readonly { confidence: number; points: number }[]): {
  bins: Bin[];
  /** Expected calibration error: the mean distance of stated and right, weighted by answers. */
  error: number;
} {
  const given = answers.filter(({ confidence }) => confidence > 0);
  const bins = Array.from({ length: 10 }, (_, index): Bin => {
    const of = given.filter(({ confidence }) => Math.min(9, Math.floor(confidence * 10)) === index);
    const stated = of.reduce((sum, { confidence }) => sum + confidence, 0) / Math.max(1, of.length);
    const right = of.filter(({ points }) => points >= 2).length / Math.max(1, of.length);
    return { from: index / 10, answers: of.length, stated, right };
  });
  const error = bins.reduce((sum, bin) => sum + bin.answers * Math.abs(bin.stated - bin.right), 0);
  return { bins, error: error / Math.max(1, given.length) };
}
