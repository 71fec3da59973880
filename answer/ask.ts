/** Questions in sessions: opened, answered, continued and shared. Every change is an event. */
import { randomBytes } from 'node:crypto';
import { handleCommand } from '../log/command-handler.ts';
import type { EventStore, Position, StoredEvent } from '../log/event-store.ts';
import type { AccountId } from '../schemas/access.ts';
import { type AskAnswer, type Message, sessionStream, Turn } from '../schemas/ask.ts';
import { type KnownEvent, readEvent } from '../schemas/events.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { slugify } from '../schemas/scalar.ts';
import { type Answer, type AnswerContext, answerQuestion } from './answer-question.ts';
import { citiesOf } from './question/query-places.ts';
import { decodeQuery } from './question/typed-query.ts';
import type { EarlierTurn } from './read-asked.ts';

interface Session {
  readonly id: string;
  readonly slug: string;
  /** `acc_…`; null for a session without an owner. */
  readonly account: AccountId | null;
  readonly is_public: boolean;
  readonly turns: readonly Turn[];
  /** Of its stream; -1 for a session that is not written yet. */
  readonly revision: number;
}

type Stored = KnownEvent & { readonly revision: number };

function evolve(session: Session | null, event: Stored): Session | null {
  const { revision } = event;
  if (event.type === 'SessionStarted') {
    const { session_id: id, slug, account_id: account } = event.data;
    return { id, slug, account, is_public: false, turns: [], revision };
  }
  // Events after an erasure have no owner.
  if (!session || event.type === 'SessionErased') return null;
  if (event.type === 'QuestionAnswered')
    return { ...session, revision, turns: [...session.turns, Turn.parse(event.data)] };
  return { ...session, revision, is_public: event.type === 'SessionShared' };
}

/** The fold of a session's stream; null for a stream without a beginning. */
const foldSession = (events: readonly Stored[]): Session | null => events.reduce(evolve, null);

type Store = Pick<EventStore, 'append' | 'read'>;

/** A longer session would cost every question the reading of all before it. */
const MAX_TURNS = 100;

const unknown = (): Refusal =>
  new Refusal('not_found', 'session_id: you have no session of this id. Omit it to start a new session.');

const foldStored = (stored: readonly StoredEvent[]): Session | null =>
  foldSession(stored.map((event) => ({ ...(readEvent(event) as KnownEvent), revision: event.revision })));

const load = async (store: Store, id: string): Promise<Session | null> =>
  foldStored(await store.read(sessionStream(id)));

/** A new session; nothing is stored before its first answer. Its id cannot be derived from its slug. */
function begin(question: string, account: AccountId | null): Session {
  const slug = `${slugify(question).slice(0, 60).replace(/-+$/, '')}-${randomBytes(4).toString('hex')}`;
  const id = `ses_${randomBytes(8).toString('hex')}`;
  return { id, slug, account, is_public: false, turns: [], revision: -1 };
}

/**
 * The session to answer in: a new one, or the one with the id. Anyone who knows the id of an anonymous session can
 * continue it.
 * @throws Refusal `not_found` for a session that does not exist or belongs to another account; `invalid_request` for a full one
 */
export async function openSession(
  store: Store,
  {
    id,
    question,
    account,
  }: { readonly id: string | undefined; readonly question: string; readonly account: AccountId | null },
): Promise<Session> {
  if (id === undefined) return begin(question, account);
  const session = await load(store, id);
  if (!session || (session.account !== null && session.account !== account)) throw unknown();
  if (session.turns.length >= MAX_TURNS)
    throw new Refusal('invalid_request', `session_id: this session has ${MAX_TURNS} turns. Start a new one.`);
  return session;
}

/** A turn that was answered, before it has its place. */
type NewTurn = Omit<Turn, 'ordinal'> & { readonly request_id: string; readonly cost_usd: number };

/**
 * Stores a turn. Concurrent questions of a session both get their ordinal, also when they are the same question.
 * @returns the ordinal of the turn, and the position of its event
 * @throws Refusal `not_found` for a session that was erased meanwhile, StreamContention when concurrent commands win every retry
 */
export async function appendTurn(
  store: Store,
  opened: Session,
  turn: NewTurn,
): Promise<{ readonly ordinal: number; readonly position: Position | null }> {
  const { id: session_id, slug, account: account_id } = opened;
  const { decision, position } = await handleCommand(store, {
    stream: sessionStream(session_id),
    fold: foldStored,
    decide: (session) => {
      if (!session && opened.revision >= 0) throw unknown();
      const ordinal = (session?.turns.length ?? 0) + 1;
      const answered = { type: 'QuestionAnswered', data: { session_id, ordinal, ...turn } } as const;
      const started = { type: 'SessionStarted', data: { session_id, slug, account_id } } as const;
      return { ordinal, facts: session ? [answered] : [started, answered] };
    },
    now: new Date(turn.asked_at),
  });
  return { ordinal: decision.ordinal, position };
}

