/** Noise from the shapes: columns, lists and digests around what a number draws. */
import type { Copy } from '../desk/publish.ts';
import { lotsOf } from './lots.ts';
import { tell } from './tell.ts';

/** One piece of noise in the words of an outlet; the same number brings the same piece. */
export function noiseCopies(number: number, outlet: string, key: string): Copy[] {
  const lots = lotsOf(number);
  const facts = {
    brand: lots.brand,
    'other brand': lots.otherBrand(),
    city: lots.city,
    thing: lots.word('things'),
    theme: lots.word('themes'),
    count: lots.number('count', 3, 12),
    price: lots.number('price', 5, 40) * 100 - 1,
  };
  return tell('noise', facts, [outlet], key);
}
