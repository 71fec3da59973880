/** What an outlet makes of an event: the entry that it publishes, in its house style, with its delay, guid and URL. */

import type { Move } from '../schemas/scalar.ts';
import { slugify } from '../schemas/scalar.ts';
import { chance, dateWords, HOUR, MINUTE, SECOND } from './calendar.ts';
import { type Outlet, outletById, type Voice } from './outlets.ts';

// Occurrences: something that happened at a certain time, and the items about it.

/** The relation of an item to the event. */
type EntryRole = 'report' | 'correction' | 'resurfaced' | 'oracle' | 'noise';

/** One item of one outlet. Its guid and its path never change, even when its headline is edited. */
export interface Entry {
  readonly outlet: string;
  readonly key: string;
  readonly guid: string;
  readonly path: string;
  readonly role: EntryRole;
  readonly headline: string;
  readonly summary: string | null;
  readonly publishedAt: Date;
  /** The text from a later moment on. */
  readonly edit?: { readonly at: Date; readonly headline: string; readonly summary: string | null };
}

/** The facts that all reports of an event agree on. */
export interface EventFacts {
  readonly move: Move;
  readonly brands: readonly string[];
  readonly also: readonly string[];
  readonly cities: readonly string[];
  readonly mall: string | null;
  /** In neutral form such as `[₹230cr]` or `4 stores`. */
  readonly figure: string | null;
  readonly person: string | null;
}

export interface Occurrence {
  /** Of the event in this cycle, `zudio-surat-trio-c20`; `live-21234567` from the live desk. */
  readonly key: string;
  readonly event: string;
  /** Null for noise. */
  readonly facts: EventFacts | null;
  /** The kind of noise, such as `opinion`. */
  readonly noise: string | null;
  readonly occurredAt: Date;
  readonly entries: readonly Entry[];
}

/** An entry at a moment: with its edit from the time of the edit on. */
export const entryAt = (entry: Entry, now: Date): Entry & { readonly updatedAt: Date } =>
  entry.edit && entry.edit.at <= now
    ? { ...entry, headline: entry.edit.headline, summary: entry.edit.summary, updatedAt: entry.edit.at }
    : { ...entry, updatedAt: entry.publishedAt };

const FIGURE = /\[(₹|\$)?([\d.,]+) ?(lakhcr|cr|L|bn|m|%)?\]/g;

const RUPEE: Record<Voice['rupee'], { sign: string; crore: string; lakh: string }> = {
  '₹ Cr': { sign: '₹', crore: ' Cr', lakh: ' lakh' },
  '₹ crore': { sign: '₹', crore: ' crore', lakh: ' lakh' },
  'Rs crore': { sign: 'Rs ', crore: ' crore', lakh: ' lakh' },
  'Rs. crore': { sign: 'Rs. ', crore: ' crore', lakh: ' lakh' },
  'Rs Cr': { sign: 'Rs ', crore: ' Cr', lakh: ' L' },
  'INR Cr': { sign: 'INR ', crore: ' Cr', lakh: ' Lakh' },
};

function dollars(amount: string, unit: string, voice: Voice): string {
  const billion = unit === 'bn';
  if (voice.dollar === '$ Mn') return `$${amount} ${billion ? 'Bn' : 'Mn'}`;
  if (voice.dollar === '$M') return `$${amount}${billion ? 'B' : 'M'}`;
  if (voice.dollar === 'USD mn') return `USD ${amount} ${billion ? 'bn' : 'mn'}`;
  return `$${amount} ${billion ? 'billion' : 'million'}`;
}

function rupees(amount: string, unit: string, voice: Voice): string {
  const { sign, crore, lakh } = RUPEE[voice.rupee];
  if (unit === 'lakhcr') return `${sign}${amount} lakh crore`;
  return `${sign}${amount}${unit === 'cr' ? crore : unit === 'L' ? lakh : ''}`;
}

/** Writes `[₹230cr]`, `[₹45L]`, `[₹999]`, `[$12m]`, `[18%]` in the outlet's form; the amounts never change. */
export const styleFigures = (text: string, voice: Voice): string =>
  text.replace(FIGURE, (_, sign: string | undefined, amount: string, unit = '') => {
    if (unit === '%') return `${amount}${voice.percent}`;
    return sign === '$' ? dollars(amount, unit, voice) : rupees(amount, unit, voice);
  });

