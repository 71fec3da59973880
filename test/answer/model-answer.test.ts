import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { confidenceOf, pieces, Verifier } from '../../answer/draft.ts';
import { type Claim, type Writer, type Written, withModel } from '../../answer/model-answer.ts';
import { detailExample } from '../../api/description/examples.ts';
import { exampleEvidence } from './evidence.ts';

const evidence = exampleEvidence();
const own = {
  lead: [{ markdown: 'Own words.', ids: [detailExample.id], quotes: [] }],
  items: [],
  notes: [],
  basis: 'named' as const,
};
const QUESTION = 'What did Kiri Foods open?';
const judgingAll: Writer['judge'] = async (_question, claims) => ({ follow: claims.map(({ n }) => n), cost_usd: 0 });
const draftOf = async (sentences: Written['sentences'], judge = judgingAll, of = evidence) =>
  (await withModel({ write: async () => ({ sentences, cost_usd: 0 }), judge }, QUESTION, own, [of])).draft;
const GOOD = {
  text: 'Kiri Foods has opened 40 stores in Pune.',
  rests_on: [{ report: 'r1', words: detailExample.headline }],
};
const sentencesIn = (draft: Awaited<ReturnType<typeof draftOf>>): string[] =>
  draft.composed?.sentences.map(({ markdown }) => markdown) ?? [];

describe('a sentence of a model', () => {
  it('given words of a report that it follows from, then it is shown with the words beneath it, in place of the list of the same report', async () => {
    const draft = await draftOf([GOOD]);
    const shown = pieces(draft)
      .map(({ text }) => text)
      .join('');

    expect(shown).toContain(`${GOOD.text} [${detailExample.id}]\n> “${detailExample.headline}” `);
    expect(shown).not.toContain('Own words.');
  });

  it('given a computed answer, then it stays as it is, before the sentences', async () => {
    const computed = { ...own, basis: 'counted' as const };
    const writer: Writer = { write: async () => ({ sentences: [GOOD], cost_usd: 0 }), judge: judgingAll };
    const { draft } = await withModel(writer, QUESTION, computed, [evidence]);

    expect(draft.lead).toEqual(own.lead);
    expect(draft.composed?.place).toBe('after');
  });

  it.each([
    ['no report', []],
    ['a report that was not given', [{ report: 'r2', words: detailExample.headline }]],
    ['words of its own', [{ report: 'r1', words: 'Kiri Foods opens 40 stores in Pune and Surat' }]],
    ['words in other letters', [{ report: 'r1', words: detailExample.headline.toLowerCase() }]],
    ['a word that states nothing', [{ report: 'r1', words: 'Pune' }]],
    ['one good support and one that is not', [...GOOD.rests_on, { report: 'r1', words: 'Kiri Foods closes' }]],
  ])('given %s, then it is dropped', async (_, rests_on) => {
    expect(await draftOf([{ ...GOOD, rests_on }])).toBe(own);
  });

  it('given quotation marks in another form, then the words are shown as they are stored', async () => {
    const headline = 'Kiri’s Foods opens 40 stores – in Pune';
    const stored = exampleEvidence({ signal: { ...detailExample, headline } });
    const words = "Kiri's Foods opens 40 stores - in Pune";
    const draft = await draftOf(
      [{ text: "Kiri's Foods has opened 40 stores.", rests_on: [{ report: 'r1', words }] }],
      judgingAll,
      stored,
    );

    expect(draft.composed?.sentences[0]?.quotes[0]?.text).toBe(headline);
  });

  it('given what code cannot decide, then one batch of all such sentences is judged, and only what follows is shown', async () => {
    const batches: (readonly Claim[])[] = [];
    const judge: Writer['judge'] = async (_question, claims) => {
      batches.push(claims);
      return { follow: [2], cost_usd: 0 };
    };
    const sentences = [
      { ...GOOD, text: 'In Pune, 40 stores opened Kiri Foods.' },
      GOOD,
      { ...GOOD, text: 'Kiri Foods opened 41 stores in Pune.' },
      { ...GOOD, text: `${detailExample.headline}.` },
    ];
    const draft = await draftOf(sentences, judge);

    expect(batches.map((claims) => claims.map(({ sentence }) => sentence))).toEqual([[sentences[0]?.text, GOOD.text]]);
    expect(sentencesIn(draft)).toEqual([GOOD.text, `${detailExample.headline}.`]);
    expect(draft.dropped).toBe(0.5);
  });

  it.each([
    ['named', 'none'],
    ['closest', 'none'],
    ['counted', 'counted'],
  ] as const)(
    'given a model that finds no answer, then what is %s becomes %s, with the closest',
    async (basis, now) => {
      const writer: Writer = { write: async () => ({ sentences: [], cost_usd: 0 }), judge: judgingAll };

      expect((await withModel(writer, QUESTION, { ...own, basis }, [evidence])).draft.basis).toBe(now);
    },
  );

  it.each([
    ['counted', 'Own words.'],
    ['named', ''],
  ] as const)(
    'given an answer that is %s, then the model is given %j, since only what was computed stays above',
    async (basis, computed) => {
      const given: string[] = [];
      const write: Writer['write'] = async (_, shown) => {
        given.push(shown);
        return null;
      };
      await withModel({ write, judge: judgingAll }, QUESTION, { ...own, basis }, [evidence]);

      expect(given).toEqual([computed]);
    },
  );

  it('given a judge that fails, then only what a report says word for word is shown', async () => {
    const draft = await draftOf([GOOD, { ...GOOD, text: `${detailExample.headline}.` }], async () => null);

    expect(sentencesIn(draft)).toEqual([`${detailExample.headline}.`]);
  });
});

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
  report: fc.constantFrom('r1', 'r2', detailExample.id, '', '__proto__'),
  words: fc.oneof(fc.constantFrom(detailExample.headline, evidence.stored, ''), hostileText),
});
const hostileSentence = fc.record({ text: hostileText, rests_on: fc.array(hostileQuote, { maxLength: 10 }) });

