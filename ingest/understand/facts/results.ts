/** Results: company, period, metric, value and growth in per cent, for each metric that the headline states. */
import { periodIn } from '../../../schemas/results-season.ts';
import type { Result } from '../../../schemas/story.ts';
import type { Figure } from '../figures.ts';
import type { Reading } from '../item-reading.ts';

// Results: company, period, metric, value and growth in per cent.

const METRICS: readonly (readonly [string, RegExp])[] = [
  ['same-store sales', /\b(?:same[- ]store|like[- ]for[- ]like|sssg|lfl)\b/i],
  ['loss', /\bloss(?:es)?\b/i],
  ['profit', /\b(?:profit|pat|net income|bottom ?line|earns?|earned|in the black)\b/i],
  ['revenue', /\b(?:revenues?|top ?line|turnover|income)\b/i],
  ['ebitda', /\bebitda\b/i],
  ['GMV', /\b(?:gmv|nov|gov|(?:net |gross )?order value)\b/i],
  ['ARR', /\barr\b/i],
  ['sales', /\b(?:sales|sells|sold|business)\b/i],
  ['consumption', /\bconsumption\b/i],
  ['volume', /\bvolumes?\b/i],
  ['margin', /\bmargins?\b/i],
  ['royalty', /\b(?:royalty|licen[cs]e fee)\b/i],
];
const DOWN =
  /\b(?:falls?|fell|drops?|declines?|declined|slips?|slides?|slumps?|plunges?|down|narrows?|narrowed|shrinks?|dips?|contracts?|cuts?|trims?|lower|decrease[sd]?|tumbles?|sinks?)\b/i;

/** The words of a figure's own clause before and after it: they decide its metric and its direction. */
function around(text: string, figure: Figure): { before: string; after: string } {
  const before = text.slice(0, figure.start);
  const after = text.slice(figure.end);
  return { before: before.slice(before.search(/[^,;:]*$/)), after: after.split(/[,;:]/)[0] ?? '' };
}

/** The metric named nearest to the end or the start of a text; of two at the same offset the first in the list. */
function nearestMetric(words: string, from: 'start' | 'end'): string | null {
  let best: { name: string; at: number } | null = null;
  for (const [name, form] of METRICS) {
    const found = form.exec(words);
    if (!found) continue;
    const at = from === 'end' ? words.length - found.index : found.index;
    if (!best || at < best.at) best = { name, at };
  }
  return best?.name ?? null;
}

/** The metric that a figure's own clause names; null for none. */
function metricOfFigure(text: string, figure: Figure | undefined): string | null {
  if (!figure) return null;
  const { before, after } = around(text, figure);
  return nearestMetric(before, 'end') ?? nearestMetric(after, 'start');
}

const metricNearFigure = (text: string, figure: Figure | undefined): string | null =>
  metricOfFigure(text, figure) ?? nearestMetric(text, 'start');

const AIMED = /\b(?:targets?|targeting|aims?|eyes|eyeing|plans?|hopes?)\b/i;

/** A part of the whole: `contributes over 15% of sales`, `40% of revenue`. */
const SHARE_BEFORE = /\b(?:contribut\w+|accounts? for|accounted for|makes? up|made up|share (?:of|at)|comes? from)\b/i;
const SHARE_AFTER = /^\s*(?:of|share)\b/i;

/** The growth in per cent that a figure states for a metric: null for a margin, a share, or a target after a result. */
function readGrowth(
  text: string,
  percent: Figure | undefined,
  money: Figure | undefined,
  metric: string | null,
): number | null {
  if (!percent) {
    const times = /\b(doubled|tripled|doubles|triples|two-?fold|three-?fold)\b/i.exec(text)?.[1]?.toLowerCase();
    return times ? (/^(?:d|tw)/.test(times) ? 100 : 200) : null;
  }
  const { before, after } = around(text, percent);
  if (metric === 'ebitda' && !/growth|up|rises?|jumps?|grow/i.test(before + after)) return null;
  if (/\bmargins?\b/i.test(before + after) && !/growth|rises?|jumps?|up\b/i.test(before)) return null;
  if (SHARE_BEFORE.test(before) || SHARE_AFTER.test(after)) return null;
  if (money && money.start < percent.start && AIMED.test(before)) return null;
  const down = DOWN.test(before) || /^\s*(?:yoy)?\s*(?:decline|fall|drop|dip|decrease)/i.test(after);
  return down ? -Math.abs(percent.value) : percent.value;
}

/** Pay and headcount are figures of a company, but no results. */
const NO_RESULT = /\b(?:remuneration|salary|pay falls|pay rises|employee count|headcount|workforce)\b/i;

/** Whether a headline states figures of a period, or how a metric changed, rather than a target. */
export function statesResult(reading: Reading): boolean {
  const { text, figures } = reading.title;
  const percent = figures.some((figure) => figure.kind === 'percent');
  const metric = METRICS.some(([, form]) => form.test(text));
  const aimed = AIMED.test(text) && !/\bq[1-4]\b|\bquarter/i.test(text);
  return metric && !aimed && (percent || /\bq[1-4]\b|\bquarter\b|\bh[12]\b/i.test(text));
}

const CHANGED =
  /\b(?:ris\w+|rose|grow\w*|grew|jump\w*|surg\w+|up|increas\w+|fell|fall\w*|declin\w+|drop\w*|slip\w*|expan\w+|clock\w*|report\w*|post\w*)\b/i;

