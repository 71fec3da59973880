/** Read: a stream or $all, in either direction, or a live subscription to $all. */
import { once } from 'node:events';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { type Metadata, type ServerWritableStream, status } from '@grpc/grpc-js';
import { nameOf } from './appending.ts';
import { accessDenied, invalidPlace, thrownByHandler, tombstoned } from './errors.ts';
import { askedPlace, indexOf, isAfter, type Place, placeOf } from './places.ts';
import { eventReply, notFoundReply } from './replies.ts';
import type { Store, Written } from './store.ts';
import { subscribe } from './subscription.ts';

export type ReadCall = ServerWritableStream<ReadReq, ReadResp>;

/** What a call is served from, and how. */
export interface Serving {
  readonly store: Store;
  /** The version that is played, as year and month: 23.10 resumes subscriptions otherwise than later ones. */
  readonly version: readonly [year: number, month: number];
  /** Waits as long as the double was asked to. */
  readonly slow: () => Promise<void>;
  /** Whether the user of a call may read a stream, or `$all`. */
  readonly mayRead: (metadata: Metadata, stream: string) => boolean;
  /** Live events that wait for one subscriber before it is dropped as too slow. */
  readonly liveBuffer: number;
  /** Milliseconds from the moment when a record is written to that when it is read. */
  readonly lag: () => number;
}

/** Sends one answer, waiting while the client reads no more. @returns false when it has gone */
export async function send(call: ReadCall, reply: ReadResp): Promise<boolean> {
  if (call.cancelled) return false;
  if (!call.write(reply)) {
    const gone = new AbortController();
    const leave = (): void => gone.abort();
    call.once('cancelled', leave);
    // Aborted when the client is gone: the loop ends.
    await once(call, 'drain', { signal: gone.signal }).catch(() => undefined);
    call.off('cancelled', leave);
  }
  return !call.cancelled;
}

export async function receiveRead(call: ReadCall, serving: Serving): Promise<void> {
  const { store, slow, mayRead } = serving;
  const options = call.request.getOptions();
  const all = options?.getAll();
  await slow();
  const asked = options?.getStream();
  const name = nameOf(asked?.getStreamIdentifier());
  if (!mayRead(call.metadata, all ? '$all' : name)) return void call.emit('error', accessDenied());
  if (asked && name === '') return void call.emit('error', thrownByHandler());
  const place = all && askedPlace(all);
  if (place && !store.isPlace(place.commit))
    return void call.emit('error', invalidPlace(options?.hasFilter() ?? false));
  if (options?.hasSubscription() && all) return subscribe(call, serving, options, place ?? null);
  const found = asked ? fromStream(store, asked) : all && options && fromAll(store, options, place ?? null);
  if (!options || !found) {
    call.emit('error', { code: status.UNIMPLEMENTED, details: 'the double does not know this kind of read' });
    return;
  }
  if (found === 'tombstoned') return void call.emit('error', tombstoned(name));
  if (found === 'missing') await send(call, notFoundReply(name));
  else {
    const read = found.filter(isReadable(serving));
    const some = isBackwards(options) ? read.toReversed() : read;
    for (const record of some.slice(0, Number(options.getCount()))) if (!(await send(call, eventReply(record)))) return;
  }
  call.end();
}

/** Whether a record is there for readers yet. */
export function isReadable({ lag }: Serving): (record: Written) => boolean {
  const latest = performance.now() - lag();
  return ({ time }) => time <= latest;
}

const isBackwards = (options: ReadReq.Options): boolean => options.getReadDirection() === 1;

function fromStream(store: Store, options: ReadReq.Options.StreamOptions): ReturnType<Store['stream']> {
  const records = store.stream(nameOf(options.getStreamIdentifier()));
  if (typeof records === 'string' || !options.hasRevision()) return records;
  return records.filter(({ revision }) => revision >= Number(options.getRevision()));
}

/** Forwards a read includes the place that it names, backwards it leaves it out. */
function fromAll({ records }: Store, options: ReadReq.Options, place: Place | null): readonly Written[] {
  const { matches } = filterOf(options);
  if (!isBackwards(options)) return place ? records.slice(indexOf(records, place)).filter(matches) : [];
  return (place ? records.filter((record) => isAfter(place, placeOf(record))) : records).filter(matches);
}

/** What the filter of a read of $all lets through, and how often a subscription sends checkpoints. */
export function filterOf(options: ReadReq.Options) {
  const filter = options.getFilter();
  const expression = filter?.getStreamIdentifier();
  const prefixes = expression?.getPrefixList() ?? [];
  const regex = new RegExp(expression?.getRegex() || '');
  const window = filter?.getMax() || 32;
  return {
    matches: ({ stream }: Written): boolean =>
      prefixes.length > 0 ? prefixes.some((prefix) => stream.startsWith(prefix)) : regex.test(stream),
    window,
    interval: window * (filter?.getCheckpointintervalmultiplier() || 1),
  };
}
