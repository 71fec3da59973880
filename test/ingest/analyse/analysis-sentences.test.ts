import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeAnalysis } from '../../../ingest/analysis-sentences.ts';
import type { RecordedMove } from '../../../projector/models/moves-queries.ts';
import { idOf } from '../../projector/signal-events.ts';
import { compared, grows, leaves, move, opens, raises, seatMove } from './recorded-moves.ts';

const said = (moves: readonly RecordedMove[], since?: string) =>
  writeAnalysis(compared(moves, since)).map(({ text, signals }) => [text, signals] as const);
const texts = (moves: readonly RecordedMove[], since?: string): string[] =>
  writeAnalysis(compared(moves, since)).flatMap(({ text, field }) => (field === 'background' ? [] : [text]));
const background = (moves: readonly RecordedMove[]) =>
  writeAnalysis(compared(moves)).flatMap(({ text, field, signals }) =>
    field === 'background' ? [[text, signals]] : [],
  );

describe('openings', () => {
  const stores = [
    opens('a', '2026-06-03', 'kiri-foods', 'Pune'),
    opens('b', '2026-06-20', 'kiri-foods', 'Nagpur'),
    opens('c', '2026-07-10', 'kiri-foods', 'Pune'),
  ];

  it('given an earlier opening in the city, then it changes nobody’s mind', () => expect(texts(stores)).toEqual([]));

  it('given a city that the record has not, then it is the first, once the record has 30 days and three signals', () => {
    const moves = [...stores, opens('d', '2026-08-01', 'kiri-foods', 'Indore')];
    const first = 'It is the first move of Kiri Foods in Indore on record since 1 June 2026, among 4 signals about it.';
    expect(said(moves)[0]).toEqual([first, ['a', 'b', 'c'].map(idOf)]);
    expect(texts(moves, '2026-07-05').join()).not.toContain('first');
    expect(texts(moves.slice(1)).join()).not.toContain('first');
  });

  it('given a headline that counts the stores of the city itself, then it is not called the first', () => {
    const [last] = [opens('d', '2026-08-01', 'kiri-foods', 'Indore')];
    const second = { ...last, headline: 'Kiri Foods opens second store in Indore' } as RecordedMove;
    expect(texts([...stores, second]).join()).not.toContain('first');
  });

  it.each([
    ['whose city the headline does not name', { headline: 'Kiri Foods opens store' }],
    ['whose brand the headline does not name', { headline: 'A grocer opens store in Indore' }],
    ['of several places', { openings: stores.slice(0, 2).flatMap(({ openings }) => openings) }],
  ])('given an opening %s, then it is not called the first', (_, changes) => {
    const last = opens('d', '2026-08-01', 'kiri-foods', 'Indore');
    expect(texts([...stores, last]).join()).toContain('first');
    expect(texts([...stores, { ...last, ...changes }]).join()).not.toContain('first');
  });

  it('given a day for which an opening is announced, then that day, while it is ahead', () => {
    const plan = opens('a', '2026-06-03', 'kiri-foods', 'Pune');
    const on = (date: string | null) => [
      { ...plan, openings: plan.openings.map((one) => ({ ...one, status: 'planned' as const, date })) },
    ];
    expect(texts(on('2026-08-01'))).toEqual(['The opening at Pune is announced for 1 August 2026.']);
    expect(texts(on('2026-06-01'))).toEqual([]);
    expect(texts(on(null))).toEqual([]);
  });
});

