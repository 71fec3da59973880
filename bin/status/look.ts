/** One look at everything that a person would ask for in turn. */
import { type ServerActivity, serverActivity } from '../../log/postgres/activity.ts';
import { listSignals } from '../../projector/models/signals/queries.ts';
import { listHeld } from '../../projector/models/signals/review/queries.ts';
import { healthSnapshot } from '../../projector/models/source_health/queries.ts';
import { type HealthSnapshot, SignalItem } from '../../schemas/resources.ts';
import { liveModels } from '../live-models.ts';
import { type Dependency, unreachableOf } from '../observe/probes.ts';
import { type Standing, standingOf } from '../observe/standing.ts';
import type { Services } from '../services.ts';

export interface Look {
  readonly generated_at: string;
  readonly database: ServerActivity & { readonly milliseconds: number };
  /** Where topics and events stand. */
  readonly topics: 'kafka' | 'postgres';
  readonly store: 'eventstore' | 'postgres';
  readonly standing: Standing;
  /** What is set and does not answer; its figures are left out. */
  readonly unreachable: readonly { readonly dependency: Dependency; readonly reason: string }[];
  /** Of all sources in use; null where none was ever polled. */
  readonly last_polled_at: string | null;
  readonly troubled: readonly Pick<HealthSnapshot['sources'][number], 'id' | 'health' | 'last_error'>[];
  readonly held: number;
  readonly last_signal: Pick<SignalItem, 'id' | 'headline' | 'url' | 'published_at'> | null;
}

/** What `status` asks of: every part, whoever runs it. */
const EVERYTHING = new Set(['understand', 'match', 'project', 'poll', 'oracle']);
/** Held signals that are counted; more are told as so many. */
const MOST_HELD = 1_000;

/** Milliseconds that the event store or Kafka may take to answer before the look goes on without. */
const PATIENCE = 4_000;
const LOGS: ReadonlySet<Dependency> = new Set(['event store', 'kafka']);

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Looks at everything that `clarity status` shows, without what cannot be reached.
 * @throws the database's own error when it does not answer
 */
export async function lookAt(services: Services, now: Date): Promise<Look> {
  const { database, configuration } = services;
  const [models, { unreachable }] = await Promise.all([liveModels(services), unreachableOf(services, LOGS, PATIENCE)]);
  const asked = performance.now();
  const activity = await serverActivity(database);
  const milliseconds = Math.round(performance.now() - asked);
  const [standing, health, held, newest] = await Promise.all([
    standingOf(services, EVERYTHING, now, models, undefined, unreachable),
    healthSnapshot(database, now),
    listHeld(database, MOST_HELD),
    listSignals(database, { limit: 1 }),
  ]);
  const [document] = newest.documents;
  const last = document ? SignalItem.parse(JSON.parse(document)) : null;
  const polled = health.sources.flatMap(({ last_polled_at }) => last_polled_at ?? []);
  return {
    generated_at: now.toISOString(),
    database: { ...activity, milliseconds, processes: activity.processes.filter(({ name }) => name !== 'status') },
    topics: configuration.KAFKA_BROKERS ? 'kafka' : 'postgres',
    store: configuration.EVENTSTORE_URL ? 'eventstore' : 'postgres',
    standing,
    unreachable: [...unreachable].map(([dependency, error]) => ({ dependency, reason: reasonOf(error) })),
    last_polled_at: polled.toSorted().at(-1) ?? null,
    troubled: health.sources
      .filter((source) => source.health === 'failing' || source.health === 'silent')
      .map(({ id, health: state, last_error }) => ({ id, health: state, last_error })),
    held: held.length,
    last_signal: last && { id: last.id, headline: last.headline, url: last.url, published_at: last.published_at },
  };
}
