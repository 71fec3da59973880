/** Every operation of the API, in the order of its description. */
import type { Operation } from './route.ts';
import { ASK_OPERATIONS } from './routes/ask.ts';
import { BRAND_OPERATIONS } from './routes/brands.ts';
import { BRIEF_OPERATIONS } from './routes/brief.ts';
import { DOCUMENT_OPERATIONS } from './routes/documents.ts';
import { FEED_OPERATIONS } from './routes/feeds.ts';
import { FOLLOW_OPERATIONS } from './routes/follows.ts';
import { INBOX_OPERATIONS } from './routes/inbox.ts';
import { APPLICATION_OPERATIONS } from './routes/key-applications.ts';
import { KEY_OPERATIONS } from './routes/keys.ts';
import { RESEARCH_OPERATIONS } from './routes/research.ts';
import { SIGNAL_OPERATIONS } from './routes/signals.ts';
import { SOURCE_OPERATIONS } from './routes/sources.ts';
import { WATCH_OPERATIONS } from './routes/watch.ts';

export const OPERATIONS: readonly Operation[] = [
  ...SIGNAL_OPERATIONS,
  ...BRAND_OPERATIONS,
  ...WATCH_OPERATIONS,
  ...BRIEF_OPERATIONS,
  ...ASK_OPERATIONS,
  ...RESEARCH_OPERATIONS,
  ...FOLLOW_OPERATIONS,
  ...INBOX_OPERATIONS,
  ...SOURCE_OPERATIONS,
  ...KEY_OPERATIONS,
  ...APPLICATION_OPERATIONS,
  ...FEED_OPERATIONS,
  ...DOCUMENT_OPERATIONS,
];
