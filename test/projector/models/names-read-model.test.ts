import { describe, expect, it } from 'vitest';
import { namesModel } from '../../../projector/models/names-read-model.ts';
import { specification } from '../given-when-then.ts';
import { brandRef, detected, revised, understanding } from '../signal-events.ts';

const { given } = specification(namesModel());
const named = (name: string) => ({
  brands: [brandRef('cafe-kiri', name)],
});

describe('the row of a name', () => {
  it('given a signal, has its brands, theme and cities, folded', () => {
    const outcome = given([]).when(detected('one', { understanding: understanding(named('Café Kiri')) }));

    expect(outcome.records('names', 'brand:cafe-kiri')).toEqual([
      { type: 'brand', slug: 'cafe-kiri', name: 'Café Kiri', folded: 'cafe kiri' },
    ]);
    expect(outcome.row('city:pune')).toMatchObject({ name: 'Pune' });
    expect(outcome.row('theme:expansion')).toMatchObject({ name: 'Expansion' });
  });

  it('given a name, when it is reported in another form, has the newest form', () => {
    const first = detected('one', { understanding: understanding(named('Cafe Kiri')) });

    expect(
      given([first])
        .when(revised('one', 1, named('Café Kiri')))
        .row('brand:cafe-kiri')?.name,
    ).toBe('Café Kiri');
  });
});
