/** What pages are given. They reach nothing else. */
import type { Authorise } from '../access/authorise.ts';
import type { WebSessions } from '../access/web-sessions.ts';
import type { AskServices } from '../answer/ask.ts';
import type { ResearchServices } from '../answer/research.ts';
import type { EventStore } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import type { Directory } from '../schemas/directory.ts';
import type { Gazetteer } from '../schemas/gazetteer.ts';
import type { Desk } from './desk.ts';

export interface Site {
  readonly database: Database;
  /** What readers change is appended here; it comes back as a projection. */
  readonly store: EventStore;
  /** Brands, themes and cities by name, and the slugs that were retired. */
  readonly directory: Directory;
  /** Cities, malls, companies and groups of the catalogue, and what belongs to them. */
  readonly gazetteer: Gazetteer;
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
  readonly now: () => Date;
  /** True while the service reads the made-up outlets of the demo newsroom: pages say so. */
  readonly demo: boolean;
  /** Guards forms that anybody may send, by the limits of the API. */
  readonly authorise: Authorise;
  /** Who reads, and how they sign in. */
  readonly sessions: WebSessions;
  /** Answers questions and composes briefings. */
  readonly answers: AskServices & ResearchServices;
  /** What operators' pages need besides; null where the process cannot do it. */
  readonly desk: Desk | null;
  /** True where the morning brief is mailed. */
  readonly mails: boolean;
}

/** What a page needs that is rendered from what was loaded already. */
export type Frame = Pick<Site, 'baseUrl' | 'now' | 'demo'>;