describe('people', () => {
  it('given earlier exits from the C-suite, then they are counted by name', () => {
    const moves = [
      leaves('a', '2026-06-05', 'kiri-foods', 'Rohan Bhasin'),
      leaves('b', '2026-06-06', 'kiri-foods', 'Bhasin'),
      leaves('c', '2026-07-01', 'kiri-foods', 'Asha Rao'),
    ];
    const watch = 'Who follows Asha Rao as CFO at Kiri Foods.';
    expect(texts(moves)).toEqual([
      'It is the second C-suite exit at Kiri Foods on record since 1 June 2026, after Rohan Bhasin (CFO, 5 June 2026).',
      watch,
    ]);
    // The same exit again.
    expect(texts([...moves.slice(0, 1), leaves('d', '2026-06-30', 'kiri-foods', 'Rohan Bhasin')])[0]).toContain('Who');
  });

  it('given a vacant seat, then an appointment fills it', () => {
    const joins = move('b', '2026-07-01', 'kiri-foods', {
      move: 'people',
      kind: 'Appointment',
      headline: 'Kiri Foods names Asha Rao CFO',
      people: [seatMove({ direction: 'joined', effective: '2026-08-01' })],
    });
    expect(said([leaves('a', '2026-06-05', 'kiri-foods', 'Rohan Bhasin'), joins])).toEqual([
      ['It fills the seat of CFO that Rohan Bhasin left, as reported on 5 June 2026.', [idOf('a')]],
      ['Asha Rao takes over on 1 August 2026.', []],
    ]);
  });
});

describe('deals', () => {
  const rounds = [
    raises('a', '2026-06-02', 'nila', '₹50 Cr'),
    raises('b', '2026-06-20', 'zari', '₹900 Cr'),
    raises('c', '2026-06-25', 'ola-mala', '$4 Mn'),
    raises('d', '2026-07-01', 'sona', '₹20 Cr'),
    raises('h', '2026-07-02', 'mira', '₹21 Cr'),
  ];
  const largest = raises('e', '2026-07-10', 'ola-mala', '₹60 Cr');

  it('given smaller rounds of D2C brands, then it is the largest of them; other companies do not count', () => {
    // The round of 25 June may be the same one, reported in dollars: nothing is claimed.
    expect(texts([...rounds, largest]).join()).not.toContain('largest');
    const others = [raises('f', '2026-06-10', 'sona', '$2 Mn'), raises('g', '2026-06-21', 'mira', '₹20 Cr')];
    const later = [...rounds.slice(0, 2), ...others, largest];
    expect(texts(later)[0]).toBe(
      'It is the largest funding round of D2C brands with a stated amount on record since 1 June 2026; the next is Nila with ₹50 Cr (2 June 2026).',
    );
    expect(texts(later, '2026-06-20').join()).not.toContain('largest');
  });

  it('given a sum of a rival that is in doubt, then nothing is called the largest', () => {
    const doubt = move('x', '2026-06-11', 'nila', { move: 'deals', headline: 'Nila may raise ₹70 Cr' });
    const moves = [rounds[0], rounds[3], rounds[4], doubt, largest] as RecordedMove[];
    expect(texts(moves.filter((one) => one !== doubt)).join()).toContain('largest');
    expect(texts(moves).join()).not.toContain('largest');
  });

  it('given a rival that only seeks money, then it did not do the same', () => {
    const rival = raises('a', '2026-06-20', 'maya-stores', '₹50 Cr');
    const round = raises('b', '2026-07-01', 'tara-mart', '₹9 Cr');
    expect(background([rival, round]).join()).toContain('Maya Stores raises ₹50 Cr');
    expect(background([{ ...rival, headline: 'Maya Stores in talks to raise ₹50 Cr' }, round])).toEqual([]);
  });

  it('given talks, then whether they end in a deal', () => {
    const talks = raises('a', '2026-07-01', 'nila', '₹50 Cr');
    expect(texts([{ ...talks, deal: talks.deal && { ...talks.deal, status: 'rumoured' } }])).toEqual([
      'Whether the talks of Nila end in a deal.',
    ]);
  });
});

