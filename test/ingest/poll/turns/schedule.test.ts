import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSchedule } from '../../../../ingest/poll/schedule/rounds.ts';

describe('the schedule', () => {
  it('gives what is due in order of time, then of asking, each source once and at its last time', () => {
    const command = fc.oneof(fc.record({ set: fc.nat(20), due: fc.nat(50) }), fc.record({ remove: fc.nat(20) }));
    fc.assert(
      fc.property(fc.array(command), fc.nat(60), (commands, now) => {
        const schedule = createSchedule();
        const model = new Map<string, { due: number; order: number }>();
        for (const [order, one] of commands.entries()) {
          if ('set' in one) {
            schedule.set(String(one.set), one.due);
            model.set(String(one.set), { due: one.due, order });
          } else {
            schedule.remove(String(one.remove));
            model.delete(String(one.remove));
          }
        }
        const wanted = [...model].filter(([, { due }]) => due <= now);
        wanted.sort(([, one], [, other]) => one.due - other.due || one.order - other.order);
        const taken: string[] = [];
        for (let id = schedule.take(now); id !== null; id = schedule.take(now)) taken.push(id);
        expect(taken).toEqual(wanted.map(([id]) => id));
        const later = [...model.values()].map(({ due }) => due).filter((due) => due > now);
        expect(schedule.next()).toBe(later.length > 0 ? Math.min(...later) : null);
      }),
    );
  });
});
