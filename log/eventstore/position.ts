/**
 * Positions of EventStoreDB as the one number of the port.
 *
 * The server names a place by two numbers, commit and prepare. An event appended by today's interface commits itself:
 * both numbers are the place in the log of its own record, also where one append has many events, each of which has a
 * record of its own. So the commit position alone tells all events apart and orders them. (Two events with one commit
 * position came from transactions of the old TCP interface, which nothing here has written.)
 *
 * Checkpoints are the exception. While a subscription catches up the server names the place where it reads next, with
 * a prepare position of 0: everything below was seen, but an event may yet be written at that very commit position.
 * Twice the commit position, and one more when what stands there was seen, keeps the two apart; taking the first for
 * the second would lose that event.
 */
import type { Position } from '../event-store.ts';

export interface Place {
  readonly commit: bigint;
  readonly prepare: bigint;
}

/** The position of an event, or of whatever else was seen at this place of the log. */
export const positionAt = (commit: bigint): Position => commit * 2n + 1n;

/** The position of a checkpoint. */
export const positionOfCheckpoint = ({ commit, prepare }: Place): Position =>
  prepare < commit ? commit * 2n : positionAt(commit);

/** The place to read on from; the server includes what stands there in reads, and leaves it out of subscriptions. */
export function placeOf(position: Position): Place | 'start' {
  if (position <= 0n) return 'start';
  const commit = position / 2n;
  return { commit, prepare: position % 2n === 1n ? commit : 0n };
}
