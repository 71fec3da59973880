import { describe, expect, it } from 'vitest';
import { writeWhatToWatch } from '../../../ingest/analyse/analysis-sentences.ts';
import { understanding } from '../../projector/signal-events.ts';
import { appointment, facts, NOW, opening } from './facts.ts';

const people = (...given: ReturnType<typeof appointment>[]) =>
  facts({ understanding: understanding({ move: 'people', people: given }) });
const stores = (given: ReturnType<typeof opening>) => facts({ understanding: understanding({ openings: [given] }) });

describe('what to watch', () => {
  it('is who follows somebody, where nobody is named', () => {
    const left = appointment({ person: 'Rohan Bhasin', direction: 'left', effective: '2026-12-31' });
    expect(writeWhatToWatch(people(left), NOW)).toBe(
      'Who follows Rohan Bhasin as CFO at Kiri Foods: the reports name nobody; Rohan Bhasin leaves on 31 December 2026.',
    );
    expect(writeWhatToWatch(people(left, appointment()), NOW)).toBeNull();
  });

  it('is a day that is still to come', () => {
    expect(writeWhatToWatch(people(appointment({ effective: '2026-12-01' })), NOW)).toBe(
      'Meera Sanghvi takes over on 1 December 2026.',
    );
    expect(writeWhatToWatch(people(appointment({ effective: '2026-11-01' })), NOW)).toBeNull();
  });

  it.each([
    [
      opening({ status: 'announced', date: '2027-01-15', mall: 'Orion' }),
      'The opening at Orion, Pune is announced for 15 January 2027.',
    ],
    [opening({ status: 'planned', stores: 30, city: null }), 'How many of the 30 announced stores open, and where.'],
    [opening({ status: 'announced' }), 'When the announced store at Pune opens; no day is given.'],
    [opening({ status: 'announced', city: null }), null],
    [opening(), null],
    [opening({ status: 'closed' }), null],
  ])('of %o is %s', (given, said) => expect(writeWhatToWatch(stores(given), NOW)).toBe(said));
});
