/**
 * The structured logger of all processes, which writes JSON lines to standard error and leaves standard output to results,
 * and the log line of an uncaught error.
 */
import { type Logger, pino } from 'pino';
import { describeError } from '../log/errors.ts';
import type { Configuration } from '../schemas/configuration.ts';

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
      ...{ name, level, redact: SECRET_FIELDS, base: { name }, timestamp: pino.stdTimeFunctions.isoTime },
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
