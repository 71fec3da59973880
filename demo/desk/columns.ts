/** Columns, lists and digests that fill the cycle up to the share of noise that real outlets have. */
import type { Noise } from '../authored.ts';
import { pick } from '../chance.ts';
import { noiseCopies } from '../live/noise.ts';
import { OUTLETS } from '../outlets.ts';

const COLUMNS = 150;
const NEWS = OUTLETS.filter((outlet) => outlet.role === 'news').map((outlet) => outlet.id);

/** @returns the same columns each time */
export const columns = (): Noise[] =>
  Array.from({ length: COLUMNS }, (_, number) => {
    const id = `column-${number}`;
    return noiseCopies(number, pick(NEWS, 'column', number), id).map(({ outlet, headline, summary }) => ({
      id,
      kind: 'column',
      outlet,
      text: { headline, summary },
    }));
  }).flat();
