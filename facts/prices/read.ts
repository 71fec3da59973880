/**
 * Changes of prices, fees and tariffs, read from the headline. A change has to be of a brand that the headline names as the
 * one who changes it; what is only considered, expected or denied, and what is no price of a seller, is none.
 */
import { findDay } from '../../language/dates.ts';
import { factReading, type ItemFacts, proposed } from '../item-facts.ts';
import { negationOf, splitClauses } from '../text/statements.ts';
import type { Price } from './fields.ts';

const RAISES = 'raises?|raised|hikes?|hiked|increases?|increased|ups|lifts|lifted|jacks up';
const CUTS = 'cuts?|slash(?:es|ed)?|reduces?|reduced|lowers?|lowered|trims?|trimmed|brings down|brought down';
const SETS = 'takes|brings|revises|revised|resets';
/** A sum that somebody pays for a thing: no crores. */
const MONEY =
  '(?:₹|Rs\\.?|INR|\\$)\\s?\\d[\\d,]*(?:\\.\\d+)?(?![\\d,.]*\\d)(?!\\s?-?\\s?(?:crores?|cr|lakhs?|million|mn|billion|bn|k)\\b)(?:\\s(?:per|a|an)\\s\\w+|/\\w+)?';
const PERCENT = '\\d+(?:\\.\\d+)?(?:\\s?[-–]\\s?\\d+(?:\\.\\d+)?)?\\s?(?:%|per ?cent\\b|pc\\b)';
const ROUGHLY = '(?:(?:up to|as much as|about|around|nearly|almost|over|more than|at least)\\s)?';

/** `Zepto raises free delivery minimum to ₹299`, `Maruti to hike car prices by 3%`. */
const CHANGES = new RegExp(`^(.*?)\\s(?:(?:to|will)\\s)?(${RAISES}|${CUTS}|${SETS})(?:\\s(.*))?$`, 'i');
/** `Amul milk to cost ₹2 more per litre`, `Diet Coke to cost ₹40`. */
const COSTS = new RegExp(`^(.+?)\\s(?:to|will|now)\\scosts?\\s(${MONEY})(\\s(?:more|less))?`, 'i');
/** `Amul ghee cheaper by ₹40`. */
const DEARER = new RegExp(
  `^(.+?)\\s(?:(?:is|are|gets?|becomes?|turns?)\\s)?(costlier|dearer|cheaper)\\sby\\s(${ROUGHLY}(?:${MONEY}|${PERCENT}))`,
  'i',
);
/** `Zomato platform fee goes up to ₹12`. */
const GOES = /^(.+?)\s(?:goes?|went)\s(up|down)(?=\s(?:by|from|to)\s)(.*)$/i;

const FROM = new RegExp(`\\bfrom\\s(${MONEY})`, 'i');
const TO = new RegExp(`\\bto\\s(?:just\\s|only\\s)?(${MONEY})`, 'i');
const BY = new RegExp(`\\bby\\s(${ROUGHLY}(?:${MONEY}|${PERCENT}))`, 'i');
/** `raises platform fee 20% to ₹12`. */
const BARE = new RegExp(`\\s(${ROUGHLY}${PERCENT})(?=\\s(?:from|to|in|across|on)\\b|$)`, 'i');
/** Where the words of what is changed end. */
const END_OF_THING = new RegExp(
  `\\s(?:by|from|to)\\s(?=${ROUGHLY}(?:just |only )?(?:${MONEY}|${PERCENT}))|\\s${ROUGHLY}${PERCENT}|\\s(?:in|across|for|on|as|after|amid|due|over|with|ahead|from|effective|starting)\\s`,
  'i',
);

const PRICE_WORD =
  /\b(?:prices?|pricing|mrps?|fees?|charges|tariffs?|fares?|subscriptions?|(?:delivery|order|cart) (?:minimum|value)|minimum order)\b/i;
