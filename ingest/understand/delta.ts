/** The delta: the one figure that tells the move. */
import type { Move } from '../../schemas/scalar.ts';
import type { Figure } from './figures.ts';
import type { Reading } from './reading.ts';

const STORES =
  /^(?:stores?|outlets?|showrooms?|centres?|centers?|salons?|restaurants?|cafes?|kiosks?|boutiques?|clinics?|screens?|dark stores|experience cent(?:re|er)s|fulfil?ment cent(?:re|er)s|cities|towns|malls?|locations?|kitchens?|studios?|touchpoints|warehouses?|doors|hotels?|gyms?)$/;
const PEOPLE = /^(?:employees|jobs|people|workers|roles|staff|staffers)$/;

const isStore = (figure: Figure): boolean =>
  (figure.kind === 'count' || figure.kind === 'ordinal') && STORES.test(figure.unit);

function preference(move: Move, figure: Figure): number {
  const money = figure.kind === 'money';
  if (move === 'stores') return isStore(figure) ? 3 : figure.kind === 'count' ? 1 : money ? 1.5 : 1;
  if (move === 'deals') return money ? 3 : figure.kind === 'percent' ? 2 : 1;
  if (move === 'results') return figure.kind === 'percent' || money ? 3 : 2;
  if (move === 'people') return 0;
  if (move === 'rules') return money ? 3 : figure.kind === 'percent' ? 1.2 : 2;
  if (PEOPLE.test(figure.unit)) return 3;
  return money || figure.kind === 'percent' ? 2.5 : 2;
}

/** Figures of a summary that tell a move by themselves, when the headline has none. */
function fromSummary(reading: Reading, move: Move): Figure | null {
  const { text, figures } = reading.summary;
  const early = figures.filter((figure) => figure.start < 260);
  if (move === 'stores') return early.find((figure) => isStore(figure)) ?? null;
  if (move === 'deals')
    return (
      early.find(
        (figure) =>
          figure.kind === 'money' &&
          /\b(?:ipo|issue|rais|invest|deal|stake|worth)/i.test(
            text.slice(Math.max(0, figure.start - 60), figure.end + 40),
          ),
      ) ??
      early.find(
        (figure) =>
          figure.kind === 'percent' &&
          /^\s?(?:\w+\s){0,2}(?:stake|equity)/i.test(text.slice(figure.end, figure.end + 30)),
      ) ??
      null
    );
  if (move === 'rules')
    return (
      early.find(
        (figure) =>
          figure.kind === 'money' &&
          /\b(?:fined?|penalt(?:y|ies)|of)\b/i.test(text.slice(Math.max(0, figure.start - 30), figure.start)),
      ) ?? null
    );
  if (move === 'other' || move === 'strategy' || move === 'results')
    return early.find((figure) => /^(?:money|percent|multiple)$/.test(figure.kind)) ?? null;
  return null;
}

/** `‘100%’ claims`: what a label says is no figure of the move. */
const CLAIM = /^['’"”]?\s(?:claims?|label|natural|pure)\b/i;

/** Chooses among the figures of the headline, then of the summary's start; null when none tells the move. */
export function deltaOf(reading: Reading, move: Move): Figure | null {
  const ranked = reading.title.figures
    .filter((figure) => !CLAIM.test(reading.title.text.slice(figure.end, figure.end + 12)))
    .map((figure, index) => ({ figure, score: preference(move, figure) - index * 0.1 }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  return ranked[0]?.figure ?? fromSummary(reading, move);
}
