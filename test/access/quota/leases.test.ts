import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Answered, groupOf, LEASE_RULES, Leases } from '../../../access/quota/leases.ts';
import { CALLS, type Charge, QUESTIONS_DAY, type Window } from '../../../access/quota/limits.ts';
import { day, minute } from './windows.ts';

/** The counting of PostgreSQL in its simplest form, at a time that is passed in. */
class Counted {
  readonly windows = new Map<string, { used: number; ends: number }>();

  of({ key, seconds }: Window, now: number): { used: number; ends: number } {
    const known = this.windows.get(key);
    return known && known.ends > now ? known : { used: 0, ends: now + seconds * 1000 };
  }

  charge(windows: readonly Window[], extra: number, share: number, now: number) {
    const found = windows.map((window) => ({ window, ...this.of(window, now) }));
    const room = Math.min(...found.map(({ window, used }) => window.max - used));
    const granted = Math.min(1, Math.max(0, room));
    const leased = Math.max(0, Math.min(extra, Math.floor((room - 1) / share)));
    if (granted > 0)
      for (const { window, used, ends } of found) this.windows.set(window.key, { used: used + 1 + leased, ends });
    const counted = found.map(({ window, used, ends }) => ({
      ...window,
      used: granted > 0 ? used + 1 + leased : used,
      endsAt: new Date(ends),
    }));
    return { granted, leased, charge: { fits: granted > 0, windows: counted, at: new Date(now) } satisfies Charge };
  }

  giveBack({ windows }: Charge, calls: number): void {
    for (const { key, endsAt } of windows) {
      const known = this.windows.get(key);
      if (known?.ends === endsAt.getTime()) known.used -= calls;
    }
  }
}

const START = Date.parse('2026-11-21T04:30:00Z');
/** Two kinds of calls of one account, which share the day. */
const KINDS: readonly (readonly Window[])[] = [
  [minute('hot', 70), { ...day('hot', 150), seconds: 200 }],
  [
    { ...day('hot', 150), seconds: 200 },
    { ...minute('hot questions', 40), seconds: 5 },
  ],
];
const PROCESSES = 4;
/** Leases as large and early as can be: far beyond those of the service. */
const RULES = { above: 1, covers: 5_000, share: 2, lasts: 3_000, refused: 1_000 };

const Step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ call: fc.nat(PROCESSES - 1), kind: fc.nat(1), times: fc.integer({ min: 1, max: 12 }) }),
  },
  { weight: 3, arbitrary: fc.record({ pass: fc.constantFrom(1, 40, 400, 1_500, 5_000, 61_000) }) },
  { weight: 2, arbitrary: fc.record({ sweep: fc.nat(PROCESSES - 1) }) },
  { weight: 1, arbitrary: fc.record({ stop: fc.nat(PROCESSES - 1) }) },
  { weight: 1, arbitrary: fc.record({ kill: fc.nat(PROCESSES - 1) }) },
);

