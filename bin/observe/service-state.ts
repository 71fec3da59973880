/**
 * The state of a process and of the service. The port of `/metrics`, `/livez` and `/readyz`, which is never the public
 * one, and what `/readyz` answers. The state of the whole service, measured at each scrape and by `clarity status`:
 * every process of the pipeline measures the lag of all consumer groups, so that it is also reported for consumers
 * that are down.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { mailsOf } from '../../access/mails.ts';
import { modelSpend } from '../../access/quota/usage.ts';
import { MATCH_GROUP } from '../../ingest/match/matcher.ts';
import { UNDERSTAND_GROUP } from '../../ingest/understand/understander.ts';
import { countDeadLetters, type DeadLetterCount } from '../../log/dead-letters.ts';
import type { PartitionProgress, Topics } from '../../log/topic.ts';
import {
  countParked,
  latestRebuilds,
  type ModelStatus,
  modelStatus,
  type Rebuild,
  searchIndexStatus,
  stoppedModels,
} from '../../projector/model-progress.ts';
import { readModels } from '../../projector/models/all-read-models.ts';
import { latestMeasurement } from '../../projector/models/review-queries.ts';
import { healthSnapshot } from '../../projector/models/source-health-queries.ts';
import type { Model } from '../../projector/read-model.ts';
import type { OracleMeasurement } from '../../schemas/oracle.ts';
import { ITEMS } from '../../schemas/poll.ts';
import type { HealthSnapshot } from '../../schemas/resources.ts';
import { STORIES } from '../../schemas/story.ts';
import type { Services } from '../services.ts';

/** Milliseconds that a dependency has to answer before it counts as unreachable. */
const PROBE_TIMEOUT = 2_000;

/** What a process may depend on, by the names that `/readyz` and `clarity status` use. */
export type Dependency = 'postgres' | 'event store' | 'kafka';
/** Dependencies that may not answer while the state of the service is measured. */
export const LOGS: ReadonlySet<Dependency> = new Set(['event store', 'kafka']);

/** Of an event store whose cluster has no leader. */
const NO_LEADER = 'no leader; reads work';

interface Readiness {
  readonly ready: boolean;
  readonly state: State;
  /** The dependencies of the process. */
  readonly needs: Readonly<Partial<Record<Dependency, 'ok' | 'unreachable' | typeof NO_LEADER>>>;
  /** Read models that a projector of this release has still to build, for a process that reads them. */
  readonly waits_for?: readonly string[];
  /** Read models that have not moved for a minute though the event store has. */
  readonly stopped_models?: readonly string[];
}

export type State = 'starting' | 'running' | 'stopping';

type Asked = Pick<Services, 'database' | 'store' | 'topics' | 'configuration'>;

/** What each part needs in addition to PostgreSQL. Other parts, such as the API and MCP, only read PostgreSQL. */
const NEEDS: Readonly<Record<string, readonly Dependency[]>> = {
  poll: ['kafka', 'event store'],
  understand: ['kafka'],
  match: ['kafka', 'event store'],
  analyse: ['event store'],
  project: ['kafka', 'event store'],
  oracle: ['event store'],
};

/** Parts that append to the event store; `project` reads it only. */
const APPENDING: ReadonlySet<string> = new Set(['poll', 'match', 'analyse', 'oracle']);

/** Whether a part of a process appends to the event store. */
export const appends = (parts: ReadonlySet<string>): boolean => !parts.isDisjointFrom(APPENDING);

/**
 * What the parts of a process depend on.
 * @param parts names of parts, such as `understand`
 */
export const needsOfParts = (parts: Iterable<string>): ReadonlySet<Dependency> =>
  new Set(['postgres', ...[...parts].flatMap((part) => NEEDS[part] ?? [])] as const);

/**
 * Awaits work with a timeout.
 * @param milliseconds until it counts as not answered
 * @throws what `work` throws, or an error that names the timeout
 */
