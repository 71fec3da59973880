/** Words, figures and times of a text, and the phrases that they form: what is in each role of a statement. */
import { DESCRIPTORS } from '../../language/lexicon.ts';
import type { Token } from './tokens.ts';
import { canonical, EMPTY, MANNERS, NOT_QUITE, ROLES } from './words.ts';

/** A word, figure or time that a statement says something with. */
export interface Unit {
  readonly key: string;
  readonly kind: 'word' | 'figure' | 'time';
  readonly name: boolean;
  /** In a phrase of possession: `Kiri Foods'`, `of Kiri Foods`. */
  readonly owner: boolean;
  /** After `of`. */
  readonly after: boolean;
  /** The last word of a noun phrase: what the phrase is. */
  readonly head: boolean;
  /** Words before it without which it would say more than it does. */
  readonly limits: readonly string[];
  /** Of a figure: words of the thing that it counts or measures. */
  readonly of: readonly string[];
  /** Of a figure: the times next to it. */
  readonly when: readonly string[];
}

export interface Slot {
  /** The preposition; empty for what precedes the first one. */
  readonly prep: string;
  readonly units: readonly Unit[];
}

export const PREPOSITIONS = new Set(
  (
    'in at on for from to by with as across into under over against through via between among during since until till ' +
    'within near amid despite after before per than towards including excluding except due-to according-to along out'
  ).split(' '),
);

export const isWord = (token: Token | undefined, words: { has(word: string): boolean }): boolean =>
  token?.kind === 'word' && words.has(token.low);

/** Nouns that describe the company or person named after them. */
export const DESCRIBES: ReadonlySet<string> = new Set(
  [...DESCRIPTORS, ...ROLES, 'executive', 'veteran', 'boss', 'designer', 'analyst', 'minister', 'arm', 'unit'].map(
    canonical,
  ),
);

export const NO_UNIT = { name: false, owner: false, after: false, head: false, limits: [], of: [], when: [] } as const;

/** The units of a noun phrase. Words without content are left out. */
export function unitsOf(tokens: readonly Token[]): Unit[] {
  const units: Unit[] = [];
  let ownerFrom = 0;
  let after = false;
  const endRun = (): void => {
    const last = units.findLastIndex(({ owner, kind, key }) => !owner && kind !== 'time' && !MANNERS.has(key));
    const unit = units[last];
    if (unit) units[last] = { ...unit, head: true };
  };
  let limits: string[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'mark' || token.low === 'and') {
      endRun();
      if (token.kind === 'mark') after = false;
      ownerFrom = units.length;
      limits = [];
      continue;
    }
    if (token.kind === 'word' && token.low === 'of') {
      endRun();
      after = true;
      ownerFrom = units.length;
      continue;
    }
    if (token.kind === 'word' && EMPTY.has(token.low) && !token.capital) continue;
    if (token.kind === 'word' && EMPTY.has(token.low) && index === 0) continue;
    if (token.kind === 'word' && NOT_QUITE.has(token.low)) limits = [...limits, token.low];
    if (token.kind === 'figure' && units.at(-1)?.name && !after) endRun();
    // `former Maya Retail executive Arjun Pillai`: what the description limits ends before the name.
    const described = units.at(-1);
    if (token.capital && described && !described.name && DESCRIBES.has(described.key)) {
      endRun();
      limits = [];
    }
    const key = token.kind === 'word' ? canonical(token.low) : token.low;
    units.push({ ...NO_UNIT, key, kind: token.kind, name: token.capital, owner: after, after, limits });
    if (token.kind === 'word' && ROLES.has(token.low)) endRun();
    if (token.owner) {
      for (let each = ownerFrom; each < units.length; each++) {
        const unit = units[each];
        if (unit) units[each] = { ...unit, owner: true };
      }
      ownerFrom = units.length;
      limits = [];
    }
  }
  endRun();
  return units.map((unit, index) => {
    if (unit.kind !== 'figure') return unit;
    const rest = units.slice(index + 1, index + 7);
    const stop = rest.findIndex(({ kind, owner }) => kind === 'figure' || owner !== unit.owner);
    // `5,200 sq ft Kiri Foods shop`: whose it is, the figure does not count.
    const own = (stop < 0 ? rest : rest.slice(0, stop)).filter(({ kind }) => kind === 'word');
    const next = (own.at(-1)?.name === true ? own : own.filter(({ name }) => !name)).slice(0, 4);
    return { ...unit, head: !unit.owner, of: next.map(({ key }) => key) };
  });
}

/** Splits what follows a verb by its prepositions. `of` stays inside its phrase. */
export function slotsOf(tokens: readonly Token[]): Slot[] {
  const slots: { prep: string; tokens: Token[] }[] = [{ prep: '', tokens: [] }];
  for (const token of tokens) {
    if (token.kind === 'word' && PREPOSITIONS.has(token.low)) slots.push({ prep: token.low, tokens: [] });
    else slots.at(-1)?.tokens.push(token);
  }
  const read = slots.map(({ prep, tokens: own }): Slot => ({ prep, units: unitsOf(own) }));
  return read.flatMap((slot, index): Slot[] => {
    const next = read[index + 1];
    const when = [slot, ...(next && isTimes(next) && next.prep === 'in' ? [next] : [])]
      .flatMap(({ units }) => units)
      .filter(({ kind }) => kind === 'time')
      .map(({ key }) => key);
    const units = slot.units.map((unit) => (unit.kind === 'figure' ? { ...unit, when } : unit));
    return [{ ...slot, units }];
  });
}

const isTimes = ({ units }: Slot): boolean => units.length > 0 && units.every(({ kind }) => kind === 'time');

export const isFigure = ({ kind }: Unit): boolean => kind === 'figure';
/** Units as the possessor of something else. */
export const asOwner = (units: readonly Unit[]): Unit[] => units.map((unit) => ({ ...unit, owner: true, head: false }));
