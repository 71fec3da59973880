/**
 * One time for all processes: that of the database, which every process talks to. What the clock of a machine says, and
 * that somebody sets it, changes nothing: between two questions to the database time goes on by a counter that nobody sets.
 */
import { z } from 'zod';
import { type Queryable, query } from './database.ts';

export interface DatabaseClock {
  now(): Date;
  /** Asks the database again. @throws when it cannot be asked; time goes on */
  set(): Promise<void>;
  close(): void;
}

/** Milliseconds between two questions: a database that is replaced, or a machine that slept, is noticed within them. */
const EVERY = 15_000;
/** A difference of so many milliseconds, beside what the way to the database takes, is none: time shall not tremble. */
const TOLERANCE = 50;

const Told = z.object({ milliseconds: z.number() });

interface Options {
  /** Milliseconds that passed since whenever, evenly. */
  readonly elapsed?: () => number;
  readonly every?: number;
}

/**
 * Asks the database for the time and follows it.
 * @throws the driver's error when it cannot be asked at first; later failures leave time as it goes
 */
export async function databaseClock(database: Queryable, options: Options = {}): Promise<DatabaseClock> {
  const { elapsed = () => performance.now(), every = EVERY } = options;
  /** What is added to `elapsed` for milliseconds since 1970. */
  let ahead = Number.NaN;

  async function set(): Promise<void> {
    const asked = elapsed();
    const [told] = await query(
      database,
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS milliseconds',
      [],
      Told,
    );
    const answered = elapsed();
    if (!told) return;
    const found = told.milliseconds - (asked + answered) / 2;
    const unsure = (answered - asked) / 2 + TOLERANCE;
    if (Number.isNaN(ahead) || Math.abs(found - ahead) > unsure) ahead = found;
  }

  await set();
  let asking = false;
  const timer = setInterval(async () => {
    if (asking) return;
    asking = true;
    await set().catch(() => undefined);
    asking = false;
  }, every);
  timer.unref();
  return { now: () => new Date(ahead + elapsed()), set, close: () => clearInterval(timer) };
}
