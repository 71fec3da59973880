import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { RELIABILITY } from '../../answer/draft.ts';
import { errorsLeftOut, fitConfidence, readJudged } from '../../eval/ask/fit-confidence.ts';

const sets = readJudged();

it('given the answers that were judged, then the service states the confidence that they give', () => {
  expect(RELIABILITY).toEqual(fitConfidence(sets));
});

it('given the questions of one author left out, then what the others give is off by what the documentation says', async () => {
  const text = await readFile(new URL('../../docs/ask.md', import.meta.url), 'utf8');
  const errors = [...errorsLeftOut(sets).values()].map((error) => error.toFixed(2).slice(1));

  expect([...text.matchAll(/by (\.\d\d) on \d+/g)].map(([, error]) => error)).toEqual(errors);
});

it('given a basis of which few answers are known, then its confidence is lower than their share', () => {
  const few = fitConfidence([{ author: 'one', about: 'few', answers: { fact: [4, 4], named: [40, 38] } }]);

  expect(few.fact).toBeLessThan(0.7);
  expect(few.named).toBeGreaterThan(0.9);
});
