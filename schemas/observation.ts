/**
 * Observations that parts of the service emit, for metrics. Emitting waits for no subscriber and costs nothing
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

/** A read model has projected some events. */
export const eventsProjected = observation<{ readonly model: string; readonly events: readonly Event[] }>(
  'events-projected',
);
