/** Sessions: the questions of somebody with their answers, turn by turn. */
import { readFileSync } from 'node:fs';
import { SESSION_PREFIX } from '../../../schemas/ask.ts';
import type { Model } from '../../model.ts';
import { modelVersion } from '../../version.ts';
import { evolveSession, SESSION_TYPES, type SessionRow, sessionOf } from './evolve.ts';

const schema = readFileSync(new URL('schema.sql', import.meta.url), 'utf8');
export const SESSIONS = 'sessions';

/** The model of sessions. */
export function sessionsModel(): Model<SessionRow> {
  return {
    name: SESSIONS,
    types: SESSION_TYPES,
    prefixes: [SESSION_PREFIX],
    topics: [],
    schema,
    version: modelVersion(import.meta.url, { schema }),
    keys: sessionOf,
    evolve: evolveSession,
    tables: [
      {
        name: 'sessions',
        columns: ['slug', 'account', 'is_public', 'turns'],
        records: ({ slug, account, is_public, turns }) => [{ slug, account, is_public, turns: turns.length }],
      },
      {
        name: 'session_turns',
        columns: ['ordinal', 'turn'],
        json: ['turn'],
        records: ({ turns }) => turns.map((turn) => ({ ordinal: turn.ordinal, turn: JSON.stringify(turn) })),
      },
    ],
  };
}
