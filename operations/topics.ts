/** `clarity topics`: the messages and consumers of topics, and the removal of old messages in PostgreSQL. */

import { z } from 'zod';
import { DAY } from '../language/days.ts';
import {
  planRetention,
  type RetentionJob,
  type RetentionPlan,
  type RetentionRule,
  retentionRule,
  topicGroups,
  topicSizes,
  trimTopics,
} from '../log/postgres/topics/topic-retention.ts';
import { lagOf, type Topics } from '../log/topic.ts';
import type { Configuration } from '../schemas/configuration.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { ITEMS, POLLS } from '../schemas/poll.ts';
import { STORIES } from '../schemas/story.ts';
import { defineTerminalAction, type OperatorActions, type TerminalContext } from './operator-action.ts';
import { Stopped } from './operator-errors.ts';
import { megabytes, oneLine, tableText } from './terminal-text.ts';

const GIGABYTE = 1_000_000_000;

/** @throws Refusal when the topics are not in PostgreSQL */
function refuseKafka({ configuration }: Pick<TerminalContext, 'configuration'>): void {
  if (configuration.KAFKA_BROKERS)
    throw new Refusal(
      'invalid_request',
      'the topics are on Kafka, which trims them by itself: see retention.ms and retention.bytes of kafka-configs.sh',
    );
}

/** The retention of topics by the settings: days and bytes. */
export const retentionOf = ({
  TOPIC_RETENTION_DAYS: days,
  TOPIC_RETENTION_GB: gigabytes,
}: Configuration): Pick<RetentionJob, 'days' | 'bytes'> => ({
  days,
  bytes: gigabytes === undefined ? undefined : gigabytes * GIGABYTE,
});

/** A topic as it is listed; size and age are unknown on Kafka. */
interface ListedTopic {
  readonly topic: string;
  readonly messages: number;
  readonly bytes: number | null;
  readonly oldest: Date | null;
}

/** Activity and consumers of a group are unknown on Kafka. */
interface ListedGroup {
  readonly topic: string;
  readonly group: string;
  readonly lag: number;
  readonly moved_at: Date | null;
  readonly connected: boolean | null;
}

interface Listed {
  readonly topics: readonly ListedTopic[];
  readonly groups: readonly ListedGroup[];
}

/** What every log of topics can say: how many messages each topic has, and how far each group is that has begun to read it. */
async function listByPort(log: Topics): Promise<Listed> {
  const names = await log.groups('');
  const lists = await Promise.all(
    [ITEMS, STORIES, POLLS].map(async (name) => {
      const topic = log.topic(name);
      const ranges = await topic.ranges();
      const messages = Number(ranges.reduce((sum, { first, end }) => sum + end - first, 0n));
      const progress = await Promise.all(
        names.map(async (group) => ({ group, partitions: await topic.progress(group) })),
      );
      const groups = progress
        .filter(({ partitions }) => partitions.some(({ next }) => next > 0n))
        .map(({ group, partitions }) => ({
          topic: name,
          group,
          lag: Number(lagOf(partitions)),
          moved_at: null,
          connected: null,
        }));
      return { topic: { topic: name, messages, bytes: null, oldest: null }, groups };
    }),
  );
  return { topics: lists.map(({ topic }) => topic), groups: lists.flatMap(({ groups }) => groups) };
}

const list = defineTerminalAction({
  name: 'list',
  summary: 'list topics with messages and size, and the groups that consume them',
  input: z.object({}),
  audit: 'nothing',
  async run(_, { configuration, database, topics }): Promise<Listed> {
    if (configuration.KAFKA_BROKERS) return listByPort(topics);
    return { topics: await topicSizes(database), groups: await topicGroups(database) };
  },
  text({ topics, groups }) {
    if (topics.length === 0) return 'no topics yet';
    const sizes = tableText(
      ['topic', 'messages', 'size', 'oldest'],
      topics.map(({ topic, messages, bytes, oldest }) => [
        topic,
        String(messages),
        bytes === null ? '' : megabytes(bytes),
        oldest?.toISOString() ?? '',
      ]),
    );
    if (groups.length === 0) return sizes;
    const consumers = tableText(
      ['group', 'topic', 'not handled', 'consumers', 'last moved'],
      groups.map(({ group, topic, lag, connected, moved_at }) => [
        oneLine(group, 80),
        topic,
        String(lag),
        connected === null ? '' : connected ? 'yes' : 'no',
        moved_at?.toISOString() ?? '',
      ]),
    );
    return `${sizes}\n\n${consumers}`;
  },
});

const Trim = z.object({
  topic: z.string().optional().describe('only of this topic'),
  older_than: z.number().min(0).optional().meta({
    description: 'of days (UTC) that ended earlier than this; default: TOPIC_RETENTION_DAYS',
    placeholder: 'days',
  }),
  larger_than: z
    .number()
    .min(0)
    .optional()
    .meta({ description: 'the oldest, until each topic is at most this size', placeholder: 'gigabytes' }),
  unhandled: z.boolean().default(false).describe('also messages that a group has not handled yet, which it then loses'),
  dry_run: z.boolean().default(false).describe('only print what would be removed'),
});
type Trim = z.infer<typeof Trim>;

