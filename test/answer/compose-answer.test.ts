/** Drafts from evidence that is given: lists, numbers, comparisons, facts and refusals. Pure. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compose } from '../../answer/compose-answer.ts';
import { bullet, chooseDiverse, list } from '../../answer/compose-list.ts';
import { confidenceOf, type Draft, Verifier } from '../../answer/draft.ts';
import { readQuestion } from '../../answer/question/read-question.ts';
import { type Evidence, evidenceOf } from '../../answer/retrieve-evidence.ts';
import { detailExample } from '../../api/description/examples.ts';
import type { SignalText } from '../../schemas/resources.ts';
import type { Understanding } from '../../schemas/story.ts';
import { brandSlug } from '../harness/ids.ts';
import { appointment, opening, result } from '../projector/signal-events.ts';
import { catalogue, NOW } from './record.ts';

const BRANDS = { 'kiri-foods': 'Kiri Foods', 'maya-stores': 'Maya Stores', 'tilak-shoes': 'Tilak Shoes' } as const;
type Facts = Partial<Pick<Understanding, 'deal' | 'result' | 'openings' | 'people'>>;

/** Evidence by its headline, about a brand. */
function evidence(
  headline: string,
  brand: keyof typeof BRANDS = 'kiri-foods',
  { signal, day = '2026-11-20', ...facts }: Facts & { signal?: Partial<SignalText>; day?: string } = {},
): Evidence {
  const none = { summary: null, deck: null, key_facts: [], why_it_matters: null, what_to_watch: null, reports: [] };
  return evidenceOf({
    signal: {
      ...{
        ...detailExample,
        ...none,
        id: `sig_${Buffer.from(headline).toString('hex').slice(-16)}`,
        headline,
        outlets: 1,
      },
      brands: [
        { name: BRANDS[brand], slug: brandSlug(brand), url: `https://clarity.test/brand/${brand}`, role: 'primary' },
      ],
      ...signal,
    },
    ...{ moved_at: `${day}T04:00:00Z`, rank: 1, about: [brandSlug(brand)], titles: [] },
    facts: { deal: null, result: null, openings: [], people: [], ...facts },
  });
}

const draftOf = (text: string, found: readonly Evidence[]): Draft => {
  const question = readQuestion(text, catalogue, NOW);
  return compose(question, { evidence: found, words: question.rest, unmet: [] }, found);
};
const leadOf = ({ lead }: Draft): string => lead.map(({ markdown }) => markdown).join(' ');
const raised = (amount: string, brand: keyof typeof BRANDS): Evidence =>
  evidence(`${BRANDS[brand]} raises ${amount}`, brand, {
    signal: { move: 'deals' },
    deal: { type: 'funding', amount, target: BRANDS[brand], buyers: [] },
  });

describe('a choice of evidence', () => {
  it('given reports that say the same, then what differs comes before the second of them', () => {
    const [first, same, other] = [
      evidence('Kiri Foods opens a store in Pune today'),
      evidence('Kiri Foods opens a store in Pune now'),
      evidence('Its finance chief resigns'),
    ];

    expect(chooseDiverse([first, same, other], 2)).toEqual([first, other]);
  });

  it('given any evidence, then the first is chosen, none twice, and as many as there are or are wanted', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ minLength: 8, maxLength: 20 }), { maxLength: 12 }),
        fc.nat(14),
        (all, most) => {
          const ranked = all.map((headline) => evidence(headline));
          const chosen = chooseDiverse(ranked, most);
          expect(new Set(chosen).size).toBe(Math.min(most, ranked.length));
          if (most > 0) expect(chosen[0]).toBe(ranked[0]);
        },
      ),
    );
  });
});

describe('a list', () => {
  it('given evidence with all words of the question, then what has only some of them is left out', () => {
    const [whole, part] = [evidence('Kiri Foods bottles mango juice'), evidence('Kiri Foods bottles water')];
    const question = readQuestion('Kiri Foods mango juice bottle', catalogue, NOW);
    const draft = list(question, { evidence: [whole, part], words: question.rest, unmet: [] });

    expect([draft.basis, [...draft.lead, ...draft.items].flatMap(({ ids }) => ids)]).toEqual([
      'worded',
      [whole.signal.id],
    ]);
  });

  it('given evidence with too few of the words, then it is a refusal', () => {
    const question = readQuestion('Kiri Foods mango juice bottle', catalogue, NOW);
    const found = [evidence('Kiri Foods opens a store')];

    expect(list(question, { evidence: found, words: question.rest, unmet: question.rest })).toMatchObject({
      basis: 'none',
      lead: [{ ids: [] }],
    });
  });

  it('given a summary, then it is quoted where it adds something and is not long', () => {
    const quotesOf = (summary: string): number =>
      bullet(evidence('Kiri Foods opens a store', 'kiri-foods', { signal: { summary } })).quotes.length;

    expect([quotesOf('It is the first.'), quotesOf('Kiri Foods opens'), quotesOf('x'.repeat(401))]).toEqual([2, 1, 1]);
  });

  it('given an outlet with a name that is Markdown, then it is text on one line', () => {
    const source = { outlet: '[Daily](https://evil.test)\n# Trade', url: 'https://outlet.test' };

    expect(bullet(evidence('Kiri Foods opens', 'kiri-foods', { signal: { source, outlets: 3 } })).markdown).toBe(
      String.raw`**20 November 2026** (\[Daily\](https://evil.test) \# Trade and 2 more): “Kiri Foods opens”`,
    );
  });
});

