import { describe, expect, test } from 'vitest';
import { trainConfidence } from '../../../eval/weeks-left-out.ts';
import {
  asSign,
  type ConfidenceModel,
  confidenceIn,
  judgeFacts,
  signsOf,
  strongestSigns,
} from '../../../facts/confidence.ts';
import { understandItem } from '../../../ingest/understand/understand-item.ts';
import { itemOf, smallCatalogue } from './small-catalogue.ts';

const LEAST = 0.65;

describe('the confidence of a fact', () => {
  const model: ConfidenceModel = {
    bias: 0,
    weights: { relevance: 2, 'deals: amount': 0.5, 'openings: amount': -9, openings: 1 },
  };

  test('given a sign of the item, then it counts for all kinds; a sign of the fact for its own kind alone', () => {
    const item = { relevance: 1 };
    const odds = (kind: 'deals' | 'openings' | 'people', own = {}) => {
      const confidence = confidenceIn(model, kind, { item, own });
      return Math.log(confidence / (1 - confidence));
    };
    expect(odds('deals')).toBeCloseTo(2);
    expect(odds('deals', { amount: 1 })).toBeCloseTo(2.5);
    expect(odds('people', { amount: 1 })).toBeCloseTo(2);
    expect(odds('openings')).toBeCloseTo(3);
  });

  test('given a probability, then its sign is 0 at one half and never beyond 1', () => {
    expect(asSign(0.5)).toBeCloseTo(0);
    expect([asSign(1), asSign(0)]).toEqual([1, -1]);
  });

  test('given signs that are not there, then they are left out', () => {
    expect(signsOf({ amount: true, 'no target': false, relevance: 0.4, kind: 0 })).toEqual({
      amount: 1,
      relevance: 0.4,
    });
  });

  test('given a fact below the threshold, then it is not published; without a model every fact is', () => {
    const proposed = [{ fact: 'a round', signs: { amount: 1 } }];
    const [sure] = judgeFacts(model, 'deals', { relevance: 1 }, proposed, LEAST);
    const [doubtful] = judgeFacts(model, 'deals', { relevance: -1 }, proposed, LEAST);
    expect(sure).toMatchObject({ isPublished: true });
    expect(doubtful).toMatchObject({ isPublished: false });
    expect(doubtful?.confidence).toBeLessThan(LEAST);
    expect(judgeFacts(null, 'deals', { relevance: -1 }, proposed, LEAST)).toMatchObject([
      { isPublished: true, confidence: 1 },
    ]);
  });

  test('given a judged fact, then its strongest signs are named with what they weigh', () => {
    const [judged] = judgeFacts(
      model,
      'deals',
      { relevance: -0.5 },
      [{ fact: null, signs: { amount: 1, held: 1 } }],
      LEAST,
    );
    if (!judged) throw new Error('no fact');
    expect(strongestSigns(model, judged)).toEqual(['relevance −1.0', 'deals: amount +0.5']);
  });

  test('given examples, then training learns which sign speaks for a fact, and few examples train no model', () => {
    const example = (isRight: boolean, index: number) => ({
      day: '2026-06-01',
      kind: 'deals' as const,
      isRight,
      signs: { item: signsOf({ relevance: isRight ? 0.8 : 0.1 }), own: signsOf({ rumoured: index % 2 === 0 }) },
    });
    const examples = Array.from({ length: 120 }, (_, index) => example(index % 3 > 0, index));
    const trained = trainConfidence(examples);
    expect(trained?.weights.relevance).toBeGreaterThan(1);
    expect(Math.abs(trained?.weights['deals: rumoured'] ?? 0)).toBeLessThan(0.2);
    expect(trainConfidence(examples.slice(0, 20))).toBeNull();
  });
});

describe('facts of an item', () => {
  const item = itemOf('{Funding Alert} Snack Brand Swadling Raises Rs 10 Cr in Seed Round');

  test('given a proposed fact, then the explanation says its confidence and its signs', () => {
    const { facts, reasons } = understandItem(item, smallCatalogue, { explain: true });
    expect(facts).toMatchObject([{ kind: 'deals', fact: { type: 'funding', amount: '₹10 Cr' } }]);
    const reason = reasons.findLast(({ field }) => field === 'deal');
    expect(reason?.rule).toMatch(/confidence 0\.\d\d$/);
    expect(reason?.words).toContain('relevance +');
  });

  test('given a model that trusts nothing, then no fact is published, and the verdict still has it', () => {
    const indirect = itemOf('Snack Brand Swadling Closes Rs 10 Cr in Seed Round');
    const { facts, understanding } = understandItem(indirect, smallCatalogue, {
      confidence: { bias: -9, weights: {} },
    });
    expect(facts).toMatchObject([{ kind: 'deals', isPublished: false }]);
    expect(understanding.deal).toBeNull();
  });
});
