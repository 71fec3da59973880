/**
 * A live subscription to $all, filtered: pages of stored records, then appended ones, with the server's
 * checkpoints. While catching up a checkpoint names the place that the page was read from, so at the end of the log it
 * may be the position of the next record.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import { consumerTooSlow } from './errors.ts';
import { after, indexOf, isAfter, type Place, placeOf, START } from './places.ts';
import { filterOf, isReadable, type ReadCall, type Serving, send } from './reading.ts';
import { caughtUpReply, checkpointReply, confirmationReply, eventReply } from './replies.ts';
import type { Store, Written } from './store.ts';

const PAGE = 32;
/** What servers from 24.2 to 24.10 send as the checkpoint of a subscription from the start that found nothing. */
const NOWHERE: Place = { commit: 2n ** 64n - 1n, prepare: 2n ** 64n - 1n };

type Version = Serving['version'];
const isBetween = ([year, month]: Version, from: Version, to: Version): boolean =>
  year * 100 + month >= from[0] * 100 + from[1] && year * 100 + month <= to[0] * 100 + to[1];

/**
 * The index of the first record of a subscription. 23.10 reads one record at the place and begins after it, whichever it
 * is: the one that the place names, or, when that is gone or there never was one, the next.
 */
function firstOf(records: Store['records'], from: Place | null, version: Version): number {
  if (!from) return records.length;
  const index = indexOf(records, from);
  if (from.commit === 0n) return index;
  const record = records[index];
  const skips = version[0] < 24 || (record && placeOf(record).commit === from.commit && from.prepare > 0n);
  return record && skips ? index + 1 : index;
}

export async function subscribe(
  call: ReadCall,
  serving: Serving,
  options: ReadReq.Options,
  from: Place | null,
): Promise<void> {
  const { store, version } = serving;
  const { records } = store;
  const { matches, window, interval } = filterOf(options);
  const last = records.at(-1);
  let checkpoint = from ?? (last ? placeOf(last) : START);
  if (!(await send(call, confirmationReply()))) return;

  let index = firstOf(records, from, version);
  let sent = false;
  for (let current = checkpoint, counted = 0; ; ) {
    let found = 0;
    let considered = 0;
    for (; index < records.length && found < PAGE && considered < window; index++, considered++) {
      const record = records[index];
      if (!record || !isReadable(serving)(record)) break;
      if (!matches(record)) continue;
      if (!(await send(call, eventReply(record)))) return;
      checkpoint = placeOf(record);
      found++;
      sent = true;
    }
    counted += considered;
    const next = records[index];
    const atEnd = (!next || !isReadable(serving)(next)) && considered === 0;
    // At the end 23.10 sends no checkpoint.
    if (counted >= interval || (atEnd && version[0] >= 24)) {
      counted %= interval;
      if (isAfter(current, checkpoint)) checkpoint = current;
      const nowhere = atEnd && !sent && from?.commit === 0n && isBetween(version, [24, 2], [24, 10]);
      if (!(await send(call, checkpointReply(nowhere ? NOWHERE : checkpoint)))) return;
    }
    if (atEnd) break;
    const read = records[index - 1];
    if (read) current = after(read);
  }
  if (await send(call, caughtUpReply())) await goLive(call, serving, { index, matches, interval });
}

async function goLive(
  call: ReadCall,
  serving: Serving,
  live: { index: number; matches: (record: Written) => boolean; interval: number },
): Promise<void> {
  const { store, slow, liveBuffer, lag, version } = serving;
  let { index } = live;
  const last = store.records[index - 1];
  let reached = last ? after(last) : START;
  let dropped = false;
  let wake = Promise.withResolvers<void>();
  const stop = store.onChange((change) => {
    wake.resolve();
    if (change === 'scavenge') index = indexOf(store.records, reached);
    const isFull = call.writableNeedDrain && store.records.length - index > liveBuffer;
    // 23.10 drops live subscriptions at a scavenge, with the same words.
    if (dropped || !(isFull || (change === 'scavenge' && version[0] < 24))) return;
    dropped = true;
    call.emit('error', consumerTooSlow());
  });
  call.once('cancelled', () => wake.resolve());
  let counted = 0;
  try {
    while (!call.cancelled && !dropped) {
      wake = Promise.withResolvers();
      if (index === store.records.length) await wake.promise;
      await slow();
      for (; index < store.records.length && !dropped; index++) {
        const record = store.records[index];
        if (!record) continue;
        while (!isReadable(serving)(record)) await wait(lag());
        if (live.matches(record) && !(await send(call, eventReply(record)))) return;
        reached = after(record);
        if (++counted < live.interval) continue;
        counted = 0;
        if (!(await send(call, checkpointReply(placeOf(record))))) return;
      }
    }
  } finally {
    stop();
  }
}