describe('a number', () => {
  it('given amounts of two currencies, then the answer has both, the larger first', () => {
    const draft = draftOf('How much did Kiri Foods raise?', [
      raised('₹60 Cr', 'kiri-foods'),
      raised('$10 million', 'kiri-foods'),
    ]);

    expect(leadOf(draft)).toBe('Kiri Foods raised $10 million and ₹60 crore in the record so far, by 2 signals.');
    expect(draft.lead[0]?.ids).toHaveLength(2);
  });

  it('given a comparison, then the largest is first, and a brand without evidence is named', () => {
    const found = [raised('₹60 Cr', 'kiri-foods'), raised('$10 million', 'maya-stores')];
    const draft = draftOf('Who raised more, Kiri Foods, Maya Stores or Tilak Shoes?', found);

    expect(leadOf(draft)).toBe(
      'Maya Stores raised $10 million in the record so far, the most. Kiri Foods raised ₹60 Cr.',
    );
    expect(draft.notes).toEqual([
      'Nothing of the kind found for Tilak Shoes in the record so far.',
      expect.stringContaining('₹88 a dollar'),
    ]);
    expect(draft.lead.map(({ ids }) => ids.length)).toEqual([1, 1]);
  });

  it('given brands with the same number, then neither has the most', () => {
    const found = (['kiri-foods', 'maya-stores'] as const).map((slug) =>
      evidence(`${BRANDS[slug]} opens two stores`, slug, { openings: [opening({ brand: BRANDS[slug], stores: 2 })] }),
    );

    expect(leadOf(draftOf('Who opened more stores, Kiri Foods or Maya Stores?', found))).toBe(
      'Kiri Foods and Maya Stores each opened 2 stores in the record so far.',
    );
  });

  it('given evidence of another status, then nothing is counted, and it is listed as near', () => {
    const found = [evidence('Kiri Foods opens a store', 'kiri-foods', { openings: [opening()] })];
    const draft = draftOf('How many stores did Kiri Foods close?', found);

    expect(leadOf(draft)).toBe('No stores found that Kiri Foods closed in the record so far.');
    expect([confidenceOf(draft), draft.lead[0]?.ids, draft.items.length]).toEqual([0, [], 1]);
  });
});

describe('a fact', () => {
  const quarter = evidence('Kiri Foods results', 'kiri-foods', {
    signal: { move: 'results', key_facts: ['Stores doubled', 'Revenue rose 18% to ₹230 Cr'] },
    result: result(),
  });

  it('given a result, then the line that states it is quoted', () => {
    const draft = draftOf('What was the revenue of Kiri Foods?', [quarter]);

    expect(leadOf(draft)).toBe(
      'Kiri Foods, revenue in Q2 FY27: “Revenue rose 18% to ₹230 Cr” (Daily Trade, 20 November 2026).',
    );
    expect(draft.basis).toBe('fact');
    expect(new Verifier([quarter]).check(draft)).toEqual(draft);
  });

  it('given another metric than the question asks for, then it is a refusal', () => {
    expect(draftOf('What was the profit of Kiri Foods?', [quarter])).toMatchObject({
      basis: 'none',
      lead: [{ ids: [] }],
    });
  });

  const hired = (person: string): Evidence =>
    evidence('Kiri Foods names Asha Rao as CFO', 'kiri-foods', {
      signal: { move: 'people' },
      people: [appointment({ person })],
    });

  it('given a person, then the name is stated only where the signal writes it', () => {
    const [written, other] = ['Asha Rao', 'A. Rao'].map((person) =>
      draftOf('Who joined Kiri Foods as CFO?', [hired(person)]),
    );

    expect(written && leadOf(written)).toMatch(/^Asha Rao joined Kiri Foods as CFO: “Kiri Foods names/);
    expect(other && leadOf(other)).toMatch(/^“Kiri Foods names Asha Rao as CFO” \(/);
  });

  it('given a person in another role, then it is a refusal', () => {
    expect(draftOf('Who is the CEO of Kiri Foods?', [hired('Asha Rao')])).toMatchObject({
      basis: 'none',
      lead: [{ ids: [] }],
    });
  });
});
