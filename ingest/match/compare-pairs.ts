/** The pure part of `clarity match --pairs`: reads pairs of items as JSON lines and writes whether they are one event. */
import { z } from 'zod';
import type { PreparedCatalogue } from '../understand/catalogue.ts';
import { understandItem } from '../understand/understand-item.ts';
import { COMPARISONS, describeReasons, scoreLikeness, THRESHOLD } from './comparison.ts';
import { type Features, featuresOf, parentsIn } from './report-features.ts';

const PairedItem = z.object({
  title: z.string().min(1),
  summary: z.string().nullish(),
  url: z.string().nullish(),
  outlet: z.string().nullish(),
  date: z.string().refine((text) => Number.isFinite(Date.parse(text)), 'must be a date such as 2026-07-08'),
});
const PairLine = z.object({
  key: z.union([z.string(), z.number()], 'must be text or a number'),
  a: PairedItem,
  b: PairedItem,
});

/** The features of an item that came alone, without a poll. */
export function featuresOfItem(item: z.infer<typeof PairedItem>, catalogue: PreparedCatalogue): Features {
  const published_at = new Date(item.date).toISOString();
  const summary = item.summary ?? null;
  const { understanding } = understandItem(
    { title: item.title, summary, url: item.url ?? '', outlet: item.outlet ?? '', published_at },
    catalogue,
  );
  return featuresOf(
    { title: item.title, summary, published_at, first_seen_at: published_at },
    understanding,
    parentsIn(catalogue),
  );
}

function answer(line: string, catalogue: PreparedCatalogue, explain: boolean): object {
  const { key, a, b } = PairLine.parse(JSON.parse(line));
  const { score, numbers } = scoreLikeness(featuresOfItem(a, catalogue), featuresOfItem(b, catalogue));
  return {
    key,
    same: score >= THRESHOLD,
    score: Math.round(score * 1000) / 1000,
    reasons: describeReasons(numbers),
    ...(explain && {
      numbers: Object.fromEntries(
        COMPARISONS.map((name, index) => [name, Math.round((numbers[index] ?? 0) * 1000) / 1000]),
      ),
    }),
  };
}

function problem(error: unknown): { field: string; message: string } {
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    return { field: issue?.path.join('.') ?? '', message: issue?.message ?? 'is not a pair' };
  }
  if (error instanceof SyntaxError) return { field: '', message: 'is not JSON' };
  return { field: '', message: 'cannot be compared' };
}

/**
 * Compares pairs.
 * @param input lines `{key, a, b}`, each of a and b `{title, summary?, url?, outlet?, date}`; empty lines are skipped
 * @param options `explain` adds the numbers that the score is made of
 * @returns a line `{key, same, score, reasons}` for each, or `{line, error: {field, message}}` for a bad one
 */
export async function* matchLines(
  input: AsyncIterable<string>,
  catalogue: PreparedCatalogue,
  options: { explain?: boolean } = {},
): AsyncIterable<string> {
  let number = 0;
  for await (const line of input) {
    number++;
    if (!line.trim()) continue;
    try {
      yield JSON.stringify(answer(line, catalogue, options.explain ?? false));
    } catch (error) {
      yield JSON.stringify({ line: number, error: problem(error) });
    }
  }
}