export async function within<Result>(milliseconds: number, work: () => Promise<Result>): Promise<Result> {
  const over = new AbortController();
  const late = sleep(milliseconds, null, { signal: over.signal, ref: false }).then(() => {
    throw new Error(`no answer within ${milliseconds / 1000} s`);
  });
  // Awaited below; when the work ends first, the timeout is not an error.
  late.catch(() => undefined);
  try {
    return await Promise.race([work(), late]);
  } finally {
    over.abort();
  }
}

/** How each configured dependency is checked. Event store and topics in PostgreSQL need no check of their own. */
function questionsOf({ database, store, topics, configuration }: Asked): Map<Dependency, () => Promise<unknown>> {
  const checks = new Map<Dependency, () => Promise<unknown>>([['postgres', () => database.query('SELECT 1')]]);
  if (configuration.EVENTSTORE_URL) checks.set('event store', () => store.head());
  if (configuration.KAFKA_BROKERS) checks.set('kafka', () => topics.topic(ITEMS).lag(UNDERSTAND_GROUP));
  return checks;
}

/**
 * Checks the configured dependencies.
 * @param wanted those to check
 * @param timeout milliseconds until one counts as unreachable
 * @returns those that do not answer, each with its error
 */
export async function unreachableOf(
  services: Asked,
  wanted: ReadonlySet<Dependency>,
  timeout: number,
): Promise<{ readonly asked: readonly Dependency[]; readonly unreachable: ReadonlyMap<Dependency, unknown> }> {
  const questions = [...questionsOf(services)].filter(([dependency]) => wanted.has(dependency));
  const unreachable = new Map<Dependency, unknown>();
  await Promise.all(
    questions.map(([dependency, ask]) =>
      within(timeout, ask).catch((error: unknown) => unreachable.set(dependency, error)),
    ),
  );
  return { asked: questions.map(([dependency]) => dependency), unreachable };
}

/**
 * What `/readyz` answers. The reason why a dependency is unreachable is only in the log: others can see the answer of a probe.
 * @param services null before the stores are open
 * @param needs what this process cannot work without, and whether it appends to the event store: else it is ready without a leader
 * @param unbuilt finds the read models that a process has to wait for; unset where it reads none
 * @param stopped finds those that do not move though the event store does: the process is ready all the same
 */
export async function readinessOf(
  state: State,
  services: Asked | null,
  { needs, appends }: { readonly needs: ReadonlySet<Dependency>; readonly appends: boolean },
  unbuilt?: () => Promise<readonly string[]>,
  stopped?: () => Promise<readonly string[]>,
): Promise<Readiness> {
  if (!services) return { ready: false, state, needs: {} };
  const { asked: checked, unreachable } = await unreachableOf(services, needs, PROBE_TIMEOUT);
  // A check that fails says nothing.
  const led =
    checked.includes('event store') && !unreachable.has('event store')
      ? await within(PROBE_TIMEOUT, async () => (await services.store.takesAppends?.()) ?? true).catch(() => true)
      : true;
  const states = checked.map((need) => {
    const works = need === 'event store' && !led ? NO_LEADER : 'ok';
    return [need, unreachable.has(need) ? 'unreachable' : works] as const;
  });
  // A check that fails says nothing: then nobody is sent here.
  const waiting =
    unbuilt && !unreachable.has('postgres') ? await within(PROBE_TIMEOUT, unbuilt).catch(() => ['read models']) : [];
  const works = unreachable.size === 0 && (led || !appends);
  const ready = state === 'running' && works && waiting.length === 0;
  const still = stopped && ready ? await within(PROBE_TIMEOUT, stopped).catch(() => []) : [];
  return {
    ready,
    state,
    needs: Object.fromEntries(states),
    ...(waiting.length > 0 && { waits_for: waiting }),
    ...(still.length > 0 && { stopped_models: still }),
  };
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** By path. */
type Answers = Readonly<Record<string, () => Promise<Answer>>>;

const plain = (status: number, body: string): Answer => ({ status, type: 'text/plain; charset=utf-8', body });

function serverOf(answers: Answers): Server {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const reads = request.method === 'GET' || request.method === 'HEAD';
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined;
    const answered = !reads
      ? Promise.resolve(plain(405, 'only GET\n'))
      : (answer?.() ?? Promise.resolve(plain(404, `available: ${Object.keys(answers).join(', ')}\n`)));
    // The error is not sent: strangers can reach this port.
    void answered
      .catch(() => plain(500, 'failed\n'))
      .then(({ status, type, body }) => {
        response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
        response.end(request.method === 'HEAD' ? undefined : body);
      });
  });
  server.requestTimeout = 10_000;
  // It answers while the process lives, and does not keep it alive.
  server.unref();
  return server;
}