describe('leases of several processes', () => {
  it('given any order of calls, time, returns, stops and kills, then no window exceeds its limit, and only killed leases are lost', () => {
    const travel = fc.array(fc.constantFrom(0, 1, 30, 900), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(Step, { maxLength: 60 }), travel, (steps, delays) => {
        const database = new Counted();
        let now = START;
        let delay = 0;
        const travels = (): void => {
          now += delays[delay++ % delays.length] ?? 0;
        };
        // Every process has a clock of its own.
        const born = Array.from({ length: PROCESSES }, (_, number) => now - 1_000 * number);
        const clock = (number: number): number => now - (born[number] ?? 0);
        const processes = Array.from({ length: PROCESSES }, () => new Leases(RULES));
        const accepted = new Map<string, number>();
        let lost = 0;

        const accept = (windows: readonly Window[], { windows: counted }: Charge): void => {
          for (const [index, window] of windows.entries()) {
            const { ends } = database.of(window, now);
            // Spent in the window that was charged, not in the next one.
            expect(counted[index]?.endsAt.getTime()).toBe(ends);
            expect(counted[index]?.used).toBeLessThanOrEqual(window.max);
            const period = `${window.key} ${ends}`;
            accepted.set(period, (accepted.get(period) ?? 0) + 1);
            expect(accepted.get(period)).toBeLessThanOrEqual(window.max);
          }
        };
        const ask = (leases: Leases, number: number, windows: readonly Window[], group: string): void => {
          const sentAt = clock(number);
          const extra = leases.wish(group, sentAt);
          travels();
          const { granted, leased, charge } = database.charge(windows, extra, leases.share, now);
          if (granted > 0) accept(windows, charge);
          travels();
          const answered: Answered = { charge, sentAt, receivedAt: clock(number) };
          if (granted > 0) leases.keep(group, answered, leased);
          else leases.refuse(group, answered);
        };

        for (const step of steps) {
          if ('pass' in step) now += step.pass;
          else if ('call' in step) {
            const leases = processes[step.call] as Leases;
            const windows = KINDS[step.kind] ?? [];
            const group = groupOf(windows);
            for (let time = 0; time < step.times; time++) {
              const known = leases.arrive(group, clock(step.call));
              if (known?.fits) accept(windows, known);
              else if (!known) ask(leases, step.call, windows, group);
            }
          } else {
            const number = 'sweep' in step ? step.sweep : 'stop' in step ? step.stop : step.kill;
            const leases = processes[number] as Leases;
            const unspent = 'sweep' in step ? leases.end(clock(number)) : leases.endAll();
            for (const { charge, calls } of unspent)
              if ('kill' in step) lost += calls;
              else database.giveBack(charge, calls);
          }
        }
        for (const leases of processes)
          for (const { charge, calls } of leases.endAll()) database.giveBack(charge, calls);
        for (const [key, { used, ends }] of database.windows) {
          const spent = accepted.get(`${key} ${ends}`) ?? 0;
          expect(used).toBeGreaterThanOrEqual(spent);
          expect(used - spent).toBeLessThanOrEqual(lost);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('when leases begin', () => {
  const answered = (windows: readonly Window[], at: number, fits = true): Answered => ({
    charge: {
      fits,
      at: new Date(START + at),
      windows: windows.map((one) => ({ ...one, used: 1, endsAt: new Date(START + at + one.seconds * 1_000) })),
    },
    sentAt: at,
    receivedAt: at,
  });

  it('given a caller below the rate, then nothing is leased and no refusal is remembered', () => {
    const leases = new Leases();
    const windows = [day('slow', 1_000_000)];
    const group = groupOf(windows);
    for (let at = 0; at < 10_000; at += 2_000 / LEASE_RULES.above) {
      expect(leases.arrive(group, at)).toBeNull();
      expect(leases.wish(group, at)).toBe(0);
      leases.refuse(group, answered(windows, at, false));
    }
    expect(leases.isEmpty).toBe(true);
  });

  it('given a caller above it, then a lease covers a quarter of a second, and what is left after a second is given back', () => {
    const leases = new Leases();
    const windows = [day('fast', 1_000_000)];
    const group = groupOf(windows);
    for (let at = 0; at < 2_000; at += 2) leases.arrive(group, at);
    const wished = leases.wish(group, 2_000);
    expect(wished).toBeGreaterThan(120);
    expect(wished).toBeLessThan(130);
    leases.keep(group, answered(windows, 2_000), wished);
    expect(leases.spend(group, 2_010)?.at).toEqual(new Date(START + 2_010));
    expect(leases.end(2_020)).toEqual([]);
    expect(leases.spend(group, 3_000)).toBeNull();
    expect(leases.end(3_000)).toMatchObject([{ calls: wished - 1 }]);
    expect(leases.endAll()).toEqual([]);
  });

  it('given a refusal of a caller above the rate, then it is repeated for a moment, unless a call was given back', () => {
    const leases = new Leases();
    const windows = [minute('refused', 5)];
    const group = groupOf(windows);
    for (let at = 0; at < 100; at++) leases.arrive(group, at);
    leases.refuse(group, answered(windows, 100, false));
    expect(leases.arrive(group, 150)?.fits).toBe(false);
    leases.reopen(['refused minute']);
    expect(leases.arrive(group, 151)).toBeNull();
    leases.refuse(group, answered(windows, 151, false));
    expect(leases.arrive(group, 151 + LEASE_RULES.refused)).toBeNull();
  });

  it('given the limits of the plans, then their minute leaves no share for a lease: they are counted call by call', () => {
    for (const limit of [CALLS.free.minute, CALLS.pro.minute])
      expect(Math.floor((limit - 1) / LEASE_RULES.share)).toBe(0);
    expect(Math.floor((QUESTIONS_DAY - 1) / LEASE_RULES.share)).toBeLessThanOrEqual(3);
  });
});
