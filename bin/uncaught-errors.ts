/** What a process does with an error that nothing caught, such as one that a client of a server throws in a callback. */
import { createLogger } from './logging.ts';

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
