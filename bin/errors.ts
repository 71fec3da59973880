/** Errors that are meant for the person who runs the command: shown as one message, without a stack. */

/** What went wrong in the words of the user, and what to do next. */
export class UserError extends Error {
  override name = 'UserError';
}

/** A database cannot be used at its address; the message names the setting, and never the address. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
  /** True where a setting is wrong, such as a password: then waiting helps nobody. */
  readonly bySettings: boolean;
  constructor(message: string, bySettings = false) {
    super(message);
    this.bySettings = bySettings;
  }
}

/** The user stopped it, as by Ctrl-C; the message says what became of the work. */
export class Stopped extends Error {
  override name = 'Stopped';
}

/** What a shell gives for a program that SIGINT ended. */
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

/** A server that does not answer: a fault of the moment, unless it refuses what the settings say. */
const UNREACHABLE = new Set(['DatabaseUnavailable', 'KafkaUnavailable', 'EventStoreUnavailable', 'LogUnavailable']);

/**
 * Prints an error for the terminal.
 * @returns the exit code: 2 for settings and arguments, which a restart does not change; 130 after Ctrl-C; 1 for
 *   everything else, a server that cannot be reached among it
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
      `clarity: port ${port} is in use; stop what listens there or set another, such as PORT=8081\n`,
    );
    return 2;
  }
  process.stderr.write(`clarity: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 1;
}
