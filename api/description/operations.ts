/** Every operation that the description tells. */
import type { Operation } from './operation.ts';
import { APPLICATION_OPERATIONS } from './operations/applications.ts';
import { ASK_OPERATIONS } from './operations/ask.ts';
import { DOCUMENT_OPERATIONS } from './operations/documents.ts';
import { FOLLOW_OPERATIONS } from './operations/follows.ts';
import { KEY_OPERATIONS } from './operations/keys.ts';
import { MOVE_OPERATIONS } from './operations/moves.ts';
import { RESEARCH_OPERATIONS } from './operations/research.ts';
import { SOURCE_OPERATIONS } from './operations/sources.ts';

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
