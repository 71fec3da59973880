/** What a story shows first: the one figure of the move (delta), deck, summary and key facts. */

import type { Reading } from '../../facts/text/item-reading.ts';
import { findMetrics, isToOpen } from '../../facts/text/statements.ts';
import { countsThings, type Figure } from '../../language/figures.ts';
import type { Move } from '../../schemas/scalar.ts';

/** Deck, summary and key facts: whole sentences of the source's own text, never rewritten. */

const SENTENCE = /[^.!?…]+(?:[.!?…](?![\s"'”’)]|$)[^.!?…]*)*[.!?…]*["'”’)]*/gu;
const ABBREVIATED = /(?:\b(?:rs|mr|mrs|ms|dr|st|no|vs|inc|ltd|co|pvt|jr|sr|u\.s|i\.e|e\.g|approx|etc)|\b\p{Lu})\.$/iu;

/** False for a sentence that the feed cut short. */
const isWhole = (sentence: string): boolean =>
  /[.!?]["'”’)]*$/.test(sentence) && !/(?:…|\.\.\.)["'”’)]*$/.test(sentence);

/** Sentences as written, with the last one even if it was cut short. */
function splitPieces(text: string): string[] {
  const sentences: string[] = [];
  let open = '';
  for (const [piece] of text.matchAll(SENTENCE)) {
    open = open ? `${open} ${piece.trim()}` : piece.trim();
    if (ABBREVIATED.test(open)) continue;
    if (open) sentences.push(open);
    open = '';
  }
  if (open) sentences.push(open);
  return sentences;
}

interface KeyFacts {
  readonly deck: string | null;
  readonly summary: string | null;
  readonly key_facts: string[];
}

/**
 * Takes deck, summary and up to five key facts from a summary: whole sentences of the source, never rewritten. A sentence
 * that only repeats the headline does not count. An excerpt without a whole sentence becomes the deck, with its
 * ellipsis, but no key fact.
 */
export function readKeyFacts(headline: string, summary: string): KeyFacts {
  const same = (text: string): boolean =>
    text.toLowerCase().replace(/\W+/g, ' ').includes(headline.toLowerCase().replace(/\W+/g, ' ').trim());
  const pieces = splitPieces(summary).filter((piece) => piece.length >= 25 && piece.length <= 500 && !same(piece));
  const sentences = pieces.filter(isWhole);
  const deck = sentences[0] ?? pieces[0] ?? null;
  const figures = sentences.filter((sentence) => /\d/.test(sentence));
  return {
    deck,
    summary: deck,
    key_facts: [...new Set([...figures, ...sentences])].slice(0, 5),
  };
}

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
function countApart(text: string): Figure | null {
  const found = APART.exec(text);
  if (!found) return null;
  const [whole, digits, word = '', scale = '', joined, noun] = found;
  const unit = (joined ? joined.replace(/y$/, 'ie').concat('s') : (noun ?? '')).toLowerCase();
  const number = digits
    ? /^[\d.,]+/.exec(whole)?.[0]
    : String(OTHER_NUMBERS[word.toLowerCase()] ?? NUMBERS.indexOf(word.toLowerCase()));
  const value = Number(number?.replaceAll(',', ''));
  const named = `${number}${SCALES[scale.toLowerCase()] ?? ''} ${unit}`;
  const start = found.index;
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

/**
 * Chooses the delta of an item among the figures of the headline, then those at the start of the summary.
 * @returns null when no figure sums up the move
 */
export function chooseDelta(reading: Reading, move: Move): Figure | null {
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
