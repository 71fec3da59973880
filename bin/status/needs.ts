/** What of a look needs a hand, and what the hand has to do. */
import type { Dependency } from '../observe/probes.ts';
import { oneLine } from '../quote.ts';
import type { Look } from './look.ts';

export interface Need {
  readonly what: string;
  readonly do: string;
}

/** Messages that a group may be behind: some seconds of work. */
const MOST_LAG = 5_000;
/** Positions that a read model may be behind; EventStoreDB counts bytes. */
const MOST_MODEL_LAG = { postgres: 10_000, eventstore: 10_000_000 };
/** Of the roster. One outlet or another is always in trouble; a tenth is more than outlets alone do. */
const TROUBLED_SHARE = 0.1;
const HOUR = 3_600_000;
export const NAMES: Readonly<Record<Dependency, string>> = {
  postgres: 'PostgreSQL',
  'event store': 'the event store of EVENTSTORE_URL',
  kafka: 'Kafka of KAFKA_BROKERS',
};

/** @param now decides what is long ago */
export function needsOf(look: Look, now: Date): Need[] {
  const { standing, database } = look;
  const needs: Need[] = [];
  const need = (what: string, todo: string): void => void needs.push({ what, do: todo });
  const since = (time: string): number => now.getTime() - Date.parse(time);
  const runs = (part: string): boolean => database.processes.some(({ name }) => name === 'up' || name === part);

  for (const { dependency, reason } of look.unreachable)
    need(
      `${NAMES[dependency]} does not answer: ${oneLine(reason, 200)}`,
      'see that it runs and that its settings are right; what is shown here is without it',
    );
  for (const { topic, group, lag } of standing.groups) {
    const part = group.startsWith('projector-') ? 'project' : group;
    if (lag > MOST_LAG) need(`${group} is ${lag} messages behind on ${topic}`, `start another: clarity ${part}`);
    // Consumers of Kafka may hold no connection to PostgreSQL, by which they are known here.
    else if (lag > 0 && look.topics === 'postgres' && !runs(part))
      need(`${lag} messages of ${topic} wait and nobody runs ${part}`, `start it: npm start, or clarity ${part}`);
  }
  for (const { model, version, live, lag } of standing.models) {
    if (live === null) need(`the read model ${model} was never built`, 'start clarity project, which builds it');
    else if (live !== version)
      need(
        `${model}: version ${live} is live, this program makes ${version}`,
        'run one release everywhere; clarity project of the newer one builds its own',
      );
    else if (lag !== null && lag > MOST_MODEL_LAG[look.store])
      need(
        `${model} is ${lag} positions behind`,
        runs('project') ? 'read the log of clarity project' : 'start clarity project',
      );
  }
  for (const { model, events } of standing.parked ?? [])
    need(`${events} events of ${model} are parked`, `clarity parked list ${model}; mend the cause, then parked retry`);
  for (const { group_name, kind, messages } of standing.dead_letters ?? [])
    need(
      `${messages} messages of ${group_name} are dead letters (${kind})`,
      `clarity parked list --group ${group_name}; correct the cause, then parked retry --all --group ${group_name}`,
    );
  const { sources, oracle } = standing;
  if (sources && sources.sources === 0)
    need('the roster is empty', 'clarity sources apply FILE, or npm start for the demo');
  if (sources && look.troubled.length > sources.active * TROUBLED_SHARE)
    need(
      `${look.troubled.length} of ${sources.active} sources fail or are silent`,
      'clarity sources list --health failing (or silent); many at once: look at the network of the poller first',
    );
  if (sources && sources.active > 0 && look.last_polled_at && since(look.last_polled_at) > HOUR)
    need(`nothing was polled since ${look.last_polled_at}`, 'start clarity poll, or read its log');
  if (sources && sources.active > 0 && look.last_signal && since(look.last_signal.published_at) > 24 * HOUR)
    need(
      `no signal since ${look.last_signal.published_at}`,
      'clarity sources list; then the log of understand and match',
    );
  if (oracle && oracle.miss_rate > oracle.slo)
    need(`${oracle.missed} of ${oracle.checked} moves of reference sources are missed`, 'clarity oracle misses');
  return needs;
}
