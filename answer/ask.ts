/**
 * Questions in sessions: opened, answered, continued and shared. Every change is an event. An answer can be read as
 * frames of a streaming messages API: clients of that API read the frames unchanged and ignore the events that begin
 * with `clarity.`.
 */
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

/** What the service answers by itself, while a model is at work. */
type Computed = Pick<AskAnswer, 'content' | 'citations' | 'confidence'>;

/**
 * Answers an opened question and stores the turn before it returns.
 * @param meanwhile receives the answer without a model, where one is asked
 */
export async function answerOpen(
  services: AskServices,
  { request, text, session }: OpenQuestion,
  meanwhile?: (computed: Computed) => void,
): Promise<AskedTurn> {
  const { messages, requestId: request_id } = request;
  const sentTurns = turnsIn(messages.slice(0, -1));
  // A client that keeps the conversation sends turns that the session has too.
  const kept = session.turns
    .filter(({ question }) => !sentTurns.some((turn) => turn.question === question))
    .map((turn) => ({ question: turn.question, cited: turn.citations.map(({ id }) => id), query: turn.query?.query }));
  const asked_at = services.now().toISOString();
  const toAnswer = { text, earlier: [...kept, ...sentTurns], query: request.query };
  if (meanwhile && (services.reader || services.writer)) {
    const own = await answerQuestion({ ...services, reader: null, writer: null }, toAnswer);
    meanwhile({ content: own.content, citations: [...own.citations], confidence: own.confidence });
  }
  const { content, citations, confidence, query, ...parts } = await answerQuestion(services, toAnswer);
  const read = query ? { query } : {};
  const turn = { question: text, content, citations: [...citations], confidence, ...read, asked_at, request_id };
  const { ordinal, position } = await appendTurn(services.store, session, { ...turn, cost_usd: parts.cost_usd });
  const answer = { content, citations: turn.citations, confidence, ...read, request_id };
  return { answer: { ...answer, session_id: session.id, session_slug: session.slug }, ordinal, parts, position };
}

/** One frame: `event` is its `type` too. */
export interface Frame {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The text of a frame. JSON.stringify emits no line breaks, so the data is one line. */
export const frameText = (frame: Frame): string => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`;

const MODEL = 'clarity';
/** Words are counted: an answer may be composed without a model, and then there are no tokens. */
const tokens = (text: string): number => text.split(/\s+/).filter(Boolean).length;

/** The first frame; it is sent before the search begins. */
const messageStart = ({ request, text, session }: OpenQuestion): Frame => ({
  type: 'message_start',
  message: {
    id: request.requestId,
    type: 'message',
    role: 'assistant',
    model: MODEL,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: tokens(text), output_tokens: 0 },
    session_id: session.id,
    session_slug: session.slug,
  },
});

/** The frames of an answer after the first: text, each citation as it is first used, confidence, end. */
function* answerFrames({ answer, ordinal, parts }: AskedTurn, baseUrl: string): Generator<Frame> {
  yield { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', citations: null } };
  const sent = new Set<string>();
  for (const { text, ids } of parts.pieces) {
    yield { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
    for (const id of ids) {
      const citation = answer.citations.find((one) => one.id === id);
      if (!citation || sent.has(id)) continue;
      sent.add(id);
      yield { type: 'clarity.citation_emitted', citation };
    }
  }
  yield { type: 'content_block_stop', index: 0 };
  yield { type: 'clarity.confidence_updated', confidence: answer.confidence };
  if (parts.research_topic !== null)
    yield {
      type: 'clarity.research_promotion_available',
      topic: parts.research_topic,
      research_url: `${baseUrl}/api/v1/research`,
    };
  yield {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: tokens(answer.content) },
  };
  const { content: _, ...rest } = answer;
  yield { type: 'message_stop', clarity: { ...rest, turn: ordinal } };
}

/** What a client gets when the answer fails after the stream began. */
const errorFrame = (requestId: string): Frame => ({
  type: 'error',
  error: {
    type: 'api_error',
    message: `The service failed; the question was not counted. Quote request ${requestId} to support.`,
  },
  request_id: requestId,
});

const PING: Frame = { type: 'ping' };

/** Proxies and clients take a line that is silent for longer for dead. In milliseconds. */
const HEARTBEAT = 10_000;

type Outcome = { readonly turn: AskedTurn } | { readonly error: unknown };

/** The computed answer where there is one before the outcome, and heartbeats until that is there. */
async function* waiting(
  outcome: Promise<Outcome>,
  computed: Promise<Computed>,
  heartbeat: number,
): AsyncGenerator<Frame, Outcome> {
  let early: Promise<Frame> | null = computed.then((answer) => ({ type: 'clarity.computed_answer', ...answer }));
  for (;;) {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<Frame>((resolve) => {
      timer = setTimeout(() => resolve(PING), heartbeat);
    });
    try {
      const next = await Promise.race([outcome, ...(early ? [early] : []), silence]);
      if (!('type' in next)) return next;
      if (next !== PING) early = null;
      yield next;
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * The frames of an answer, an `error` frame where it fails.
 * @param failed called once when it does, with the error
 */
export async function* framesOf(
  question: OpenQuestion,
  answer: (meanwhile: (computed: Computed) => void) => Promise<AskedTurn>,
  options: {
    readonly baseUrl: string;
    readonly failed: (error: unknown) => Promise<void>;
    readonly heartbeat?: number;
  },
): AsyncGenerator<string> {
  yield frameText(messageStart(question));
  const computed = Promise.withResolvers<Computed>();
  const outcome = answer(computed.resolve).then(
    (turn): Outcome => ({ turn }),
    (error: unknown): Outcome => ({ error }),
  );
  const silent = waiting(outcome, computed.promise, options.heartbeat ?? HEARTBEAT);
  let next = await silent.next();
  for (; !next.done; next = await silent.next()) yield frameText(next.value);
  if ('turn' in next.value) {
    for (const frame of answerFrames(next.value.turn, options.baseUrl)) yield frameText(frame);
    return;
  }
  await options.failed(next.value.error);
  yield frameText(errorFrame(question.request.requestId));
}
