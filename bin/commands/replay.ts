/** `clarity replay`: rebuilds read models from their history, beside a running service and its readers. */
import { type Command, Option } from 'commander';
import { readModels } from '../../projector/models/index.ts';
import { type Replayed, replay } from '../../projector/replay.ts';
import { UserError } from '../errors.ts';
import { now } from '../parts.ts';
import { progressBar } from '../progress-bar.ts';
import { type Services, withServices } from '../services.ts';
import { stopSignal } from '../supervise.ts';

interface ReplayFlags {
  readonly all?: boolean;
  readonly verify?: boolean;
  readonly dry?: boolean;
  readonly json?: boolean;
}

export function addReplay(program: Command): void {
  program
    .command('replay')
    .argument('[model]', 'signals, brands, themes or source_health')
    .addOption(new Option('--all', 'every read model, one after the other'))
    .option('--verify', 'compare the rebuilt rows with the live ones by checksum; exit code 1 when they differ')
    .option('--dry', 'leave the live rows in place and drop the rebuilt ones')
    .option('--json', 'print the outcome as JSON')
    .description('rebuild read models from the events, beside the live ones; readers notice nothing')
    .addHelpText(
      'after',
      `
Examples:
  clarity replay --all --verify        rebuild everything, prove it equal, swap it in
  clarity replay signals --verify --dry    only check
Ctrl-C drops what was built so far; the live rows are never touched.`,
    )
    .action((model: string | undefined, flags: ReplayFlags) =>
      withServices('replay', async (services) => {
        const models = chooseModels(services, model, flags.all);
        const signal = stopSignal();
        const outcomes: Replayed[] = [];
        for (const chosen of models) {
          const bar = progressBar(chosen.name, 'events', flags.json);
          try {
            const outcome = await replay({
              ...services,
              clock: now,
              model: chosen,
              verify: flags.verify ?? false,
              swap: !flags.dry,
              onProgress: bar.show,
              signal,
            });
            outcomes.push(outcome);
            bar.end();
            if (!flags.json) process.stdout.write(`${sentence(outcome)}\n`);
          } catch (error) {
            bar.end();
            if (signal.aborted) throw new UserError(`stopped; ${chosen.name} stays as it was`);
            throw error;
          }
        }
        if (flags.json) process.stdout.write(`${JSON.stringify(outcomes, null, 2)}\n`);
        if (outcomes.some(({ verification }) => verification?.equal === false)) process.exitCode = 1;
      }),
    );
}

function chooseModels({ configuration }: Services, name: string | undefined, all = false) {
  const models = readModels({ baseUrl: configuration.BASE_URL });
  const names = models.map((model) => model.name).join(', ');
  if (all) return models;
  const chosen = models.filter((model) => model.name === name);
  if (chosen.length === 0)
    throw new UserError(
      `${name ? `no read model is called ${name}` : 'name a read model or say --all'}; there are ${names}`,
    );
  return chosen;
}

function sentence({ model, swapped, verification }: Replayed): string {
  const swap = swapped ? 'rebuilt and live' : 'rebuilt and dropped';
  if (!verification) return `${model}: ${swap}`;
  const { equal, keys, live_checksum, differences, examples } = verification;
  if (equal) return `${model}: ${swap}; ${keys} rows equal the live ones (checksum ${live_checksum.slice(0, 16)})`;
  const places = examples.slice(0, 10).map(({ table, key, what }) => `${table} ${key} (${what})`);
  return `${model}: ${swap}; ${differences} rows DIFFER from the live ones: ${places.join(', ')}`;
}
