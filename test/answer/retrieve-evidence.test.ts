/** Evidence for a question, from a stored record: which signals are found, in which order, and which words none contains. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { understandQuestion } from '../../answer/answer-question.ts';
import {
  coverage,
  type Evidence,
  evidenceOf,
  filtersOf,
  isNarrow,
  minimumCoverage,
  retrieve,
  retrieveAll,
  storedText,
} from '../../answer/retrieve-evidence.ts';
import { detailExample } from '../../api/description/examples.ts';
import { opening, result } from '../projector/signal-events.ts';
import { type AnswerRecord, answerRecord, brand, type NamedSignal, NOW, understood } from './record.ts';

const kiri = brand('kiri-foods', 'Kiri Foods');
const juice = brand('kiri-juice', 'Kiri Juice');
const tilak = brand('tilak-shoes', 'Tilak Shoes');

const signals: readonly NamedSignal[] = [
  ['opens', understood('Kiri Foods opens a shop in Pune', { brands: [kiri], openings: [opening()] })],
  ['shuts', understood('Kiri Foods shuts a shop in Pune', { brands: [kiri], event_at: '2026-11-02T04:00:00Z' })],
  [
    'retired',
    understood('Kiri opens its first shop', {
      ...{
        brands: [brand('kiri', 'Kiri')],
        cities: ['Nagpur'],
        openings: [opening({ brand: 'Kiri', city: 'Nagpur' })],
      },
    }),
  ],
  [
    'mention',
    understood('Maya Stores opens a store next to Kiri Foods in Nagpur', {
      ...{ brands: [brand('maya-stores', 'Maya Stores'), { ...kiri, role: 'secondary' }], cities: ['Nagpur'] },
      event_at: '2026-11-20T04:20:00Z',
    }),
  ],
  ['juice', understood('Kiri Juice raises ₹60 Cr', { brands: [juice], move: 'deals', cities: [] })],
  ['partner', understood('Tilak Shoes opens up on its plans', { brands: [tilak], move: 'strategy', cities: [] })],
  [
    'theme',
    understood('Sandal makers gather', { theme: { slug: 'footwear', name: 'Shoe trade' }, move: 'other', brands: [] }),
  ],
  [
    'both',
    understood('Tilak Shoes unveils a boot', {
      ...{ theme: { slug: 'footwear', name: 'Shoe trade' }, move: 'launches', brands: [tilak], cities: [] },
    }),
  ],
  ...(['Q1 FY27', 'Q2 FY27'] as const).map(
    (period): NamedSignal => [
      period.slice(0, 2).toLowerCase(),
      understood(`Kiri Foods revenue rises in ${period}`, {
        ...{ brands: [kiri], move: 'results', cities: [], result: result({ period }) },
        event_at: '2026-11-10T04:00:00Z',
      }),
    ],
  ),
];

let record: AnswerRecord;
beforeAll(async () => {
  record = await answerRecord(signals);
});
afterAll(() => record.close());

const read = async (text: string) => (await understandQuestion(text, [], record, NOW)).question;
const headlines = (evidence: readonly Evidence[]): string[] => evidence.map(({ signal }) => signal.headline);
const found = async (text: string): Promise<string[]> => headlines((await retrieve(await read(text), record)).evidence);

describe('the stored text', () => {
  it('given a signal, then it has each part that differs on a line, in the documented order', () => {
    const { headline, summary, deck, key_facts, why_it_matters, what_to_watch } = detailExample;

    expect(storedText(detailExample)).toBe(
      [headline, summary, deck, ...key_facts, why_it_matters, what_to_watch].join('\n'),
    );
    expect(storedText({ ...detailExample, summary: headline, deck: '', key_facts: [headline] })).toBe(
      [headline, why_it_matters, what_to_watch].join('\n'),
    );
  });
});

describe('the evidence for a question', () => {
  it.each([
    ['a brand, also by its retired slug', 'What did Kiri Foods open in Nagpur?', ['retired', 'mention']],
    ['a closure, then openings come after it', 'Which stores did Kiri Foods close in Pune?', ['shuts', 'opens']],
    ['a brand that only its sister brands answer', 'What did Kiri Café raise?', []],
    ['a brand whose owned brand answers', 'What did Kiri Foods raise?', ['juice']],
    ['another kind of move with the same verb', 'What did Tilak Shoes open?', ['partner', 'both']],
    ['another kind of move with another verb', 'Who did Tilak Shoes hire for its boot?', []],
    ['the results of a quarter that are reported after it', 'What was Kiri Foods revenue in Q2 FY27?', ['q2']],
    ['an unknown brand', 'What did Unheardof Labels open?', []],
    ['no brand and no word', 'What is new?', []],
  ])('given %s: %j', async (_, question, names) => {
    const wanted = names.map((name) => signals.find(([one]) => one === name)?.[1].headline);

    expect(await found(question)).toEqual(wanted);
  });

  it('given a signal about the brand and a later one that only mentions it, then the latter comes last', async () => {
    const all = await found('What did Kiri Foods open?');

    expect(all.length).toBeGreaterThan(2);
    expect(all.at(-1)).toBe('Maya Stores opens a store next to Kiri Foods in Nagpur');
  });

  it.each([
    [
      'the name it has',
      'How many stores did Kiri Foods open?',
      /^Kiri Foods opened at least 2 stores .*by 2 signals\./,
    ],
    [
      'the name it had',
      'How many stores did Kiri open in Nagpur?',
      /^Kiri opened at least 1 store in Nagpur .*by 1 signal\./,
    ],
  ])('given %s, then a signal with the retired slug of the brand is counted', async (_, question, sentence) => {
    expect((await record.ask(question)).content).toMatch(sentence);
  });

  it('given a question for closures, then the answer cites no opening', async () => {
    const { citations } = await record.ask('Which stores did Kiri Foods close in Pune?');

    expect(citations.map(({ headline }) => headline)).toEqual(['Kiri Foods shuts a shop in Pune']);
  });

  it('given words that no signal contains, then they are named, also where nothing is found', async () => {
    expect(await retrieve(await read('What rent does Kiri Foods pay in Pune?'), record)).toMatchObject({
      words: ['rent'],
      unmet: ['rent'],
    });
    expect(await retrieve(await read('zyzzyva xylograph'), record)).toEqual({
      ...{ evidence: [], words: ['zyzzyva', 'xylograph'], unmet: ['zyzzyva', 'xylograph'] },
    });
  });

  it('given a kind of shop, then it is searched by brands and by theme, and a signal of both counts once', async () => {
    const all = headlines(await retrieveAll(await read('How many moves did footwear make?'), record));

    expect(all.toSorted()).toEqual([
      'Sandal makers gather',
      'Tilak Shoes opens up on its plans',
      'Tilak Shoes unveils a boot',
    ]);
  });
});

describe('the searches of a question', () => {
  it('given the results of a quarter, then what is reported months later is found; of stores only what moved in it', async () => {
    const [results] = filtersOf(await read('Kiri Foods revenue in Q2 FY27'), record.catalogue);
    const [stores] = filtersOf(await read('Which stores did Kiri Foods open in Q2 FY27?'), record.catalogue);

    expect(results).toMatchObject({ brands: ['kiri-foods', 'kiri'], since: new Date('2026-06-30T18:30:00Z') });
    expect(results?.until?.getTime()).toBeGreaterThan(NOW.getTime());
    expect(stores?.until).toEqual(new Date('2026-09-30T18:30:00Z'));
  });

  it('given nothing that narrows, then the search is not narrow; a time alone makes it so', () => {
    expect(isNarrow({ brands: [], cities: [], themes: [], moves: [] })).toBe(false);
    expect(isNarrow({ since: NOW })).toBe(true);
    expect(isNarrow({ until: NOW })).toBe(false);
  });
});

describe('coverage', () => {
  const evidence = evidenceOf({
    ...{ signal: detailExample, moved_at: '2026-11-20T18:40:00Z', rank: 1, about: [], titles: ['Grocer grows'] },
    facts: { deal: null, result: null, openings: [], people: [] },
  });

  it('given words, then the share that the signal has, by stems, synonyms and titles of reports', () => {
    expect(coverage(['outlets', 'grocers', 'rent', 'lease'], evidence)).toBe(0.5);
    expect(coverage([], evidence)).toBe(1);
    expect(evidence.day).toBe('2026-11-21');
  });

  it('given words alone, then more of them have to be met than beside a name', async () => {
    expect(minimumCoverage(await read('zyzzyva xylograph'))).toBe(0.75);
    expect(minimumCoverage(await read('Kiri Foods xylograph'))).toBe(0.5);
  });
});
