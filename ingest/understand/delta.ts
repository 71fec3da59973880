/** The delta: the one figure that tells the move. */
import type { Move } from '../../schemas/scalar.ts';
import type { Figure } from './figures.ts';
import type { Reading } from './reading.ts';

const STORES =
  /^(?:stores?|outlets?|showrooms?|centres?|centers?|salons?|restaurants?|cafes?|kiosks?|boutiques?|clinics?|screens?|cities|towns|malls?|locations?|kitchens?|studios?|touchpoints|warehouses?|doors|hotels?|gyms?)$/;
const PEOPLE = /^(?:employees|jobs|people|workers|roles|staff|staffers)$/;

const isStore = (figure: Figure): boolean =>
  (figure.kind === 'count' || figure.kind === 'ordinal') && STORES.test(figure.unit);

function preference(move: Move, figure: Figure): number {
  const money = figure.kind === 'money';
  if (move === 'stores') return isStore(figure) ? 3 : figure.kind === 'count' ? 1 : money ? 1.5 : 1;
  if (move === 'deals') return money ? 3 : figure.kind === 'percent' ? 2 : 1;
  if (move === 'results') return figure.kind === 'percent' || money ? 3 : 2;
  if (move === 'people') return 0;
  if (PEOPLE.test(figure.unit)) return 3;
  return money || figure.kind === 'percent' ? 2.5 : 2;
}

/** Chooses among the figures of the headline, then of the summary's start; null when none tells the move. */
export function deltaOf(reading: Reading, move: Move): Figure | null {
  const ranked = (figures: readonly Figure[]): Figure | null =>
    figures
      .map((figure, index) => ({ figure, score: preference(move, figure) - index * 0.1 }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)[0]?.figure ?? null;
  return ranked(reading.title.figures);
}
