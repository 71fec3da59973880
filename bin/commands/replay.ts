/** `clarity replay`: read models built anew from the events, or signals brought up to date with the stored items. */
import { type Command, Option } from 'commander';
import { yieldProcessToReaders } from '../../projector/builds/priority.ts';
import { liveBuild } from '../../projector/builds/registry.ts';
import type { Model } from '../../projector/model.ts';
import { TopicNotRead, type TopicReading } from '../../projector/rebuild/coverage.ts';
import { RebuildStopped } from '../../projector/rebuild/rebuild.ts';
import { type Replayed, replay } from '../../projector/replay.ts';
import { Stopped, UserError } from '../errors.ts';
import { liveModels } from '../live-models.ts';
import { progressBar } from '../progress-bar.ts';
import { oneLine } from '../quote.ts';
import { type Services, withServices } from '../services.ts';
import { stopSignal } from '../supervise.ts';
import { replayStoredItems } from './replay-items.ts';

interface ReplayFlags {
  readonly all?: boolean;
  readonly verify?: boolean;
  readonly dry?: boolean;
  readonly json?: boolean;
  readonly toVersion?: string;
  readonly from?: 'items';
}

export function addReplay(program: Command): void {
  program
    .command('replay')
    .argument('[model]', 'a read model, such as signals or brands; a wrong name lists them')
    .option('--all', 'every read model, one after the other')
    .option('--verify', 'compare the rebuilt rows with the live ones by checksum; exit code 1 when they differ')
    .option('--dry', 'leave the live rows in place and drop the rebuilt ones; with --from, append nothing')
    .option('--to-version <version>', 'build only if this program makes that version; says which one is live')
    .addOption(
      new Option('--from <topic>', 'understand and match the stored items again; append what that changes').choices([
        'items',
      ]),
    )
    .option('--json', 'print the outcome as JSON')
    .description('rebuild read models from the events beside the live ones, or re-read the stored items')
    .addHelpText(
      'after',
      `
Examples:
  clarity replay --all --verify            rebuild everything, prove it equal, swap it in
  clarity replay signals --verify --dry    only check
  clarity replay --from items --dry        what would new rules or a new catalogue change?
  clarity replay --from items              change it: as revisions, with the old text kept
Ctrl-C drops a read model half built; the live rows are never touched. With --from, what was appended stays, and the
next run goes on with the rest. A second run appends nothing.`,
    )
    .action((model: string | undefined, flags: ReplayFlags) =>
      withServices('replay', (services) =>
        flags.from ? fromItems(services, model, flags) : replayModels(services, model, flags),
      ),
    );
}

async function fromItems(services: Services, model: string | undefined, flags: ReplayFlags): Promise<void> {
  if (model || flags.all || flags.verify || flags.toVersion)
    throw new UserError('--from items goes with --dry and --json alone: it works on signals, not on read models');
  await replayStoredItems(services, flags);
}

async function replayModels(services: Services, name: string | undefined, flags: ReplayFlags): Promise<void> {
  const models = chooseModels(await liveModels(services), name, flags.all);
  if (flags.toVersion !== undefined) await sayVersions(services, models, flags.toVersion);
  yieldProcessToReaders();
  const signal = stopSignal();
  const outcomes: Replayed[] = [];
  for (const model of models) {
    const bar = progressBar(model.name, 'events', flags.json);
    try {
      const outcome = await replay({
        ...services,
        clock: services.now,
        model,
        verify: flags.verify ?? false,
        swap: !flags.dry,
        onProgress: bar.show,
        signal,
      });
      outcomes.push(outcome);
      bar.end();
      if (!flags.json) process.stdout.write(`${sentence(outcome, flags.verify)}\n`);
    } catch (error) {
      bar.end();
      if (signal.aborted) throw new Stopped(`stopped; what was built of ${model.name} is dropped, its live rows stay`);
      if (error instanceof RebuildStopped) throw new UserError(oneLine(error.message, 600));
      if (error instanceof TopicNotRead)
        throw new UserError(
          `${model.name}: ${oneLine(error.message, 600)}; what was built is dropped, its live rows stay. ` +
            'Run it again; if it happens again, report it',
        );
      throw error;
    }
  }
  if (flags.json) process.stdout.write(`${JSON.stringify(outcomes, null, 2)}\n`);
  if (flags.verify && outcomes.some(({ verification }) => verification?.equal === false)) process.exitCode = 1;
}

function chooseModels(models: readonly Model[], name: string | undefined, all = false): readonly Model[] {
  const names = models.map((model) => model.name).join(', ');
  if (all) return models;
  const chosen = models.filter((model) => model.name === name);
  if (chosen.length === 0)
    throw new UserError(
      `${name ? `no read model is called ${oneLine(name, 60)}` : 'name a read model or say --all'}; there are ${names}`,
    );
  return chosen;
}

/** A version is a hash of a model's code: this program can build its own and no other. */
async function sayVersions({ database }: Services, models: readonly Model[], wanted: string): Promise<void> {
  const lines: string[] = [];
  for (const { name, version } of models) {
    const live = await liveBuild(database, name);
    lines.push(`${name}: live is ${live?.version ?? 'none'}, this program makes ${version}`);
  }
  process.stderr.write(`${lines.join('\n')}\n`);
  const other = models.filter(({ version }) => version !== wanted);
  if (other.length === 0) return;
  throw new UserError(
    `--to-version ${oneLine(wanted, 60)}: this program makes no such version of ${other.map(({ name }) => name).join(', ')}. ` +
      'A version is a hash of a model’s code: run the release that makes it, or name a version above',
  );
}

/** What was read of the topics, and what could not be. */
const told = (topics: readonly TopicReading[]): string =>
  topics
    .map(
      ({ topic, messages, missing, oldest }) =>
        `; ${messages} messages of ${topic} read` +
        (missing > 0
          ? `, ${missing} earlier ones are no longer in it${oldest ? ` (the oldest read is of ${oldest})` : ''}: ` +
            'what only they said is not in the rebuilt rows'
          : ''),
    )
    .join('');

function sentence({ model, swapped, verification, topics }: Replayed, asked = false): string {
  const swap = `${swapped ? 'rebuilt and live' : 'rebuilt and dropped'}${told(topics)}`;
  if (!verification)
    return `${model}: ${swap}${asked ? '; NOT compared, since the live rows were of another version' : ''}`;
  const { equal, keys, live_checksum, differences, examples } = verification;
  if (equal) return `${model}: ${swap}; ${keys} rows equal the live ones (checksum ${live_checksum.slice(0, 16)})`;
  const places = examples.slice(0, 10).map(({ table, key, what }) => `${table} ${key} (${what})`);
  return `${model}: ${swap}; ${differences} rows DIFFER from the live ones: ${places.join(', ')}`;
}
