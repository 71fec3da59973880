/** House style: turns a neutral text into what one outlet would print. */
import type { Outlet, Voice } from './outlet.ts';

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

/** Writes `[₹230cr]`, `[₹45L]`, `[₹999]`, `[$12m]`, `[18%]` as the house does; figures themselves never change. */
export const figures = (text: string, voice: Voice): string =>
  text.replace(FIGURE, (_, sign: string | undefined, amount: string, unit = '') => {
    if (unit === '%') return `${amount}${voice.percent}`;
    return sign === '$' ? dollars(amount, unit, voice) : rupees(amount, unit, voice);
  });

const SMALL = new Set('a an and as at but by for from in into nor of on or over per the to up via vs with'.split(' '));

/** Title Case, but for small words and for words that have capitals of their own (`IPO`, `boAt`). */
export const titleCase = (text: string): string =>
  text
    .split(' ')
    .map((word, index) => {
      if (index === 0 && /^[a-z]+-/.test(word)) return word.charAt(0).toUpperCase() + word.slice(1);
      if (/[A-Z]/.test(word) || (index > 0 && SMALL.has(word))) return word;
      return word.replace(/(^|-)([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase());
    })
    .join(' ');

/** The headline of a house: its figures, its case, its prefix. */
export function headlineOf(text: string, outlet: Outlet, occasion: keyof Voice['prefixes'] | null): string {
  const { voice } = outlet;
  const styled = figures(text, voice);
  const prefix = occasion ? voice.prefixes[occasion] : undefined;
  const cased =
    voice.case === 'title' ? titleCase(styled) : styled.replace(/^[a-z]+(?![A-Za-z])/, (first) => titleCase(first));
  return [prefix, cased].filter(Boolean).join(' ');
}

const CUT = 130;

/** The summary of a house, null where it prints none. */
export function summaryOf(text: string | null, outlet: Outlet): string | null {
  if (!text || outlet.voice.summary === 'none') return null;
  const styled = figures(text, outlet.voice);
  if (outlet.voice.summary === 'full' || styled.length <= CUT) return styled;
  return `${styled.slice(0, CUT).replace(/\s+\S*$/, '')}…`;
}

/** Fills `{word}` from what `look` knows. @throws Error naming a word that nothing fills */
export const fill = (text: string, look: (word: string) => string | number | undefined): string =>
  text.replace(/\{([^{}]+)\}/g, (_, word: string) => {
    const found = look(word);
    if (found === undefined) throw new Error(`nothing fills {${word}} in "${text}"`);
    return String(found);
  });
