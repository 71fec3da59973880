/**
 * What an append has to do, decided from what is known of its stream.
 *
 * The server knows an event again only in the place where it was expected, or for a while in its memory. The port
 * promises more: an id that the stream holds is never stored again. So every append names the exact revision that it
 * was decided on, and is decided anew when the stream has moved on.
 */
import type { ExpectedRevision, Position } from '../event-store.ts';

export interface Appended {
  readonly revision: number;
  readonly position: Position;
}

/** A stream up to some revision; it may be longer by now. */
export interface Known {
  /** -1 for no event. */
  revision: number;
  position: Position;
  /** True when it is known to be longer. */
  behind: boolean;
  readonly events: Map<string, Appended>;
}

export type Decision<Event> =
  | { readonly kind: 'there'; readonly appended: Appended }
  | { readonly kind: 'conflict'; readonly actual: number }
  | { readonly kind: 'append'; readonly events: readonly Event[] };

/** @param events no two of one id */
export function decide<Event extends { readonly id: string }>(
  known: Known,
  events: readonly Event[],
  expected: ExpectedRevision,
): Decision<Event> {
  const held = events.flatMap(({ id }) => known.events.get(id) ?? []);
  if (held.length > 0 && held.length === events.length)
    return { kind: 'there', appended: held.reduce((last, next) => (next.revision > last.revision ? next : last)) };
  const wanted = expected === 'none' ? -1 : expected;
  if (wanted !== 'any' && wanted !== known.revision) return { kind: 'conflict', actual: known.revision };
  if (events.length === 0) return { kind: 'there', appended: { revision: known.revision, position: known.position } };
  return { kind: 'append', events: events.filter(({ id }) => !known.events.has(id)) };
}
