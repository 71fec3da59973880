/**
 * Events that came too late: a row that they touch has left memory. They wait, for looking up single rows is dear while
 * millions are copied. So do all later events to any of their rows: each row sees its events in their order, and each
 * event sees its rows as they were.
 */
import type { Readable } from '../fold.ts';

type Taken = Readable['taken'][number];

export class Late {
  #events: Taken[] = [];
  readonly #keys = new Set<string>();

  /** Events that wait. */
  get size(): number {
    return this.#events.length;
  }

  /**
   * Keeps the event if it has to wait.
   * @param sent keys of the rows that left memory
   * @returns whether it waits
   */
  takes(event: Taken, sent: { has(key: string): boolean }): boolean {
    if (!event.keys.some((key) => this.#keys.has(key) || sent.has(key))) return false;
    for (const key of event.keys) this.#keys.add(key);
    this.#events.push(event);
    return true;
  }

  /** All events that wait, in their order; none waits after this. */
  take(): readonly Taken[] {
    const events = this.#events;
    this.#events = [];
    this.#keys.clear();
    return events;
  }
}
