/** The labelled sets: items with the labels of a careful reader, our own and those of the demo newsroom. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { listTruth } from '../demo/desk.ts';
import { startNewsroom } from '../demo/newsroom.ts';
import { createFetchPage, createHostGate } from '../ingest/poll/fetch/fetch-page.ts';
import { pollSource } from '../ingest/poll/poll-source.ts';
import { createAddressRule } from '../log/guarded-connection.ts';
import { Move } from '../schemas/scalar.ts';

// Our own items: one JSON object per line.

/** The labels of an item; `clarity understand` answers in the same form. */
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

/** The project's own labelled items. */
export const OWN_ITEMS = new URL('items.jsonl', import.meta.url);

/** Reads a file of labelled items. @throws Error naming the file and the invalid line */
export async function readLabelled(file: string): Promise<LabelledItem[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  return lines.flatMap((line, index) => {
    if (!line.trim()) return [];
    const parsed = LabelledItem.safeParse(JSON.parse(line));
    if (!parsed.success) throw new Error(`${file}, line ${index + 1}: ${z.prettifyError(parsed.error)}`);
    return [parsed.data];
  });
}

/** The item as the input of `understandItem`. */
export const toItemText = (item: LabelledItem) => ({
  title: item.title,
  summary: item.summary,
  url: item.url,
  outlet: item.outlet,
  published_at: item.date,
});

// The items of the demo newsroom, labelled with what really happened. One half of its events trains, the other tests; all
// headlines of one event, in each of its cycles, are in the same half.

/** The newsroom follows the clock; with a fixed one the set is always the same. */
const NOW = new Date('2026-07-31T06:00:00Z');

const halfOf = (event: string): 'train' | 'test' =>
  createHash('sha256')
    .update(event.replace(/-c\d+$/, ''))
    .digest()
    .readUInt16BE(0) %
    2 ===
  0
    ? 'train'
    : 'test';

/** Polls every outlet of the newsroom once and labels its items. Cities and people are not labelled. */
export async function readNewsroomItems(): Promise<LabelledItem[]> {
  const clock = (): Date => NOW;
  const room = await startNewsroom({ port: 0, clock });
  try {
    const fetchPage = createFetchPage({
      allowAddress: createAddressRule(() => true),
      userAgent: 'eval',
      gate: createHostGate({ rest: 0 }),
    });
    const context = { fetchPage, clock, random: () => 0.5, signal: new AbortController().signal };
    const happened = listTruth(clock, room.url);
    const events = new Map(
      happened.events.flatMap((event) =>
        [...event.reports, ...event.corrections, ...event.resurfaced, ...event.oracle].map(
          (item) => [item.url, event] as const,
        ),
      ),
    );
    const noise = new Set(happened.noise.map(({ url }) => url));
    const found: LabelledItem[] = [];
    for (const source of room.sources) {
      const { items } = await pollSource({ ...source, articles: 'never' }, null, context);
      for (const { data: item } of items) {
        const event = events.get(item.url);
        if (!event && !noise.has(item.url)) continue;
        found.push(
          LabelledItem.parse({
            key: item.item_key,
            split: halfOf(event?.id ?? item.title),
            date: item.published_at,
            outlet: item.outlet,
            title: item.title,
            summary: item.summary,
            url: item.url.replace(room.url, 'http://newsroom.example'),
            relevant: event !== undefined,
            move: event?.move ?? null,
            primary: event?.brands ?? [],
            secondary: event?.also ?? [],
          }),
        );
      }
    }
    return found;
  } finally {
    await room.close();
  }
}
