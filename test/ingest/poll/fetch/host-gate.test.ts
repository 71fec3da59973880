import { describe, expect, it } from 'vitest';
import { createHostGate, restAt } from '../../../../ingest/poll/fetch/fetch-page.ts';

describe('the host gate', () => {
  it('given several requests to one host, then one runs at a time, in order, with a pause in between', async () => {
    const gate = createHostGate({ rest: 30 });
    const { signal } = new AbortController();
    let inside = 0;
    const times: number[] = [];
    const order: number[] = [];
    await Promise.all(
      [0, 1, 2].map(async (number) => {
        const leave = await gate.enter('outlet.example.in', signal);
        times.push(performance.now());
        order.push(number);
        inside += 1;
        expect(inside).toBe(1);
        await Promise.resolve();
        inside -= 1;
        leave();
      }),
    );
    expect(order).toEqual([0, 1, 2]);
    expect((times[2] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(58);
  });

  it('given several hosts, then they do not wait for each other', async () => {
    const gate = createHostGate();
    const { signal } = new AbortController();
    await gate.enter('a.example.in', signal);
    await expect(gate.enter('b.example.in', signal)).resolves.toBeTypeOf('function');
  });

  it('given a stopped gate, then no request is admitted', async () => {
    const gate = createHostGate();
    const stop = new AbortController();
    const leave = await gate.enter('a.example.in', stop.signal);
    const second = gate.enter('a.example.in', stop.signal);
    stop.abort(new Error('stopping'));
    leave();
    await expect(second).rejects.toThrow('stopping');
  });

  it.each([
    ['127.0.0.1', 0],
    ['[::1]', 0],
    ['10.0.0.7', 0],
    ['localhost', 0],
    ['outlet.example.in', 1_000],
    ['8.8.8.8', 1_000],
  ])('given %s, then the pause is %d ms', (host, rest) => expect(restAt(host, 1_000)).toBe(rest));
});
