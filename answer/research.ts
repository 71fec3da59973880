/** Research briefings: requested, composed and stored. */
import { type Fact, handleCommand } from '../log/command-handler.ts';
import type { EventStore, Position } from '../log/event-store.ts';
import { queuedInvestigations } from '../projector/models/ask-queries.ts';
import type { AccountId } from '../schemas/access.ts';
import { investigationStream, type ResearchBody, type ResearchResult } from '../schemas/ask.ts';
import { readEvent } from '../schemas/events.ts';
import type { AnswerContext } from './answer-question.ts';
import { composeReport } from './research-report.ts';

export { findInvestigation } from '../projector/models/ask-queries.ts';

export interface ResearchServices extends AnswerContext {
  readonly store: Pick<EventStore, 'append' | 'read'>;
  /** Makes `inv_…`. */
  readonly newId: () => string;
}

export interface ResearchRequest {
  readonly body: ResearchBody;
  /** `acc_…` */
  readonly account: AccountId;
  readonly requestId: string;
}

/** A briefing that is requested and not composed yet. */
export interface RequestedResearch extends ResearchRequest {
  readonly id: string;
  readonly position: Position | null;
}

/** Stores the request of a briefing. */
export async function requestResearch(
  services: ResearchServices,
  request: ResearchRequest,
): Promise<RequestedResearch> {
  const { newId } = services;
  const investigation_id = newId();
  const { topic, preset, brands, themes, since = null } = request.body;
  const { account: account_id, requestId: request_id } = request;
  const data = { investigation_id, account_id, topic, preset, brands, themes, since, request_id };
  const position = await record(services, investigation_id, { type: 'ResearchRequested', data });
  return { ...request, id: investigation_id, position };
}

/**
 * Appends an event of a briefing where its state allows it: it is requested once, and completes or fails once. A briefing
 * that has ended or was erased does not change.
 * @returns the position of the event; null when it was not stored
 */
async function record(
  { store, now }: Pick<ResearchServices, 'store' | 'now'>,
  id: string,
  fact: Fact<'ResearchRequested' | 'ResearchCompleted' | 'ResearchFailed'>,
): Promise<Position | null> {
  const { position } = await handleCommand(store, {
    stream: investigationStream(id),
    fold: (stored) => stored.map(({ type }) => type),
    decide: (types) => {
      const isOpen = types.length === 1 && types[0] === 'ResearchRequested';
      return { facts: (fact.type === 'ResearchRequested' ? types.length === 0 : isOpen) ? [fact] : [] };
    },
    now: now(),
  });
  return position;
}

/**
 * Composes a briefing and stores it, or stores that it failed.
 * @throws the error of composing
 */
export async function runResearch(
  services: ResearchServices,
  { id, body }: Pick<RequestedResearch, 'id' | 'body'>,
): Promise<{ readonly result: ResearchResult; readonly position: Position | null }> {
  try {
    const { markdown: report_markdown, citations, cost_usd } = await composeReport(services, body);
    const data = { investigation_id: id, report_markdown, citations: [...citations], cost_usd };
    const position = await record(services, id, { type: 'ResearchCompleted', data });
    const result = { id, status: 'completed', citation_count: citations.length, cost_usd } as const;
    return { result: { ...result, report_url: `${services.baseUrl}/research/${id}` }, position };
  } catch (error) {
    const failed = 'The briefing could not be composed; it was not counted. Try again.';
    const data = { investigation_id: id, error: failed };
    // Where the failure cannot be stored either, the briefing stays queued and the next start resumes it.
    await record(services, id, { type: 'ResearchFailed', data }).catch(() => undefined);
    throw error;
  }
}

/** Milliseconds after which a queued briefing counts as interrupted. */
const ABANDONED = 60_000;

/**
 * Composes briefings that the end of a process interrupted. Idempotent: two processes that resume the same one append one
 * event.
 * @param onError called with the error of each briefing that failed again; it is `failed` then
 * @returns how many were resumed
 */
export async function resumeResearch(
  services: ResearchServices,
  onError: (error: unknown, id: string) => void,
): Promise<number> {
  const { database, store, now } = services;
  const queued = await queuedInvestigations(database, new Date(now().getTime() - ABANDONED));
  for (const id of queued) {
    const events = (await store.read(investigationStream(id))).map((event) => readEvent(event));
    const requested = events.find((event) => event.type === 'ResearchRequested');
    if (!requested || events.length > 1) continue;
    const { topic, preset, brands, themes, since } = requested.data;
    const body = { topic, preset, brands, themes, ...(since ? { since } : {}) };
    await runResearch(services, { id, body }).catch((error: unknown) => onError(error, id));
  }
  return queued.length;
}
