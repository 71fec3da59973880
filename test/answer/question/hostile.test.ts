import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readQuestion } from '../../../answer/question/read-question.ts';
import { loadCatalogue, prepareCatalogue } from '../../../ingest/understand/catalogue.ts';
import { LONGEST_QUESTION } from '../../../schemas/ask.ts';
import { processorTime } from '../../harness/processor-time.ts';

const catalogue = prepareCatalogue(await loadCatalogue('deploy/catalogue'));
const now = new Date('2026-11-21T06:30:00Z');
const WORDS = [
  'who',
  'more',
  'than',
  'how many',
  'since',
  'Diwali',
  '2026',
  'Q2',
  'FY',
  '31',
  'February',
  'between',
  'and',
];
/** A form that goes back and back over 500 characters takes far longer, even where the machine is busy. */
const MOST_MILLISECONDS = 1_000;

describe('a hostile question', () => {
  it('given any text, is read without an error, and its period does not end in the future', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: LONGEST_QUESTION }),
          fc.array(fc.constantFrom(...WORDS), { maxLength: 40 }).map((words) => words.join(' ')),
        ),
        (text) => {
          const { period } = readQuestion(text, catalogue, now);
          return period === null || (period.until <= now && !Number.isNaN(period.since.getTime()));
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each(['who '.repeat(125), 'more '.repeat(100), '1 '.repeat(250), 'from 1 May to '.repeat(35), 'A'.repeat(500)])(
    'given %j, is read in no time',
    (text) => {
      const spent = processorTime();
      readQuestion(text, catalogue, now);
      expect(spent()).toBeLessThan(MOST_MILLISECONDS);
    },
  );
});
