/** What answering needs. */
import type { PreparedCatalogue } from '../ingest/understand/catalogue.ts';
import type { Database } from '../log/postgres/database.ts';
import type { Writer } from './writer/writer.ts';

export interface AnswerContext {
  readonly database: Database;
  /** Names by which questions are read. */
  readonly catalogue: PreparedCatalogue;
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
  readonly now: () => Date;
  /** A model that words answers; null for answers without one. */
  readonly writer: Writer | null;
}
