/** How days, numbers and kinds of move are written in sentences. */
import type { Move } from '../../schemas/scalar.ts';

const DAY = new Intl.DateTimeFormat('en-IN', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'Asia/Kolkata',
});

/** `9 March 2026`, the day in India. @param time RFC 3339, an ISO day, or a date */
export const dayOf = (time: string | Date): string => DAY.format(new Date(time));

const WORDS = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

/** Small numbers in words. */
export const countOf = (number: number): string => WORDS[number] ?? String(number);

const ORDINALS = ['zeroth', 'first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth'];

/** `third`, `12th`. */
export function ordinalOf(number: number): string {
  const ending = number % 100 >= 11 && number % 100 <= 13 ? 'th' : ({ 1: 'st', 2: 'nd', 3: 'rd' }[number % 10] ?? 'th');
  return ORDINALS[number] ?? `${number}${ending}`;
}

/** What one move of a kind is called. */
export const MOVE_NAMES: Readonly<Record<Move, string>> = {
  stores: 'store move',
  deals: 'deal',
  people: 'leadership move',
  results: 'results report',
  launches: 'launch',
  strategy: 'strategic move',
  rules: 'regulatory or legal matter',
  other: 'story',
};

/** A name at the end of a sentence brings its own full stop at times: `Avenue Supermarts Ltd.` */
export const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`);
