/** Processes of a bench: each line that they write is a JSON document. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';

/** What package.json gives to Node for the service. */
const FLAGS = ['--max-semi-space-size=16'];

export interface Child<Line> {
  readonly process: ChildProcess;
  readonly lines: AsyncIterable<Line>;
  /** Resolves when it has ended. @throws when its exit code is not 0 */
  ended(): Promise<void>;
}

/** Starts a file of this folder, with some settings more than our own; what it writes to standard error is shown. */
export function startChild<Line>(
  file: string,
  words: readonly string[],
  line: z.ZodType<Line>,
  settings: Readonly<Record<string, string>> = {},
): Child<Line> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, [...FLAGS, path, ...words], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  async function* lines(): AsyncGenerator<Line> {
    if (child.stdout) for await (const text of createInterface(child.stdout)) yield line.parse(JSON.parse(text));
  }
  return {
    process: child,
    lines: lines(),
    async ended() {
      const code = await ended;
      if (code !== 0 && child.signalCode === null) throw new Error(`${file} ended with exit code ${code}`);
    },
  };
}
