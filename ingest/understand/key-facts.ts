/** The one figure of a move (delta). */

import type { TaggedText } from '../../facts/tagged-text.ts';
import type { Reading } from '../../facts/text/item-reading.ts';
import { findMetrics, isToOpen } from '../../facts/text/statements.ts';
import { countsThings, type Figure } from '../../language/figures.ts';
import type { Move } from '../../schemas/scalar.ts';

const STORE_UNITS =
  /^(?:stores?|outlets?|showrooms?|centres?|centers?|salons?|restaurants?|cafes?|kiosks?|boutiques?|clinics?|screens?|dark stores|experience cent(?:re|er)s|fulfil?ment cent(?:re|er)s|cities|towns|malls?|locations?|kitchens?|studios?|touchpoints|warehouses?|doors|hotels?|gyms?|experience stores)$/;
const STAFF_UNITS = /^(?:employees|jobs|people|workers|roles|staff|staffers)$/;

const isStore = (figure: Figure): boolean =>
  (figure.kind === 'count' || figure.kind === 'ordinal') && STORE_UNITS.test(figure.unit);

function preference(move: Move, figure: Figure): number {
  const money = figure.kind === 'money';
  if (move === 'stores') return isStore(figure) ? 3 : figure.kind === 'count' ? 1 : money ? 1.5 : 1;
  if (move === 'deals') return money ? 3 : figure.kind === 'percent' ? 2 : 1;
  if (move === 'results') return figure.kind === 'percent' || money ? 3 : 2;
  if (move === 'people') return 0;
  if (move === 'rules') return money ? 3 : figure.kind === 'percent' ? 1.2 : 2;
  if (STAFF_UNITS.test(figure.unit)) return 3;
  return money || figure.kind === 'percent' ? 2.5 : 2;
}

/** A figure at the start of the summary that sums up the move, for a headline without one. */
function fromSummary(reading: Reading, move: Move): Figure | null {
  const { text, figures } = reading.summary;
  const early = figures.filter((figure) => figure.start < 260 && !countsThings(text, figure));
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
          (/^\s?(?:\w+\s){0,2}(?:stake|equity|shareholding)/i.test(text.slice(figure.end, figure.end + 30)) ||
            /\b(?:stake|holding|shareholding|holds?|own)\b(?:\s\w+)?\s(?:to\s|of\s|at\s)?$/i.test(
              text.slice(0, figure.start),
            )),
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
    return (
      // Stores that a plan counts are the plan; the money for them comes second.
      early.find((figure) => move === 'strategy' && isStore(figure) && isToOpen(text, figure)) ??
      early.find(({ kind }) => /^(?:money|percent|bps)$/.test(kind)) ??
      early.find(({ kind }) => kind === 'multiple') ??
      null
    );
  return null;
}

