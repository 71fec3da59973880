/** What answering needs, and how it is put together from configuration. */
import { randomBytes } from 'node:crypto';
import { type PreparedCatalogue, prepareCatalogue } from '../ingest/understand/catalogue.ts';
import type { EventStore } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import type { AskServices } from './ask.ts';
import type { ResearchServices } from './research.ts';
import type { Writer } from './written-draft.ts';

export interface AnswerContext {
  readonly database: Database;
  /** The names that questions are read with. */
  readonly catalogue: PreparedCatalogue;
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
  readonly now: () => Date;
  /** A model that words answers; null to compose answers without one. */
  readonly writer: Writer | null;
}

interface AnswerOptions {
  readonly database: Database;
  readonly store: Pick<EventStore, 'append' | 'read'>;
  /** Default: an empty catalogue; names are known from the record only. */
  readonly catalogue?: PreparedCatalogue;
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
  readonly now?: () => Date;
  /** Null or unset: answers are composed without a model. */
  readonly writer?: Writer | null;
}

const EMPTY = {
  ...{ brands: [], themes: [], groups: [], cities: [], malls: [], outlets: [], investors: [] },
  version: 'empty',
};

/** What `ask` and `research` need. */
export const answerServices = (options: AnswerOptions): AskServices & ResearchServices => ({
  database: options.database,
  store: options.store,
  catalogue: options.catalogue ?? prepareCatalogue(EMPTY),
  baseUrl: options.baseUrl,
  now: options.now ?? (() => new Date()),
  writer: options.writer ?? null,
  newId: () => `inv_${randomBytes(8).toString('hex')}`,
});
