/** The final state of a run, without everything that depends on the clock, to compare runs. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { z } from 'zod';
import { pagesOf, type StoredEvent } from '../../log/event-store.ts';
import { kafkaTopics } from '../../log/kafka/kafka-topics.ts';
import { type Database, openDatabase } from '../../log/postgres/database.ts';
import { postgresEventStore } from '../../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../../log/postgres/topics/postgres-topics.ts';
import { readTopic, type Topic } from '../../log/topic.ts';
import { readModels } from '../../projector/models/all-read-models.ts';
import { signalTextOf } from '../../projector/models/query-parts.ts';
import { readEvent } from '../../schemas/events.ts';
import { isSameItem, itemName, SIGNAL_PREFIX } from '../../schemas/signal.ts';
import { STORIES } from '../../schemas/story.ts';
import { evolveSignal, type SignalState } from '../../signal/signal.ts';
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
    for await (const page of pagesOf(store, { after: 0n, prefixes: ['signal-', 'slug-'] }))
      for (const { stream, id, type } of page.events.filter((event) => event.type !== 'SignalAnalysed')) {
        streams[stream] ??= [];
        streams[stream].push(`${id} ${type}`);
      }
    return streams;
  } finally {
    await store.close();
  }
}

/** What the streams of signals come to: those that were not merged, and what is stored twice without a change. */
export function storedStates(events: readonly StoredEvent[]): { left: SignalState[]; twice: string[] } {
  const states = new Map<string, SignalState>();
  const ids = new Set<string>();
  const twice: string[] = [];
  for (const stored of events) {
    const event = readEvent(stored);
    const before = states.get(stored.stream) ?? null;
    const about = `${stored.stream} ${event.type} ${event.id}`;
    if (ids.has(about)) twice.push(about);
    ids.add(about);
    if (event.type === 'SignalReported') {
      const { report, facts, resurfaced, match } = event.data;
      const known = before?.reports.find((one) => isSameItem(one, report));
      const isSame = known && known.fingerprint === report.fingerprint && (known.edits ?? 0) === (report.edits ?? 0);
      if (isSame && isDeepStrictEqual(known.facts, facts) && known.resurfaced === resurfaced)
        twice.push(`${about}: ${itemName(report)}, ${match.reasons.join()}`);
    }
    const after = evolveSignal(before, event);
    if (after) states.set(stored.stream, after);
  }
  return { left: [...states.values()].filter(({ status }) => status !== 'merged'), twice };
}

/**
 * The stories of a topic whose item is in no signal, or in none with these or later words: as `outlet: title (item)`.
 * @param left the signals that were not merged
 */
export async function storiesWithoutReport(stories: Topic, left: readonly SignalState[]): Promise<string[]> {
  const reports = Map.groupBy(
    left.flatMap((state) => state.reports),
    itemName,
  );
  const missing = new Map<string, string>();
  await readTopic(stories, {
    group: `stories-${randomUUID()}`,
    signal: new AbortController().signal,
    take(events) {
      for (const event of events.map((one) => readEvent(one))) {
        if (event.type !== 'StoryUnderstood' || event.data.item.role === 'oracle') continue;
        const { item } = event.data;
        const isReported = (reports.get(itemName(item)) ?? []).some(
          ({ fingerprint, edits = 0 }) => fingerprint === item.fingerprint || edits > (item.edits ?? 0),
        );
        if (!isReported) missing.set(event.id, `${item.outlet}: ${item.title} (${item.item_key}, story ${event.id})`);
      }
    },
  });
  return [...missing.values()];
}

/** Every story has its item in a signal, and no event says what its stream says already. */
export async function expectNothingLost(url: string, { KAFKA_BROKERS }: Record<string, string>): Promise<void> {
  const database = openDatabase(url);
  const store = postgresEventStore(database);
  const topics = KAFKA_BROKERS
    ? await kafkaTopics({ brokers: KAFKA_BROKERS.split(','), clientId: 'clarity-test' })
    : postgresTopics(database);
  try {
    const events: StoredEvent[] = [];
    for (let after = 0n; ; ) {
      const page = await store.readAll({ after, prefixes: [SIGNAL_PREFIX] });
      events.push(...page.events);
      if (page.position === after) break;
      after = page.position;
    }
    const { left, twice } = storedStates(events);
    expect(twice).toEqual([]);
    expect(await storiesWithoutReport(topics.topic(STORIES), left)).toEqual([]);
  } finally {
    await topics.close();
    await store.close();
    await database.end();
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
