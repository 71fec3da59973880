/**
 * A live subscription to $all, filtered: pages of what stands in the log, then what is appended, with the server's
 * checkpoints. While catching up a checkpoint names the place that the page was read from, so at the end of the log it
 * may be where the next record will stand.
 */
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import { after, indexOf, isAfter, type Place, placeOf, START } from './places.ts';
import { type ReadCall, send } from './reading.ts';
import { caughtUpReply, checkpointReply, confirmationReply, eventReply } from './replies.ts';
import type { Store, Written } from './store.ts';

const PAGE = 32;

export async function subscribe(
  call: ReadCall,
  store: Store,
  options: ReadReq.Options,
  from: Place | null,
  slow: () => Promise<void>,
): Promise<void> {
  const { records } = store;
  const { matches, window, interval } = filterOf(options);
  const last = records.at(-1);
  let checkpoint = from ?? (last ? placeOf(last) : START);
  if (!(await send(call, confirmationReply()))) return;

  let index = indexOf(records, checkpoint);
  for (let current = checkpoint, counted = 0; ; ) {
    let found = 0;
    let considered = 0;
    for (; index < records.length && found < PAGE && considered < window; index++, considered++) {
      const record = records[index];
      // A subscription leaves out the place that it begins at.
      if (!record || !isAfter(placeOf(record), checkpoint) || !matches(record)) continue;
      if (!(await send(call, eventReply(record)))) return;
      checkpoint = placeOf(record);
      found++;
    }
    counted += considered;
    const atEnd = index === records.length && considered === 0;
    if (counted >= interval || atEnd) {
      counted %= interval;
      if (isAfter(current, checkpoint)) checkpoint = current;
      if (!(await send(call, checkpointReply(checkpoint)))) return;
    }
    if (atEnd) break;
    const read = records[index - 1];
    if (read) current = after(read);
  }
  if (await send(call, caughtUpReply())) await goLive(call, store, { index, matches, interval }, slow);
}

async function goLive(
  call: ReadCall,
  store: Store,
  live: { index: number; matches: (record: Written) => boolean; interval: number },
  slow: () => Promise<void>,
): Promise<void> {
  let wake = Promise.withResolvers<void>();
  const stop = store.onAppend(() => wake.resolve());
  call.once('cancelled', () => wake.resolve());
  let counted = 0;
  try {
    for (let { index } = live; !call.cancelled; ) {
      wake = Promise.withResolvers();
      if (index === store.records.length) await wake.promise;
      await slow();
      for (; index < store.records.length; index++) {
        const record = store.records[index];
        if (!record) continue;
        if (live.matches(record) && !(await send(call, eventReply(record)))) return;
        if (++counted < live.interval) continue;
        counted = 0;
        if (!(await send(call, checkpointReply(placeOf(record))))) return;
      }
    }
  } finally {
    stop();
  }
}

function filterOf(options: ReadReq.Options) {
  const filter = options.getFilter();
  const expression = filter?.getStreamIdentifier();
  const prefixes = expression?.getPrefixList() ?? [];
  const regex = new RegExp(expression?.getRegex() || '');
  const window = filter?.getMax() || PAGE;
  return {
    matches: ({ stream }: Written): boolean =>
      prefixes.length > 0 ? prefixes.some((prefix) => stream.startsWith(prefix)) : regex.test(stream),
    window,
    interval: window * (filter?.getCheckpointintervalmultiplier() || 1),
  };
}
