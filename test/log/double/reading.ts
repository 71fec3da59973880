/** Read: a stream or $all, in either direction, or a live subscription to $all. */
import { once } from 'node:events';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { type ServerWritableStream, status } from '@grpc/grpc-js';
import { askedPlace, indexOf, isAfter, placeOf } from './places.ts';
import { eventReply, notFoundReply } from './replies.ts';
import type { Store, Written } from './store.ts';
import { subscribe } from './subscription.ts';

export type ReadCall = ServerWritableStream<ReadReq, ReadResp>;

/** Sends one answer, waiting while the client reads no more. @returns false when it has gone */
export async function send(call: ReadCall, reply: ReadResp): Promise<boolean> {
  if (call.cancelled) return false;
  if (!call.write(reply)) {
    const gone = new AbortController();
    const leave = (): void => gone.abort();
    call.once('cancelled', leave);
    await once(call, 'drain', { signal: gone.signal }).catch(() => undefined);
    call.off('cancelled', leave);
  }
  return !call.cancelled;
}

export async function receiveRead(call: ReadCall, store: Store, slow: () => Promise<void>): Promise<void> {
  const options = call.request.getOptions();
  const all = options?.getAll();
  await slow();
  if (options?.hasSubscription() && all) return subscribe(call, store, options, askedPlace(all), slow);
  const asked = options?.getStream();
  const found = asked ? fromStream(store, asked) : all && fromAll(store, all, isBackwards(options));
  if (!options || !found) {
    call.emit('error', { code: status.UNIMPLEMENTED, details: 'the double does not know this kind of read' });
    return;
  }
  if (found === 'no stream') await send(call, notFoundReply(nameOf(asked)));
  else {
    const some = isBackwards(options) ? found.toReversed() : found;
    for (const record of some.slice(0, Number(options.getCount()))) if (!(await send(call, eventReply(record)))) return;
  }
  call.end();
}

const isBackwards = (options?: ReadReq.Options): boolean => options?.getReadDirection() === 1;
const nameOf = (options?: ReadReq.Options.StreamOptions): string =>
  Buffer.from(options?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();

function fromStream(store: Store, options: ReadReq.Options.StreamOptions): readonly Written[] | 'no stream' {
  const records = store.stream(nameOf(options));
  if (records.length === 0) return 'no stream';
  return options.hasRevision() ? records.slice(Number(options.getRevision())) : records;
}

/** Forwards a read includes the place that it names, backwards it leaves it out. */
function fromAll({ records }: Store, options: ReadReq.Options.AllOptions, backwards: boolean): readonly Written[] {
  const place = askedPlace(options);
  if (!backwards) return place ? records.slice(indexOf(records, place)) : [];
  if (place) return records.filter((record) => isAfter(place, placeOf(record)));
  return records;
}
