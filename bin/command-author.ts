/** Who makes a change and why: recorded with every change that a command makes. */
import { userInfo } from 'node:os';
import type { Command } from 'commander';

/** Who acts when `--by` says nothing: the user of the system. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'operator';
  }
}

// Who acts and why: asked for by every command that changes the roster.

export interface AuthorFlags {
  readonly by?: string;
  readonly why?: string;
}

/** Adds `--by` and `--why` to a command. */
export const withAuthor = (command: Command): Command =>
  command
    .option('--by <name>', 'who does it; the user of the system when unset')
    .option('--why <reason>', 'why; kept with the change');

/** @param why what stands there when the operator gives no reason */
export const authorOf = (flags: AuthorFlags, why: string): { by: string; why: string } => ({
  by: flags.by?.trim() || operatorName(),
  why: flags.why?.trim() || why,
});