/** @throws Refusal for an unknown topic */
async function ruleOf({ database, configuration, now }: TerminalContext, given: Trim): Promise<RetentionRule> {
  const { topic, older_than, larger_than, unhandled } = given;
  const names = (await topicSizes(database)).map((one) => one.topic);
  if (topic !== undefined && !names.includes(topic))
    throw new Refusal(
      'invalid_request',
      `no topic is called ${oneLine(topic, 60)}; available: ${names.join(', ') || 'none'}`,
    );
  const rule = { ...retentionRule({ ...retentionOf(configuration), now: now() }), topic, unhandled };
  if (older_than === undefined && larger_than === undefined) return rule;
  return {
    ...rule,
    before: older_than === undefined ? undefined : () => new Date(now().getTime() - older_than * DAY),
    bytes: larger_than === undefined ? undefined : larger_than * GIGABYTE,
  };
}

const trim = defineTerminalAction({
  name: 'trim',
  summary: 'remove old messages that every consumer group has handled',
  help: `Examples:
  clarity topics trim --dry-run             what would TOPIC_RETENTION_DAYS and TOPIC_RETENTION_GB remove?
  clarity topics trim --older-than 14       keep two weeks
  clarity topics trim --larger-than 2       keep the newest 2 GB of each topic
A rebuild of a read model that is fed by a topic (source_health, oracle_items), clarity replay --from items and clarity
trace only see the remaining messages. Messages are removed by whole days (UTC): today's stay, and so does a day with messages that
a group has not handled.
Ctrl-C stops between two steps; removed messages stay removed.`,
  input: Trim,
  asks: true,
  audit: ['topic_trimmed'],
  async run(given, context) {
    refuseKafka(context);
    const { database, signal } = context;
    const { dry_run, unhandled } = given;
    const plan = await planRetention(database, await ruleOf(context, given));
    const { topics, holders } = plan;
    if (dry_run) return { dry_run, unhandled, removed: 0, topics, holders };
    if (unhandled && holders.length > 0) {
      context.say(holderLines(plan, true, false).join('\n'));
      await context.confirm('Remove them, although these groups have not handled them?');
    }
    const show = context.progress('topics', 'messages');
    const removed = await trimTopics(database, plan, {
      signal,
      onProgress: (done, total) => show('removing', done, total),
    });
    await context.record('topic_trimmed', given.topic ?? 'every topic', `${removed} messages removed`);
    if (signal.aborted) throw new Stopped(`stopped; ${removed} messages were removed`);
    return { dry_run, unhandled, removed, topics, holders };
  },
  text({ dry_run, unhandled, topics, holders }) {
    const lines = topics.map(
      ({ topic, messages, held_back }) =>
        `${topic}: ${messages} messages ${dry_run ? 'would be removed' : 'removed'}` +
        `${held_back > 0 ? `, ${held_back} kept because a group has not handled them` : ''}`,
    );
    return [...lines, ...holderLines({ holders }, unhandled, !dry_run)].join('\n') || 'no topics yet';
  },
});

/** Groups that have not handled messages that the rule would remove. */
const holderLines = ({ holders }: Pick<RetentionPlan, 'holders'>, unhandled: boolean, isDone: boolean): string[] =>
  holders.map(({ topic, group, messages, moved_at, live }) => {
    const name = oneLine(group, 80);
    const about = `  ${name} has not handled ${messages} of ${topic}`;
    const when = `it last moved at ${moved_at.toISOString()}`;
    if (unhandled || !live) {
      const lost = isDone ? 'it has lost them' : 'it would lose them';
      return `${about}: ${lost}; ${live ? when : `it has no consumers and counts as abandoned; ${when}`}`;
    }
    return `${about}; ${when}. If it is no longer used: clarity topics delete-group ${name}`;
  });

const deleteGroup = defineTerminalAction({
  name: 'delete-group',
  summary: 'delete the position of an abandoned group, so that it no longer keeps messages from removal',
  input: z.object({ group: z.string().describe('as listed by clarity topics list') }),
  positional: ['group'],
  audit: ['group_deleted'],
  async run({ group }, context) {
    refuseKafka(context);
    const { database, topics } = context;
    const name = oneLine(group, 80);
    const consumed = (await topicGroups(database)).find((one) => one.group === group);
    if (!consumed) throw new Refusal('invalid_request', `no group is called ${name}; clarity topics list shows all`);
    if (!(await topics.topic(consumed.topic).deleteGroup(group)))
      throw new Refusal('invalid_request', `${name} has consumers; stop them first`);
    await context.record('group_deleted', group);
    return { group };
  },
  text: ({ group }) => `${oneLine(group, 80)} is deleted; a new consumer of that name starts at the oldest message`,
});

export const TOPICS: OperatorActions = {
  name: 'topics',
  summary: 'list and trim topics',
  actions: [list, trim, deleteGroup],
};