describe('the output of a hostile model', () => {
  it('given any sentences and words, and a judge that lets all pass, then what is shown holds, without markup', async () => {
    const verifier = new Verifier([evidence]);
    await fc.assert(
      fc.asyncProperty(fc.array(hostileSentence, { maxLength: 20 }), async (sentences) => {
        const draft = await draftOf(sentences);
        expect(verifier.check(draft)).toEqual(draft);
        for (const { markdown, quotes, ids } of draft.composed?.sentences ?? []) {
          expect(markdown).not.toMatch(/https?:|\/\/|<|`|[\p{Cc}\p{Cf}]|Maya|not |closed|should/u);
          expect(ids).toEqual([detailExample.id]);
          for (const quote of quotes) expect(evidence.stored).toContain(quote.text);
        }
      }),
    );
  });

  it('given huge output, then at most a few sentences are read, and the rest counts as dropped', async () => {
    const draft = await draftOf(Array.from({ length: 50_000 }, () => GOOD));
    expect(sentencesIn(draft).length).toBeLessThanOrEqual(12);
    expect(draft.dropped).toBeGreaterThan(0.99);
    expect(await draftOf([{ ...GOOD, text: `${GOOD.text} `.repeat(10_000) }])).toBe(own);
    const many = Array.from({ length: 10_000 }, () => ({ report: 'r1', words: 'Kiri Foods' }));
    expect(await draftOf([{ ...GOOD, rests_on: many }])).toBe(own);
  });

  it('given the share of dropped sentences, then the confidence falls with it', () => {
    const shares = [0, 0.2, 0.5, 0.9].map((dropped) => confidenceOf({ basis: 'named', dropped }));
    expect(shares).toEqual(shares.toSorted((one, other) => other - one));
    expect(new Set(shares).size).toBe(4);
    expect(shares[0]).toBe(confidenceOf({ basis: 'named' }));
  });
});