describe('results', () => {
  it('given the quarter before and rivals, then their growth; listed companies have a day for the next', () => {
    const moves = [
      grows('a', '2026-06-10', 'kiri-foods', 'Q4 FY26', 9),
      grows('b', '2026-07-20', 'tara-mart', 'Q1 FY27', 31),
      grows('c', '2026-07-21', 'kiri-fresh', 'Q1 FY27', 3),
      grows('d', '2026-07-28', 'kiri-foods', 'Q1 FY27', 14),
    ];
    expect(said(moves)).toEqual([
      ['Kiri Foods had reported growth of 9% in revenue for Q4 FY26, against growth of 14% for Q1 FY27.', [idOf('a')]],
      ['For Q1 FY27, Tara Mart reported growth of 31% in revenue, also in hypermarkets and grocery.', [idOf('b')]],
      ['Results of Kiri Foods for Q2 FY27, due by 14 November 2026: listed companies have 45 days.', []],
    ]);
  });

  it('given the last quarter of a year, then the next results are due 45 days after the first one of the next', () => {
    expect(texts([grows('a', '2026-05-10', 'zari', 'Q4 FY26', 9)], '2026-04-01')).toEqual([
      'Results of Zari for Q1 FY27, due by 14 August 2026: listed companies have 45 days.',
    ]);
    expect(texts([grows('a', '2026-02-10', 'zari', 'Q3 FY26', 9)], '2026-01-01')).toEqual([
      'Results of Zari for Q4 FY26, due by 30 May 2026: listed companies have 60 days.',
    ]);
  });
});

describe('cases and background', () => {
  it('given the next step of a case, then the step before it', () => {
    const notice = move('a', '2026-06-05', 'maya-stores', { move: 'rules', headline: 'Regulator warns Maya' });
    const stay = move('b', '2026-06-09', 'maya-stores', {
      move: 'rules',
      headline: 'Court stays it',
      follows: idOf('a'),
    });
    expect(said([notice, stay])).toEqual([
      ['It takes further what was reported on 5 June 2026: “Regulator warns Maya”.', [idOf('a')]],
    ]);
    expect(texts([notice, { ...stay, move: 'strategy' }])).toEqual([]);
  });

  it('given another move of the brand, then it is background, unless it may be the same event', () => {
    const earlier = move('a', '2026-06-05', 'kiri-foods', { headline: 'Kiri Foods to sell online' });
    expect(background([earlier, move('b', '2026-07-01', 'kiri-foods', {})])).toEqual([
      ['Earlier on Kiri Foods, 26 days before: “Kiri Foods to sell online”.', [idOf('a')]],
    ]);
    expect(said([earlier, move('b', '2026-06-12', 'kiri-foods', {})])).toEqual([]);
  });

  it('given a rival in the city, then it is background; one elsewhere is not, and a sister is no rival', () => {
    const moves = [
      opens('a', '2026-06-20', 'maya-stores', 'Pune'),
      opens('b', '2026-06-25', 'tara-mart', 'Surat'),
      opens('c', '2026-06-26', 'kiri-fresh', 'Pune'),
      opens('d', '2026-07-01', 'kiri-foods', 'Pune'),
    ];
    expect(said(moves)).toEqual([
      [
        'Maya Stores, also in hypermarkets and grocery, 11 days before: “Maya Stores opens store in Pune”.',
        [idOf('a')],
      ],
    ]);
    expect(texts(moves)).toEqual([]);
    expect(said(moves.slice(1))).toEqual([]);
  });

  it('given a move that a reason is computed from, then background does not name it again', () => {
    const moves = [
      leaves('a', '2026-06-05', 'kiri-foods', 'Rohan Bhasin'),
      leaves('b', '2026-07-01', 'kiri-foods', 'Asha Rao'),
    ];
    expect(texts(moves)[0]).toContain('second C-suite exit');
    expect(background(moves)).toEqual([]);
  });

  it('given no brand on record, then nothing is said', () => {
    expect(texts([opens('a', '2026-07-01', 'kiri-foods', 'Pune')])).toEqual([]);
  });
});

