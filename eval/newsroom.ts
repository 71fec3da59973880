/**
 * The demo newsroom as a labelled set: what its outlets write, with what really happened. One half of its events
 * trains, the other tests; all headlines of one event, in each of its cycles, are in the same half.
 */
import { createHash } from 'node:crypto';
import { startNewsroom } from '../demo/newsroom.ts';
import { truth } from '../demo/truth.ts';
import { createFetchPage, createHostGate } from '../ingest/poll/fetch/fetch-page.ts';
import { createAddressRule } from '../ingest/poll/fetch/guarded-connection.ts';
import { pollSource } from '../ingest/poll/poll-source.ts';
import { LabelledItem } from './labelled.ts';

/** The newsroom's news follow the clock; a fixed one makes the set the same each time. */
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

/** Polls every outlet of the newsroom once and labels what they wrote. Cities and people are not labelled. */
export async function newsroomItems(): Promise<LabelledItem[]> {
  const clock = (): Date => NOW;
  const room = await startNewsroom({ port: 0, clock });
  try {
    const fetchPage = createFetchPage({
      allowAddress: createAddressRule(() => true),
      userAgent: 'eval',
      gate: createHostGate({ rest: 0 }),
    });
    const context = { fetchPage, clock, random: () => 0.5, signal: new AbortController().signal };
    const told = truth(clock, room.url);
    const events = new Map(
      told.events.flatMap((event) =>
        [...event.reports, ...event.corrections, ...event.resurfaced, ...event.oracle].map(
          (item) => [item.url, event] as const,
        ),
      ),
    );
    const noise = new Set(told.noise.map(({ url }) => url));
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