/** `‘100%’ claims`: a figure on a label is no figure of the move. */
const CLAIM = /^['’"”]?\s(?:claims?|label|natural|pure)\b/i;

/** Words between a number and what it counts, of which none begins something else: `five Ashray centres`, `100-city`. */
const APART =
  /(?<![\w.,₹$-]|\bone in )(?:(\d{1,3}(?:,\d{2,3})*|\d{1,6})(?:\.\d+)?|(two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|fifty))(?:\s(lakh|crore|million|mn|billion|k))?(?:-(city|store|outlet|hotel|mall|brand|product|town)\b|\s(?:(?!(?:sq|square|years?|months?|weeks?|days?|hours?|minutes?|per|percent|pc|cent|in|of|for|with|and|to|at|by|its|from|into|across|as|on|or|the|a|crore|cr|lakh|million|mn|bn|billion)\b)[\p{L}’'&.-]+\s){1,3}?(stores|outlets|showrooms|cent(?:re|er)s|restaurants|caf[eé]s|kiosks|malls|hotels|cities|collections|products|launches|variants|flavours|brands|jobs|orders|users|customers|cases|units|plants|factories|locations|franchisees|fragrances|models|designs)\b)/iu;
const NUMBERS = ['', '', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const OTHER_NUMBERS: Readonly<Record<string, number>> = { twelve: 12, fifteen: 15, twenty: 20, fifty: 50 };
const SCALES: Readonly<Record<string, string>> = {
  lakh: ' Lakh',
  crore: ' Cr',
  million: ' Mn',
  mn: ' Mn',
  billion: ' Bn',
  k: 'K',
};

/** A count whose noun does not follow its number, for a headline without another figure. */
export function countApart(text: string): Figure | null {
  const apart = APART.exec(text);
  if (!apart) return null;
  const [whole, digits, word = '', scale = '', joined, noun] = apart;
  const unit = (joined ? joined.replace(/y$/, 'ie').concat('s') : (noun ?? '')).toLowerCase();
  const number = digits
    ? /^[\d.,]+/.exec(whole)?.[0]
    : String(OTHER_NUMBERS[word.toLowerCase()] ?? NUMBERS.indexOf(word.toLowerCase()));
  const value = Number(number?.replaceAll(',', ''));
  const named = `${number}${SCALES[scale.toLowerCase()] ?? ''} ${unit}`;
  const start = apart.index;
  return { kind: 'count', value, high: value, unit, text: named, start, end: start + whole.length };
}

/** `Swiggy jumps 7% after …`: a figure of the share's price, not of what moved it. */
const OF_SHARE =
  /^(?:[\p{L}\d&'’. -]{2,40}?)\s(?:shares?\s|stock\s)?(?:soars?|zooms?|sinks?|jumps?|surges?|slumps?|tanks?|tumbles?|rall(?:y|ies)|plunges?|gains?|drops?|slips?|falls?|settles?)\s(?:over|nearly|about|around|up to|more than)?\s?$/iu;

/** The score of a figure of a headline: by the kind of move, then by place; one of the share's price comes last. */
function scoreOf(text: string, figure: Figure, index: number, move: Move): number {
  const before = text.slice(0, figure.start);
  const priced =
    figure.kind === 'percent' && OF_SHARE.test(before) && findMetrics(before).every(({ name }) => name === 'other');
  return priced ? 0.1 : preference(move, figure) - index * 0.1;
}

/** From this probability on the second reader's figure replaces one of the rules that it gives at most the other. */
const OTHER_FIGURE = { least: 0.6, most: 0.3 };

/**
 * Chooses the delta of an item: the figure of the rules, unless a second reader is sure of another one.
 * @param tagged what the second reader says; null where none reads
 * @returns null when no figure sums up the move
 */
export function chooseDelta(reading: Reading, move: Move, tagged: TaggedText | null = null): Figure | null {
  const own = deltaByRules(reading, move);
  if (!tagged) return own;
  const figures = [reading.title, reading.summary].flatMap(({ text, figures }) =>
    figures.map((figure) => ({
      figure,
      likely: tagged.says('key_figure', text.slice(figure.start, figure.end)) ?? 0,
    })),
  );
  const ownLikely = figures.find(({ figure }) => figure.text === own?.text)?.likely ?? (own ? 1 : 0);
  const [best] = figures.toSorted((one, other) => other.likely - one.likely);
  return best && best.likely >= OTHER_FIGURE.least && ownLikely <= OTHER_FIGURE.most ? best.figure : own;
}

/** The figure of the headline that the kind of move prefers, else one at the start of the summary. */
function deltaByRules(reading: Reading, move: Move): Figure | null {
  const { text, figures } = reading.title;
  const ranked = figures
    .filter((figure) => !CLAIM.test(text.slice(figure.end, figure.end + 12)) && !countsThings(text, figure))
    .map((figure, index) => ({ figure, score: scoreOf(text, figure, index, move) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  const [best] = ranked;
  const apart = move === 'people' || (best && (move !== 'stores' || isStore(best.figure))) ? null : countApart(text);
  return apart ?? best?.figure ?? fromSummary(reading, move);
}
