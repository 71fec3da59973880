/** Research briefings: requested, composed, kept. */
import { type Fact, handleCommand } from '../log/command-handler.ts';
import type { EventStore, Position } from '../log/event-store.ts';
import { queuedInvestigations } from '../projector/models/investigations-queries.ts';
import { readEvent } from '../schemas/events.ts';
import { investigationStream, type ResearchBody, type ResearchResult } from '../schemas/research.ts';
import type { AnswerContext } from './answer-services.ts';
import { composeReport } from './research-report.ts';

export { findInvestigation } from '../projector/models/investigations-queries.ts';

export interface ResearchServices extends AnswerContext {
  readonly store: Pick<EventStore, 'append' | 'read'>;
  /** Makes `inv_…`. */
  readonly newId: () => string;
}

export interface ResearchRequest {
  readonly body: ResearchBody;
  /** `acc_…` */
  readonly account: string;
  readonly requestId: string;
}

/** A briefing that was asked for and is not composed yet. */
export interface RequestedResearch extends ResearchRequest {
  readonly id: string;
  readonly position: Position | null;
}

/** Writes down that a briefing is wanted. */
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
 * Stores what happened to a briefing, where that may still happen: it is requested once, and completes or fails once, so
 * what ended or was erased meanwhile stays as it is.
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
 * Composes a briefing and stores it; a failure is stored too.
 * @throws what the composing failed with
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
    await record(services, id, { type: 'ResearchFailed', data }).catch(() => undefined);
    throw error;
  }
}

/** A briefing that was requested so long ago is nobody's work any more. In milliseconds. */
const ABANDONED = 60_000;

/**
 * Takes up briefings that were cut off by the end of a process. Two processes that take up the same one write the same
 * event, which counts once.
 * @returns how many were taken up; those that failed again are `failed` now
 */
export async function resumeResearch(services: ResearchServices): Promise<number> {
  const { database, store, now } = services;
  const queued = await queuedInvestigations(database, new Date(now().getTime() - ABANDONED));
  for (const id of queued) {
    const events = (await store.read(investigationStream(id))).map((event) => readEvent(event));
    const requested = events.find((event) => event.type === 'ResearchRequested');
    if (!requested || events.length > 1) continue;
    const { topic, preset, brands, themes, since } = requested.data;
    const body = { topic, preset, brands, themes, ...(since ? { since } : {}) };
    await runResearch(services, { id, body }).catch(() => undefined);
  }
  return queued.length;
}
