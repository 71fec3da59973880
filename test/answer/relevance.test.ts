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

  it('given all words of the question, then it is more likely than with none', () => {
    const [all = 0, none = 1] = chancesOf(query, words, [
      candidate('Kiri Foods launches mango pulp'),
      candidate('Maya Stores shuts in Nagpur'),
    ]);

    expect(all).toBeGreaterThan(none);
  });

  it('given the meaning of the question, then it is more likely than what is far from it', () => {
    const [near = 0, far = 1] = chancesOf(query, words, [
      candidate('Fruit for drinks comes from Ratnagiri', { cosine: 0.8 }),
      candidate('Maya Stores shuts in Nagpur', { cosine: 0.4 }),
    ]);

    expect(near).toBeGreaterThan(far);
  });

  it('given a brand that is asked for, then a signal without it is less likely', () => {
    const asked = queryOf({ brands: named('kiri-foods'), words });
    const [having = 0, without = 1] = chancesOf(asked, words, [
      candidate('Kiri Foods launches mango pulp', { fit: { ...NO_FIT, brands: 1 } }),
      candidate('Maya Stores launches mango pulp', { fit: { ...NO_FIT, brands: 0 } }),
    ]);

    expect(having).toBeGreaterThan(without);
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
