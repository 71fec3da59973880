import { describe, expect, it } from 'vitest';
import { listFallen, readCommitted } from '../../eval/evaluate.ts';
import { loadPairCatalogue, measureMatching, OWN_PAIRS, readPairs } from '../../eval/measure-matching.ts';
import { createUnderstander } from '../../ingest/understand/understander.ts';

describe('the quality of matching', () => {
  it('given the committed figures, then none is lower now', async () => {
    const pairs = readPairs(OWN_PAIRS);
    const { figures } = await measureMatching(pairs, createUnderstander(await loadPairCatalogue(), null));
    expect(Object.keys(readCommitted('matching'))).toContain('f1');
    expect(listFallen(readCommitted('matching'), figures)).toEqual([]);
  });

  it('given a lower or missing figure, then it is reported', () => {
    expect(listFallen({ f1: 0.9, recall: 0.8 }, { f1: 0.879 })).toEqual([
      'f1 fell from 0.9 to 0.879',
      'recall fell from 0.8 to nothing',
    ]);
    expect(listFallen({ f1: 0.9 }, { f1: 0.881 })).toEqual([]);
  });
});
