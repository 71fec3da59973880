/** What tests of the engine need: a database with the registry, a store, and a projector that can be stopped. */
import type { EventStore } from '../../log/event-store.ts';
import { postgresEventStore } from '../../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../../log/postgres/topics/postgres-topics.ts';
import { createRegistry } from '../../projector/model-builds.ts';
import type { Logger, Model, Services } from '../../projector/read-model.ts';
import { runProjector } from '../../projector/run-projector.ts';
import type { Event } from '../../schemas/events.ts';
import { filledDatabase, type TestDatabase } from '../harness/database.ts';

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly about: object;
}

/** A logger that remembers. */
export function listening(): Logger & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: LogLine['level']) => (about: object, message: string) =>
    void lines.push({ level, message, about });
  return { lines, info: at('info'), warn: at('warn'), error: at('error') };
}

export interface Engine extends Services {
  /** Appends to the stream of a signal, or another; answers the position of the last event. */
  add(stream: string, ...events: readonly Event[]): Promise<bigint>;
  readonly store: EventStore;
  readonly logger: ReturnType<typeof listening>;
  readonly url: string;
  /** Runs a projector until `stop` is called; `stop` resolves when it has ended. */
  run(models: readonly Model[], changes?: Partial<Services & { checkLogEvery: number }>): { stop(): Promise<void> };
  close(): Promise<void>;
}

const withRegistry = filledDatabase('with_registry', createRegistry);

/** An empty store. @param fresh opens the database; one with the registry by default */
export async function testEngine(fresh: () => Promise<TestDatabase> = withRegistry): Promise<Engine> {
  const { database, url, close } = await fresh();
  const store = postgresEventStore(database);
  const topics = postgresTopics(database);
  const services = {
    database,
    store,
    topics,
    logger: listening(),
    clock: () => new Date('2026-11-21T04:30:00Z'),
  };
  const stops: (() => Promise<void>)[] = [];
  return {
    ...services,
    url,
    add: async (stream, ...events) => (await store.append(stream, events, 'any')).position,
    run(models, changes = {}) {
      const controller = new AbortController();
      const running = runProjector({ ...services, ...changes, models, signal: controller.signal });
      const stop = async (): Promise<void> => {
        controller.abort();
        await running;
      };
      stops.push(stop);
      return { stop };
    },
    async close() {
      for (const stop of stops) await stop();
      await topics.close();
      await store.close();
      await close();
    },
  };
}
