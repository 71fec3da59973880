/** What a poller remembers of all its sources, packed: ten thousand of them list hundreds of thousands of items. */
import type { PollState } from './poll-state.ts';

export interface PollMemory {
  /** Undefined for a source that was not resumed yet, null for one that was never polled. */
  get(id: string): PollState | null | undefined;
  set(id: string, state: PollState | null): void;
  delete(id: string): void;
}

/** As text, a source takes a fraction of what its objects would. */
export function createPollMemory(): PollMemory {
  const packed = new Map<string, string>();
  return {
    get(id) {
      const text = packed.get(id);
      return text === undefined ? undefined : (JSON.parse(text) as PollState | null);
    },
    set: (id, state) => void packed.set(id, JSON.stringify(state && stateAlone(state))),
    delete: (id) => void packed.delete(id),
  };
}

/** A read model may hand over more than a poller needs, such as days of history. */
const stateAlone = (state: PollState): PollState => ({
  etag: state.etag,
  last_modified: state.last_modified,
  listed: state.listed,
  next_poll_at: state.next_poll_at,
  cadence_seconds: state.cadence_seconds ?? null,
  consecutive_failures: state.consecutive_failures ?? 0,
  address_change: state.address_change ?? null,
  last_polled_at: state.last_polled_at ?? null,
  last_success_at: state.last_success_at ?? null,
  polls_today: state.polls_today ?? 0,
  arrival_pattern: state.arrival_pattern ?? null,
  polling_hints: state.polling_hints ?? null,
  waiting: state.waiting ?? [],
});
