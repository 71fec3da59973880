/**
 * What the parts tell of themselves to whoever watches. Nothing waits for a listener, and with none it costs nothing:
 * so a part far down the house needs no metrics to be handed to it.
 */
import { channel } from 'node:diagnostics_channel';
import type { Event } from './events.ts';

export interface Observation<About> {
  tell(about: About): void;
  /** @returns what ends the listening */
  hear(listener: (about: About) => void): () => void;
}

function observation<About>(name: string): Observation<About> {
  const told = channel(`clarity:${name}`);
  return {
    tell(about) {
      if (told.hasSubscribers) told.publish(about);
    },
    hear(listener) {
      const heard = (message: unknown): void => listener(message as About);
      told.subscribe(heard);
      return () => void told.unsubscribe(heard);
    },
  };
}

/** A request was answered. `route` is the route's pattern, never the address that was asked for. */
export const requestAnswered = observation<{
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly request_id: string;
  /** The header of that name (W3C Trace Context), as it came; null without one. */
  readonly traceparent: string | null;
}>('request-answered');

/** A call was turned away, because one of its windows is full. */
export const limitReached = observation<{ readonly code: string; readonly window: string }>('limit-reached');

/** A part of a process failed and is started again. */
export const partFailed = observation<{ readonly part: string }>('part-failed');

/** An attempt at a message of a topic failed. */
export const messageFailed = observation<{ readonly topic: string; readonly group: string; readonly kind: string }>(
  'message-failed',
);

/** A message of a topic was skipped, and is kept as a dead letter. */
export const messageSkipped = observation<{ readonly topic: string; readonly group: string; readonly kind: string }>(
  'message-skipped',
);

/** A partition stops at a message that met a defect, or goes on. */
export const partitionStopped = observation<{
  readonly topic: string;
  readonly group: string;
  readonly partition: number;
  readonly stopped: boolean;
}>('partition-stopped');

/** What a part does with an event of which others follow. */
export type Handling = 'understand' | 'match' | 'analyse';

/**
 * A part is done with an event. What it wrote because of it names it as its cause. `started` is a time of
 * `performance.now()`; `failed` says that the attempt failed.
 */
export const eventHandled = observation<{
  readonly handling: Handling;
  readonly event: Event;
  readonly started: number;
  readonly outcome: string;
  readonly failed?: boolean;
}>('event-handled');

/** A read model shows some events from now on. `started` is a time of `performance.now()`. */
export const eventsProjected = observation<{
  readonly model: string;
  /** The types that it takes: it passed over all others. */
  readonly types: readonly string[];
  readonly events: readonly Event[];
  /** Ids of those among them that it could not take. */
  readonly parked: readonly string[];
  readonly started: number;
}>('events-projected');
