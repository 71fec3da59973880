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
  /\b(?:(doubl(?:es|ed|e|ing))|(tripl(?:es|ed|e|ing)|trebl(?:es|ed|e|ing))|(quadrupl(?:es|ed|e|ing)))\b(?! down)(?!-digit)/giu;
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

function money(
  sign: string,
  low: string,
  lowScale: string | undefined,
  high: string | undefined,
  scale: string | undefined,
) {
  const [currency, symbol] = SIGNS[sign.toLowerCase()] ?? ['INR', '₹'];
  const [factor, shown] = scaleOf(scale ?? lowScale);
  const [lowFactor] = lowScale ? scaleOf(lowScale) : [factor];
  const value = numberOf(low) * lowFactor;
  const top = high === undefined ? value : numberOf(high) * factor;
  return {
    kind: 'money' as const,
    value,
    high: top,
    unit: currency,
    text: `${symbol}${low}${high === undefined ? '' : `-${high}`}${shown}`,
  };
}

/** What a count counts: the words after it, up to the noun. Units of time and calendar words are not things. */
const COUNTED =
  /^\s?(?:(?:new|more|additional|exclusive|experiential|offline|retail|company-owned|franchise|brand|physical|premium|flagship|large-format|permanent|delivery|fulfil?lment|urban|micro|quick|active|weekly|monthly|daily|room|ac|fresh|unique|small|smart|tier|food|jewellery|fashion|multi-brand|mono-brand|experience|india|company)\s){0,3}(dark stores|experience cent(?:re|er)s|fulfil?ment cent(?:re|er)s|stores?|outlets?|showrooms?|centres?|centers?|salons?|restaurants?|cafes?|kiosks?|boutiques?|clinics?|screens?|cities|towns|malls?|locations?|branches|kitchens?|warehouses?|hotels?|properties|gyms?|studios?|counters?|doors|touchpoints|touch points|pharmacies|dealers?|distributors?|employees|jobs|people|workers|roles|staff|staffers|units|shares|orders|users|customers|members|shoppers|sellers|merchants|products|brands|collections|skus|styles|notices|fssai notices|companies|firms|startups|tonnes?|litres?|downloads|households|consumers|registrations|flavours|variants|markets|countries|states|pin ?codes|acres|sq\.? ?ft|square feet|airports|villages|partners|creators|vehicles|riders)\b/iu;

function counted(text: string, from: number): { words: string; noun: string; end: number } | null {
  const found = COUNTED.exec(text.slice(from, from + 90));
  return found?.[1] ? { words: found[0].trim(), noun: found[1].toLowerCase(), end: from + found[0].length } : null;
}

/** Words for several that have no `s`. */
const PLURAL = /s$|^(?:people|staff|sq\.? ?ft|square feet)$/;

/** The noun as a figure has it: `60 store network` counts 60 stores. */
const ofMany = (value: number, noun: string): string => (value === 1 || PLURAL.test(noun) ? noun : `${noun}s`);

const overlaps = (taken: readonly Figure[], start: number, end: number): boolean =>
  taken.some((figure) => start < figure.end && end > figure.start);

/**
 * Finds the figures of a text, in their order. Money needs a currency sign or lakh and crore; a plain number counts
 * only before something that is counted (`50 stores`). Years, dates and model numbers do not count.
 */
