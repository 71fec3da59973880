import { describe, expect, it } from 'vitest';
import type { Parked } from '../../projector/parked-events.ts';
import type { Retried } from '../../projector/retry-parked.ts';
import { parkedRetries } from '../../web/pages/operate/pipeline.ts';

const NOW = new Date('2026-11-21T04:30:00Z');
const parked = (event_id: string, model = 'source_health'): Parked => ({
  model,
  event_id,
  type: 'PollCompleted',
  input: 'polls',
  event: '{}',
  error: 'it does not fit',
  build: null,
  parked_at: NOW,
  skipped: false,
  dropped_by: null,
  dropped_why: null,
  dropped_at: null,
  stops: false,
});
const outcome = (entry: Parked, error: string | null): Retried => ({
  model: entry.model,
  event_id: entry.event_id,
  way: 'rebuilt',
  error,
  rows: null,
});
const patient = 60_000;

/** A desk whose retries end when the test resolves them. */
const slowDesk = () => {
  const { promise, resolve, reject } = Promise.withResolvers<string | null>();
  const retry = async ([entry]: readonly Parked[]) => (entry ? [outcome(entry, await promise)] : []);
  return { retry, end: resolve, fail: reject };
};

describe('retries from a page', () => {
  it('given a retry that ends at once, then it is awaited and leaves no state', async () => {
    const { start, stateOf, isBusy } = parkedRetries(
      { retry: async ([one]) => (one ? [outcome(one, null)] : []) },
      () => NOW,
    );
    await start(parked('a'));
    expect([stateOf(parked('a')), isBusy()]).toEqual([null, false]);
  });

  it('given a retry that fails at once, then the operator gets the error, also on the page', async () => {
    const one = parkedRetries({ retry: async ([entry]) => (entry ? [outcome(entry, 'no such row')] : []) }, () => NOW);
    await expect(one.start(parked('a'))).rejects.toThrow('source_health still cannot process it: no such row');
    expect(one.stateOf(parked('a'))).toEqual({ since: NOW, error: 'no such row' });
    const broken = parkedRetries(
      { retry: () => Promise.reject(new Error('the database is unreachable')) },
      () => NOW,
      patient,
    );
    await expect(broken.start(parked('a'))).rejects.toThrow('the database is unreachable');
    const none = parkedRetries({ retry: async () => [] }, () => NOW);
    await expect(none.start(parked('a', 'gone'))).rejects.toThrow('No read model gone is live.');
  });

  it('given a long retry, then the page answers, shows the state, refuses others of its model, and reports the end', async () => {
    const desk = slowDesk();
    const { start, stateOf, isBusy } = parkedRetries(desk, () => NOW, 0);
    await start(parked('a'));
    expect([stateOf(parked('a')), isBusy()]).toEqual([{ since: NOW, error: null }, true]);
    await expect(start(parked('b'))).rejects.toThrow('Another event of source_health is being retried');
    desk.end('the rebuild stopped');
    await expect.poll(isBusy).toBe(false);
    expect(stateOf(parked('a'))?.error).toBe('the rebuild stopped');
  });
});
