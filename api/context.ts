/** What routes are given. They reach nothing else. */
import type { Access } from '../access/access.ts';
import type { Authorise } from '../access/authorise.ts';
import type { AskServices } from '../answer/ask.ts';
import type { ResearchServices } from '../answer/research.ts';
import type { EventStore } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import type { Directory } from '../schemas/directory.ts';

export interface RouteContext {
  readonly database: Database;
  /** What callers change is appended here; it comes back as a projection. */
  readonly store: EventStore;
  /** Brands and themes by name, and the slugs that were retired. */
  readonly directory: Directory;
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
  readonly authorise: Authorise;
  /** Gives back what a request was charged, for work that fails after its answer has begun. */
  readonly giveBack: Access['giveBack'];
  /** Answers questions and composes briefings. */
  readonly answers: AskServices & ResearchServices;
  readonly now: () => Date;
}
