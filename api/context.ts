/** What routes are given. They reach nothing else. */
import type { Authorise } from '../access/authorise.ts';
import type { Database } from '../log/postgres/database.ts';

export interface RouteContext {
  readonly database: Database;
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
  readonly authorise: Authorise;
  readonly now: () => Date;
}
