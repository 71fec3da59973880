import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendHistory, signalHistory } from '../../bench/generated-history.ts';
import type { EventStore } from '../../log/event-store.ts';
import { eventStoreDb } from '../../log/eventstore/eventstore-adapter.ts';
import { type Double, startDouble } from '../log/double/eventstore-double.ts';
import { doubleStore, type Store } from '../log/double/store.ts';

const EVENTS = 600;
let double: Double;
let kept: Store;
let store: EventStore;
beforeAll(async () => {
  kept = doubleStore();
  double = await startDouble({ store: kept });
  store = await eventStoreDb({ url: `esdb://127.0.0.1:${double.port}?tls=false` });
});
afterAll(async () => {
  await store.close();
  double.kill();
});

describe('a history that is written to a server', () => {
  it('given signals that are merged, then each merge follows the detection of the signal that it names, in few calls', async () => {
    const history = [...signalHistory(EVENTS)];
    await appendHistory(store, history);
    await appendHistory(store, history);

    const written = kept.records.filter(({ stream }) => stream.startsWith('signal-'));
    expect(written).toHaveLength(EVENTS);
    const detected = new Set<string>();
    let merges = 0;
    for (const { type, data } of written) {
      const { signal_id, into } = JSON.parse(Buffer.from(data).toString()) as { signal_id: string; into?: string };
      if (type === 'SignalDetected') detected.add(signal_id);
      expect(detected.has(signal_id)).toBe(true);
      if (type !== 'SignalMerged') continue;
      merges++;
      expect(detected.has(into ?? '')).toBe(true);
    }
    expect(merges).toBeGreaterThan(0);
    expect(double.calls.append).toBeLessThan(1.2 * EVENTS);
  });
});
