/** The spans of an event's way, from poll to page: each a plain value, made of ids and times alone, never of texts. */
import { type Attributes, SpanKind } from '@opentelemetry/api';
import type { Event } from '../../../schemas/envelope.ts';
import type { Handling } from '../../../schemas/observation.ts';
import { Poll } from '../../../schemas/poll.ts';
import { SIGNAL_PREFIX } from '../../../schemas/signal.ts';
import { handledId, parentIdOf, traceIdOf, writtenId } from './ids.ts';

/** A span whose place in its trace is known before it is begun. */
export interface PlannedSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly traceId: string;
  /** Null where nothing follows from it. */
  readonly spanId: string | null;
  /** Null for the first of its trace. */
  readonly parentId: string | null;
  /** Both in milliseconds since 1970. */
  readonly started: number;
  readonly ended: number;
  readonly attributes: Attributes;
  readonly failed: boolean;
}

export type Times = Pick<PlannedSpan, 'started' | 'ended'>;

const aboutEvent = ({ id, type }: Event): Attributes => ({ 'clarity.event.id': id, 'clarity.event.type': type });

/** The poll itself: its event is published when all is over, and tells how long it took. */
function pollSpan(event: Event, poll: Poll): PlannedSpan {
  const started = Date.parse(poll.started_at);
  return {
    ...{ name: 'poll', kind: SpanKind.CLIENT, traceId: traceIdOf(event), spanId: writtenId(event.id) },
    parentId: parentIdOf(event),
    ...{ started, ended: started + poll.duration_ms },
    attributes: {
      ...aboutEvent(event),
      'clarity.source.id': poll.source_id,
      'clarity.poll.outcome': poll.outcome,
      'clarity.poll.items_new': poll.items_new,
      ...(poll.error && { 'error.type': poll.error.code }),
    },
    failed: poll.outcome === 'failed',
  };
}

/** @param where the topic or stream */
export function writtenSpan(event: Event, verb: 'publish' | 'append', where: string, times: Times): PlannedSpan {
  const poll = event.type === 'PollCompleted' ? Poll.safeParse(event.data) : null;
  if (poll?.success) return pollSpan(event, poll.data);
  const signal = where.startsWith(SIGNAL_PREFIX) ? { 'clarity.signal.id': where.slice(SIGNAL_PREFIX.length) } : {};
  return {
    ...{ name: `${verb} ${event.type}`, kind: SpanKind.PRODUCER, ...times },
    ...{ traceId: traceIdOf(event), spanId: writtenId(event.id), parentId: parentIdOf(event) },
    attributes: { ...aboutEvent(event), ...signal },
    failed: false,
  };
}

export const handledSpan = (
  event: Event,
  { handling, outcome, failed }: { handling: Handling; outcome: string; failed: boolean },
  times: Times,
): PlannedSpan => ({
  ...{ name: handling, kind: SpanKind.CONSUMER, ...times, failed },
  ...{ traceId: traceIdOf(event), spanId: handledId(handling, event.id), parentId: writtenId(event.id) },
  attributes: { ...aboutEvent(event), 'clarity.outcome': outcome },
});

/** It ends when readers see what the event says. */
export const projectedSpan = (
  event: Event,
  { model, parked, together }: { model: string; parked: boolean; together: number },
  times: Times,
): PlannedSpan => ({
  ...{ name: `project ${model}`, kind: SpanKind.CONSUMER, ...times, failed: parked },
  ...{ traceId: traceIdOf(event), spanId: null, parentId: writtenId(event.id) },
  attributes: { ...aboutEvent(event), 'clarity.model': model, 'clarity.events_together': together },
});
