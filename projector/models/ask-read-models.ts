/** Sessions of questions, and research briefings, each with what its account asked. */
import type { AccountId } from '../../schemas/access.ts';
import { INVESTIGATION_PREFIX, type Investigation, SESSION_PREFIX, Turn } from '../../schemas/ask.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { ERASED } from '../../schemas/personal.ts';
import { defineModel, type Model } from '../read-model.ts';

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

const sessionOf = (event: KnownEvent): readonly string[] => (isSessionEvent(event) ? [event.data.session_id] : []);

function evolveSession(row: SessionRow | null, event: KnownEvent): SessionRow | null {
  if (!isSessionEvent(event)) return row;
  if (event.type === 'SessionStarted') {
    const { slug, account_id: account } = event.data;
    return row ?? { slug, account, is_public: false, turns: [] };
  }
  // What came before may be gone from the log.
  if (event.type === 'SessionErased') return { slug: ERASED, account: null, is_public: false, turns: [], erased: true };
  if (!row) throw new Error(`${event.type} of ${event.data.session_id} has no SessionStarted before it`);
  if (row.erased) return row;
  if (event.type === 'QuestionAnswered') {
    const turn = Turn.parse(event.data);
    return row.turns.some(({ ordinal }) => ordinal === turn.ordinal) ? row : { ...row, turns: [...row.turns, turn] };
  }
  const is_public = event.type === 'SessionShared';
  return row.is_public === is_public ? row : { ...row, is_public };
}

/** The model of sessions. */
export function sessionsModel(): Model<SessionRow> {
  return defineModel(import.meta.url, {
    name: 'sessions',
    types: SESSION_TYPES,
    prefixes: [SESSION_PREFIX],
    indexes: [
      'CREATE INDEX sessions_slug ON sessions (slug)',
      'CREATE INDEX sessions_of_account ON sessions (account, key) WHERE account IS NOT NULL',
    ],
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
  });
}

const INVESTIGATION_TYPES = ['ResearchRequested', 'ResearchCompleted', 'ResearchFailed', 'ResearchErased'] as const;
type InvestigationEvent = KnownEvent<(typeof INVESTIGATION_TYPES)[number]>;

interface InvestigationRow extends Omit<Investigation, 'id' | 'report_url' | 'citation_count'> {
  readonly account: AccountId | typeof ERASED;
}

const isInvestigationEvent = (event: KnownEvent): event is InvestigationEvent =>
  (INVESTIGATION_TYPES as readonly string[]).includes(event.type);

const investigationOf = (event: KnownEvent): readonly string[] =>
  isInvestigationEvent(event) ? [event.data.investigation_id] : [];

/** The briefing after an event. One that was completed or failed stays so. */
function evolveInvestigation(row: InvestigationRow | null, event: KnownEvent): InvestigationRow | null {
  if (!isInvestigationEvent(event)) return row;
  if (event.type === 'ResearchRequested') {
    const { account_id: account, topic, preset } = event.data;
    const waiting = { status: 'queued', completed_at: null, report_markdown: null, error: null } as const;
    return row ?? { account, topic, preset, created_at: event.time, ...waiting, citations: [], cost_usd: 0 };
  }
  if (!row) throw new Error(`${event.type} of ${event.data.investigation_id} has no ResearchRequested before it`);
  if (event.type === 'ResearchErased')
    return {
      ...row,
      account: ERASED,
      topic: ERASED,
      status: 'failed',
      completed_at: row.completed_at ?? event.time,
      report_markdown: null,
      citations: [],
      error: 'The account that asked for this briefing was erased.',
    };
  if (row.status !== 'queued') return row;
  if (event.type === 'ResearchFailed')
    return { ...row, status: 'failed', completed_at: event.time, error: event.data.error };
  const { report_markdown, citations, cost_usd } = event.data;
  return { ...row, status: 'completed', completed_at: event.time, report_markdown, citations, cost_usd };
}

/** The model of investigations. */
export function investigationsModel(): Model<InvestigationRow> {
  return defineModel(import.meta.url, {
    name: 'investigations',
    types: INVESTIGATION_TYPES,
    prefixes: [INVESTIGATION_PREFIX],
    indexes: [
      'CREATE INDEX investigations_of_account ON investigations (account, created_at)',
      `CREATE INDEX investigations_queued ON investigations (created_at) WHERE status = 'queued'`,
    ],
    keys: investigationOf,
    evolve: evolveInvestigation,
    tables: [
      {
        name: 'investigations',
        columns: ['account', 'status', 'created_at'],
        records: ({ account, status, created_at }) => [{ account, status, created_at }],
      },
    ],
  });
}
