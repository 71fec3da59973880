/** The pure part of `clarity match --pairs`: reads pairs of items as JSON lines and writes whether they are one event. */
import { z } from 'zod';
import type { Understander } from '../understand/understander.ts';
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
export async function featuresOfItem(
  item: z.infer<typeof PairedItem>,
  { understand, catalogue }: Understander,
): Promise<Features> {
  const published_at = new Date(item.date).toISOString();
  const summary = item.summary ?? null;
  const { understanding, vector } = await understand({
    title: item.title,
    summary,
    url: item.url ?? '',
    outlet: item.outlet ?? '',
    published_at,
  });
  return featuresOf(
    {
      outlet: item.outlet ?? '',
      title: item.title,
      summary,
      published_at,
      first_seen_at: published_at,
      ...(vector && { vector }),
    },
    understanding,
    parentsIn(catalogue),
  );
}

async function answer(line: string, understander: Understander, explain: boolean): Promise<object> {
  const { key, a, b } = PairLine.parse(JSON.parse(line));
  const { score, numbers } = scoreLikeness(
    await featuresOfItem(a, understander),
    await featuresOfItem(b, understander),
  );
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
  understander: Understander,
  options: { explain?: boolean } = {},
): AsyncIterable<string> {
  let number = 0;
  for await (const line of input) {
    number++;
    if (!line.trim()) continue;
    try {
      yield JSON.stringify(await answer(line, understander, options.explain ?? false));
    } catch (error) {
      yield JSON.stringify({ line: number, error: problem(error) });
    }
  }
}
