import { describe, expect, it } from 'vitest';
import { committed, fallen } from '../../eval/figures.ts';
import { measureMatching, OWN_PAIRS } from '../../eval/matching.ts';
import { catalogueOfPairs, readPairs } from '../../eval/pairs.ts';

describe('the quality of matching', () => {
  it('has not fallen below the committed figures', async () => {
    const pairs = readPairs(OWN_PAIRS);
    const { figures } = measureMatching(pairs, await catalogueOfPairs());
    expect(pairs.length).toBeGreaterThanOrEqual(200);
    expect(Object.keys(committed('matching'))).toContain('f1');
    expect(fallen(committed('matching'), figures)).toEqual([]);
  });

  it('notices a fall, and a figure that is gone', () => {
    expect(fallen({ f1: 0.9, recall: 0.8 }, { f1: 0.879 })).toEqual([
      'f1 fell from 0.9 to 0.879',
      'recall fell from 0.8 to nothing',
    ]);
    expect(fallen({ f1: 0.9 }, { f1: 0.881 })).toEqual([]);
  });
});
