/**
 * What the parts tell of themselves to whoever watches. Nothing waits for a listener, and with none it costs nothing:
 * so a part far down the house needs no metrics to be handed to it.
 */
import { channel } from 'node:diagnostics_channel';

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
}>('request-answered');

/** A call was turned away, because one of its windows is full. */
export const limitReached = observation<{ readonly code: string; readonly window: string }>('limit-reached');

/** A part of a process failed and is started again. */
export const partFailed = observation<{ readonly part: string }>('part-failed');
