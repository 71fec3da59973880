/** Clarity as `npm start` runs it: one process on an embedded PostgreSQL, which a test may kill and restart. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { runningEmbeddedPostgres } from '../../log/postgres/embedded/embedded-postgres.ts';
import { type Clarity, startClarity } from '../harness/clarity.ts';
import { dataFolder } from '../harness/data-folder.ts';
import { freePort } from '../harness/free-port.ts';
import { startOutlets } from '../harness/outlets.ts';
import { OUTLETS } from './rounds.ts';
import { type Deployment, type Ended, runRounds } from './run-rounds.ts';

export interface KilledRun extends Ended {
  readonly killed: number;
}

/** Items that are published in addition to the rounds, the outlets of all items, and how long and how closely they are watched. */
export interface MoreNews extends Pick<Deployment, 'more' | 'timeoutMs' | 'comparesModels'> {
  readonly names?: readonly string[];
}

/** The maximum lifetime of a process before a kill, in milliseconds: long enough to finish its work. */
const LONGEST_LIFE = 2_500;

/**
 * Runs all rounds; in each of them the process is killed at random moments, then left running.
 * @param kills how many times, by round
 * @param more settings in addition to those of the run
 * @param news in addition to that of the rounds
 */
export async function runAllInOne(
  kills: (round: number) => number,
  random: () => number,
  at: Date,
  more: Record<string, string> = {},
  { names = OUTLETS, ...news }: MoreNews = {},
): Promise<KilledRun> {
  const folder = await dataFolder('clarity-run');
  const outlets = await startOutlets(names);
  const roster = join(folder, 'roster.yaml');
  await writeFile(roster, outlets.roster());
  const settings = {
    ...more,
    ROSTER: roster,
    DATA_DIR: join(folder, 'data'),
    PORT: String(await freePort()),
    BASE_URL: 'http://clarity.test',
    ALLOW_PRIVATE_SOURCES: '1',
  };
  let clarity: Clarity = startClarity(['up'], settings);
  let killed = 0;
  const check = (): void => expect(clarity.process.exitCode, clarity.output()).toBeNull();
  try {
    const ended = await runRounds(
      {
        settings,
        databaseUrl: () => runningEmbeddedPostgres(settings.DATA_DIR),
        check,
        ...news,
        disturb: async (round) => {
          for (let kill = 0; kill < kills(round); kill++, killed++) {
            await delay(random() * LONGEST_LIFE);
            check();
            await clarity.kill();
            clarity = startClarity(['up'], settings);
          }
        },
      },
      outlets,
      at,
    );
    return { ...ended, killed };
  } finally {
    await clarity.stop();
    await outlets.close();
    await rm(folder, { recursive: true, force: true });
  }
}
