/** What a bench gets to work with, and what it gives. */
import type { Database } from '../log/postgres/database.ts';
import type { Figure } from './figure.ts';

export interface Given {
  readonly url: string;
  readonly database: Database;
}

export interface Context {
  /** Events of the history that is rebuilt. */
  readonly events: number;
  /** How often each measurement is repeated; the median is told. */
  readonly rounds: number;
  /** A file of real arrival times for the bench `cadence`, which makes them up when it is unset. */
  readonly arrivals?: string | undefined;
  /** A database with the log's tables, all empty. */
  empty(): Promise<Given>;
  /** A database with `events` events of signals, the same one for all who ask. */
  history(): Promise<Given>;
  /** Tells people what is going on. */
  tell(line: string): void;
}

export interface Bench {
  /** What it is chosen by. */
  readonly name: string;
  run(context: Context): Promise<readonly Figure[]>;
}