const SMALL = new Set('a an and as at but by for from in into nor of on or over per the to up via vs with'.split(' '));

/** Title Case, except for small words and for words with capitals of their own (`IPO`, `boAt`). */
export const titleCase = (text: string): string =>
  text
    .split(' ')
    .map((word, index) => {
      if (index === 0 && /^[a-z]+-/.test(word)) return word.charAt(0).toUpperCase() + word.slice(1);
      if (/[A-Z]/.test(word) || (index > 0 && SMALL.has(word))) return word;
      return word.replace(/(^|-)([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase());
    })
    .join(' ');

/** The headline in the outlet's house style: figures, case, prefix. */
export function styleHeadline(text: string, outlet: Outlet, occasion: keyof Voice['prefixes'] | null): string {
  const { voice } = outlet;
  const styled = styleFigures(text, voice);
  const prefix = occasion ? voice.prefixes[occasion] : undefined;
  const cased =
    voice.case === 'title' ? titleCase(styled) : styled.replace(/^[a-z]+(?![A-Za-z])/, (first) => titleCase(first));
  return [prefix, cased].filter(Boolean).join(' ');
}

const CUT = 130;

/** The summary in the outlet's house style; null where the outlet prints none. */
export function styleSummary(text: string | null, outlet: Outlet): string | null {
  if (!text || outlet.voice.summary === 'none') return null;
  const styled = styleFigures(text, outlet.voice);
  if (outlet.voice.summary === 'full' || styled.length <= CUT) return styled;
  return `${styled.slice(0, CUT).replace(/\s+\S*$/, '')}…`;
}

/** Replaces each `{word}` by the result of `look`. @throws Error naming a word without a value */
export const fillWords = (text: string, look: (word: string) => string | number | undefined): string =>
  text.replace(/\{([^{}]+)\}/g, (_, word: string) => {
    const found = look(word);
    if (found === undefined) throw new Error(`no value for {${word}} in "${text}"`);
    return String(found);
  });

export interface Copy {
  readonly outlet: string;
  readonly headline: string;
  readonly summary: string | null;
}

/** Which prefix a text gets. Funding has a prefix of its own among the deals. */
function occasionOf(facts: EventFacts | null, role: EntryRole, headline: string): keyof Voice['prefixes'] | null {
  if (role === 'correction') return 'correction';
  if (!facts || role === 'resurfaced') return null;
  return facts.move === 'deals' && /rais|fund|secure|bags|round|series/i.test(headline) ? 'funding' : facts.move;
}

/** A text as the outlet prints it on the day of the event. */
function printText(copy: Copy, at: Date, occasion: keyof Voice['prefixes'] | null) {
  const outlet = outletById.get(copy.outlet);
  if (!outlet) throw new Error(`no outlet is called ${copy.outlet}`);
  const words = dateWords(at);
  return {
    headline: styleHeadline(fillWords(copy.headline, words), outlet, occasion),
    summary: styleSummary(copy.summary && fillWords(copy.summary, words), outlet),
  };
}

export function publishEntry(
  copy: Copy,
  about: {
    key: string;
    role: EntryRole;
    facts: EventFacts | null;
    occurredAt: Date;
    publishedAt: Date;
    edit?: Copy & { at: Date };
  },
): Entry {
  const { key, role, facts, occurredAt, publishedAt, edit } = about;
  const text = printText(copy, occurredAt, occasionOf(facts, role, copy.headline));
  return {
    outlet: copy.outlet,
    key,
    guid: `demo:${copy.outlet}:${key}`,
    path: `/${copy.outlet}/news/${key}/${slugify(text.headline)}`,
    role,
    ...text,
    publishedAt,
    ...(edit && { edit: { at: edit.at, ...printText(edit, occurredAt, 'edited') } }),
  };
}

/**
 * How long an outlet takes: the first to report 3 to 45 minutes, the others 20 minutes to 2 days, most of them less than
 * one. Milliseconds, in whole seconds because feeds know no smaller unit.
 */
export function drawDelay(key: string, outlet: string, rank: number): number {
  const lot = chance('delay', key, outlet);
  const delay = rank === 0 ? 3 * MINUTE + lot * 42 * MINUTE : 20 * MINUTE + lot ** 2 * 47 * HOUR;
  return Math.round(delay / SECOND) * SECOND;
}
