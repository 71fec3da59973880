/** Sessions: the questions of somebody with their answers, turn by turn. */
import { readFileSync } from 'node:fs';
import { SESSION_PREFIX } from '../../../schemas/ask.ts';
import type { Model } from '../../model.ts';
import { modelVersion } from '../../version.ts';
import { evolveSession, SESSION_TYPES, type SessionRow, sessionOf } from './evolve.ts';

const here = (file: string): URL => new URL(file, import.meta.url);
export const SESSIONS = 'sessions';

/** The model of sessions. */
export function sessionsModel(): Model<SessionRow> {
  return {
    name: SESSIONS,
    types: SESSION_TYPES,
    prefixes: [SESSION_PREFIX],
    topics: [],
    schema: readFileSync(here('schema.sql'), 'utf8'),
    version: modelVersion(['schema.sql', 'model.ts', 'evolve.ts'].map(here)),
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
