/** Research briefings: requested, composed, kept. */
import type { EventStore, Position } from '../log/event-store.ts';
import { queuedInvestigations } from '../projector/models/investigations/queries.ts';
import { newEvent, readEvent } from '../schemas/events.ts';
import { eventId } from '../schemas/identity.ts';
import { investigationStream, type ResearchBody, type ResearchResult } from '../schemas/research.ts';
import type { AnswerContext } from './context.ts';
import { composeReport } from './research/report.ts';

export { findInvestigation } from '../projector/models/investigations/queries.ts';

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
  readonly position: Position;
}

/** Writes down that a briefing is wanted. */
export async function requestResearch(
  services: ResearchServices,
  request: ResearchRequest,
): Promise<RequestedResearch> {
  const { store, newId, now } = services;
  const investigation_id = newId();
  const { topic, preset, brands, themes, since = null } = request.body;
  const event = newEvent(
    'ResearchRequested',
    {
      investigation_id,
      account_id: request.account,
      topic,
      preset,
      brands,
      themes,
      since,
      request_id: request.requestId,
    },
    { id: eventId('ResearchRequested', investigation_id), time: now().toISOString() },
  );
  const { position } = await store.append(investigationStream(investigation_id), [event], 'none');
  return { ...request, id: investigation_id, position };
}

/**
 * Composes a briefing and writes it down; a failure is written down too.
 * @throws what the composing failed with
 */
export async function runResearch(
  services: ResearchServices,
  { id, body }: Pick<RequestedResearch, 'id' | 'body'>,
): Promise<{ readonly result: ResearchResult; readonly position: Position }> {
  const { store, now, baseUrl } = services;
  const stream = investigationStream(id);
  try {
    const { markdown: report_markdown, citations, cost_usd } = await composeReport(services, body);
    const event = newEvent(
      'ResearchCompleted',
      { investigation_id: id, report_markdown, citations: [...citations], cost_usd },
      { id: eventId('ResearchCompleted', id), time: now().toISOString() },
    );
    const { position } = await store.append(stream, [event], 'any');
    const result = { id, status: 'completed', citation_count: citations.length, cost_usd } as const;
    return { result: { ...result, report_url: `${baseUrl}/research/${id}` }, position };
  } catch (error) {
    const failed = {
      investigation_id: id,
      error: 'The briefing could not be composed; it was not counted. Try again.',
    };
    const event = newEvent('ResearchFailed', failed, { id: eventId('ResearchFailed', id), time: now().toISOString() });
    await store.append(stream, [event], 'any').catch(() => undefined);
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