const ONLY_PRICES = /\b(?:prices?|pricing|mrps?)\b(?:\sof\b)?/gi;
/** What is only considered, expected, asked or reported by others. */
const UNCERTAIN =
  /\b(?:may|might|could|likely|considers?|considering|mulls?|weighs?|plans?|planning|plan to|set to|eyes|expects?|expected|seeks?|urges?|demands?|wants?|asks?|should|if|possible|possibly|potential|proposes?|proposed|why|how|whether|defers?|rolls? back|rolled back|withdraws?|reportedly|reports?|sources?)\b|\?/i;
/** What a company raises or cuts that is no price of what it sells, and rates of markets. */
const NO_PRICE =
  /\b(?:shares?|stocks?|stakes?|scrip|target price|price targets?|price bands?|issue price|offer price|floor price|valuation|ipo|fund(?:s|ing)?|round|capital|dividend|guidance|forecast|outlook|estimates?|salary|salaries|pay|wages?|bonus(?:es)?|increments?|stipend|rents?|gst|dut(?:y|ies)|tax(?:es)?|cess|repo|loans?|interest|lending|emis?|investments?|capex|outlay|budget|costs|jobs?|headcount|workforce|average|aov|ticket|basket|revenues?|sales|profits?|loss(?:es)?|margins?|debt|capacity|production|output|emissions?|waste|petrol|diesel|lpg|cng|fuels?|crude|gold|silver|bullion|onions?|tomato(?:es)?|commission|limit|threshold|target|weight|size)\b/i;
/** The discounts of a sale. */
const SALE =
  /\b(?:sale|discounts?|cashbacks?|coupons?|offers?|deals?|festive|prime day|big billion|clearance|flat \d+|% off)\b/i;

const LONGEST_PRODUCT = 6;

const house = (amount: string): string => amount.replace(/(?:Rs\.?|INR)\s?/i, '₹').replace(/₹\s/, '₹');
const numberIn = (amount: string): number => Number(/\d[\d,]*(?:\.\d+)?/.exec(amount)?.[0].replaceAll(',', ''));
const isExact = (percent: string): boolean =>
  new RegExp(`^${PERCENT}$`, 'i').test(percent) && !/\d\s?[-–]/.test(percent);

/** What a clause says: who, what, in which direction, and the words with the amounts. */
interface Change {
  readonly subject: string;
  readonly thing: string;
  readonly direction: Price['direction'];
  readonly amounts: string;
}

function changeIn(text: string): Change | null {
  const dearer = DEARER.exec(text);
  if (dearer)
    return {
      subject: dearer[1] ?? '',
      thing: '',
      direction: /cheaper/i.test(dearer[2] ?? '') ? 'cut' : 'raised',
      amounts: ` by ${dearer[3]}`,
    };
  const costs = COSTS.exec(text);
  if (costs) {
    const more = costs[3]?.trim().toLowerCase();
    const direction = more === 'more' ? 'raised' : more === 'less' ? 'cut' : 'set';
    return { subject: costs[1] ?? '', thing: '', direction, amounts: ` ${more ? 'by' : 'to'} ${costs[2]}` };
  }
  const goes = GOES.exec(text);
  if (goes)
    return {
      subject: goes[1] ?? '',
      thing: '',
      direction: /up/i.test(goes[2] ?? '') ? 'raised' : 'cut',
      amounts: goes[3] ?? '',
    };
  const changes = CHANGES.exec(text);
  if (!changes) return null;
  const [, subject = '', verb = '', after = ''] = changes;
  const rest = ` ${after}`;
  const end = rest.search(END_OF_THING);
  const isVerb = (verbs: string): boolean => new RegExp(`^(?:${verbs})$`, 'i').test(verb);
  return {
    subject,
    thing: (end < 0 ? rest : rest.slice(0, end)).trim(),
    direction: isVerb(RAISES) ? 'raised' : isVerb(CUTS) ? 'cut' : 'set',
    amounts: rest,
  };
}