async function listening(answers: Answers, host: string, port: number): Promise<Server> {
  const server = serverOf(answers);
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

/**
 * Listens on the port, else on any free one, else not at all: monitoring must never stop the service.
 * @param port 0 for any
 * @returns the port, null when none is available, and the error code of the wanted one
 */
export async function openObservedServer(
  answers: Answers,
  host: string,
  port: number,
): Promise<{ port: number | null; hindrance: unknown; close(): Promise<void> }> {
  let hindrance: unknown = null;
  for (const wanted of new Set([port, 0])) {
    try {
      const server = await listening(answers, host, wanted);
      const close = async (): Promise<void> => {
        server.close();
        server.closeAllConnections();
      };
      return { port: (server.address() as AddressInfo).port, hindrance, close };
    } catch (error) {
      hindrance = error;
    }
  }
  return { port: null, hindrance, close: async () => undefined };
}

interface PartitionLag {
  readonly partition: number;
  /** Messages not handled yet. */
  readonly lag: number;
}

interface GroupLag {
  readonly topic: string;
  readonly group: string;
  /** Messages not handled yet, over all partitions. */
  readonly lag: number;
  readonly partitions: readonly PartitionLag[];
  /**
   * Seconds that the oldest of them has waited at least: since the earliest measurement at which it was published. 0 when
   * none waits.
   */
  readonly seconds: number;
}

interface Measurement {
  readonly at: number;
  readonly end: bigint;
}

/** Measurements of a partition are kept for a day, and at most this many. */
const MAX_MEASUREMENTS = 2_000;

/** Remembers the ends of partitions at earlier measurements. One per process. */
export class LagClock {
  readonly #measurements = new Map<string, Measurement[]>();

  /** @param now in milliseconds, of a clock that only moves forwards */
  measure(topic: string, group: string, progress: readonly PartitionProgress[], now: number): GroupLag {
    const waits = progress.map((partition) => this.#wait(`${topic} ${group} ${partition.partition}`, partition, now));
    const partitions = progress.map(({ partition, next, end }) => ({ partition, lag: Number(end - next) }));
    return {
      topic,
      group,
      lag: partitions.reduce((sum, { lag }) => sum + lag, 0),
      partitions,
      seconds: Math.max(0, ...waits) / 1000,
    };
  }

  #wait(key: string, { next, end }: PartitionProgress, now: number): number {
    // Only measurements after which messages still wait say how long they have waited.
    const earlier = (this.#measurements.get(key) ?? []).filter((one) => one.end > next);
    if (end > next && earlier.at(-1)?.end !== end) earlier.push({ at: now, end });
    // The oldest one counts; of the others every second one is enough.
    if (earlier.length > MAX_MEASUREMENTS)
      this.#measurements.set(
        key,
        earlier.filter((_, index) => index % 2 === 0),
      );
    else this.#measurements.set(key, earlier);
    return end > next && earlier[0] ? now - earlier[0].at : 0;
  }
}

async function groupLag(
  topics: Topics,
  clock: LagClock,
  { topic, group }: { readonly topic: string; readonly group: string },
  now: number,
): Promise<GroupLag> {
  return clock.measure(topic, group, await topics.topic(topic).progress(group), now);
}

export interface ServiceState {
  readonly groups: readonly GroupLag[];
  readonly models: readonly ModelStatus[];
  /** The newest rebuild of each read model, in whichever process. */
  readonly rebuilds: readonly Rebuild[];
  /** Models with parked events; null where it was not measured. */
  readonly parked: readonly { readonly model: string; readonly events: number }[] | null;
  /** Messages that a consumer could not handle, by group, topic and kind; null where it was not measured. */
  readonly dead_letters: readonly DeadLetterCount[] | null;
  readonly sources: HealthSnapshot['stats'] | null;
  /** Every source in use, with the times of its last successful poll and its last new item. */
  readonly roster: readonly Pick<
    HealthSnapshot['sources'][number],
    'id' | 'health' | 'last_success_at' | 'last_item_at'
  >[];
  /** Mails of the morning brief and of saved searches by state, today in India. */
  readonly mails: readonly { readonly of: 'brief' | 'search'; readonly state: string; readonly mails: number }[];
  readonly oracle: OracleMeasurement | null;
  /** US dollars spent on the model today, by UTC; null without a model. */
  readonly model: { readonly spent_usd: number; readonly budget_usd: number } | null;
}

/** The consumers of the pipeline, whichever process runs them. */
const CONSUMERS = [
  { topic: ITEMS, group: UNDERSTAND_GROUP },
  { topic: STORIES, group: MATCH_GROUP },
] as const;
/** Parts that report on all consumers and read models, because a process that is down cannot report on itself. */
const PIPELINE = ['poll', 'understand', 'match', 'analyse', 'project', 'oracle'] as const;

/** Unreachable dependencies; measurements that need them are left out. */
type Unreachable = Pick<ReadonlySet<Dependency>, 'has'>;

async function modelsServiceState(
  { database, topics, store, configuration }: Asked,
  models: readonly Model[],
  unreachable: Unreachable,
): Promise<ModelStatus[]> {
  const head = unreachable.has('event store') ? null : await store.head();
  const stopped = await stoppedModels({ database, store }, head);
  const sources = { database, topics: unreachable.has('kafka') ? null : topics };
  return Promise.all([
    ...models.map((model) => modelStatus(sources, model, head, stopped)),
    ...(configuration.SEARCH_URL === undefined ? [] : [searchIndexStatus(database, head, stopped)]),
  ]);
}

async function spendOfModel({ database, configuration }: Asked, now: Date): Promise<ServiceState['model']> {
  const { LLM_BASE_URL, LLM_MODEL, LLM_BUDGET: budget_usd } = configuration;
  return LLM_BASE_URL && LLM_MODEL ? { spent_usd: await modelSpend(database, now), budget_usd } : null;
}

/**
 * What a process reports. Processes of the pipeline all report the same of consumers and read models, so sums over
 * processes count it several times: queries take the maximum.
 * @param parts names of the parts that run here, such as `understand`
 * @param models those of the settings when unset
 * @param clock earlier measurements of this process
 * @param unreachable dependencies that do not answer: they are not measured
 */
export async function measureServiceState(
  services: Asked,
  parts: ReadonlySet<string>,
  now: Date,
  models: readonly Model[] = readModels({ baseUrl: services.configuration.BASE_URL }),
  clock: LagClock = new LagClock(),
  unreachable: Unreachable = new Set<Dependency>(),
): Promise<ServiceState> {
  const { database, topics } = services;
  const pipeline = PIPELINE.some((part) => parts.has(part));
  const at = performance.now();
  const [consumers, built, rebuilds, parked, dead_letters, health, oracle, mails, model] = await Promise.all([
    pipeline && !unreachable.has('kafka')
      ? Promise.all(CONSUMERS.map((consumer) => groupLag(topics, clock, consumer, at)))
      : [],
    pipeline ? modelsServiceState(services, models, unreachable) : [],
    pipeline ? latestRebuilds(database) : [],
    pipeline ? countParked(database) : null,
    pipeline ? countDeadLetters(database) : null,
    pipeline ? healthSnapshot(database, now) : null,
    pipeline ? latestMeasurement(database) : null,
    pipeline ? mailsOf(database, now) : [],
    spendOfModel(services, now),
  ]);
  const projectors = built.flatMap(({ groups }) =>
    groups.map(({ topic, group, progress }) => clock.measure(topic, group, progress, at)),
  );
  return {
    groups: [...consumers, ...projectors],
    models: built,
    rebuilds: rebuilds.filter(({ model }) => models.some(({ name }) => name === model)),
    parked,
    dead_letters,
    sources: health?.stats ?? null,
    roster: health?.sources ?? [],
    mails,
    oracle,
    model,
  };
}
