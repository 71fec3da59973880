/** Asks before a command changes what many rely on. */
import { createInterface } from 'node:readline/promises';
import { UserError } from './errors.ts';

/**
 * True when the user agrees: by `--yes`, or by answering on a terminal.
 * @throws UserError without a terminal to ask on
 */
export async function confirmed(question: string, yes: boolean | undefined): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY) throw new UserError('nothing was changed; add --yes to do it');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
