/** Every operation that the description tells. */
import type { Operation } from './route.ts';
import { ASK_OPERATIONS } from './routes/ask.ts';
import { DOCUMENT_OPERATIONS } from './routes/feeds.ts';
import { FOLLOW_OPERATIONS } from './routes/follows.ts';
import { APPLICATION_OPERATIONS } from './routes/key-applications.ts';
import { KEY_OPERATIONS } from './routes/keys.ts';
import { RESEARCH_OPERATIONS } from './routes/research.ts';
import { MOVE_OPERATIONS } from './routes/signals.ts';
import { SOURCE_OPERATIONS } from './routes/sources.ts';

export const OPERATIONS: readonly Operation[] = [
  ...MOVE_OPERATIONS,
  ...ASK_OPERATIONS,
  ...RESEARCH_OPERATIONS,
  ...FOLLOW_OPERATIONS,
  ...SOURCE_OPERATIONS,
  ...KEY_OPERATIONS,
  ...APPLICATION_OPERATIONS,
  ...DOCUMENT_OPERATIONS,
];
