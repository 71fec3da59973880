/** `clarity oracle`: how much of what reference sources report is in the feed. */
import type { Command } from 'commander';
import { measureCoverage } from '../../ingest/oracle.ts';
import { latestMeasurement } from '../../projector/models/oracle-queries.ts';
import type { OracleMeasurement } from '../../schemas/oracle.ts';
import { UserError } from '../errors.ts';
import { oracleOptions, oraclePart } from '../parts.ts';
import { runProcess } from '../process.ts';
import { withServices } from '../services.ts';
import { oneLine } from '../terminal.ts';

interface Flags {
  readonly once?: boolean;
  readonly json?: boolean;
}

export function addOracle(program: Command): void {
  const oracle = program.command('oracle').description('measure the coverage against the reference sources');
  oracle
    .option('--once', 'measure now, print what was missed, and exit')
    .option('--json', 'with --once: print JSON')
    .action((flags: Flags) =>
      flags.once
        ? withServices('oracle', async (services) => print(await measureCoverage(await oracleOptions(services)), flags))
        : runProcess('oracle', async (services) => ({ oracle: await oraclePart(services) })),
    );
  oracle
    .command('misses')
    .argument('[number]', 'number of a miss, from 1')
    .description('list what the latest measurement missed, each with the nearest signal')
    .action((number: string | undefined, _flags: Flags, command: Command) =>
      withServices('oracle', async ({ database }) => {
        const latest = await latestMeasurement(database);
        if (!latest) throw new UserError('nothing has been measured; run clarity oracle --once');
        if (number === undefined) return print(latest, command.optsWithGlobals<Flags>());
        const miss = latest.misses[Number(number) - 1];
        if (!miss) throw new UserError(`${JSON.stringify(number)} is not a number from 1 to ${latest.misses.length}`);
        process.stdout.write(`${JSON.stringify(miss, null, 2)}\n`);
      }),
    );
}

function print(measured: OracleMeasurement, { json }: Flags): void {
  if (json) return void process.stdout.write(`${JSON.stringify(measured, null, 2)}\n`);
  const { miss_rate, missed, checked, window_hours, slo, misses } = measured;
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  process.stdout.write(
    `missed ${missed} of ${checked} items of the last ${window_hours} hours: ${percent(miss_rate)}, ${miss_rate <= slo ? 'within' : 'above'} ${percent(slo)}\n`,
  );
  for (const [place, { headline, outlet, url, nearest }] of misses.entries())
    process.stdout.write(
      `\n${place + 1}. ${oneLine(headline, 200)} (${oneLine(outlet, 60)})\n   ${oneLine(url, 300)}\n` +
        (nearest ? `   nearest: ${nearest.signal_id}, score ${nearest.score}\n` : '   no similar signal\n'),
    );
}
