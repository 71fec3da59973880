/**
 * Observations that parts of the service emit, for metrics and traces. Emitting waits for no subscriber and costs nothing
 * without one, so that lower layers need no metrics passed to them.
 */
import { channel } from 'node:diagnostics_channel';
import type { Event } from './events.ts';

export interface Observation<About> {
  emit(about: About): void;
  /** @returns ends the subscription */
  subscribe(listener: (about: About) => void): () => void;
}

function observation<About>(name: string): Observation<About> {
  const diagnostics = channel(`clarity:${name}`);
  return {
    emit(about) {
      if (diagnostics.hasSubscribers) diagnostics.publish(about);
    },
    subscribe(listener) {
      const handle = (message: unknown): void => listener(message as About);
      diagnostics.subscribe(handle);
      return () => void diagnostics.unsubscribe(handle);
    },
  };
}

/** A request was answered. `route` is the route's pattern, never the requested address. */
export const requestAnswered = observation<{
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly request_id: string;
  /** The header of that name (W3C Trace Context), as received; null without one. */
  readonly traceparent: string | null;
}>('request-answered');

/** A call was refused because one of its windows is full. */
export const limitReached = observation<{ readonly code: string; readonly window: string }>('limit-reached');

/** A language model was called. A call that failed has no tokens, though it may have cost some. */
export const modelCalled = observation<{
  readonly purpose: string;
  readonly outcome: 'answered' | 'failed';
  readonly input_tokens: number;
  readonly output_tokens: number;
}>('model-called');

/** A part of a process failed and is restarted. */
export const partFailed = observation<{ readonly part: string }>('part-failed');

/** An attempt at a message of a topic failed. */
export const messageFailed = observation<{ readonly topic: string; readonly group: string; readonly kind: string }>(
  'message-failed',
);

/** A message of a topic was skipped, and is kept as a dead letter. */
export const messageSkipped = observation<{ readonly topic: string; readonly group: string; readonly kind: string }>(
  'message-skipped',
);

/** A partition stopped at a message because of a defect, or continues. */
export const partitionStopped = observation<{
  readonly topic: string;
  readonly group: string;
  readonly partition: number;
  readonly stopped: boolean;
}>('partition-stopped');

/** What a part does with an event that causes other events. */
export type Handling = 'understand' | 'match' | 'analyse';

/**
 * A part has handled an event. The events that it wrote name this event as their cause. `started` is a time of
 * `performance.now()`; `failed` says that the attempt failed.
 */
export const eventHandled = observation<{
  readonly handling: Handling;
  readonly event: Event;
  readonly started: number;
  readonly outcome: string;
  readonly failed?: boolean;
}>('event-handled');

/** A read model has projected some events. `started` is a time of `performance.now()`. */
export const eventsProjected = observation<{
  readonly model: string;
  /** The types that it projects; it ignores all others. */
  readonly types: readonly string[];
  readonly events: readonly Event[];
  /** Ids of the events that it parked. */
  readonly parked: readonly string[];
  readonly started: number;
}>('events-projected');
