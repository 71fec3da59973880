/**
 * One time for all processes: that of the database. The clocks of machines, and changes to them, have no effect: between two
 * queries of the database a monotonic counter measures the time.
 */
import { z } from 'zod';
import { type Queryable, queryValue } from './database.ts';

export interface DatabaseClock {
  now(): Date;
  /** Asks the database again. @throws when it cannot be asked; time goes on */
  set(): Promise<void>;
  close(): void;
}

/** Milliseconds between two queries: a replaced database, or a machine that was suspended, is noticed within this time. */
const EVERY = 15_000;
/** Differences up to so many milliseconds, plus the round trip to the database, are ignored, so that time does not jitter. */
const TOLERANCE = 50;

/** The time in milliseconds. */
const NOW = 'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000';

interface Options {
  /** Milliseconds of a monotonic clock. */
  readonly elapsed?: () => number;
  readonly every?: number;
}

/**
 * Reads the time of the database and follows it.
 * @throws the driver's error when the first query fails; later failures have no effect
 */
export async function databaseClock(database: Queryable, options: Options = {}): Promise<DatabaseClock> {
  const { elapsed = () => performance.now(), every = EVERY } = options;
  /** What is added to `elapsed` for milliseconds since 1970. */
  let ahead = Number.NaN;

  async function set(): Promise<void> {
    const start = elapsed();
    const milliseconds = await queryValue(database, NOW, [], z.number());
    const end = elapsed();
    if (milliseconds === null) return;
    const difference = milliseconds - (start + end) / 2;
    const unsure = (end - start) / 2 + TOLERANCE;
    if (Number.isNaN(ahead) || Math.abs(difference - ahead) > unsure) ahead = difference;
  }

  await set();
  let asking = false;
  const timer = setInterval(async () => {
    if (asking) return;
    asking = true;
    // Without an answer the clock keeps the difference that it has.
    await set().catch(() => undefined);
    asking = false;
  }, every);
  timer.unref();
  return { now: () => new Date(ahead + elapsed()), set, close: () => clearInterval(timer) };
}
