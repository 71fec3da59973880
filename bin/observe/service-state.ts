/**
 * The state of the whole service, measured at each scrape and by `clarity status`. Every process of the pipeline measures the
 * lag of all consumer groups, so that it is also reported for consumers that are down.
 */
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
} from '../../projector/model-progress.ts';
import { readModels } from '../../projector/models/all-read-models.ts';
import { latestMeasurement } from '../../projector/models/quality-queries.ts';
import { healthSnapshot } from '../../projector/models/source-health-queries.ts';
import type { Model } from '../../projector/read-model.ts';
import type { OracleMeasurement } from '../../schemas/oracle.ts';
import { ITEMS } from '../../schemas/poll.ts';
import type { HealthSnapshot } from '../../schemas/resources.ts';
import { STORIES } from '../../schemas/story.ts';
import type { Services } from '../services.ts';
import type { Dependency } from './readiness.ts';

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

/** Measures the lag of a group. */
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

type Asked = Pick<Services, 'database' | 'store' | 'topics' | 'configuration'>;

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
  const asked = { database, topics: unreachable.has('kafka') ? null : topics };
  return Promise.all([
    ...models.map((model) => modelStatus(asked, model, head)),
    ...(configuration.SEARCH_URL === undefined ? [] : [searchIndexStatus(database, head)]),
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