/**
 * Shares a session of an account, or stops sharing it. Idempotent.
 * @throws Refusal `not_found` for a session that is not the account's, StreamContention when concurrent commands win every retry
 */
export async function shareSession(
  store: Store,
  { id, account, share, now }: { id: string; account: AccountId; share: boolean; now: Date },
): Promise<{ readonly session: Session; readonly position: Position | null }> {
  const { decision, position } = await handleCommand(store, {
    stream: sessionStream(id),
    fold: foldStored,
    decide: (session) => {
      if (!session || session.account !== account) throw new Refusal('not_found', 'You have no session of this id.');
      const type = share ? 'SessionShared' : 'SessionUnshared';
      const facts = session.is_public === share ? [] : [{ type, data: { session_id: id } } as const];
      return { session: { ...session, is_public: share }, facts };
    },
    now,
  });
  return { session: decision.session, position };
}

export { findTurn } from '../projector/models/ask-queries.ts';

export interface AskServices extends AnswerContext {
  readonly store: Pick<EventStore, 'append' | 'read'>;
}

export interface AskRequest {
  /** Earlier turns first; the last is the question. */
  readonly messages: readonly Message[];
  readonly session_id?: string | undefined;
  /** A query of an earlier answer, encoded: it is answered in place of a reading of the question. */
  readonly query?: string | undefined;
  /** `acc_…` of the asker; null for the anonymous. */
  readonly account: AccountId | null;
  /** Of the request; it is in the answer and in the events. */
  readonly requestId: string;
}

/** A question with the session in which it is asked. */
export interface OpenQuestion {
  readonly request: AskRequest;
  readonly text: string;
  readonly session: Session;
}

export interface AskedTurn {
  readonly answer: AskAnswer;
  /** Its place in the session, from 1. */
  readonly ordinal: number;
  /** The answer piece by piece, and what a briefing could add. */
  readonly parts: Pick<Answer, 'pieces' | 'research_topic' | 'cost_usd'>;
  /** Position of the turn's event, for readers who wait for the read model `sessions`. */
  readonly position: Position | null;
}

/**
 * Finds the session of a question, or starts one.
 * @throws Refusal `not_found` for a session that the asker does not have, `invalid_request` for a query that is none
 */
export async function openQuestion(
  { store, catalogue }: Pick<AskServices, 'store' | 'catalogue'>,
  request: AskRequest,
): Promise<OpenQuestion> {
  if (request.query !== undefined && decodeQuery(request.query, (name) => [...citiesOf(name, catalogue)]) === null)
    throw new Refusal(
      'invalid_request',
      'query: must be the query.query of an earlier answer, or that with other values.',
    );
  const text = request.messages.at(-1)?.content ?? '';
  const session = await openSession(store, { id: request.session_id, question: text, account: request.account });
  return { request, text, session };
}

const CITED = /\[(sig_[0-9a-f]{16})\]/g;

/** The turns that a client sends with a question: what the person asked, and what the answer after it cited. */
function turnsIn(messages: readonly Message[]): EarlierTurn[] {
  const turns: { question: string; cited: string[] }[] = [];
  for (const { role, content } of messages) {
    if (role === 'user') turns.push({ question: content, cited: [] });
    else turns.at(-1)?.cited.push(...new Set([...content.matchAll(CITED)].map(([, id]) => id ?? '')));
  }
  return turns;
}

/** Answers an opened question and stores the turn before it returns. */
export async function answerOpen(services: AskServices, { request, text, session }: OpenQuestion): Promise<AskedTurn> {
  const { messages, requestId: request_id } = request;
  const said = turnsIn(messages.slice(0, -1));
  // A client that keeps the conversation sends turns that the session has too.
  const kept = session.turns
    .filter(({ question }) => !said.some((turn) => turn.question === question))
    .map((turn) => ({ question: turn.question, cited: turn.citations.map(({ id }) => id), query: turn.query?.query }));
  const asked_at = services.now().toISOString();
  const { content, citations, confidence, query, ...parts } = await answerQuestion(services, {
    text,
    earlier: [...kept, ...said],
    query: request.query,
  });
  const read = query ? { query } : {};
  const turn = { question: text, content, citations: [...citations], confidence, ...read, asked_at, request_id };
  const { ordinal, position } = await appendTurn(services.store, session, { ...turn, cost_usd: parts.cost_usd });
  const answer = { content, citations: turn.citations, confidence, ...read, request_id };
  return { answer: { ...answer, session_id: session.id, session_slug: session.slug }, ordinal, parts, position };
}
