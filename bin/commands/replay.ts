/** `clarity replay`: rebuilds read models from the events, or understands the stored items again. */

import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import { type ItemReplay, type ItemReplayed, replayItems } from '../../ingest/replay-items.ts';
import { recordOperation } from '../../log/event-store.ts';
import { Stopped } from '../../operations/operator-errors.ts';
import { oneLine } from '../../operations/terminal-text.ts';
import { rebuildGroups, type SharedRebuild } from '../../projector/log-pass.ts';
import { liveBuild } from '../../projector/model-builds.ts';
import type { Model } from '../../projector/read-model.ts';
import { TopicNotRead, type TopicReading } from '../../projector/rebuild/read-topics.ts';
import { RebuildStopped } from '../../projector/rebuild/rebuild-model.ts';
import { type Replayed, replay } from '../../projector/rebuild/replay-model.ts';
import { ITEMS } from '../../schemas/poll.ts';
import { STORIES } from '../../schemas/story.ts';
import { UserError } from '../errors.ts';
import { liveModels, type Services, understandingInUse, withServices } from '../services.ts';
import { keepHeapOfRebuildsSmall, stopSignal } from '../supervise.ts';
import { operatorName, progressBar } from '../terminal.ts';

const PHASES: Record<Parameters<ItemReplay['onProgress']>[0], string> = {
  search: 'finding items',
  items: 'understanding items',
  history: 'reading signals',
  signals: 'comparing signals',
  stories: 'queuing new moves',
};

async function replayStoredItems(
  services: Services,
  { dry = false, json = false }: { readonly dry?: boolean; readonly json?: boolean },
): Promise<void> {
  const { topics, store, logger } = services;
  const understander = await understandingInUse(services);
  const signal = stopSignal();
  const bar = progressBar('items', 'done', json);
  try {
    const done = await replayItems({
      items: topics.topic(ITEMS),
      stories: topics.topic(STORIES),
      store,
      understander,
      logger,
      id: randomUUID(),
      clock: services.now,
      dry,
      signal,
      onProgress: (phase, count, total) => bar.at(PHASES[phase], count, total),
    });
    bar.end();
    process.stdout.write(`${json ? JSON.stringify({ dry, ...done }, null, 2) : summary(done, dry)}\n`);
  } catch (error) {
    bar.end();
    if (!signal.aborted) throw error;
    throw new Stopped(
      `stopped; ${dry ? 'nothing was appended' : 'what was appended or queued stays; run it again for the rest'}`,
    );
  }
}

const WORDS: Readonly<Record<string, string>> = {
  SignalReported: 'reports with other facts',
  SignalRevised: 'texts revised',
  SignalHeld: 'held, because their items are no longer moves',
  SignalReleased: 'released',
};

function summary({ items, unreadable, signals, stories, passed_over, appended }: ItemReplayed, dry: boolean): string {
  const counts = Object.entries(appended).map(([type, many]) => `  ${many} ${WORDS[type] ?? type}`);
  return [
    `${items} items stored, ${signals} signals contain some of them, ${stories} further items are moves`,
    ...(unreadable + passed_over > 0 ? [`  ${unreadable} items unreadable, ${passed_over} skipped (see the log)`] : []),
    counts.length === 0 ? 'no signal changed' : dry ? 'would append:' : 'appended:',
    ...counts,
    ...(stories > 0 ? [`${dry ? 'would queue' : 'queued'} ${stories} stories, which \`clarity match\` handles`] : []),
  ].join('\n');
}

interface ReplayFlags {
  readonly all?: boolean;
  readonly verify?: boolean;
  readonly dry?: boolean;
  readonly anew?: boolean;
  readonly json?: boolean;
  readonly toVersion?: string;
  readonly from?: 'items';
}

export function addReplay(program: Command): void {
  program
    .command('replay')
    .argument('[model]', 'a read model, such as signals or brands; a wrong name lists them')
    .option('--all', 'every read model')
    .option('--verify', 'compare the rebuilt rows with the live ones by checksum; exit code 1 when they differ')
    .option('--dry', 'keep the live rows and drop the rebuilt ones; with --from, append nothing')
    .option('--anew', 'drop what an interrupted rebuild has committed, instead of continuing with it')
    .option('--to-version <version>', 'rebuild only if this release has that version; prints the live version')
    .addOption(
      new Option(
        '--from <topic>',
        'understand the stored items again; append the changes, and queue new moves for match',
      ).choices(['items']),
    )
    .option('--json', 'print the outcome as JSON')
    .description('rebuild read models from the events next to the live ones, or replay the stored items')
    .addHelpText(
      'after',
      `
Examples:
  clarity replay --all --verify            rebuild everything, verify that it is equal, swap it in
  clarity replay signals --verify --dry    only check
  clarity replay --from items --dry        what would new rules or a new catalogue change? Counts the new moves too
  clarity replay --from items              change it: as revisions, with the old text kept. New
                                           moves become signals as clarity match handles them
Ctrl-C and a kill leave the live rows as they are; the next run, within a day, continues with what was committed until
then, unless --anew is set. With --from, what was appended or queued stays, and the next run continues with the
rest. A second run, once the new moves are matched, appends and queues nothing.`,
    )
    .action((model: string | undefined, flags: ReplayFlags) =>
      withServices('replay', (services) =>
        flags.from ? fromItems(services, model, flags) : replayModels(services, model, flags),
      ),
    );
}

