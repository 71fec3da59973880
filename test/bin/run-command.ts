/** Runs one of the program's commands inside the test: a process each would cost seconds. */
import { Command } from 'commander';
import { vi } from 'vitest';
import { reportError } from '../../bin/errors.ts';
import { addActions } from '../../bin/operator-commands.ts';
import type { OperatorActions } from '../../operations/operator-action.ts';

/**
 * @param commands the actions of a subject, or what puts other commands on a program, as `bin/clarity.ts` does
 * @param url the database that it works on
 */
export async function runCommand(
  commands: OperatorActions | ((program: Command) => void),
  words: readonly string[],
  url: string,
): Promise<{ code: number; output: string }> {
  const program = new Command('clarity').exitOverride();
  if (typeof commands === 'function') commands(program);
  else addActions(program, commands);
  const written: string[] = [];
  const write = (text: unknown): boolean => {
    written.push(String(text));
    return true;
  };
  const spies = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
  for (const spy of spies) spy.mockImplementation(write);
  vi.stubEnv('DATABASE_URL', url);
  vi.stubEnv('LOG_LEVEL', 'silent');
  // The test runner sets one of its own.
  vi.stubEnv('BASE_URL', '');
  const listeners = new Map((['SIGINT', 'SIGTERM'] as const).map((name) => [name, process.listeners(name)]));
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    await program.parseAsync(words, { from: 'user' });
    return { code: Number(process.exitCode ?? 0), output: written.join('') };
  } catch (error) {
    return { code: reportError(error), output: written.join('') };
  } finally {
    process.exitCode = before;
    for (const [name, kept] of listeners)
      for (const listener of process.listeners(name)) if (!kept.includes(listener)) process.off(name, listener);
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
  }
}