export function findFigures(text: string): Figure[] {
  const found: Figure[] = [];
  const add = (figure: Omit<Figure, 'start' | 'end'>, start: number, end: number): void => {
    if (Number.isFinite(figure.value) && !overlaps(found, start, end)) found.push({ ...figure, start, end });
  };
  if (
    !/\d|fold|doubl|tripl|trebl|quadrupl|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|hundred|dozen/i.test(
      text,
    )
  )
    return found;
  const digits = /\d/.test(text);
  for (const m of digits ? text.matchAll(MONEY) : [])
    add(money(m[1] ?? '', m[2] ?? '', m[3], m[4], m[5]), m.index, m.index + m[0].trimEnd().length);
  for (const m of digits ? text.matchAll(BARE_CRORE) : [])
    add(money('₹', m[1] ?? '', m[2], m[3], m[4]), m.index, m.index + m[0].length);
  for (const m of /%|pc\b|cent/i.test(text) ? text.matchAll(PERCENT) : []) {
    const low = numberOf(m[2] ?? '');
    add(
      {
        kind: 'percent',
        value: m[1] ? -low : low,
        high: m[3] ? numberOf(m[3]) : low,
        unit: '',
        text: `${m[1]}${m[2]}${m[3] ? `-${m[3]}` : ''}%`,
      },
      m.index,
      m.index + m[0].length,
    );
  }
  for (const m of /bps|basis/i.test(text) ? text.matchAll(BPS) : [])
    add(
      { kind: 'bps', value: numberOf(m[1] ?? ''), high: numberOf(m[1] ?? ''), unit: '', text: `${m[1]} bps` },
      m.index,
      m.index + m[0].length,
    );
  for (const m of digits ? text.matchAll(MULTIPLE) : [])
    add(
      { kind: 'multiple', value: numberOf(m[1] ?? ''), high: numberOf(m[1] ?? ''), unit: '', text: `${m[1]}x` },
      m.index,
      m.index + m[0].length,
    );
  for (const m of /fold|times|\sx\b/i.test(text) ? text.matchAll(FOLD) : []) {
    const times = NUMBER_WORDS[(m[1] ?? '').toLowerCase()] ?? 0;
    add({ kind: 'multiple', value: times, high: times, unit: '', text: `${times}x` }, m.index, m.index + m[0].length);
  }
  for (const m of /ubl|ipl|upl/i.test(text) ? text.matchAll(TIMES) : []) {
    const times = m[1] ? 2 : m[2] ? 3 : 4;
    add({ kind: 'multiple', value: times, high: times, unit: '', text: `${times}x` }, m.index, m.index + m[0].length);
  }
  for (const m of digits ? text.matchAll(ORDINAL) : []) {
    const things = counted(text, m.index + m[0].length);
    if (things)
      add(
        {
          kind: 'ordinal',
          value: numberOf(m[1] ?? ''),
          high: numberOf(m[1] ?? ''),
          unit: things.noun,
          text: `${m[0]} ${things.noun}`,
        },
        m.index,
        things.end,
      );
  }
  for (const m of digits && /count|base|tally|network|footprint|chain|presence/i.test(text)
    ? text.matchAll(STORE_COUNT)
    : []) {
    const value = numberOf(m[1] ?? '');
    add(
      { kind: 'count', value, high: value, unit: 'stores', text: `${m[1]} stores` },
      m.index + m[0].length - (m[1] ?? '').length,
      m.index + m[0].length,
    );
  }
  for (const m of digits ? text.matchAll(COUNT) : []) {
    const things = counted(text, m.index + m[0].length);
    if (!things) continue;
    const [factor, shown] = scaleOf(m[5]);
    const low = numberOf(m[1] ?? '') * factor;
    add(
      {
        kind: 'count',
        value: low,
        high: m[3] ? numberOf(m[3]) * factor : low,
        unit: things.noun,
        text: `${m[1]}${m[3] ? `-${m[3]}` : ''}${m[2] ?? m[4] ?? ''}${shown} ${ofMany(low, things.noun)}`,
      },
      m.index,
      things.end,
    );
  }
  for (const m of text.matchAll(NUMBER_IN_WORDS)) {
    const [factor, shown] = scaleOf(m[4]?.trim());
    const words = m[1] ?? m[3] ?? '';
    const low = (NUMBER_WORDS[words.toLowerCase()] ?? 0) + (NUMBER_WORDS[(m[2] ?? '').toLowerCase()] ?? 0);
    const value = low * factor;
    const end = m.index + m[0].length;
    const percent = /^\s?(?:per\s?cent|percent|%)/i.exec(text.slice(end, end + 10));
    const currency = m[4] ? CURRENCY_WORD.exec(text.slice(end, end + 16)) : null;
    if (percent && !m[4])
      add({ kind: 'percent', value, high: value, unit: '', text: `${value}%` }, m.index, end + percent[0].length);
    if (currency) {
      const [unit, symbol] = SIGNS[/^\s?dollar|^\s?us/i.test(currency[0]) ? '$' : 'rs'] ?? ['INR', '₹'];
      add(
        { kind: 'money', value, high: value, unit, text: `${symbol}${low}${shown}` },
        m.index,
        end + currency[0].length,
      );
    }
    // `one in five orders` counts no orders.
    const things = /\bone in $/i.test(text.slice(0, m.index)) ? null : counted(text, end);
    if (things)
      add(
        { kind: 'count', value, high: value, unit: things.noun, text: `${low}${shown} ${ofMany(value, things.noun)}` },
        m.index,
        things.end,
      );
  }
  for (const m of /dozen/i.test(text) ? text.matchAll(DOZEN) : []) {
    const things = counted(text, m.index + m[0].length);
    const value = dozensIn(m[1] ?? '');
    if (things)
      add(
        { kind: 'count', value, high: value, unit: things.noun, text: `${value} ${ofMany(value, things.noun)}` },
        m.index,
        things.end,
      );
  }
  return found.sort((a, b) => a.start - b.start);
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
