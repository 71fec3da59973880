/** What `/readyz` answers: whether this process can do its work now. */
import { setTimeout as sleep } from 'node:timers/promises';
import { UNDERSTAND_GROUP } from '../../ingest/understand/run.ts';
import { ITEMS } from '../../schemas/item.ts';
import type { Services } from '../services.ts';

/** Milliseconds that something may take to answer before it counts as away. */
const PATIENCE = 2_000;

export interface Readiness {
  readonly ready: boolean;
  readonly state: State;
  /** What the process needs: `ok`, or `away`. */
  readonly needs: Readonly<Record<string, 'ok' | 'away'>>;
}

export type State = 'starting' | 'running' | 'stopping';

type Needed = Pick<Services, 'database' | 'store' | 'topics' | 'configuration'>;

/** Why something is away stands in the log of whoever uses it: a probe's answer may be seen by others. */
async function answers(ask: () => Promise<unknown>): Promise<'ok' | 'away'> {
  const late = new AbortController();
  try {
    const asked = ask().then(() => 'ok' as const);
    const patience = sleep(PATIENCE, 'away' as const, { signal: late.signal, ref: false });
    patience.catch(() => undefined);
    return await Promise.race([asked, patience]);
  } catch {
    return 'away';
  } finally {
    late.abort();
  }
}

/** @param services null before the stores are open */
export async function readinessOf(state: State, services: Needed | null): Promise<Readiness> {
  if (!services) return { ready: false, state, needs: {} };
  const { database, store, topics, configuration } = services;
  const asked: Record<string, () => Promise<unknown>> = { postgres: () => database.query('SELECT 1') };
  // In PostgreSQL, they are where it is.
  if (configuration.EVENTSTORE_URL) asked['event store'] = () => store.head();
  if (configuration.KAFKA_BROKERS) asked.kafka = () => topics.topic(ITEMS).lag(UNDERSTAND_GROUP);
  const found = await Promise.all(
    Object.entries(asked).map(async ([need, ask]) => [need, await answers(ask)] as const),
  );
  const ready = state === 'running' && found.every(([, answer]) => answer === 'ok');
  return { ready, state, needs: Object.fromEntries(found) };
}