/** The product or fee in the words of a headline; null for prices at large. */
function productIn(thing: string): string | null {
  const words = thing
    .replace(ONLY_PRICES, ' ')
    .replace(/\b(?:worldwide|globally|nationwide|again|further|sharply|slightly)\b/gi, ' ')
    .replace(/^\s*(?:(?:its|the|all|some|of|on|’s|'s)\s+)+/i, '')
    .replace(/[\s,:;–-]+$/, '')
    .replace(/\s+/g, ' ')
    .trim();
  return words === '' || words.split(' ').length > LONGEST_PRODUCT ? null : words;
}

/** The change in per cent: as stated, or by both prices; undefined where these contradict the direction. */
function percentOf(direction: Price['direction'], by: string | null, prices: readonly (string | null)[]) {
  const [before, after] = prices.map((price) => (price === null ? null : numberIn(price)));
  if (before && after) {
    const change = ((after - before) / before) * 100;
    if (direction !== 'set' && Math.sign(change) !== (direction === 'raised' ? 1 : -1)) return undefined;
    return Math.round(change * 10) / 10;
  }
  if (by === null || direction === 'set' || !isExact(by)) return null;
  return (direction === 'raised' ? 1 : -1) * Number.parseFloat(by);
}

/**
 * Reads the changes of prices that a headline states.
 * @returns one for each brand that is named as the one who changes the price; empty where anything is uncertain
 */
export function readPrices({
  reading,
  move,
  primary,
  cities,
}: Pick<ItemFacts, 'reading' | 'move' | 'primary' | 'cities'>): Price[] {
  const { text } = reading.title;
  if (move === 'people' || move === 'deals' || SALE.test(text) || UNCERTAIN.test(text) || negationOf(text)) return [];
  const clause = splitClauses(text).find((one) => !one.cause && changeIn(one.text) !== null);
  const change = clause && changeIn(clause.text);
  if (!change) return [];
  const named = primary.filter(({ written }) => change.subject.toLowerCase().includes(written.toLowerCase()));
  // `Zomato platform fee hiked to ₹12`: the subject is what is changed.
  const ofSubject = named.reduce((words, { written }) => words.replace(written, ' '), change.subject);
  const thing = change.thing || ofSubject.trim();
  if (named.length === 0 || /[₹$]|\bRs\b/.test(thing) || NO_PRICE.test(`${ofSubject} ${thing}`)) return [];
  const amount = (form: RegExp): string | null => form.exec(change.amounts)?.[1] ?? null;
  const [from, to] = [FROM, TO].map((form) => {
    const price = amount(form);
    return price && house(price);
  }) as [string | null, string | null];
  const by = amount(BY) ?? amount(BARE);
  const isOfPrice = PRICE_WORD.test(thing) || (thing !== '' && change.amounts.includes(' '));
  // Without a word for a price, a sum has to follow: `cuts ghee by ₹40`. Without its own words, the subject has to be a product.
  const hasSum = to !== null || (by !== null && /[₹$]|Rs|INR/i.test(by));
  if (!isOfPrice || (!PRICE_WORD.test(thing) && !hasSum)) return [];
  if (change.thing === '' && !hasSum && by === null) return [];
  const product = productIn(thing);
  if (product === null && !PRICE_WORD.test(thing)) return [];
  const change_pct = percentOf(change.direction, by, [from, to]);
  if (change_pct === undefined) return [];
  const direction = change.direction === 'set' && change_pct ? (change_pct > 0 ? 'raised' : 'cut') : change.direction;
  if (direction === 'set' && to === null) return [];
  // `From Monday` may be the one before or the next.
  const day = /\b(?:from|effective|starting)\s(?=\d{1,2}\s\p{L}|\p{L}+\s\d{1,2}\b).+$/iu.exec(text)?.[0];
  const [city, other] = cities;
  return named.map(({ name }) => ({
    brand: name,
    product,
    direction,
    from,
    to,
    by: by && house(by),
    change_pct,
    place: city && !other && text.includes(city) ? city : null,
    effective: day ? findDay(day, reading.day) : null,
  }));
}

export const pricesReading = factReading<Price>({
  // No labelled item has prices: none is too unsure, except of an item that may be no move.
  leastConfidence: 0,
  names: ['brand'],
  read: (item) => proposed(readPrices(item)),
  why: ({ direction, brand, product, to, by }) => [direction, [brand, product, by, to].filter(Boolean).join(', ')],
});
