/** `clarity topics`: the messages and consumers of topics in PostgreSQL, and the removal of old messages. */

import { type Command, InvalidArgumentError } from 'commander';
import { archiveOf } from '../../log/archive/object-store.ts';
import { archiveTopic } from '../../log/archive/topic-archive.ts';
import { recordOperation } from '../../log/event-store.ts';
import {
  planRetention,
  type RetentionPlan,
  type RetentionRule,
  retentionRule,
  topicGroups,
  topicSizes,
  trimTopics,
} from '../../log/postgres/topics/topic-retention.ts';
import { ITEMS } from '../../schemas/poll.ts';
import { Stopped, UserError } from '../errors.ts';
import { retentionOf } from '../parts.ts';
import { type Services, withServices } from '../services.ts';
import { stopSignal } from '../supervise.ts';
import { confirmed, oneLine, operatorName, pace, printTable, progressBar } from '../terminal.ts';

const DAY = 86_400_000;
const GIGABYTE = 1_000_000_000;

interface TrimFlags {
  readonly topic?: string;
  readonly olderThan?: number;
  readonly largerThan?: number;
  readonly unhandled?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const number = (text: string): number => {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError('It must be a number.');
  return value;
};

export function addTopics(program: Command): void {
  const topics = program.command('topics').description('list, trim and archive topics');
  topics
    .command('list')
    .description('list topics with messages and size, and the groups that consume them')
    .option('--json', 'print JSON')
    .action((flags: { readonly json?: boolean }) => withTopics((services) => list(services, flags)));
  topics
    .command('trim')
    .description('remove old messages that every consumer group has handled')
    .option('--topic <topic>', 'only of this topic')
    .option('--older-than <days>', 'older than this; default: TOPIC_RETENTION_DAYS', number)
    .option('--larger-than <gigabytes>', 'the oldest, until each topic is at most this size', number)
    .option('--unhandled', 'also messages that a group has not handled yet, which it then loses')
    .option('--dry-run', 'only print what would be removed')
    .option('--yes', 'with --unhandled: do not ask for confirmation')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  clarity topics trim --dry-run             what would TOPIC_RETENTION_DAYS and TOPIC_RETENTION_GB remove?
  clarity topics trim --older-than 14       keep two weeks
  clarity topics trim --larger-than 2       keep the newest 2 GB of each topic
A rebuild of a read model that is fed by a topic (source_health, oracle_items), clarity replay --from items and clarity
trace only see the remaining messages. Segments of which nothing stays are dropped, which frees their space; the one that the
limit divides keeps its space. By itself the service drops whole segments only, every hour.
Ctrl-C stops between two steps; removed messages stay removed.`,
    )
    .action((flags: TrimFlags) => withTopics((services) => trim(services, flags)));
  topics
    .command('archive')
    .description('store the items that the archive at ARCHIVE_URL lacks now, instead of within the hour')
    .option('--json', 'print JSON')
    .action((flags: { readonly json?: boolean }) => withServices('topics', (services) => archive(services, flags)));
  topics
    .command('delete-group')
    .argument('<group>', 'as listed by clarity topics list')
    .description('delete the position of an abandoned group, so that it no longer keeps messages from removal')
    .action((group: string) => withTopics((services) => deleteGroup(services, group)));
}

/** Runs a command. @throws UserError when the topics are not in PostgreSQL */
const withTopics = (work: (services: Services) => Promise<void>): Promise<void> =>
  withServices('topics', async (services) => {
    if (services.configuration.KAFKA_BROKERS)
      throw new UserError(
        'the topics are on Kafka, which trims them by itself: see retention.ms and retention.bytes of kafka-configs.sh',
      );
    await work(services);
  });

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

async function list({ database }: Services, { json }: { readonly json?: boolean }): Promise<void> {
  const [sizes, groups] = [await topicSizes(database), await topicGroups(database)];
  if (json) return void process.stdout.write(`${JSON.stringify({ topics: sizes, groups }, null, 2)}\n`);
  if (sizes.length === 0) return void process.stdout.write('no topics yet\n');
  printTable(
    ['topic', 'messages', 'size', 'oldest'],
    sizes.map(({ topic, messages, bytes, oldest }) => [
      topic,
      String(messages),
      megabytes(bytes),
      oldest?.toISOString() ?? '',
    ]),
  );
  if (groups.length === 0) return;
  process.stdout.write('\n');
  printTable(
    ['group', 'topic', 'not handled', 'consumers', 'last moved'],
    groups.map(({ group, topic, lag, connected, moved_at }) => [
      oneLine(group, 80),
      topic,
      String(lag),
      connected ? 'yes' : 'no',
      moved_at.toISOString(),
    ]),
  );
}

/** Validates the flags. @throws UserError for an unknown topic */
async function ruleOf({ database, configuration, now }: Services, flags: TrimFlags): Promise<RetentionRule> {
  const { topic, olderThan, largerThan, unhandled } = flags;
  const known = (await topicSizes(database)).map((one) => one.topic);
  if (topic !== undefined && !known.includes(topic))
    throw new UserError(`no topic is called ${oneLine(topic, 60)}; available: ${known.join(', ') || 'none'}`);
  const rule = retentionRule({ ...retentionOf(configuration), now: now() });
  const said = olderThan !== undefined || largerThan !== undefined;
  return {
    ...rule,
    topic,
    unhandled,
    ...(said
      ? {
          before: olderThan === undefined ? undefined : () => new Date(now().getTime() - olderThan * DAY),
          bytes: largerThan === undefined ? undefined : largerThan * GIGABYTE,
        }
      : {}),
  };
}

async function archive(
  { topics, configuration }: Services,
  { json = false }: { readonly json?: boolean },
): Promise<void> {
  const objects = archiveOf(configuration);
  if (!objects)
    throw new UserError('ARCHIVE_URL is not set; set it, such as s3://my-bucket/clarity or file:///mnt/clarity');
  const signal = stopSignal();
  const bar = progressBar('items', 'messages', json);
  const at = pace();
  const onProgress = (done: number, total: number): void => bar.show({ ...at(done, total), phase: 'archiving' });
  const archived = await archiveTopic(topics.topic(ITEMS), { objects, signal, onProgress }).finally(() => bar.end());
  if (signal.aborted) throw new Stopped(`stopped; ${archived} messages were archived`);
  process.stdout.write(
    json ? `${JSON.stringify({ topic: ITEMS, archived })}\n` : `items: ${archived} messages archived\n`,
  );
}

async function trim(services: Services, flags: TrimFlags): Promise<void> {
  const { database } = services;
  const { dryRun = false, json = false, unhandled = false } = flags;
  const plan = await planRetention(database, await ruleOf(services, flags));
  if (unhandled && !dryRun && plan.holders.length > 0) {
    process.stderr.write(`${holderLines(plan, true, false).join('\n')}\n`);
    const question = 'Remove them, although these groups have not handled them?';
    if (!(await confirmed(question, flags.yes))) throw new UserError('nothing was removed');
  }
  let removed = 0;
  if (!dryRun) {
    const signal = stopSignal();
    const bar = progressBar('topics', 'messages', json);
    const at = pace();
    try {
      removed = await trimTopics(database, plan, {
        signal,
        onProgress: (done, total) => bar.show({ ...at(done, total), phase: 'removing' }),
      });
    } finally {
      bar.end();
    }
    const about = { operation: 'topic_trimmed', subject: flags.topic ?? 'every topic' } as const;
    await recordOperation(services, { ...about, by: operatorName(), why: `${removed} messages removed` });
    if (signal.aborted) throw new Stopped(`stopped; ${removed} messages were removed`);
  }
  if (json) {
    const { topics, holders } = plan;
    return void process.stdout.write(
      `${JSON.stringify({ dry_run: dryRun, unhandled, removed, topics, holders }, null, 2)}\n`,
    );
  }
  const lines = plan.topics.map(
    ({ topic, messages, held_back }) =>
      `${topic}: ${messages} messages ${dryRun ? 'would be removed' : 'removed'}` +
      `${held_back > 0 ? `, ${held_back} kept because a group has not handled them` : ''}`,
  );
  process.stdout.write(`${[...lines, ...holderLines(plan, unhandled, !dryRun)].join('\n') || 'no topics yet'}\n`);
}

/** Groups that have not handled messages that the rule would remove. */
const holderLines = ({ holders }: RetentionPlan, unhandled: boolean, done: boolean): string[] =>
  holders.map(({ topic, group, messages, moved_at, live }) => {
    const about = `  ${oneLine(group, 80)} has not handled ${messages} of ${topic}`;
    const when = `it last moved at ${moved_at.toISOString()}`;
    if (unhandled || !live) {
      const lost = done ? 'it has lost them' : 'it would lose them';
      return `${about}: ${lost}; ${live ? when : `it has no consumers and counts as abandoned; ${when}`}`;
    }
    return `${about}; ${when}. If it is no longer used: clarity topics delete-group ${oneLine(group, 80)}`;
  });

async function deleteGroup(services: Services, group: string): Promise<void> {
  const { database, topics } = services;
  const places = (await topicGroups(database)).filter((one) => one.group === group);
  if (places.length === 0)
    throw new UserError(`no group is called ${oneLine(group, 80)}; clarity topics list shows all`);
  if (!(await topics.topic(places[0]?.topic ?? '').deleteGroup(group)))
    throw new UserError(`${oneLine(group, 80)} has consumers; stop them first`);
  await recordOperation(services, { operation: 'group_deleted', subject: group, by: operatorName(), why: null });
  process.stdout.write(`${oneLine(group, 80)} is deleted; a new consumer of that name starts at the oldest message\n`);
}
