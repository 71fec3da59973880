import { describe, expect, it } from 'vitest';
import { readAuthoredEvents } from '../../demo/desk.ts';
import { checkSentences, readQuestions } from '../../eval/measure-answers.ts';
import type { Citation } from '../../schemas/ask.ts';

const [one, other] = ['sig_0123456789abcdef', 'sig_fedcba9876543210'];
const stored = new Map([
  [one, 'Kiri opens 40 stores\nIn “old” Pune.'],
  [other, 'Maya raises ₹60 Cr'],
]);
const citations = [one, other].map(
  (id): Citation => ({
    id,
    slug: 's',
    url: 'u',
    headline: 'h',
    outlet: null,
    source_url: null,
    quotes: [],
    published_at: '2026-11-20T04:00:00Z',
  }),
);
const check = (content: string) => checkSentences(content, citations, stored);

describe('the questions of the evaluation', () => {
  it('expect events of the newsroom', () => {
    const { found, counted } = readQuestions();
    const known = new Set(readAuthoredEvents().map(({ id }) => id));

    const expected = [...found.flatMap(({ events }) => events), ...counted.flatMap(({ sum }) => Object.keys(sum))];
    expect(expected.filter((id) => !known.has(id))).toEqual([]);
  });
});

describe('the check of sentences', () => {
  it.each([
    [
      'a quote that is in its signal',
      `Post: “Kiri opens 40 stores”. [${one}]`,
      { claims: 1, cited: 1, citations: 1, carried: 1 },
    ],
    [
      'a quote of another signal',
      `Post: “Maya raises ₹60 Cr”. [${one}]`,
      { claims: 1, cited: 1, citations: 1, carried: 0 },
    ],
    [
      'a quote that was changed',
      `Post: “Kiri opens 41 stores”. [${one}]`,
      { claims: 1, cited: 1, citations: 1, carried: 0 },
    ],
    ['a quote within a quote', `Post: “In “old” Pune.” [${one}]`, { claims: 1, cited: 1, citations: 1, carried: 1 }],
    ['a claim without a citation', 'Kiri opened 40 stores.', { claims: 1, cited: 0, citations: 0, carried: 0 }],
    ['a count of both', `They made 2 moves. [${one}] [${other}]`, { claims: 1, cited: 1, citations: 2, carried: 2 }],
    ['an unknown id', 'Kiri opened. [sig_0000000000000000]', { claims: 1, cited: 1, citations: 1, carried: 0 }],
    ['a refusal', 'No signal found that answers this.', { claims: 0, cited: 0, citations: 0, carried: 0 }],
  ])('given %s, then it is counted accordingly', (_, content, expected) => {
    expect(check(content)).toEqual(expected);
  });
});
