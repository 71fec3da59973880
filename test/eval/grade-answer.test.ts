import { describe, expect, it } from 'vitest';
import {
  type AskQuestion,
  askable,
  eventOf,
  eventsCited,
  type GivenAnswer,
  gradeAnswer,
  isNoise,
  type MonthItem,
  readAskQuestions,
  readMonth,
  reliabilityOf,
  says,
} from '../../eval/ask/grade-answer.ts';

const question = (fields: Partial<AskQuestion>): AskQuestion => ({
  kind: 'fact',
  ask: 'Where did Kiri open?',
  after: [],
  at: '2026-07-31T09:00:00+05:30',
  all: [],
  any: [],
  least: 1,
  ok: [],
  not: [],
  say: [],
  deny: [],
  refusal: 0,
  ...fields,
});
const answer = (content: string, cited: readonly string[][], fields: Partial<GivenAnswer> = {}): GivenAnswer => ({
  content,
  confidence: 0.9,
  cited: cited.map((events) => new Set(events)),
  quotesHold: true,
  ...fields,
});
const refusal = answer('No signal found that answers this.', [], { confidence: 0 });
const QUOTE = 'Post: “Kiri opens 40 stores in Pune”. [sig_0123456789abcdef]';

describe('the month and its questions', () => {
  const month = readMonth();

  it('has events reported by several outlets, noise, and keys and addresses that occur once', () => {
    const byEvent = Map.groupBy(month, ({ key }) => eventOf(key));
    const events = [...byEvent].filter(([event]) => !isNoise(event));

    expect(events.length).toBeGreaterThan(200);
    expect(events.filter(([, reports]) => reports.length > 1).length / events.length).toBeGreaterThan(0.2);
    expect(new Set(month.map(({ key }) => key)).size).toBe(month.length);
    expect(new Set(month.map(({ url }) => url)).size).toBe(month.length);
  });

  it('asks each question once, of events that were published before it', () => {
    const questions = readAskQuestions(month);
    const asked = questions.map(({ after, ask, at }) => [at, ...after, ask].join(' / '));

    expect(questions.length).toBeGreaterThan(200);
    expect(new Set(asked).size).toBe(asked.length);
  });

  it('does not take a question about an event that is still to come', () => {
    const early = month.filter(({ published_at }) => published_at < '2026-07-15');

    expect(() => readAskQuestions(early)).toThrow('questions.yaml');
  });
});

describe('grades', () => {
  const pune = question({ all: ['pune'], say: [['40', 'forty']], ok: ['lease'], not: ['closed'] });

  it.each([
    ['the wanted event and figure', pune, answer(QUOTE, [['pune']]), 3],
    ['a related event besides', pune, answer(QUOTE, [['pune'], ['lease']]), 3],
    ['the figure hidden behind another event', pune, answer(QUOTE, [['lease'], ['pune']]), 2],
    ['the event without the figure', pune, answer('Kiri opens in Pune', [['pune']]), 1],
    ['mostly unrelated events', pune, answer(QUOTE, [['pune'], ['x'], ['y'], ['z']]), 1],
    ['an event that must not be cited', pune, answer(QUOTE, [['pune'], ['closed']]), 1],
    ['another event', pune, answer(QUOTE, [['x']]), 0],
    ['no answer', pune, refusal, 0],
    ['half of the events', question({ all: ['a', 'b'] }), answer('', [['a']]), 2],
    ['fewer than half of the events', question({ all: ['a', 'b', 'c'] }), answer('', [['a']]), 1],
    ['as many events as are wanted', question({ any: ['a', 'b', 'c'], least: 2 }), answer('', [['c'], ['a']]), 3],
    ['a required refusal', question({ refusal: 3 }), refusal, 3],
    ['an answer instead of a refusal', question({ refusal: 3 }), answer(QUOTE, [['pune']]), 0],
    ['a refusal that is worth something', question({ all: ['pune'], refusal: 2 }), refusal, 2],
  ])('given %s', (_, asked, given, points) => {
    expect(gradeAnswer(asked, given).points).toBe(points);
  });

  it.each([
    ['a denied statement', question({ all: ['pune'], deny: ['40 stores'] }), answer(QUOTE, [['pune']])],
    ['an excluded event first', question({ all: ['pune'], not: ['closed'] }), answer('', [['closed'], ['pune']])],
    ['another count', question({ all: ['pune'], number: 40 }), answer(`Kiri opened 4 stores. ${QUOTE}`, [['pune']])],
    ['a changed quotation', question({ all: ['pune'] }), answer(QUOTE, [['pune']], { quotesHold: false })],
  ])('given %s, then the answer is false', (_, asked, given) => {
    expect(gradeAnswer(asked, given)).toMatchObject({ points: 0, isFalse: true });
  });

  it('calls a refusal needless where the record has the answer', () => {
    expect(gradeAnswer(pune, refusal).needless).toBe(true);
    expect(gradeAnswer(question({ refusal: 3 }), refusal).needless).toBe(false);
  });

  it('takes the count from a quotation where nothing else is counted, and no day for one', () => {
    const counting = question({ all: ['pune'], number: 40 });

    expect(gradeAnswer(counting, answer(`Post and 1 more: ${QUOTE}`, [['pune']])).points).toBe(3);
    expect(gradeAnswer(counting, answer('On 28 July 2026. [sig_0123456789abcdef]', [['pune']]))).toMatchObject({
      points: 1,
      isFalse: false,
    });
  });
});

describe('what the record lacks', () => {
  const recorded = new Set(['a', 'b']);

  it.each([
    ['one of two', question({ all: ['a', 'x'] }), null],
    ['the only one of several that would do', question({ any: ['x', 'y'] }), null],
    ['one of a list', question({ all: ['a', 'b', 'x'] }), ['a', 'b']],
  ])('given that %s is missing', (_, asked, all) => {
    expect(askable(asked, recorded)?.all ?? null).toEqual(all);
  });

  it('wants no more events of a choice than there are', () => {
    expect(askable(question({ any: ['a', 'x', 'y'], least: 3 }), recorded)).toMatchObject({ any: ['a'], least: 1 });
  });
});

it.each([
  ['Rs 18,343.49 crore', '18,343.49', true],
  ['Rs 18,343 crore', '18343', true],
  ['Rs 18,343 crore', '343', false],
  ['up 1.1%', '1', false],
  ['\\[Post\\] Kiri’s store', "kiri's", true],
])('“%s” says %s: %s', (content, wanted, expected) => {
  expect(says(content, wanted)).toBe(expected);
});

it('names the event whose text is quoted where a signal has mixed two', () => {
  const item = (key: string, title: string): MonthItem => ({
    key,
    title,
    outlet: 'Post',
    url: 'https://post.example/',
    summary: null,
    published_at: '2026-07-01T03:00:00Z',
  });
  const items = [item('talks.1', 'Kiri in talks'), item('deal.1', 'Kiri is bought')];

  expect(eventsCited(items, ['Kiri is bought'])).toEqual(new Set(['deal']));
  expect(eventsCited(items, [])).toEqual(new Set(['talks', 'deal']));
});

it('compares stated confidence with right answers, and leaves refusals out', () => {
  const { bins, error } = reliabilityOf([
    { confidence: 0.95, points: 3 },
    { confidence: 0.95, points: 1 },
    { confidence: 0, points: 3 },
  ]);

  expect(bins[9]).toMatchObject({ answers: 2, right: 0.5 });
  expect(error).toBeCloseTo(0.45);
});
