import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { confidenceOf, pieces, sentenceRefusal, Verifier, type Written, writtenDraft } from '../../answer/draft.ts';
import { evidenceOf } from '../../answer/evidence.ts';
import { detailExample } from '../../api/description/examples.ts';

const id = 'sig_0123456789abcdef';
const FIRST = 'Kiri Foods opens 40 stores in Pune';
const SECOND = 'It raised ₹230 crore from Asha Mehta.';
const given = [{ id, day: '20 November 2026', outlet: 'Daily Trade', text: `${FIRST}\n${SECOND}` }];
const BOTH = [
  { id, text: FIRST },
  { id, text: SECOND },
];
const shown = (text: string, quotes: readonly { id: string; text: string }[] = BOTH): boolean =>
  sentenceRefusal({ text, quotes }, given) === null;

describe("a model's sentence", () => {
  it.each([
    'Kiri Foods opened 40 stores in Pune.',
    'On 20 November 2026, Kiri Foods opened 40 stores in Pune.',
    'On 20 November 2026 Daily Trade said that Kiri Foods raised ₹230 crore.',
    'According to Daily Trade, Kiri Foods raised Rs 230 crore from Asha Mehta.',
    'Kiri Foods opened 40 outlets in Pune and raised ₹230 crore.',
  ])('given %j, then it is shown', (text) => {
    expect(shown(text)).toBe(true);
  });

  it.each([
    ['a number', 'Kiri Foods opened 41 stores in Pune.'],
    ['a number in words', 'Kiri Foods opened fifty stores in Pune.'],
    ['a scale', 'Kiri Foods raised ₹230 million.'],
    ['a name', 'Maya Foods opened 40 stores in Pune.'],
    ['a place', 'Kiri Foods opened 40 stores in Surat.'],
    ['a month', 'Kiri Foods opened 40 stores in December.'],
    ['another day', 'On 21 November 2026, Kiri Foods opened 40 stores in Pune.'],
    ['a denial', 'Kiri Foods did not open 40 stores in Pune.'],
    ['a contracted denial', "Kiri Foods didn't open 40 stores in Pune."],
    ['the opposite', 'Kiri Foods closed 40 stores in Pune.'],
    ['swapped roles', 'Asha Mehta raised ₹230 crore from Kiri Foods.'],
    ['advice', 'Investors should buy Kiri Foods.'],
    ['an id of its own', `Kiri Foods opened 40 stores [${id}].`],
    ['a link', 'See https://evil.test for Kiri Foods.'],
    ['an address', 'Kiri Foods opened 40 stores in Pune, kiri-offers.shop.'],
    ['a pronoun', 'It raised ₹230 crore.'],
    ['nothing', ' '],
  ])('given %s that the text does not state, then it is dropped', (_, text) => {
    expect(shown(text)).toBe(false);
  });

  it('given unknown ids, no quotation, or one that is not word for word, then it is dropped', () => {
    const text = 'Kiri Foods opened 40 stores.';
    expect(shown(text)).toBe(true);
    expect(shown(text, [])).toBe(false);
    expect(shown(text, [{ id: 'sig_ffffffffffffffff', text: FIRST }])).toBe(false);
    for (const quote of [
      FIRST.toLowerCase(),
      `${FIRST}.`,
      FIRST.replace(' ', '  '),
      `${FIRST} ${SECOND}`,
      '40',
      ' ',
      '',
    ])
      expect(shown(text, [{ id, text: quote }])).toBe(false);
    expect(shown(text, [...BOTH, { id, text: 'Kiri Foods opens 41 stores in Pune' }])).toBe(false);
  });

  it('given a statement that its quotations do not contain, then it is dropped', () => {
    expect(shown('Kiri Foods raised ₹230 crore.', [{ id, text: FIRST }])).toBe(false);
  });

  it('given any number that the text does not contain, then it is dropped', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (number) => {
        fc.pre(number !== 40);
        return !shown(`Kiri Foods opened ${number} stores in Pune.`);
      }),
    );
  });
});

