/** One structured logger for all processes: JSON lines on standard error, so that standard output stays for answers. */
import { type Logger, pino } from 'pino';

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
    { name, level, redact: SECRET_FIELDS, base: { name }, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  );
