/** Questions in sessions, for the API, the pages and whoever else asks on somebody's behalf. */
import type { EventStore, Position } from '../log/event-store.ts';
import type { AskAnswer, Message } from '../schemas/ask.ts';
import { type Answer, answerQuestion } from './answer.ts';
import type { AnswerContext } from './context.ts';
import type { Session } from './sessions/session.ts';
import { keepTurn, openSession } from './sessions/sessions.ts';

export { findTurn } from '../projector/models/sessions/queries.ts';
export { shareSession } from './sessions/sessions.ts';

export interface AskServices extends AnswerContext {
  readonly store: Pick<EventStore, 'append' | 'read'>;
}

export interface AskRequest {
  /** Earlier turns first; the last is the question. */
  readonly messages: readonly Message[];
  readonly session_id?: string | undefined;
  /** `acc_…` of the asker; null for the anonymous. */
  readonly account: string | null;
  /** Of the request; it stands in the answer and in the events. */
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
  /** Where the turn's event stands, for readers who wait for the model `sessions`. */
  readonly position: Position | null;
}

/**
 * Finds the session of a question, or begins one.
 * @throws Refusal `not_found` for a session that the asker does not have
 */
export async function openQuestion({ store }: Pick<AskServices, 'store'>, request: AskRequest): Promise<OpenQuestion> {
  const text = request.messages.at(-1)?.content ?? '';
  const session = await openSession(store, { id: request.session_id, question: text, account: request.account });
  return { request, text, session };
}

/** Answers an opened question and writes the turn down: who gets an answer finds it in the session. */
export async function answerOpen(services: AskServices, { request, text, session }: OpenQuestion): Promise<AskedTurn> {
  const { messages, requestId: request_id } = request;
  const said = messages.slice(0, -1).flatMap(({ role, content }) => (role === 'user' ? [content] : []));
  // A client that keeps the conversation sends turns that the session has too.
  const kept = session.turns.map(({ question }) => question).filter((question) => !said.includes(question));
  const asked_at = services.now().toISOString();
  const { content, citations, confidence, ...parts } = await answerQuestion(services, {
    text,
    earlier: [...kept, ...said],
  });
  const turn = { question: text, content, citations: [...citations], confidence, asked_at, request_id };
  const { ordinal, position } = await keepTurn(services.store, session, { ...turn, cost_usd: parts.cost_usd });
  const answer = { content, citations: turn.citations, confidence, request_id };
  return { answer: { ...answer, session_id: session.id, session_slug: session.slug }, ordinal, parts, position };
}

/**
 * Answers one question.
 * @throws Refusal as `openQuestion` does
 */
export const ask = async (services: AskServices, request: AskRequest): Promise<AskedTurn> =>
  answerOpen(services, await openQuestion(services, request));