const evidence = evidenceOf({
  signal: detailExample,
  moved_at: '2026-11-20T04:00:00Z',
  rank: 1,
  salience: 0,
  about: [],
  titles: [],
  facts: { deal: null, result: null, results: [], openings: [], people: [] },
});
const own = {
  lead: [{ markdown: 'Own words.', ids: [detailExample.id], quotes: [] }],
  items: [],
  table: [],
  notes: [],
  basis: 'named' as const,
};
const draftOf = async (sentences: Written['sentences']) =>
  (
    await writtenDraft({ write: async () => ({ sentences, cost_usd: 0 }) }, 'What did Kiri Foods open?', own, [
      evidence,
    ])
  ).draft;

/** Pieces that a hostile model may put together: parts of true sentences, markup, control characters, addresses. */
const hostilePiece = fc.oneof(
  fc.constantFrom(
    'Kiri Foods',
    'opened',
    '40 stores',
    'in Pune',
    'not',
    'closed',
    'Maya Retail',
    'should buy',
    '. ',
    ', ',
  ),
  fc.constantFrom(
    '**',
    '[x](//e.test)',
    '<b>',
    '`',
    '\u0000',
    '\u202e',
    '\u200b',
    '\n# ',
    'https://e.test',
    'sig_1',
    '|',
  ),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
);
const hostileText = fc.array(hostilePiece, { maxLength: 12 }).map((parts) => parts.join(' '));
const hostileQuote = fc.record({
  id: fc.constantFrom(detailExample.id, 'sig_ffffffffffffffff', '', '__proto__'),
  text: fc.oneof(fc.constantFrom(detailExample.headline, evidence.stored, ''), hostileText),
});
const hostileSentence = fc.record({ text: hostileText, quotes: fc.array(hostileQuote, { maxLength: 10 }) });

describe('the output of a hostile model', () => {
  it('given any sentences and quotations, then what is shown holds, and has no markup and no control characters', async () => {
    const verifier = new Verifier([evidence]);
    await fc.assert(
      fc.asyncProperty(fc.array(hostileSentence, { maxLength: 20 }), async (sentences) => {
        const draft = await draftOf(sentences);
        const text = pieces(draft)
          .map((piece) => piece.text)
          .join('');
        expect(verifier.check(draft)).toEqual(draft);
        expect(text).not.toMatch(/https?:|\/\/|<|`|[\p{Cc}\p{Cf}]|Maya|not |closed|should/u);
        for (const { quotes, ids } of draft === own ? [] : draft.lead) {
          expect(ids).toEqual([detailExample.id]);
          for (const quote of quotes) expect(evidence.stored).toContain(quote.text);
        }
      }),
    );
  });

  it('given huge output, then at most a few sentences are read, and the rest counts as dropped', async () => {
    const good = {
      text: 'Kiri Foods opened 40 stores in Pune.',
      quotes: [{ id: detailExample.id, text: detailExample.headline }],
    };
    const draft = await draftOf(Array.from({ length: 50_000 }, () => good));
    expect(draft.lead.length).toBeLessThanOrEqual(12);
    expect(draft.dropped).toBeGreaterThan(0.99);
    expect(await draftOf([{ ...good, text: 'Kiri Foods opened 40 stores in Pune. '.repeat(10_000) }])).toBe(own);
    expect(
      await draftOf([
        { ...good, quotes: Array.from({ length: 10_000 }, () => good.quotes[0] ?? { id: '', text: '' }) },
      ]),
    ).toBe(own);
  });

  it('given the share of dropped sentences, then the confidence falls with it', () => {
    const shares = [0, 0.2, 0.5, 0.9].map((dropped) => confidenceOf({ basis: 'named', dropped }));
    expect(shares).toEqual(shares.toSorted((one, other) => other - one));
    expect(new Set(shares).size).toBe(4);
    expect(shares[0]).toBe(confidenceOf({ basis: 'named' }));
  });
});
