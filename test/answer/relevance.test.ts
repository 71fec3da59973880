/** How likely a signal answers a question. Pure. */
import { describe, expect, it } from 'vitest';
import { type Candidate, chanceOf, chancesOf, comparedWords, signsOf, towardsReports } from '../../answer/relevance.ts';
import { evidence, named, queryOf } from './evidence.ts';

const NO_FIT = {
  brands: null,
  categories: null,
  mentions: null,
  places: null,
  kinds: null,
  store_status: null,
  person: null,
  deal: null,
};
const candidate = (text: string, changes: Partial<Candidate> = {}): Candidate => ({
  evidence: evidence(text),
  fit: NO_FIT,
  cosine: null,
  ...changes,
});

describe('the chance that a signal answers', () => {
  const query = queryOf({ words: ['mango', 'pulp'] });
  const words = ['mango', 'pulp'];

  const shuts = 'Maya Stores shuts in Nagpur';
  const launch = 'launches mango pulp';
  const asked = queryOf({ brands: named('kiri-foods'), words });
  it.each([
    ['all words of the question', query, candidate(`Kiri Foods ${launch}`), candidate(shuts)],
    [
      'its meaning',
      query,
      candidate('Fruit for drinks comes from Ratnagiri', { cosine: 0.8 }),
      candidate(shuts, { cosine: 0.4 }),
    ],
    [
      'the brand that is asked for',
      asked,
      candidate(`Kiri Foods ${launch}`, { fit: { ...NO_FIT, brands: 1 } }),
      candidate(`Maya Stores ${launch}`, { fit: { ...NO_FIT, brands: 0 } }),
    ],
  ])('given %s, then a signal that has it is more likely than one without', (_, of, having, without) => {
    const [more = 0, less = 1] = chancesOf(of, words, [having, without]);

    expect(more).toBeGreaterThan(less);
  });

  it('given no candidates, then no chances', () => {
    expect(chancesOf(query, words, [])).toEqual([]);
  });

  it('given signs, then the network weighs them as its rows say', () => {
    const network = { hidden: [[2, 0, -1]], out: [3, 0.5] };

    expect(chanceOf(network, [1, 9])).toBeCloseTo(1 / (1 + Math.exp(-(3 * Math.tanh(2 - 1) + 0.5))));
  });

  it('given candidates, then their signs are as many, and none is much larger than the others', () => {
    const signs = signsOf(query, words, [candidate('Kiri Foods launches mango pulp', { cosine: -1 }), candidate('₹')]);

    expect(signs[0]).toHaveLength(signs[1]?.length ?? 0);
    for (const sign of signs.flat()) expect(Math.abs(sign)).toBeLessThanOrEqual(9);
  });
});

describe('the words of a question', () => {
  it('given what only asks, then it is left out, and names are added', () => {
    const query = queryOf({ brands: named('kiri-foods') });

    expect(comparedWords('What is the mango plan, please?', query)).toEqual(
      expect.arrayContaining(['mango', 'kiri', 'foods']),
    );
    expect(comparedWords('What is the mango plan, please?', query)).not.toContain('what');
  });
});

describe('the meaning of a question', () => {
  const meaning = { by: 'encoder', values: Buffer.from(new Int8Array(384).fill(3)).toString('base64') };

  it('given no directions, then it is the same but for its length', () => {
    const same = towardsReports(meaning, { into: [], out: [] });

    expect(same.by).toBe('encoder');
    expect(new Set(new Int8Array(Buffer.from(same.values, 'base64')))).toEqual(new Set([127]));
  });

  it('given the shipped directions, then it has as many numbers', () => {
    expect(Buffer.from(towardsReports(meaning).values, 'base64')).toHaveLength(384);
  });
});
