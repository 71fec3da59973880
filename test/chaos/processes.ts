/** Every process separately, restarted when it ends, as an orchestrator would. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pause } from '../../log/backoff.ts';
import { type Clarity, startClarity } from '../harness/clarity.ts';
import { freePort } from '../harness/free-port.ts';

const COMMANDS: readonly (readonly string[])[] = [
  ['poll'],
  ['understand', '--serve'],
  ['match'],
  ['match'],
  ['project'],
  ['api'],
];
/** The owner of the match and its standby. */
export const MATCHERS: readonly number[] = COMMANDS.flatMap(([command], index) => (command === 'match' ? index : []));
/** Milliseconds until an ended process is restarted. */
const RESTART = 200;

export interface Processes {
  readonly count: number;
  /** SIGKILL; the process is restarted. */
  kill(index: number): Promise<void>;
  /** Process ids and metrics ports, by command line. */
  watched(): readonly { readonly words: string; readonly pid: number; readonly port: number }[];
  /** Pauses a process for a while, as on a machine that swaps, then continues it. */
  freeze(index: number, milliseconds: number): Promise<void>;
  /** Sets the wall clock of a process, also for its restarts. @param off the offset from the true time, in milliseconds */
  setClock(index: number, off: number): Promise<void>;
  /** Processes that ended without a kill, with their last output. */
  readonly ended: string[];
  /** The last output of the running processes. */
  lastWords(): string;
  stop(): Promise<void>;
}

const WALL_CLOCK = pathToFileURL(join(import.meta.dirname, 'wall-clock.ts')).href;

/** @param folder for the clock files of the processes */
export async function startProcesses(settings: Record<string, string>, folder: string): Promise<Processes> {
  await mkdir(folder, { recursive: true });
  const ports: number[] = [];
  for (const _ of COMMANDS) ports.push(await freePort());
  const ended: string[] = [];
  const killed = new Set<Clarity>();
  const running: Clarity[] = [];
  let stopping = false;
  const start = (index: number): void => {
    const words = COMMANDS[index] ?? [];
    const clarity = startClarity(words, {
      ...settings,
      NODE_OPTIONS: `${settings.NODE_OPTIONS ?? ''} --import=${WALL_CLOCK}`,
      METRICS_PORT: String(ports[index] ?? 0),
      WALL_CLOCK: join(folder, String(index)),
    });
    running[index] = clarity;
    void clarity.ended.then(async (code) => {
      if (stopping) return;
      if (!killed.has(clarity)) ended.push(`${words.join(' ')} ended with ${code}: ${clarity.output().slice(-300)}`);
      await pause(RESTART);
      if (!stopping) start(index);
    });
  };
  for (const index of COMMANDS.keys()) start(index);
  return {
    count: COMMANDS.length,
    ended,
    watched: () =>
      running.map(({ process: { pid = 0 } }, index) => ({
        words: COMMANDS[index]?.join(' ') ?? '',
        pid,
        port: ports[index] ?? 0,
      })),
    lastWords: () =>
      running.map((clarity, index) => `${COMMANDS[index]?.join(' ')}: ${clarity.output().slice(-600)}`).join('\n'),
    async kill(index) {
      const clarity = running[index];
      if (!clarity) return;
      killed.add(clarity);
      await clarity.kill();
    },
    async freeze(index, milliseconds) {
      const clarity = running[index];
      clarity?.process.kill('SIGSTOP');
      await pause(milliseconds);
      clarity?.process.kill('SIGCONT');
    },
    setClock: (index, off) => writeFile(join(folder, String(index)), String(Math.round(off))),
    async stop() {
      stopping = true;
      await Promise.all(running.map((clarity) => clarity.stop()));
    },
  };
}
