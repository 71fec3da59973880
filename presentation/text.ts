/** Text for readers: text of outlets made safe to show, days and hours in IST, and the names of kinds of move. */
import type { z } from 'zod';
import { capitalised, formatCount } from '../language/prose.ts';
import type { Category } from '../schemas/catalogue.ts';
import { categoryName } from '../schemas/directory.ts';
import { MOVES, type Move } from '../schemas/scalar.ts';

// Control and format characters turn the direction of text or hide in it; the two joiners are spelling in Indic scripts.
const UNSEEN = /[[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]--[\u200c\u200d\n\t]]/gv;
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;

/** Removes bidirectional controls, invisible characters and stacked marks; visible text stays the same. */
export const neutralise = (text: string): string =>
  text.toWellFormed().replace(UNSEEN, '').replace(STACKED_MARKS, '$1');

/** Cuts a text to at most `maximum` characters and ends it with an ellipsis; never inside a surrogate pair. */
export const clip = (text: string, maximum: number): string => {
  if (text.length <= maximum) return text;
  return `${text
    .slice(0, maximum - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, '')
    .trimEnd()}…`;
};

/**
 * Reads a stored document for a page: validates it and neutralises every string in it.
 * @throws ZodError when the document does not match
 */
export const parseDocument = <Document>(text: string, schema: z.ZodType<Document>): Document =>
  schema.parse(JSON.parse(text, (_key, value: unknown) => (typeof value === 'string' ? neutralise(value) : value)));

/** A slug as words, for a slug without a known name: `quick-commerce` becomes "Quick commerce". */
export const slugToWords = (slug: string): string => capitalised(slug.replaceAll('-', ' '));

/** An editorial label as words: `store_opening` becomes "store opening". */
export const labelToWords = (label: string): string => label.replaceAll(/[_-]/g, ' ');

/** A category as a heading; `Other brands` for those that have none. */
export const categoryLabel = (category: Category | null): string =>
  capitalised(category === null ? 'other brands' : categoryName(category));

/** The kinds of move as headings, in the order in which pages list them. */
export const MOVE_NAMES: Readonly<Record<Move, string>> = {
  stores: 'Stores',
  deals: 'Deals',
  people: 'People',
  results: 'Results',
  launches: 'Launches',
  strategy: 'Strategy',
  rules: 'Rules',
  other: 'Other',
};

/** `12 stories in 30 days: Stores 8, Deals 4.` */
export function describeMonth({
  total,
  by_move,
}: {
  total: number;
  by_move: Readonly<Record<string, number>>;
}): string {
  const kinds = MOVES.filter((move) => (by_move[move] ?? 0) > 0).map((move) => `${MOVE_NAMES[move]} ${by_move[move]}`);
  return `${formatCount(total, 'story', 'stories')} in 30 days${kinds.length > 0 ? `: ${kinds.join(', ')}` : ''}.`;
}

const format = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Kolkata', ...options });

const CLOCK = format({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const LONG_DAY = format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const AXIS_DAY = format({ day: 'numeric', month: 'short' });
const WEEKDAY = format({ weekday: 'long' });
const DAY_AND_MONTH = format({ day: 'numeric', month: 'long' });
const YEAR = format({ year: 'numeric' });

/** `10:02`, in IST. */
export const formatTime = (instant: string | Date): string => CLOCK.format(new Date(instant));
/** `Saturday 21 November 2026`. */
export const formatLongDay = (instant: string | Date): string => LONG_DAY.format(new Date(instant)).replace(',', '');
/** `21 Nov`, for the axis of a chart. */
export const formatAxisDay = (instant: string | Date): string => AXIS_DAY.format(new Date(instant));
/** The parts of a heading: `Saturday`, `21 November`, `November`, `2026`. */
export const formatDayParts = (instant: string): { weekday: string; day: string; month: string; year: string } => {
  const day = DAY_AND_MONTH.format(new Date(instant));
  return {
    weekday: WEEKDAY.format(new Date(instant)),
    day,
    month: day.replace(/^\d+ /, ''),
    year: YEAR.format(new Date(instant)),
  };
};
