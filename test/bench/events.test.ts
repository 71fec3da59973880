import { describe, expect, it } from 'vitest';
import { countKept } from '../../bench/events-bench.ts';

describe('how well signals keep events apart', () => {
  it('given reports, then signals of several events and further signals of an event are counted', () => {
    const reports = [
      { event: 'a', signal: '1' },
      { event: 'a', signal: '1' },
      { event: 'b', signal: '1' },
      { event: 'c', signal: '2' },
      { event: 'c', signal: '3' },
    ];
    expect(countKept(reports)).toEqual({ signals: 3, events: 3, mixed: 1, duplicates: 1, largest: 3 });
  });
});
