/** Where everything stands: asked at each scrape and by `clarity status`. */
import { MATCH_GROUP } from '../../ingest/match/run.ts';
import { UNDERSTAND_GROUP } from '../../ingest/understand/run.ts';
import { countDeadLetters, type DeadLetterCount } from '../../log/dead-letters.ts';
import { countParked, type ModelStanding, modelStanding } from '../../projector/lag.ts';
import type { Model } from '../../projector/model.ts';
import { readModels } from '../../projector/models/index.ts';
import { latestMeasurement } from '../../projector/models/oracle/queries.ts';
import { healthSnapshot } from '../../projector/models/source_health/queries.ts';
import { ITEMS } from '../../schemas/item.ts';
import type { OracleMeasurement } from '../../schemas/oracle.ts';
import type { HealthSnapshot } from '../../schemas/resources.ts';
import { STORIES } from '../../schemas/story.ts';
import type { Services } from '../services.ts';

export interface GroupLag {
  readonly topic: string;
  readonly group: string;
  /** Messages not handled yet. */
  readonly lag: number;
}

export interface Standing {
  readonly groups: readonly GroupLag[];
  readonly models: readonly ModelStanding[];
  /** Models with parked events; null where it was not asked for. */
  readonly parked: readonly { readonly model: string; readonly events: number }[] | null;
  /** Messages that a consumer could not handle, by group, topic and kind; null where it was not asked for. */
  readonly dead_letters: readonly DeadLetterCount[] | null;
  readonly sources: HealthSnapshot['stats'] | null;
  readonly oracle: OracleMeasurement | null;
}

type Asked = Pick<Services, 'database' | 'store' | 'topics' | 'configuration'>;

const lagOf = async ({ topics }: Asked, topic: string, group: string): Promise<GroupLag> => ({
  topic,
  group,
  lag: Number(await topics.topic(topic).lag(group)),
});

async function modelsStanding(services: Asked, models: readonly Model[]): Promise<ModelStanding[]> {
  const head = await services.store.head();
  return Promise.all(models.map((model) => modelStanding(services, model, head)));
}

/**
 * What the given parts answer for, and no more: two processes that told the same figure would double it in a sum.
 * @param parts names of the parts that run here, such as `understand`
 * @param models those of the settings when unset
 */
export async function standingOf(
  services: Asked,
  parts: ReadonlySet<string>,
  now: Date,
  models: readonly Model[] = readModels({ baseUrl: services.configuration.BASE_URL }),
): Promise<Standing> {
  const { database } = services;
  const consumers = new Set([UNDERSTAND_GROUP, MATCH_GROUP].filter((group) => parts.has(group)));
  const [understand, match, built, parked, dead_letters, sources, oracle] = await Promise.all([
    parts.has('understand') ? lagOf(services, ITEMS, UNDERSTAND_GROUP) : null,
    parts.has('match') ? lagOf(services, STORIES, MATCH_GROUP) : null,
    parts.has('project') ? modelsStanding(services, models) : [],
    parts.has('project') ? countParked(database) : null,
    consumers.size > 0 ? countDeadLetters(database) : null,
    parts.has('poll') ? healthSnapshot(database, now) : null,
    parts.has('oracle') ? latestMeasurement(database) : null,
  ]);
  const groups = [understand, match].filter((one) => one !== null);
  return {
    groups: [...groups, ...built.flatMap((model) => model.groups)],
    models: built,
    parked,
    dead_letters: dead_letters?.filter(({ group_name }) => consumers.has(group_name)) ?? null,
    sources: sources?.stats ?? null,
    oracle,
  };
}
