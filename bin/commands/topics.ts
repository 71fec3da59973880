/** `clarity topics`: what the topics in PostgreSQL contain, who consumes them, and the removal of what is old. */
import { type Command, InvalidArgumentError } from 'commander';
import {
  planRetention,
  type RetentionPlan,
  type RetentionRule,
  retentionRule,
  topicGroups,
  topicSizes,
  trimTopics,
} from '../../log/postgres/topics/topic-retention.ts';
import { Stopped, UserError } from '../errors.ts';
import { retentionOf } from '../parts.ts';
import { type Services, withServices } from '../services.ts';
import { stopSignal } from '../supervise.ts';
import { confirmed, oneLine, pace, printTable, progressBar } from '../terminal.ts';

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
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) throw new InvalidArgumentError('it must be a number');
  return value;
};

export function addTopics(program: Command): void {
  const topics = program.command('topics').description('what the topics in PostgreSQL contain: look, trim');
  topics
    .command('list')
    .description('every topic with its messages and size, and the groups that consume it')
    .option('--json', 'print JSON')
    .action((flags: { readonly json?: boolean }) => withTopics((services) => list(services, flags)));
  topics
    .command('trim')
    .description('remove old messages that every consumer group has handled')
    .option('--topic <topic>', 'of this topic alone')
    .option('--older-than <days>', 'published longer ago; TOPIC_RETENTION_DAYS when nothing is said', number)
    .option('--larger-than <gigabytes>', 'the oldest, until each topic has no more than this', number)
    .option('--unhandled', 'also those that a group has not handled yet: they are lost to it')
    .option('--dry-run', 'only say what would be removed')
    .option('--yes', 'do not ask, with --unhandled')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  clarity topics trim --dry-run             what would go by TOPIC_RETENTION_DAYS and TOPIC_RETENTION_GB?
  clarity topics trim --older-than 14       keep two weeks
  clarity topics trim --larger-than 2       keep the newest 2 GB of each topic
A rebuild of a read model that is fed by a topic (source_health, oracle_items), clarity replay --from items and clarity
trace see what is left. The room is used for new messages; it is not given back to the file system.
Ctrl-C stops between two steps; what was removed stays removed.`,
    )
    .action((flags: TrimFlags) => withTopics((services) => trim(services, flags)));
  topics
    .command('delete-group')
    .argument('<group>', 'as clarity topics list names it')
    .description('forget what a group has handled that nothing uses any more, so that it holds nothing back')
    .action((group: string) => withTopics((services) => deleteGroup(services, group)));
}

/** @throws UserError where the topics are not in PostgreSQL */
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
  if (sizes.length === 0) return void process.stdout.write('no topic was used yet\n');
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

/** @throws UserError when a flag names what is not there */
async function ruleOf({ database, configuration, now }: Services, flags: TrimFlags): Promise<RetentionRule> {
  const { topic, olderThan, largerThan, unhandled } = flags;
  const known = (await topicSizes(database)).map((one) => one.topic);
  if (topic !== undefined && !known.includes(topic))
    throw new UserError(`no topic is called ${oneLine(topic, 60)}; there are ${known.join(', ') || 'none'}`);
  const rule = retentionRule({ ...retentionOf(configuration), now: now() });
  const said = olderThan !== undefined || largerThan !== undefined;
  return {
    ...rule,
    topic,
    unhandled,
    ...(said
      ? {
          before: olderThan === undefined ? undefined : new Date(now().getTime() - olderThan * DAY),
          bytes: largerThan === undefined ? undefined : largerThan * GIGABYTE,
        }
      : {}),
  };
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
  process.stdout.write(
    `${[...lines, ...holderLines(plan, unhandled, !dryRun)].join('\n') || 'no topic was used yet'}\n`,
  );
}

/** Who has not handled what the rule would remove. */
const holderLines = ({ holders }: RetentionPlan, unhandled: boolean, done: boolean): string[] =>
  holders.map(({ topic, group, messages, moved_at, live }) => {
    const about = `  ${oneLine(group, 80)} has not handled ${messages} of ${topic}`;
    const when = `it last moved at ${moved_at.toISOString()}`;
    if (unhandled || !live) {
      const lost = done ? 'they are lost to it' : 'they would be lost to it';
      return `${about}: ${lost}; ${live ? when : `it has no consumers and counts as abandoned, ${when}`}`;
    }
    return `${about}; ${when}. Where nothing uses it any more: clarity topics delete-group ${oneLine(group, 80)}`;
  });

async function deleteGroup({ database, topics }: Services, group: string): Promise<void> {
  const places = (await topicGroups(database)).filter((one) => one.group === group);
  if (places.length === 0)
    throw new UserError(`no group is called ${oneLine(group, 80)}; clarity topics list shows them`);
  if (!(await topics.topic(places[0]?.topic ?? '').deleteGroup(group)))
    throw new UserError(`${oneLine(group, 80)} has consumers; stop them first`);
  process.stdout.write(`${oneLine(group, 80)} is deleted; a consumer of that name would begin at the oldest message\n`);
}
