/** One structured logger for all processes, and the log line of an error that nothing caught. */
import { type Logger, pino } from 'pino';
import { describeError } from '../log/errors.ts';
import type { Configuration } from '../schemas/configuration.ts';

// One structured logger for all processes: JSON lines on standard error, so that standard output stays for answers.

/** Fields whose values never reach a log, wherever they stand. */
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
      // Drivers keep rows and parameters in their errors; a line of the log holds none of that, and is of bounded length.
      serializers: { err: (error: unknown) => (error instanceof Error ? describeError(error) : error) },
    },
    pino.destination({ dest: 2, sync: true }),
  );

/** The level that is set; else `info`, and `warn` under `up`, whose output people read. */
export const levelOf = (name: string, { LOG_LEVEL }: Pick<Configuration, 'LOG_LEVEL'>): string =>
  LOG_LEVEL ?? (name === 'up' ? 'warn' : 'info');

// What a process does with an error that nothing caught, such as one that a client of a server throws in a callback.

/**
 * Logs an uncaught exception or unhandled rejection as one line of bounded length, and ends the process with exit code 1:
 * what state it is in nobody knows. Nothing is lost by that, as everything durable is durable already.
 */
export function logUncaughtErrors(): void {
  const logger = createLogger('clarity', 'error');
  process.on('uncaughtException', (error, origin) => {
    try {
      logger.fatal({ err: error, origin }, 'an error that nothing caught ends the process');
    } finally {
      process.exit(1);
    }
  });
}