/** The growth that a summary's start states for a metric, where the headline states none. */
function growthInSummary(reading: Reading, metric: string | null): number | null {
  const { text, figures } = reading.summary;
  for (const figure of figures) {
    if (figure.kind !== 'percent' || figure.start > 400) continue;
    const { before, after } = around(text, figure);
    const near = `${before.slice(-90)} ${after.slice(0, 60)}`;
    if (!CHANGED.test(near) || metricNearFigure(text, figure) !== metric) continue;
    if (SHARE_BEFORE.test(near) || SHARE_AFTER.test(after)) continue;
    if (/\b(?:margins?|share|stake|targets?|target\w+|aims?|plans?)\b/i.test(near)) continue;
    return DOWN.test(before) ? -Math.abs(figure.value) : figure.value;
  }
  return null;
}

/** Whether a figure's clause is about another company: `Eternal reports Rs 91 crore profit; Blinkit order value up 112%`. */
function isOfOtherCompany({ title }: Reading, figure: Figure, company: string): boolean {
  const { before } = around(title.text, figure);
  const start = figure.start - before.length;
  if (start === 0) return false;
  const named = title.mentions.filter(({ brand, first }) => {
    const at = title.tokens[first]?.start ?? 0;
    return brand !== undefined && at >= start && at < figure.start;
  });
  return named.length > 0 && named.every(({ brand }) => brand?.name !== company);
}

/** The first amount that the headline does not assign to another metric. */
function amountOf({ title }: Reading, metric: string | null): string | null {
  const amounts = title.figures.filter((figure) => figure.kind === 'money');
  return amounts.find((amount) => [null, metric].includes(metricOfFigure(title.text, amount)))?.text ?? null;
}

/**
 * Reads the first result that an item states.
 * @param company the name of the company that the item is about; null for none
 * @returns growth in per cent, negative for a fall; null when the item states no result
 */
export function readResult(reading: Reading, company: string | null): Result | null {
  if (!company) return null;
  const { title, summary, day } = reading;
  const percent = title.figures.find(
    (figure) => figure.kind === 'percent' && !isOfOtherCompany(reading, figure, company),
  );
  const money = title.figures.find((figure) => figure.kind === 'money');
  const near = metricOfFigure(title.text, percent) ?? metricNearFigure(title.text, money ?? percent);
  const metric = near ?? metricNearFigure(summary.text.slice(0, 400), undefined);
  const growing = /\b(?:growth|demand|outlook|stronger)\b/i.test(title.text);
  if (NO_RESULT.test(title.text) || (!metric && !percent && !money && !growing)) return null;
  return {
    company,
    period: periodIn(title.text, day) ?? periodIn(summary.text, day),
    metric: metric ?? (percent || money ? 'revenue' : 'sales'),
    // `Profit at Rs 39 crore, revenue up 19%`: the amount is another metric's.
    value: amountOf(reading, metric),
    growth_pct: readGrowth(title.text, percent, money, metric) ?? (percent ? null : growthInSummary(reading, metric)),
  };
}

// The other metrics of a headline: `Profit at Rs 39 crore, revenue up 19%`.

/** Metrics with amounts and growth of a company; a margin or a volume has no such figures. */
const COUNTED = new Set(['revenue', 'profit', 'loss', 'ebitda', 'sales', 'same-store sales', 'GMV']);
/** The figure is what a result is compared with, such as the quarter a year ago. */
const COMPARED_BEFORE = /\b(?:from|against|versus|vs|compared|than|over)\b[^,;:]*$/i;
const COMPARED_AFTER =
  /^[^,;:]{0,12}\b(?:a year|year[- ]ago|last (?:year|quarter)|in the (?:same|corresponding|previous))/i;
const PERIOD = /\b(?:q[1-4]|h[12]|9m|fy\s?'?\d{2,4})\b/gi;
const OTHER_NAMES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:same[- ]store|like[- ]for[- ]like)\b/i, 'same-store sales'],
  [/\bnet income\b/i, 'profit'],
];

/** Two quarters, or a quarter and a half year: which figures belong to which is unclear. */
function hasSeveralPeriods(text: string): boolean {
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

/** The metric that a figure's own words name; null for the metric of the first result, or for a figure to compare with. */
function metricOf({ text, figures }: Reading['title'], figure: Figure, first: Result): string | null {
  const words = between(text, figures, figure);
  if (COMPARED_BEFORE.test(words) || COMPARED_AFTER.test(text.slice(figure.end))) return null;
  const metric = metricOfFigure(text, figure);
  // The same metric as the first, under one of two names: `same-store sales grow 4.8%`.
  if (metric === first.metric) return null;
  const other = OTHER_NAMES.find(([form]) => form.test(words))?.[1];
  const named = other ?? metric;
  return named !== null && COUNTED.has(named) ? named : null;
}

/**
 * Reads the further results of a headline: each metric with an amount or a growth of its own, of the same company and
 * period as the first. Only what the headline states; nothing is derived.
 */
export function readOtherResults(reading: Reading, first: Result | null): Result[] {
  if (!first || hasSeveralPeriods(reading.title.text)) return [];
  const { text, figures } = reading.title;
  const byMetric = new Map<string, { money?: Figure; percent?: Figure }>();
  for (const figure of figures) {
    if (figure.kind !== 'money' && figure.kind !== 'percent') continue;
    const metric = isOfOtherCompany(reading, figure, first.company) ? null : metricOf(reading.title, figure, first);
    if (metric === null || metric === first.metric) continue;
    byMetric.set(metric, { [figure.kind]: figure, ...byMetric.get(metric) });
  }
  return [...byMetric].flatMap(([metric, { money, percent }]) => {
    const growth_pct = percent ? readGrowth(text, percent, money, metric) : null;
    if (money === undefined && growth_pct === null) return [];
    return [{ ...first, metric, value: money?.text ?? null, growth_pct }];
  });
}
