/** The labelled set: one JSON object a line, an item with what a careful reader says of it. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { Move } from '../schemas/scalar.ts';

/** What a reader says of an item, and what `clarity understand` answers. */
export const Labels = z.object({
  relevant: z.boolean(),
  roundup: z.boolean().default(false),
  move: Move.nullable(),
  primary: z.array(z.string()),
  secondary: z.array(z.string()).default([]),
  cities: z.array(z.string()).default([]),
  delta: z.string().nullable().default(null),
  people: z.array(z.object({ person: z.string(), direction: z.string() }).loose()).default([]),
  openings: z
    .array(z.object({ brand: z.string(), city: z.string().nullable(), status: z.string() }).loose())
    .default([]),
  deal: z
    .object({ type: z.string(), target: z.string().nullable(), amount: z.string().nullable() })
    .loose()
    .nullable()
    .default(null),
  result: z.object({ company: z.string(), growth_pct: z.number().nullable() }).loose().nullable().default(null),
});

export const LabelledItem = Labels.extend({
  /** `test` items are never trained on. */
  split: z.enum(['train', 'test']).default('train'),
  key: z.string(),
  date: z.string().nullable(),
  outlet: z.string(),
  title: z.string(),
  summary: z.string().nullable().default(null),
  url: z.string(),
});
export type LabelledItem = z.infer<typeof LabelledItem>;

/** Reads a file of labelled items. @throws naming the file and line that cannot be used */
export async function readLabelled(file: string): Promise<LabelledItem[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  return lines.flatMap((line, index) => {
    if (!line.trim()) return [];
    const parsed = LabelledItem.safeParse(JSON.parse(line));
    if (!parsed.success) throw new Error(`${file}, line ${index + 1}: ${z.prettifyError(parsed.error)}`);
    return [parsed.data];
  });
}

/** The item as `understand` takes it. */
export const itemText = (item: LabelledItem) => ({
  title: item.title,
  summary: item.summary,
  url: item.url,
  outlet: item.outlet,
  published_at: item.date,
});
