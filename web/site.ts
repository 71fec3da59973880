/** What pages are given. They reach nothing else. */
import type { Database } from '../log/postgres/database.ts';
import type { Directory } from '../schemas/directory.ts';

export interface Site {
  readonly database: Database;
  /** Brands and themes by name, and the slugs that were retired. */
  readonly directory: Directory;
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
  readonly now: () => Date;
  /** True while the service reads the made-up outlets of the demo newsroom: pages say so. */
  readonly demo: boolean;
}

/** What a page needs that is rendered from what was loaded already. */
export type Frame = Omit<Site, 'database' | 'directory'>;
