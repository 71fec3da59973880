/** Sessions: questions with their answers, turn by turn. */
import { readFileSync } from 'node:fs';
import { type AccountId, ERASED } from '../../schemas/access.ts';
import { SESSION_PREFIX, Turn } from '../../schemas/ask.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { modelVersion } from '../model-version.ts';
import type { Model } from '../read-model.ts';

const SESSION_TYPES = [
  'SessionStarted',
  'QuestionAnswered',
  'SessionShared',
  'SessionUnshared',
  'SessionErased',
] as const;
type SessionEvent = KnownEvent<(typeof SESSION_TYPES)[number]>;

interface SessionRow {
  readonly slug: string;
  /** Null for a session without an owner. */
  readonly account: AccountId | null;
  readonly is_public: boolean;
  readonly turns: readonly Turn[];
  /** Set when its owner was erased; nothing is added or shared after that. */
  readonly erased?: true;
}

const isSessionEvent = (event: KnownEvent): event is SessionEvent =>
  (SESSION_TYPES as readonly string[]).includes(event.type);

/** The session that an event is of. */
const sessionOf = (event: KnownEvent): readonly string[] => (isSessionEvent(event) ? [event.data.session_id] : []);

/** The session after an event. */
function evolveSession(row: SessionRow | null, event: KnownEvent): SessionRow | null {
  if (!isSessionEvent(event)) return row;
  if (event.type === 'SessionStarted') {
    const { slug, account_id: account } = event.data;
    return row ?? { slug, account, is_public: false, turns: [] };
  }
  if (!row) throw new Error(`${event.type} of ${event.data.session_id} has no SessionStarted before it`);
  if (event.type === 'SessionErased') return { slug: ERASED, account: null, is_public: false, turns: [], erased: true };
  if (row.erased) return row;
  if (event.type === 'QuestionAnswered') {
    const turn = Turn.parse(event.data);
    return row.turns.some(({ ordinal }) => ordinal === turn.ordinal) ? row : { ...row, turns: [...row.turns, turn] };
  }
  const is_public = event.type === 'SessionShared';
  return row.is_public === is_public ? row : { ...row, is_public };
}

const schema = readFileSync(new URL('./sessions.sql', import.meta.url), 'utf8');

/** Created after the rows. */
const indexes = [
  'CREATE INDEX sessions_slug ON sessions (slug)',
  'CREATE INDEX sessions_of_account ON sessions (account, key) WHERE account IS NOT NULL',
];
const SESSIONS = 'sessions';

/** The model of sessions. */
export function sessionsModel(): Model<SessionRow> {
  return {
    name: SESSIONS,
    types: SESSION_TYPES,
    prefixes: [SESSION_PREFIX],
    topics: [],
    schema,
    indexes,
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
        records: ({ turns }) => turns.map((turn) => ({ ordinal: turn.ordinal, turn: JSON.stringify(turn) })),
      },
    ],
  };
}
