/** Runs the conformance suite as its users do, in its own process, fetched by npx. */
import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

/** Runs a command to its end. @returns both outputs together */
export async function run(words: readonly string[]): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), 'clarity-npx-'));
  const [command = '', ...rest] = words;
  const child = spawn(command, rest, {
    cwd,
    env: { ...process.env, FORCE_COLOR: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const add = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on('data', add);
  child.stderr.on('data', add);
  await new Promise((resolve) => child.on('close', resolve));
  return output;
}

/**
 * @param version of the suite
 * @returns what came of each scenario, by its name
 */
export async function conformance(
  version: string,
  url: string,
  words: readonly string[],
): Promise<Map<string, Outcome>> {
  const suite = `@modelcontextprotocol/conformance@${version}`;
  const output = await run(['npx', '--yes', suite, 'server', '--url', url, ...words]);
  const summary = output.slice(output.indexOf('=== SUMMARY ==='));
  const lines = [...summary.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed/gm)];
  if (lines.length === 0) throw new Error(`the suite printed no result: ${output.slice(-2_000)}`);
  return new Map(
    lines.map(([, name = '', passed, failed]) => [name, { passed: Number(passed), failed: Number(failed) }]),
  );
}
