/** What operators can do on pages that reaches beyond the stores: handed in by the process that serves them. */
import type { FetchPage } from '../ingest/poll/fetch/fetch-page.ts';
import type { Parked } from '../projector/parked.ts';
import type { Retried } from '../projector/retry/retry.ts';

export interface Desk {
  /** Fetches under the guards and manners of the poller. */
  readonly fetchPage: FetchPage;
  /** Has the read model take parked events now. */
  retry(entries: readonly Parked[]): Promise<readonly Retried[]>;
}
