/** What a bench says: one figure with its limit. */

export interface Limit {
  /** What is held against the limit: the figure itself or its ratio to the baseline. */
  readonly of: 'measured' | 'ratio';
  readonly at: 'least' | 'most';
  readonly value: number;
}

export interface Figure {
  /** In words, such as `signal events rebuilt`. */
  readonly figure: string;
  readonly unit: string;
  readonly measured: number;
  /** What the same machine did in the same run without us; null where there is nothing to compare with. */
  readonly baseline: { readonly what: string; readonly measured: number } | null;
  /** Measured over baseline: above 1 means more of the unit. */
  readonly ratio: number | null;
  /** Null for a figure that is only told. */
  readonly limit: Limit | null;
  readonly ok: boolean;
}

/** A figure, compared with its baseline and held against its limit. */
export function figureOf(
  about: Pick<Figure, 'figure' | 'unit' | 'measured'> & Partial<Pick<Figure, 'baseline' | 'limit'>>,
): Figure {
  const { baseline = null, limit = null, measured } = about;
  const ratio = baseline ? measured / baseline.measured : null;
  const held = limit?.of === 'ratio' ? ratio : measured;
  const ok = !limit || (held !== null && (limit.at === 'least' ? held >= limit.value : held <= limit.value));
  return { ...about, baseline, ratio, limit, ok };
}

/** The value below which so many of the values lie, by the nearest rank; NaN for none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);
