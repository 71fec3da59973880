/** Appointments, promotions and exits of people who do not exist. */
import type { Draft, Drafter } from './drafts.ts';
import type { Lots } from './lots.ts';

const move =
  (form: string): Drafter =>
  (lots: Lots): Draft => {
    const person = lots.person();
    const former = lots.otherBrand();
    return {
      form,
      move: 'people',
      brands: [lots.brand],
      also: form === 'appointment' ? [former] : [],
      person,
      facts: {
        brand: lots.brand,
        person,
        former,
        role: lots.word('roles'),
        years: lots.number('years', 2, 19),
        city: lots.city,
      },
    };
  };

export const appointment = move('appointment');
export const exit = move('exit');
export const promotion = move('promotion');
