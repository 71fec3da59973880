/** The program, run as a user runs it: a separate process that a test may kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The program is started many times: the compile cache of Node halves the time of a start. */
const NODE_COMPILE_CACHE = join(tmpdir(), 'clarity-test-compile-cache');

const root = resolve(import.meta.dirname, '../..');

export interface Clarity {
  readonly process: ChildProcess;
  /** Its output so far, stdout and stderr together. */
  output(): string;
  /** Resolves when it has ended. */
  readonly ended: Promise<number | null>;
  /** SIGKILL, as a crash or the kernel would. */
  kill(): Promise<void>;
  /** SIGTERM, as an operator would. @returns the exit code */
  stop(): Promise<number | null>;
}

/** Starts `clarity …` with only these settings. */
export function startClarity(words: readonly string[], settings: Record<string, string>): Clarity {
  const child = spawn(process.execPath, [resolve(root, 'bin/start.mjs'), ...words], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      LOG_LEVEL: 'warn',
      METRICS_PORT: '0',
      // Tests request more pages from one address than readers do.
      PAGE_LIMIT: '1000000',
      NODE_COMPILE_CACHE,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const add = (chunk: Buffer): void => {
    text += chunk.toString();
  };
  child.stdout.on('data', add);
  child.stderr.on('data', add);
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    process: child,
    output: () => text,
    ended,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}
