/** The consumer groups of builds. A group belongs to one build alone, and is deleted when that build is gone. */
import { z } from 'zod';
import { query } from '../../log/postgres/database.ts';
import type { Topic } from '../../log/topic.ts';
import type { Services } from '../services.ts';
import type { Build } from './registry.ts';

const PREFIX = 'projector-';
const COMPARISON = '-until';

/** The group by which a build follows its topics. As no build's name is used twice, a new build reads them from the beginning. */
export const groupOf = (build: Pick<Build, 'name'>): string => `${PREFIX}${build.name}`;

/** The group by which a build is read up to the place where the live one is, for a comparison. */
export const comparisonGroupOf = (build: Pick<Build, 'name'>): string => `${groupOf(build)}${COMPARISON}`;

const buildOf = (group: string): string =>
  (group.endsWith(COMPARISON) ? group.slice(0, -COMPARISON.length) : group).slice(PREFIX.length);

/**
 * Deletes the groups whose build is no more. One that still has consumers stays until the next time.
 * @param topic any topic: a group is deleted with its offsets in all topics
 */
export async function deleteOrphanedGroups(
  { database, topics, logger }: Pick<Services, 'database' | 'topics' | 'logger'>,
  topic: Topic,
): Promise<void> {
  try {
    // Groups first: each was made by a build that was in the registry before it.
    const groups = await topics.groups(PREFIX);
    const builds = await query(database, 'SELECT name FROM projector.builds', [], z.object({ name: z.string() }));
    const names = new Set(builds.map(({ name }) => name));
    for (const group of groups) if (!names.has(buildOf(group))) await topic.deleteGroup(group);
  } catch (error) {
    // Left for the next time; a read model does not wait for it.
    const reason = error instanceof Error ? error.message : String(error);
    logger.warn({ reason }, 'consumer groups of dropped builds could not be deleted; trying again at the next start');
  }
}
