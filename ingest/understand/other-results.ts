/** What a headline tells of a company's figures besides its first: `Profit at Rs 39 crore, revenue up 19%`. */
import type { Result } from '../../schemas/story.ts';
import type { Figure } from './figures.ts';
import type { Reading } from './reading.ts';
import { growthOf, isAnothers, metricBeside } from './result.ts';

/** Metrics whose amounts and growth stand for a company; a margin or a volume has no such figures. */
const COUNTED = new Set(['revenue', 'profit', 'loss', 'ebitda', 'sales', 'same-store sales', 'GMV']);
/** The figure that something is compared with, such as the quarter a year ago. */
const COMPARED_BEFORE = /\b(?:from|against|versus|vs|compared|than|over)\b[^,;:]*$/i;
const COMPARED_AFTER =
  /^[^,;:]{0,12}\b(?:a year|year[- ]ago|last (?:year|quarter)|in the (?:same|corresponding|previous))/i;
const PERIOD = /\b(?:q[1-4]|h[12]|9m|fy\s?'?\d{2,4})\b/gi;
const OTHER_NAMES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:same[- ]store|like[- ]for[- ]like)\b/i, 'same-store sales'],
  [/\bnet income\b/i, 'profit'],
];

/** Two quarters, or a quarter and a half year: whose figures are whose cannot be told. */
function tellsSeveralPeriods(text: string): boolean {
  const kinds = new Map<string, Set<string>>();
  for (const [found] of text.matchAll(PERIOD)) {
    const name = found.toLowerCase().replace(/\W/g, '');
    const kind = name.startsWith('fy') ? 'year' : 'part';
    kinds.set(kind, (kinds.get(kind) ?? new Set()).add(name));
  }
  return [...kinds.values()].some((names) => names.size > 1);
}

/** The words between the figure before and this one. */
const between = (text: string, figures: readonly Figure[], figure: Figure): string => {
  const earlier = figures.filter(({ end }) => end <= figure.start).at(-1);
  return text.slice(earlier?.end ?? 0, figure.start);
};

/** The metric that a figure's own words name; null where none but the first's does, or it is what that is compared with. */
function metricOf({ text, figures }: Reading['title'], figure: Figure, first: Result): string | null {
  const words = between(text, figures, figure);
  if (COMPARED_BEFORE.test(words) || COMPARED_AFTER.test(text.slice(figure.end))) return null;
  const metric = metricBeside(text, figure);
  // It is the first's own, under whichever of two names: `same-store sales grow 4.8%`.
  if (metric === first.metric) return null;
  const other = OTHER_NAMES.find(([form]) => form.test(words))?.[1];
  const named = other ?? metric;
  return named !== null && COUNTED.has(named) ? named : null;
}

/**
 * Only what the headline says in so many words: each metric with an amount or a growth of its own, of the same company
 * and period as the first.
 */
export function otherResultsOf(reading: Reading, first: Result | null): Result[] {
  if (!first || tellsSeveralPeriods(reading.title.text)) return [];
  const { text, figures } = reading.title;
  const told = new Map<string, { money?: Figure; percent?: Figure }>();
  for (const figure of figures) {
    if (figure.kind !== 'money' && figure.kind !== 'percent') continue;
    const metric = isAnothers(reading, figure, first.company) ? null : metricOf(reading.title, figure, first);
    if (metric === null || metric === first.metric) continue;
    told.set(metric, { [figure.kind]: figure, ...told.get(metric) });
  }
  return [...told].flatMap(([metric, { money, percent }]) => {
    const growth_pct = percent ? growthOf(text, percent, money, metric) : null;
    if (money === undefined && growth_pct === null) return [];
    return [{ ...first, metric, value: money?.text ?? null, growth_pct }];
  });
}
