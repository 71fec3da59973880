/** Places in the log as the wire names them. */
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { Written } from './store.ts';

export interface Place {
  readonly commit: bigint;
  readonly prepare: bigint;
}

export const START: Place = { commit: 0n, prepare: 0n };
export const placeOf = ({ position }: Written): Place => ({ commit: position, prepare: position });
/** Where the server reads on after a record. */
export const after = ({ end }: Written): Place => ({ commit: end, prepare: 0n });

export const isAfter = (one: Place, other: Place): boolean =>
  one.commit === other.commit ? one.prepare > other.prepare : one.commit > other.commit;

/** The index of the first record at this place or after it. */
export function indexOf(records: readonly Written[], place: Place): number {
  let [low, high] = [0, records.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const record = records[middle];
    if (record && isAfter(place, placeOf(record))) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The place that a read of $all asks for; null for the end. */
export function askedPlace(options: ReadReq.Options.AllOptions): Place | null {
  const position = options.getPosition();
  if (position) return { commit: BigInt(position.getCommitPosition()), prepare: BigInt(position.getPreparePosition()) };
  return options.hasEnd() ? null : START;
}
