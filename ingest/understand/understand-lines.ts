/** The pure part of `clarity understand`: JSON lines in, JSON lines out. A bad line gets an error; the next lines are read. */
import { z } from 'zod';
import type { BrandRole } from '../../schemas/scalar.ts';
import type { ItemText } from './item-reading.ts';
import type { Verdict } from './understand-item.ts';
import type { Understander } from './understander.ts';

/** One line of input. `date` is RFC 3339 or a day in IST. */
const UnderstandLine = z.object({
  key: z.string(),
  title: z.string().min(1),
  summary: z.string().nullish(),
  url: z.string().nullish(),
  outlet: z.string().nullish(),
  date: z.string().nullish(),
});
export type UnderstandLine = z.infer<typeof UnderstandLine>;

/** Why a line is invalid. */
export interface LineError {
  readonly field: string;
  readonly message: string;
}

/** Names as the text writes them; `brands` has the catalogue's names. */
const names = (verdict: Verdict, role: BrandRole): string[] =>
  verdict.understanding.brands
    .filter((brand) => brand.role === role)
    .map((brand) => verdict.written[brand.slug] ?? brand.name);

/** Replaces the catalogue's names in every field by the names as the text writes them. */
function asWritten(verdict: Verdict): Verdict['understanding'] {
  const { understanding, written } = verdict;
  const names = new Map(understanding.brands.map((brand) => [brand.name, written[brand.slug] ?? brand.name]));
  const own = <Name extends string | null>(name: Name): Name | string =>
    name === null ? name : (names.get(name) ?? name);
  return {
    ...understanding,
    people: understanding.people.map((move) => ({ ...move, company: own(move.company) })),
    openings: understanding.openings.map((opening) => ({ ...opening, brand: own(opening.brand) })),
    deal: understanding.deal && {
      ...understanding.deal,
      target: own(understanding.deal.target),
      buyers: understanding.deal.buyers.map(own),
    },
    ...(understanding.other_results && {
      other_results: understanding.other_results.map((one) => ({ ...one, company: own(one.company) })),
    }),
    result: understanding.result && { ...understanding.result, company: own(understanding.result.company) },
  };
}

/**
 * Formats the result of one line.
 * @param key of the input line
 * @param explain adds `reasons`
 */
export function formatVerdict(key: string, verdict: Verdict, explain: boolean): Record<string, unknown> {
  return {
    key,
    relevant: verdict.relevant,
    reason: verdict.reason,
    roundup: verdict.roundup,
    ...asWritten(verdict),
    primary: names(verdict, 'primary'),
    secondary: names(verdict, 'secondary'),
    provisional: verdict.understanding.brands.filter((brand) => brand.provisional).map((brand) => brand.name),
    ...(explain ? { reasons: verdict.reasons } : {}),
  };
}

/** Reads one line of input. */
export function readLine(text: string): UnderstandLine | LineError {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The caller sees which line is not JSON; the parser's message adds nothing.
    return { field: 'line', message: 'not JSON: one object per line is expected' };
  }
  const parsed = UnderstandLine.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  return { field: issue?.path.join('.') || 'line', message: issue?.message ?? 'not valid' };
}

/** A line as the input of `understandItem`. */
export const itemTextOf = (line: UnderstandLine): ItemText => ({
  title: line.title,
  summary: line.summary ?? null,
  url: line.url ?? '',
  outlet: line.outlet ?? '',
  published_at: line.date ?? null,
});

/**
 * Understands JSON lines one by one. Empty lines are skipped; lines count from 1.
 * @returns one JSON line per input line: the answer, or `{line, error: {field, message}}`
 */
export async function* understandLines(
  input: AsyncIterable<string>,
  understander: Understander,
  options: { explain?: boolean } = {},
): AsyncIterable<string> {
  let line = 0;
  for await (const text of input) {
    line++;
    if (!text.trim()) continue;
    const read = readLine(text);
    if ('field' in read) {
      yield JSON.stringify({ line, error: read });
      continue;
    }
    const verdict = await understander.understand(itemTextOf(read), options);
    yield JSON.stringify(formatVerdict(read.key, verdict, options.explain ?? false));
  }
}
