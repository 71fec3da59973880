/** Sessions: opened, gone on with, shared and taken back. What changes them is an event. */
import { randomBytes } from 'node:crypto';
import { type EventStore, type Position, RevisionConflict } from '../../log/event-store.ts';
import { sessionStream, type Turn } from '../../schemas/ask.ts';
import { type KnownEvent, newEvent, readEvent } from '../../schemas/events.ts';
import { eventId, slugify } from '../../schemas/identity.ts';
import { Refusal } from '../../schemas/refusal.ts';
import { foldSession, type Session } from './session.ts';

type Store = Pick<EventStore, 'append' | 'read'>;

/** A longer session would cost every question the reading of all before it. */
const MOST_TURNS = 100;
const ATTEMPTS = 5;

const unknown = (): Refusal =>
  new Refusal('not_found', 'session_id: you have no session of this id. Leave it out to begin one.');

async function load(store: Store, id: string): Promise<Session | null> {
  const stored = await store.read(sessionStream(id));
  return foldSession(stored.map((event) => ({ ...(readEvent(event) as KnownEvent), revision: event.revision })));
}

/** A session that begins; nothing is written before its first answer. Its slug tells nobody its id. */
function begin(question: string, account: string | null): Session {
  const slug = `${slugify(question).slice(0, 60).replace(/-+$/, '')}-${randomBytes(4).toString('hex')}`;
  const id = `ses_${randomBytes(8).toString('hex')}`;
  return { id, slug, account, is_public: false, turns: [], revision: -1 };
}

/**
 * The session to answer in: a new one, or that of the id. An anonymous session goes on for whoever knows its id.
 * @throws Refusal `not_found` for a session that is not there or somebody else's; `invalid_request` for a full one
 */
export async function openSession(
  store: Store,
  {
    id,
    question,
    account,
  }: { readonly id: string | undefined; readonly question: string; readonly account: string | null },
): Promise<Session> {
  if (id === undefined) return begin(question, account);
  const session = await load(store, id);
  if (!session || (session.account !== null && session.account !== account)) throw unknown();
  if (session.turns.length >= MOST_TURNS)
    throw new Refusal('invalid_request', `session_id: this session has ${MOST_TURNS} turns. Begin another one.`);
  return session;
}

/** A turn that was answered, before it has its place. */
export type NewTurn = Omit<Turn, 'ordinal'> & { readonly request_id: string; readonly cost_usd: number };

/**
 * Writes a turn down. Two questions of a session at once both get their place.
 * @returns the ordinal of the turn, and where its event stands
 */
export async function keepTurn(
  store: Store,
  opened: Session,
  turn: NewTurn,
): Promise<{ readonly ordinal: number; readonly position: Position }> {
  const { id: session_id, slug, account: account_id } = opened;
  const stamp = (type: string) => ({ id: eventId(type, session_id, turn.request_id), time: turn.asked_at });
  for (let session = opened, attempt = 1; ; attempt++) {
    const ordinal = session.turns.length + 1;
    const answered = newEvent('QuestionAnswered', { session_id, ordinal, ...turn }, stamp('QuestionAnswered'));
    const started = newEvent('SessionStarted', { session_id, slug, account_id }, stamp('SessionStarted'));
    const isNew = session.revision < 0;
    try {
      const expected = isNew ? 'none' : session.revision;
      const { position } = await store.append(
        sessionStream(session_id),
        isNew ? [started, answered] : [answered],
        expected,
      );
      return { ordinal, position };
    } catch (error) {
      if (!(error instanceof RevisionConflict) || attempt === ATTEMPTS) throw error;
      session = (await load(store, session_id)) ?? session;
    }
  }
}

/**
 * Shares a session of an account, or takes that back; what is so already stays as it is.
 * @throws Refusal `not_found` for a session that is not the account's
 */
export async function shareSession(
  store: Store,
  { id, account, share, requestId, now }: { id: string; account: string; share: boolean; requestId: string; now: Date },
): Promise<{ readonly session: Session; readonly position: Position | null }> {
  const session = await load(store, id);
  if (!session || session.account !== account) throw new Refusal('not_found', 'You have no session of this id.');
  if (session.is_public === share) return { session, position: null };
  const type = share ? 'SessionShared' : 'SessionUnshared';
  const event = newEvent(type, { session_id: id }, { id: eventId(type, id, requestId), time: now.toISOString() });
  // Sharing fits any turn that came meanwhile.
  const { position } = await store.append(sessionStream(id), [event], 'any');
  return { session: { ...session, is_public: share }, position };
}
