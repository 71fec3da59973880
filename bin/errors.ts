/** Errors of commands for their user, shown as one message without a stack, and the exit code of each. */

/** An error with a message that says what went wrong and what to do next. */
export class UserError extends Error {
  override name = 'UserError';
}

/** A database that cannot be used. The message names the setting, never the address. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
  /** True when a setting is wrong, such as a password: waiting does not help. */
  readonly bySettings: boolean;
  constructor(message: string, bySettings = false) {
    super(message);
    this.bySettings = bySettings;
  }
}

/** The user stopped the command, such as by Ctrl-C. The message says what state the work is in. */
export class Stopped extends Error {
  override name = 'Stopped';
}

/** Exit code of a program that SIGINT ended. */
const INTERRUPTED = 130;

const FOR_USERS = new Set([
  'UserError',
  'ConfigurationError',
  'RosterError',
  'SourceRefused',
  'ProposalRefused',
  'CatalogueError',
  'DirectoryInUse',
  'OtherVersionLive',
  'NoSuchSignal',
  'CannotReview',
]);

/** Servers that do not answer: transient errors, unless they reject the settings. */
const UNREACHABLE = new Set(['DatabaseUnavailable', 'KafkaUnavailable', 'EventStoreUnavailable', 'LogUnavailable']);

/**
 * Prints an error for the terminal.
 * @returns the exit code: 2 for settings and arguments, which a restart does not change; 130 after Ctrl-C; 1 for
 *   everything else, such as an unreachable server
 */
export function reportError(error: unknown): number {
  if (error instanceof Error && FOR_USERS.has(error.name)) {
    process.stderr.write(`clarity: ${error.message}\n`);
    return 2;
  }
  if (error instanceof Error && UNREACHABLE.has(error.name)) {
    process.stderr.write(`clarity: ${error.message}\n`);
    return (error as { bySettings?: boolean }).bySettings ? 2 : 1;
  }
  if (error instanceof Stopped) {
    process.stderr.write(`clarity: ${error.message}\n`);
    return INTERRUPTED;
  }
  const code = (error as { code?: string }).code;
  if (code === 'EADDRINUSE') {
    const { port } = error as { port?: number };
    process.stderr.write(
      `clarity: port ${port} is in use; stop the program that listens on it, or set another port such as PORT=8081\n`,
    );
    return 2;
  }
  process.stderr.write(`clarity: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 1;
}