async function fromItems(services: Services, model: string | undefined, flags: ReplayFlags): Promise<void> {
  if (model || flags.all || flags.verify || flags.anew || flags.toVersion)
    throw new UserError('--from items can only be combined with --dry and --json: it changes signals, not read models');
  if (!flags.dry)
    await recordOperation(services, { operation: 'items_replayed', subject: 'items', by: operatorName(), why: null });
  await replayStoredItems(services, flags);
}

async function replayModels(services: Services, name: string | undefined, flags: ReplayFlags): Promise<void> {
  keepHeapOfRebuildsSmall();
  const models = chooseModels(await liveModels(services), name, flags.all);
  if (flags.toVersion !== undefined) await sayVersions(services, models, flags.toVersion);
  const stopped = stopSignal();
  const failed = new AbortController();
  const signal = AbortSignal.any([stopped, failed.signal]);
  const say = (line: string): void => void (flags.json || process.stdout.write(`${line}\n`));
  // In groups that read the event store together.
  const inTurn = rebuildGroups(services.store);
  const replayOne = async (model: Model, shared: SharedRebuild): Promise<Replayed> => {
    signal.throwIfAborted();
    if (!flags.dry)
      await recordOperation(services, {
        operation: 'model_rebuilt',
        subject: model.name,
        by: operatorName(),
        why: null,
      });
    // Several bars would overwrite each other: a sentence for each model says when it is done.
    const bar = progressBar(model.name, 'events', flags.json || models.length > 1);
    try {
      const outcome = await replay({
        ...services,
        clock: services.now,
        model,
        verify: flags.verify ?? false,
        swap: !flags.dry,
        anew: flags.anew ?? false,
        signal,
        onProgress: bar.show,
        shared,
      });
      bar.end();
      say(sentence(outcome, flags.verify));
      return outcome;
    } catch (error) {
      bar.end();
      throw signal.aborted ? error : explained(model, error);
    }
  };
  const endAll = (error: unknown): never => {
    failed.abort(error);
    throw error;
  };
  const replays = models.map((model) => inTurn(model, (shared) => replayOne(model, shared)).catch(endAll));
  await Promise.allSettled(replays);
  if (stopped.aborted) {
    const [only, ...others] = models;
    const what = others.length > 0 ? 'read models not finished, their' : `${only?.name}, its`;
    throw new Stopped(`stopped; of ${what} live rows stay, and the next run continues where this one stopped`);
  }
  failed.signal.throwIfAborted();
  const outcomes = await Promise.all(replays);
  if (flags.json) process.stdout.write(`${JSON.stringify(outcomes, null, 2)}\n`);
  if (flags.verify && outcomes.some(({ verification }) => verification?.equal === false)) process.exitCode = 1;
}

function explained(model: Model, error: unknown): unknown {
  if (error instanceof RebuildStopped) return new UserError(oneLine(error.message, 600));
  if (error instanceof TopicNotRead)
    return new UserError(
      `${model.name}: ${oneLine(error.message, 600)}; what was built is dropped, its live rows stay. ` +
        'Run it again; if it happens again, report it',
    );
  return error;
}

function chooseModels(models: readonly Model[], name: string | undefined, all = false): readonly Model[] {
  const names = models.map((model) => model.name).join(', ');
  if (all) return models;
  const chosen = models.filter((model) => model.name === name);
  if (chosen.length === 0)
    throw new UserError(
      `${name ? `no read model is called ${oneLine(name, 60)}` : 'name a read model or use --all'}; available: ${names}`,
    );
  return chosen;
}

/** A version is a hash of a model's code: a release can only build its own. */
async function sayVersions({ database }: Services, models: readonly Model[], wanted: string): Promise<void> {
  const lines: string[] = [];
  for (const { name, version } of models) {
    const live = await liveBuild(database, name);
    lines.push(`${name}: live is ${live?.version ?? 'none'}, this release has ${version}`);
  }
  process.stderr.write(`${lines.join('\n')}\n`);
  const other = models.filter(({ version }) => version !== wanted);
  if (other.length === 0) return;
  throw new UserError(
    `--to-version ${oneLine(wanted, 60)}: this release has no such version of ${other.map(({ name }) => name).join(', ')}. ` +
      'A version is a hash of a model’s code: run the release that has it, or name a version above',
  );
}

/** What was read from the topics, and what is no longer there. */
const topicsRead = (topics: readonly TopicReading[]): string =>
  topics
    .map(
      ({ topic, messages, missing, oldest }) =>
        `; ${messages} messages of ${topic} read` +
        (missing > 0
          ? `, ${missing} earlier ones are no longer stored${oldest ? ` (the oldest read is of ${oldest})` : ''}: ` +
            'their data is not in the rebuilt rows'
          : ''),
    )
    .join('');

function sentence({ model, swapped, verification, topics, parked }: Replayed, isVerified = false): string {
  const without = parked.length > 0 ? `, without the parked events ${parked.slice(0, 10).join(', ')}` : '';
  const swap = `${swapped ? 'rebuilt and live' : 'rebuilt and dropped'}${without}${topicsRead(topics)}`;
  if (!verification)
    return `${model}: ${swap}${isVerified ? '; NOT compared, because the live rows are of another version' : ''}`;
  const { equal, keys, live_checksum, differences, examples } = verification;
  if (equal) return `${model}: ${swap}; ${keys} rows equal the live ones (checksum ${live_checksum.slice(0, 16)})`;
  const places = examples.slice(0, 10).map(({ table, key, what }) => `${table} ${key} (${what})`);
  return `${model}: ${swap}; ${differences} rows DIFFER from the live ones: ${places.join(', ')}`;
}
