/** Errors of commands, one message and an exit code each, and the logger of all processes on standard error. */
import { type Logger, pino } from 'pino';
import { describeError } from '../log/errors.ts';
import { isForOperators, Stopped } from '../operations/operator-errors.ts';
import type { Configuration } from '../schemas/configuration.ts';

/** An error with a message that says what went wrong and what to do next. */
export class UserError extends Error {
  override name = 'UserError';
}

/** A database that cannot be used. The message names the setting, never the address. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
  readonly isTransient = true;
  /** True when a setting is wrong, such as a password: waiting does not help. */
  readonly bySettings: boolean;
  constructor(message: string, bySettings = false) {
    super(message);
    this.bySettings = bySettings;
  }
}

/** Exit code of a program that SIGINT ended. */
const INTERRUPTED = 130;

const FOR_USERS = new Set(['UserError', 'ConfigurationError', 'DirectoryInUse']);

/** Servers that do not answer: transient errors, unless they reject the settings. */
const UNREACHABLE = new Set(['DatabaseUnavailable', 'KafkaUnavailable', 'EventStoreUnavailable', 'LogUnavailable']);

/**
 * Prints an error for the terminal.
 * @returns the exit code: 2 for settings and arguments, which a restart does not change; 130 after Ctrl-C; 1 for
 *   everything else, such as an unreachable server
 */
export function reportError(error: unknown): number {
  if (isForOperators(error) || (error instanceof Error && FOR_USERS.has(error.name))) {
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

/** Fields whose values are never logged. */
const SECRET_FIELDS = [
  'password',
  'secret',
  'token',
  'key',
  'authorization',
  'cookie',
  '*.password',
  '*.authorization',
];

/** @param name the process, such as `poll` */
export const createLogger = (name: string, level: string): Logger =>
  pino(
    {
      name,
      level,
      redact: SECRET_FIELDS,
      base: { name },
      timestamp: pino.stdTimeFunctions.isoTime,
      // Errors of drivers contain rows and parameters. The log line has none of them, and is of bounded length.
      serializers: { err: (error: unknown) => (error instanceof Error ? describeError(error) : error) },
    },
    pino.destination({ dest: 2, sync: true }),
  );

/** The configured level; default `info`, or `warn` for `up`, whose output people read. */
export const levelOf = (name: string, { LOG_LEVEL }: Pick<Configuration, 'LOG_LEVEL'>): string =>
  LOG_LEVEL ?? (name === 'up' ? 'warn' : 'info');

/**
 * Logs an uncaught exception or unhandled rejection as one line of bounded length and ends the process with exit code 1,
 * because its state is unknown. Nothing is lost: everything durable is already stored.
 */
export function logUncaughtErrors(): void {
  const logger = createLogger('clarity', 'error');
  process.on('uncaughtException', (error, origin) => {
    try {
      logger.fatal({ err: error, origin }, 'uncaught error, the process ends');
    } finally {
      process.exit(1);
    }
  });
}
