/**
 * Figures as Indian business news writes them: lakh and crore, Mn and Bn, per cent, basis points, multiples, counts.
 */

import { dozensIn, NUMBER_WORDS, scaleOf } from './numbers.ts';

type FigureKind = 'money' | 'percent' | 'bps' | 'multiple' | 'count' | 'ordinal';

export interface Figure {
  readonly kind: FigureKind;
  /** Rupees, dollars, per cent, times or things; the lower end of a range. */
  readonly value: number;
  /** The upper end of a range, else the same as `value`. */
  readonly high: number;
  /** `INR`, `USD`, `EUR`, `GBP` for money; what is counted, in lower case, for a count; empty otherwise. */
  readonly unit: string;
  /** As written, in one uniform form: `₹230 Cr`, `$2.4 Mn`, `32%`, `50 stores`. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const NUMBER = '\\d{1,3}(?:,\\d{2,3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?';
const SCALE =
  'lakh\\s*(?:crores?|cr\\b)|crores?|cr\\b|lakhs?|l\\b|thousand|billion|bn\\b|million|mn\\b|trillion|tn\\b|k\\b|m\\b|b\\b|c\\b';
const RANGE = `(${NUMBER})\\s?(?:(${SCALE})\\s?)?(?:(?:-|–|—|\\bto\\b)\\s?(?:rs\\.?|inr|₹|\\$)?\\s?(${NUMBER})\\s?)?`;
const MONEY = new RegExp(
  `(₹|\\brs\\b\\.?|\\binr\\b|us\\$|\\$|\\busd\\b|€|\\beur\\b|£|\\bgbp\\b)\\s?${RANGE}-?\\s?(${SCALE})?`,
  'giu',
);
const BARE_CRORE = new RegExp(
  `(?<![\\w.,])${RANGE}-?\\s?(lakh\\s*(?:crores?|cr\\b)|crores?|cr\\b)(?!\\s+(?:shares|units|orders|users|customers|people|consumers|downloads|households|students))`,
  'giu',
);
const PERCENT = new RegExp(
  `(?<![\\w.])(-?)(${NUMBER})\\s?(?:%|pc\\b|per\\s?cent\\b|percent\\b)?\\s?(?:(?:-|–|—|\\bto\\b)\\s?(${NUMBER})\\s?)?(%|pc\\b|per\\s?cent\\b|percent\\b)`,
  'giu',
);
const BPS = new RegExp(`(?<![\\w.])(${NUMBER})\\s?(?:bps|basis points?)\\b`, 'giu');
const MULTIPLE = new RegExp(`(?<![\\w.])(${NUMBER})\\s?(x\\b|times\\b|-?fold\\b)`, 'giu');
const FOLD = /\b(two|three|four|five|six|seven|eight|nine|ten)(?:-?fold\b|\s(?:times|x)\b)/giu;
/** `doubles market share`, `a doubling of`: a multiple expressed by its verb. */
const TIMES =
  /\b(?<!\b(?:for|of|with|at|by|in) )(?:(doubl(?:es|ed|e|ing))|(tripl(?:es|ed|e|ing)|trebl(?:es|ed|e|ing))|(quadrupl(?:es|ed|e|ing)))\b(?! down)(?![- ]digit)/giu;
const ORDINAL = /(?<![\w.,])(\d{1,3}(?:,\d{3})*)(?:st|nd|rd|th)\b/giu;
const COUNT = new RegExp(
  `(?<![\\w.,₹$]|\\b[Tt]ier[ -])(${NUMBER})\\s?(\\+)?\\s?(?:(?:-|–|\\bto\\b)\\s?(${NUMBER})\\s?)?(\\+)?\\s?(lakh|crore|cr|million|mn|billion|bn|k)?\\b`,
  'giu',
);
/** `Store count to 50`, `outlet network of 120`: the noun comes first. */
const STORE_COUNT =
  /\b(?:store|outlet|restaurant|showroom) (?:count|base|tally|network|footprint|chain|presence)\s(?:to|of|at|reaches|crosses|hits)\s(\d[\d,]*)\b(?!\s?(?:%|cities|towns|states|countries|cr|lakh|million|mn|sq))/giu;
/** `five`, `twenty-five`, `eighty million`. */
const NUMBER_IN_WORDS =
  /\b(?:(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[ -](one|two|three|four|five|six|seven|eight|nine))?|(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|hundred))\b(\s(?:million|lakh|crore|billion))?/giu;
/** `Half a dozen outlets`, `two dozen stores`; `dozens of stores` counts nothing. */
const DOZEN = /\b(half[ -](?:a[ -])?|(?:a|one|1)[ -]|(?:two|2)[ -]|(?:three|3)[ -]|(?:four|4)[ -]|)dozen\b/giu;
const PERCENT_WORD = /^\s?(?:per\s?cent|percent|%)/i;
const CURRENCY_WORD = /^\s?(?:us )?(?:dollars?|rupees?)\b/i;
const SIGNS: Record<string, readonly [string, string]> = {
  '₹': ['INR', '₹'],
  rs: ['INR', '₹'],
  'rs.': ['INR', '₹'],
  inr: ['INR', '₹'],
  $: ['USD', '$'],
  us$: ['USD', '$'],
  usd: ['USD', '$'],
  '€': ['EUR', '€'],
  eur: ['EUR', '€'],
  '£': ['GBP', '£'],
  gbp: ['GBP', '£'],
};

const numberOf = (text: string): number => Number(text.replace(/,/g, ''));

/** Where a match begins and ends. */
const spanOf = ({ 0: { length }, index: start }: RegExpExecArray) => ({ start, end: start + length });

/** A figure of one value. */
const single = (kind: FigureKind, value: number, text: string, unit = '') => ({ kind, value, high: value, unit, text });

/** Money of a sign, from the groups of `RANGE` and the scale after it. */
function money(sign: string, [low = '', lowScale, high, scale]: readonly (string | undefined)[]) {
  const [currency, symbol] = SIGNS[sign.toLowerCase()] ?? ['INR', '₹'];
  const [factor, shown] = scaleOf(scale ?? lowScale);
  const [lowFactor] = lowScale ? scaleOf(lowScale) : [factor];
  const value = numberOf(low) * lowFactor;
  const top = high === undefined ? value : numberOf(high) * factor;
  const text = `${symbol}${low}${high === undefined ? '' : `-${high}`}${shown}`;
  return { kind: 'money' as const, value, high: top, unit: currency, text };
}

function readMoney(match: RegExpExecArray): Figure {
  const end = match.index + match[0].trimEnd().length;
  return { ...money(match[1] ?? '', match.slice(2)), start: match.index, end };
}

const readCrores = (match: RegExpExecArray): Figure => ({ ...money('₹', match.slice(1)), ...spanOf(match) });

function readPercent(match: RegExpExecArray): Figure {
  const [, minus = '', first = '', last] = match;
  const low = numberOf(first);
  const text = `${minus}${first}${last ? `-${last}` : ''}%`;
  const high = last ? numberOf(last) : low;
  return { kind: 'percent', value: minus ? -low : low, high, unit: '', text, ...spanOf(match) };
}

const readBasisPoints = (match: RegExpExecArray): Figure => ({
  ...single('bps', numberOf(match[1] ?? ''), `${match[1]} bps`),
  ...spanOf(match),
});

const readMultiple = (match: RegExpExecArray): Figure => ({
  ...single('multiple', numberOf(match[1] ?? ''), `${match[1]}x`),
  ...spanOf(match),
});

function readFold(match: RegExpExecArray): Figure {
  const times = NUMBER_WORDS[(match[1] ?? '').toLowerCase()] ?? 0;
  return { ...single('multiple', times, `${times}x`), ...spanOf(match) };
}

function readTimes(match: RegExpExecArray): Figure {
  const times = match[1] ? 2 : match[2] ? 3 : 4;
  return { ...single('multiple', times, `${times}x`), ...spanOf(match) };
}

/** What a count counts: the words after it, up to the noun. Units of time and calendar words are not things. */
const COUNTED =
  /^\s?(?:(?:new|more|additional|exclusive|experiential|offline|retail|company-owned|franchise|brand|physical|premium|flagship|large-format|permanent|delivery|fulfil?lment|urban|micro|quick|active|weekly|monthly|daily|room|ac|fresh|unique|small|smart|tier|food|jewellery|fashion|multi-brand|mono-brand|experience|india|company)\s){0,3}(dark stores|experience cent(?:re|er)s|fulfil?ment cent(?:re|er)s|stores?|outlets?|showrooms?|centres?|centers?|salons?|restaurants?|cafes?|kiosks?|boutiques?|clinics?|screens?|cities|towns|malls?|locations?|branches|kitchens?|warehouses?|hotels?|properties|gyms?|studios?|counters?|doors|touchpoints|touch points|pharmacies|dealers?|distributors?|employees|jobs|people|workers|roles|staff|staffers|units|shares|orders|users|customers|members|shoppers|sellers|merchants|products|brands|collections|skus|styles|notices|fssai notices|companies|firms|startups|tonnes?|litres?|downloads|households|consumers|registrations|flavours|variants|markets|countries|states|pin ?codes|acres|sq\.? ?ft|square feet|airports|villages|partners|creators|vehicles|riders)\b/iu;

function counted(text: string, from: number): { noun: string; end: number } | null {
  const match = COUNTED.exec(text.slice(from, from + 90));
  return match?.[1] ? { noun: match[1].toLowerCase(), end: from + match[0].length } : null;
}

/** Words for several that have no `s`. */
const PLURAL = /s$|^(?:people|staff|sq\.? ?ft|square feet)$/;

/** The noun as a figure has it: `60 store network` counts 60 stores. */
const ofMany = (value: number, noun: string): string => (value === 1 || PLURAL.test(noun) ? noun : `${noun}s`);

/** What is counted from the end of a match on, as a figure; null where nothing is. */
function countAfter(match: RegExpExecArray, text: string, value: number, shown: string): Figure | null {
  const { start, end } = spanOf(match);
  const things = counted(text, end);
  if (!things) return null;
  const { noun } = things;
  return { ...single('count', value, `${shown} ${ofMany(value, noun)}`, noun), start, end: things.end };
}

function readOrdinal(match: RegExpExecArray, text: string): Figure | null {
  const { start, end } = spanOf(match);
  const things = counted(text, end);
  if (!things) return null;
  const { noun } = things;
  return { ...single('ordinal', numberOf(match[1] ?? ''), `${match[0]} ${noun}`, noun), start, end: things.end };
}

function readStoreCount(match: RegExpExecArray): Figure {
  const [, number = ''] = match;
  const { end } = spanOf(match);
  return { ...single('count', numberOf(number), `${number} stores`, 'stores'), start: end - number.length, end };
}

function readCount(match: RegExpExecArray, text: string): Figure | null {
  const [, low = '', plus, high, plusAfter, scale] = match;
  const [factor, shown] = scaleOf(scale);
  const number = `${low}${high ? `-${high}` : ''}${plus ?? plusAfter ?? ''}${shown}`;
  const figure = countAfter(match, text, numberOf(low) * factor, number);
  return figure && high ? { ...figure, high: numberOf(high) * factor } : figure;
}

/** A number in words before a percent sign, a currency or what it counts. */
function readNumberInWords(match: RegExpExecArray, text: string): Figure | null {
  const [, tens, ones = '', other = '', scale] = match;
  const [factor, shown] = scaleOf(scale?.trim());
  const low = (NUMBER_WORDS[(tens ?? other).toLowerCase()] ?? 0) + (NUMBER_WORDS[ones.toLowerCase()] ?? 0);
  const value = low * factor;
  const { start, end } = spanOf(match);
  const percent = scale ? null : PERCENT_WORD.exec(text.slice(end, end + 10));
  if (percent) return { ...single('percent', value, `${value}%`), start, end: end + percent[0].length };
  const currency = scale ? CURRENCY_WORD.exec(text.slice(end, end + 16)) : null;
  if (currency) {
    const [unit, symbol] = SIGNS[/^\s?dollar|^\s?us/i.test(currency[0]) ? '$' : 'rs'] ?? ['INR', '₹'];
    return { ...single('money', value, `${symbol}${low}${shown}`, unit), start, end: end + currency[0].length };
  }
  // `one in five orders` counts no orders.
  return /\bone in $/i.test(text.slice(0, start)) ? null : countAfter(match, text, value, `${low}${shown}`);
}

function readDozens(match: RegExpExecArray, text: string): Figure | null {
  const value = dozensIn(match[1] ?? '');
  return countAfter(match, text, value, String(value));
}

/** A way to write figures: what a text with one of them contains, their form, and how a match is read. */
type Notation = readonly [RegExp, RegExp, (match: RegExpExecArray, text: string) => Figure | null];

/** The first one that reads a place in a text takes it. */
const NOTATIONS: readonly Notation[] = [
  [/\d/, MONEY, readMoney],
  [/\d/, BARE_CRORE, readCrores],
  [/%|pc\b|cent/i, PERCENT, readPercent],
  [/bps|basis/i, BPS, readBasisPoints],
  [/\d/, MULTIPLE, readMultiple],
  [/fold|times|\sx\b/i, FOLD, readFold],
  [/ubl|ipl|upl/i, TIMES, readTimes],
  [/\d/, ORDINAL, readOrdinal],
  [/count|base|tally|network|footprint|chain|presence/i, STORE_COUNT, readStoreCount],
  [/\d/, COUNT, readCount],
  [
    /one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|hundred/i,
    NUMBER_IN_WORDS,
    readNumberInWords,
  ],
  [/dozen/i, DOZEN, readDozens],
];

const overlaps = (taken: readonly Figure[], { start, end }: Figure): boolean =>
  taken.some((figure) => start < figure.end && end > figure.start);

/**
 * Finds the figures of a text, in their order. Money needs a currency sign or lakh and crore; a plain number counts
 * only before something that is counted (`50 stores`). Years, dates and model numbers do not count.
 */
export function findFigures(text: string): Figure[] {
  const figures: Figure[] = [];
  for (const [hint, form, read] of NOTATIONS)
    for (const match of hint.test(text) ? text.matchAll(form) : []) {
      const figure = read(match, text);
      if (figure && Number.isFinite(figure.value) && !overlaps(figures, figure)) figures.push(figure);
    }
  return figures.sort((a, b) => a.start - b.start);
}

/** People and things of which there are crores. */
const OF_CRORES =
  /^\s+(?:[\p{L}-]+\s+){0,2}?(?:transactions|(?:equity )?shares|jobs|farmers|workers|families|homes|shops|stores|outlets|kiranas?|sellers|merchants|retailers|traders|shoppers|buyers|visitors|viewers|followers|subscribers|members|women|men|children|kids|accounts|deliveries|packets|packs|bottles|pairs|litres?|tonnes?|products|pieces|meals|cups|trees|indians|views|installs|registrations|passengers|footfalls?|vehicles|devices|phones)\b/iu;

/**
 * Whether a figure that looks like money counts people or things: `1.4 crore kirana stores` without a sign of a currency.
 * The models were trained with such figures as money, so that they remain among the figures of a text.
 */
export const countsThings = (text: string, { kind, start, end }: Figure): boolean =>
  kind === 'money' && /^\d/.test(text.slice(start, start + 1)) && OF_CRORES.test(text.slice(end));

/** The single figure that a text such as `₹230 Cr` states; null when it states none. */
export const parseFigure = (text: string): Figure | null => findFigures(text)[0] ?? null;
