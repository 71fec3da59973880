/** The final state of a run, without everything that depends on the clock, to compare runs. */
import { z } from 'zod';
import type { Database } from '../../log/postgres/database.ts';
import { postgresEventStore } from '../../log/postgres/postgres-event-store.ts';
import { readModels } from '../../projector/models/all-read-models.ts';
import { signalTextOf } from '../../projector/models/query-parts.ts';
import { startClarity } from '../harness/clarity.ts';

/** Times at which the service observed something differ between runs. */
const CLOCKED = new Set(['published_at', 'first_seen_at', 'first_seen', 'last_seen', 'time', 'at']);

const withoutClock = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(withoutClock)
    : value !== null && typeof value === 'object'
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([name]) => !CLOCKED.has(name))
            .map(([name, inner]) => [name, withoutClock(inner)]),
        )
      : value;

/**
 * Events of each signal stream in their order, as `id type`, without analyses: another consumer writes those, from the state that
 * it finds, so which event of a signal caused the last one differs between runs. What they say is compared by `readModelRows`.
 */
export async function eventsByStream(database: Database): Promise<Record<string, string[]>> {
  const store = postgresEventStore(database);
  const streams: Record<string, string[]> = {};
  try {
    for (let position = 0n; ; ) {
      const page = await store.readAll({ after: position, prefixes: ['signal-', 'slug-'] });
      for (const { stream, id, type } of page.events.filter((event) => event.type !== 'SignalAnalysed')) {
        streams[stream] ??= [];
        streams[stream].push(`${id} ${type}`);
      }
      if (page.events.length === 0 && page.position === position) return streams;
      position = page.position;
    }
  } finally {
    await store.close();
  }
}

/** Documents of the read models that readers see, by key. */
export async function readModelRows(database: Database): Promise<Record<string, unknown>> {
  const { rows } = await database.query<{ key: string; item_document: string; row: string; status: string }>(
    'SELECT key, item_document, row, status FROM read.signals ORDER BY key',
  );
  return Object.fromEntries(rows.map((row) => [row.key, withoutClock({ ...signalTextOf(row), status: row.status })]));
}

const Verified = z.array(
  z.object({
    model: z.string(),
    verification: z.object({ differences: z.int(), examples: z.array(z.unknown()) }).nullable(),
    topics: z.array(z.object({ topic: z.string(), messages: z.int(), missing: z.int() })),
  }),
);

/** The expected result of comparing every read model, except for the counts of topic messages. */
export const ALL_MODELS_EQUAL = Object.fromEntries(
  readModels({ baseUrl: 'http://clarity.test' }).map(({ name }) => [name, []]),
);

/**
 * Rebuilds every read model next to the live one, including those fed by topics, and compares their rows.
 * @param settings of the deployment
 * @returns by model, the rows that differ, or why they could not be compared
 */
export async function verifyReadModels(settings: Record<string, string>): Promise<Record<string, unknown>> {
  const command = startClarity(['replay', '--all', '--verify', '--dry', '--json'], {
    ...settings,
    LOG_LEVEL: 'silent',
  });
  await command.ended;
  const output = command.output();
  const begin = output.indexOf('[');
  if (begin < 0) throw new Error(`clarity replay ended with: ${output}`);
  return Object.fromEntries(
    Verified.parse(JSON.parse(output.slice(begin, output.lastIndexOf(']') + 1))).map(
      ({ model, verification, topics }) => [
        model,
        [
          ...(verification ? verification.examples : ['not compared']),
          ...topics.filter(({ missing, messages }) => missing > 0 || messages === 0),
        ],
      ],
    ),
  );
}
