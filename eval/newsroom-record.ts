/** The record of the demo newsroom: what one poll of every outlet finds at one moment. */
import { startNewsroom } from '../demo/newsroom.ts';
import { listTruth, type Truth } from '../demo/truth.ts';
import { createFetchPage, createHostGate } from '../ingest/poll/fetch/fetch-page.ts';
import { createAddressRule } from '../ingest/poll/fetch/guarded-connection.ts';
import { pollSource } from '../ingest/poll/poll-source.ts';
import type { PreparedCatalogue } from '../ingest/understand/catalogue.ts';
import type { Database } from '../log/postgres/database.ts';
import { withOpenRecord } from './filled-record.ts';

export interface FilledRecord {
  readonly database: Database;
  readonly truth: Truth;
}

type PolledItem = Awaited<ReturnType<typeof pollSource>>['items'][number];

/** The items of every outlet, as one poll finds them at a moment. */
async function itemsOf(clock: () => Date) {
  const room = await startNewsroom({ port: 0, clock });
  try {
    const gate = createHostGate({ rest: 0 });
    const fetchPage = createFetchPage({ allowAddress: createAddressRule(() => true), userAgent: 'eval', gate });
    const context = { fetchPage, clock, random: () => 0.5, signal: new AbortController().signal };
    const items: PolledItem[] = [];
    for (const source of room.sources)
      items.push(...(await pollSource({ ...source, articles: 'never' }, null, context)).items);
    const at = ({ data }: PolledItem): string => data.published_at ?? data.first_seen_at;
    return { truth: listTruth(clock, room.url), items: items.sort((one, other) => (at(one) < at(other) ? -1 : 1)) };
  } finally {
    await room.close();
  }
}

/** Fills a record in a PostgreSQL of its own, calls `use` with it, and removes it in every case. */
export async function withRecord(
  now: Date,
  catalogue: PreparedCatalogue,
  use: (record: FilledRecord) => Promise<void>,
): Promise<void> {
  const clock = (): Date => now;
  const { truth, items } = await itemsOf(clock);
  await withOpenRecord(catalogue, async ({ database, add }) => {
    await add(items);
    await use({ database, truth });
  });
}
