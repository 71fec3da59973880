/** Tells a log that cannot be reached just now, whatever it is built on, from one that refuses what it is asked. */
import { isUnavailable as isDatabaseUnavailable } from './postgres/unavailable.ts';

/** The event store or the brokers do not answer; passes by itself. The message never shows an address's password. */
export class LogUnavailable extends Error {
  override name = 'LogUnavailable';
}

/** Errors of the adapters that say the same. */
const NAMES = new Set(['LogUnavailable', 'EventStoreUnavailable', 'KafkaUnavailable']);

/** True for an error of PostgreSQL, the event store or Kafka that passes by itself. */
export const isUnavailable = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || (error instanceof Error && NAMES.has(error.name));