describe('truth', () => {
  // Events of known identity: a signal may be a second report of the event before it that matching did not recognise.
  const event = fc.record({
    what: fc.constantFrom('opens', 'leaves', 'raises'),
    brand: fc.constantFrom('kiri-foods', 'maya-stores', 'nila', 'ola-mala'),
    city: fc.constantFrom('Pune', 'Nagpur', 'Surat'),
    person: fc.constantFrom('Asha Rao', 'Rohan Bhasin', 'Meera Iyer', 'Dev Patil'),
    crore: fc.integer({ min: 1, max: 400 }),
    gap: fc.integer({ min: 0, max: 20 }),
    again: fc.boolean(),
  });

  interface StoryMove {
    readonly move: RecordedMove;
    readonly event: number;
    readonly facts: { what: string; brand: string; city: string; person: string; crore: number };
  }

  function movesOf(events: readonly (typeof event extends fc.Arbitrary<infer Event> ? Event : never)[]): StoryMove[] {
    let day = Date.parse('2026-06-01');
    const gone = new Set<string>();
    return events.flatMap((facts, number): StoryMove[] => {
      const { what, brand, city, person, crore, gap, again } = facts;
      // Nobody leaves twice.
      if (what === 'leaves' && gone.has(person)) return [];
      if (what === 'leaves') gone.add(person);
      day += gap * 86_400_000;
      const at = (name: string, days: number): RecordedMove => {
        const date = new Date(day + days * 86_400_000).toISOString().slice(0, 10);
        if (what === 'opens') return opens(name, date, brand, city);
        return what === 'leaves' ? leaves(name, date, brand, person) : raises(name, date, brand, `₹${crore} Cr`);
      };
      const first = { move: at(`${number}`, 0), event: number, facts };
      return again ? [first, { move: at(`${number}-again`, 1), event: number, facts }] : [first];
    });
  }

  const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth'];

  it('given any record, then no sentence says more than a recount of its events does', () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 14 }), (events) => {
        const all = movesOf(events).toSorted(
          (a, b) => Date.parse(a.move.published_at) - Date.parse(b.move.published_at),
        );
        for (const [index, { move: signal, event: number, facts }] of all.entries()) {
          const earlier = all.slice(0, index);
          const record = { since: '2026-06-01T00:00:00.000Z', moves: earlier.map((one) => one.move) };
          const sentences = writeAnalysis({ ...compared([signal]), record });
          for (const { text, signals } of sentences) {
            expect(signals.every((id) => record.moves.some((one) => one.signal === id))).toBe(true);
            const recount = (fits: (one: StoryMove['facts']) => boolean) =>
              new Set(
                earlier
                  .filter((one) => one.event !== number && one.facts.what === facts.what && fits(one.facts))
                  .map((one) => one.event),
              ).size;
            const place = ORDINALS.findIndex((one) => text.startsWith(`It is the ${one} `));
            if (/C-suite exit/.test(text)) expect(place).toBe(recount(({ brand }) => brand === facts.brand));
            if (/first move/.test(text))
              expect(
                earlier.some(
                  (one) =>
                    one.facts.brand === facts.brand && one.facts.what === 'opens' && one.facts.city === facts.city,
                ),
              ).toBe(false);
            if (/largest/.test(text)) {
              const peers = /D2C/.test(text) ? ['nila', 'ola-mala'] : ['kiri-foods', 'maya-stores'];
              const others = earlier.filter((one) => one.facts.what === 'raises' && peers.includes(one.facts.brand));
              expect(Math.max(...others.map((one) => one.facts.crore))).toBeLessThan(facts.crore);
              expect(Date.parse(signal.published_at) - Date.parse(record.since)).toBeGreaterThanOrEqual(
                30 * 86_400_000,
              );
            }
            // A second report of an event is never counted as another one.
            if (place > 0) expect(earlier.some((one) => one.event === number)).toBe(false);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
