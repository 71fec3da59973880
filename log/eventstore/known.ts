/** What this process knows of the streams it works on, so that an append seldom has to read first. */
import type { Appended, Known } from './decide.ts';

/** Most events remembered over all streams, some 10 MB. */
const MOST_EVENTS = 50_000;

export interface KnownStreams {
  get(stream: string): Known | undefined;
  /** The same, or a new one of which nothing is known yet. */
  open(stream: string): Known;
  /** Told of events in their order, each as often as it is met. */
  learn(stream: string, known: Known, id: string, event: Appended): void;
}

/** @param most events remembered; the streams longest unused go first */
export function knownStreams(most = MOST_EVENTS): KnownStreams {
  const streams = new Map<string, Known>();
  let count = 0;

  const get = (stream: string): Known | undefined => {
    const known = streams.get(stream);
    if (!known) return undefined;
    // A Map keeps the order of insertion: the first is the one longest unused.
    streams.delete(stream);
    streams.set(stream, known);
    return known;
  };

  const forget = (): void => {
    for (const [stream, known] of streams) {
      if (count <= most) return;
      streams.delete(stream);
      count -= known.events.size + 1;
    }
  };

  return {
    get,
    open(stream) {
      const known = get(stream) ?? { revision: -1, position: 0n, behind: false, events: new Map() };
      if (!streams.has(stream)) {
        streams.set(stream, known);
        count += known.events.size + 1;
        forget();
      }
      return known;
    },
    learn(stream, known, id, event) {
      // Only what comes next: two appends at once may have read the same part.
      if (event.revision !== known.revision + 1) return;
      if (streams.get(stream) === known && !known.events.has(id)) count += 1;
      // The first of two records with one id, which another program may have made, is the one that counts.
      if (!known.events.has(id)) known.events.set(id, event);
      known.revision = event.revision;
      known.position = event.position;
      forget();
    },
  };
}
