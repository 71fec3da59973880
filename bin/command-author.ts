/** Who makes a change and why: recorded with every change that a command makes. */
import { userInfo } from 'node:os';
import type { Command } from 'commander';

/** Who makes the change when `--by` is not set: the user of the system, by number where it has no name. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user without an entry in the password file, as in some containers.
    return String(process.getuid?.() ?? 'unknown');
  }
}

export interface AuthorFlags {
  readonly by?: string;
  readonly why?: string;
}

/** Adds `--by` and `--why` to a command. */
export const withAuthor = (command: Command): Command =>
  command
    .option('--by <name>', 'who makes the change; default: the user of the system')
    .option('--why <reason>', 'the reason; stored with the change');

/** The author of a change, from the options. @param why the reason when `--why` is not set */
export const authorOf = (flags: AuthorFlags, why: string): { by: string; why: string } => ({
  by: flags.by?.trim() || operatorName(),
  why: flags.why?.trim() || why,
});
