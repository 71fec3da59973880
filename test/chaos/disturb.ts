/** Random faults of a service. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pause } from '../../log/backoff.ts';
import { MATCHERS, type Processes } from './processes.ts';
import type { ProxyServer } from './proxy.ts';
import type { SmallDisk } from './small-disk.ts';

export interface Disturbed {
  readonly processes: Processes;
  readonly proxy: ProxyServer;
  /** The PostgreSQL of the service. */
  readonly dataDir: string;
  /** Its disk; null where it is that of the machine. */
  readonly disk: SmallDisk | null;
  /** Stops Kafka as a crash would and starts it again; null where topics are in PostgreSQL. */
  readonly restartKafka: (() => Promise<void>) | null;
  /** Whether there is time to suspend a matcher until the other one has taken over. */
  readonly suspends: boolean;
}

type Blow = (about: Disturbed, random: () => number) => Promise<void>;

/** Its owner restarts it at once, as a service manager would. */
async function killPostgres({ dataDir }: Disturbed): Promise<void> {
  const noted = await readFile(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(noted, 10);
  try {
    if (pid > 0) process.kill(pid, 'SIGKILL');
  } catch {
    // The fault before was already stopping it.
  }
}

const kill: Blow = ({ processes }, random) => processes.kill(Math.floor(random() * processes.count));

/** Milliseconds: the server ends the session of a suspended process after 20 s, and its successor works for the rest. */
const SUSPENDED = 60_000;
const DAY = 86_400_000;

/** Sets the clocks wrong by seconds to a month, in either direction, or right again. The database keeps its own clock. */
const setClocks: Blow = async ({ processes }, random) => {
  for (let index = 0; index < processes.count; index++) {
    const far = 1_000 * (30 * (DAY / 1_000)) ** random();
    await processes.setClock(index, random() < 0.2 ? 0 : random() < 0.5 ? far : -far);
  }
};

/** The frequency is the number of entries. Two of three are kills of a process. */
const BLOWS: readonly (readonly [name: string, blow: Blow])[] = [
  ...Array.from({ length: 12 }, () => ['process killed', kill] as const),
  [
    'process frozen',
    ({ processes }, random) => processes.freeze(Math.floor(random() * processes.count), random() * 2_000),
  ],
  ['connections cut', async ({ proxy }) => proxy.cut()],
  [
    'database unreachable',
    async ({ proxy }, random) => {
      proxy.close(true);
      await pause(random() * 1_500);
      proxy.close(false);
    },
  ],
  [
    'database slow',
    async ({ proxy }, random) => {
      proxy.delay = 20 + random() * 80;
      await pause(1_000);
      proxy.delay = 0;
    },
  ],
  ['PostgreSQL killed', killPostgres],
  ['clocks set', setClocks],
  ['disk full', async ({ disk }, random) => disk?.fill(500 + random() * 2_000)],
  ['Kafka killed', async ({ restartKafka }) => restartKafka?.()],
  ['matcher suspended', ({ processes }, random) => processes.freeze(MATCHERS[random() < 0.5 ? 0 : 1] ?? 0, SUSPENDED)],
];

/** How often a fault that takes long is injected in one run, at most. */
const AT_MOST: Readonly<Record<string, number>> = { 'Kafka killed': 2, 'matcher suspended': 3 };

/** Sets all clocks, then injects faults until this many processes were killed. @returns the count of each fault */
export async function disturb(
  about: Disturbed,
  kills: number,
  random: () => number,
  dealt: Map<string, number>,
): Promise<void> {
  const deal = async ([name, blow]: (typeof BLOWS)[number]): Promise<void> => {
    await blow(about, random);
    dealt.set(name, (dealt.get(name) ?? 0) + 1);
  };
  await deal(['clocks set', setClocks]);
  for (let killed = 0; killed < kills; ) {
    const drawn = BLOWS[Math.floor(random() * BLOWS.length)] ?? ['process killed', kill];
    const [name] = drawn;
    if (name === 'disk full' && !about.disk) continue;
    if (name === 'Kafka killed' && !about.restartKafka) continue;
    if (name === 'matcher suspended' && !about.suspends) continue;
    if ((dealt.get(name) ?? 0) >= (AT_MOST[name] ?? Number.POSITIVE_INFINITY)) continue;
    await pause(random() * 1_000);
    await deal(drawn);
    if (name === 'process killed') killed += 1;
  }
}
