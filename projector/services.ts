/** What the engine works with; everything from outside comes in here. */
import type { EventStore } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import type { Topics } from '../log/topic.ts';

/** The part of pino's logger that is used. */
export interface Logger {
  info(about: object, message: string): void;
  warn(about: object, message: string): void;
  error(about: object, message: string): void;
}

export interface Services {
  readonly database: Database;
  readonly store: EventStore;
  readonly topics: Topics;
  readonly logger: Logger;
  readonly clock: () => Date;
}
