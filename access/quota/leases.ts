/**
 * Leases: calls of an account that were charged to PostgreSQL in advance and that this process spends itself; and refusals,
 * repeated for a moment. Both begin only for a caller who calls often in this process, so every other caller gets exact
 * counts. Nothing here asks PostgreSQL or a clock.
 *
 * A call is spent only after it was charged, so a limit is never exceeded, whichever processes stop or are killed.
 */
import type { Charge, Window } from './limits.ts';

export interface LeaseRules {
  /** Calls a second of one caller in this process above which leases and remembered refusals begin. */
  readonly above: number;
  /** A lease is what the caller's rate uses up in so many milliseconds. */
  readonly covers: number;
  /** Maximum calls of a lease. */
  readonly maximum: number;
  /** A lease is at most this fraction of the calls that are left: it shrinks to none towards the limit. */
  readonly share: number;
  /** Milliseconds after which unspent calls are given back. */
  readonly lasts: number;
  /** Milliseconds for which a refusal is repeated. */
  readonly refused: number;
}

/**
 * The share is above every limit a minute of the plans, so their windows are never leased: 60 calls left make no 64th part.
 */
export const LEASE_RULES: LeaseRules = {
  above: 20,
  covers: 250,
  maximum: 256,
  share: 64,
  lasts: 1_000,
  refused: 250,
};

/** What PostgreSQL answered, and when by a monotonic clock of this process it was asked and answered. */
export interface Answered {
  readonly charge: Charge;
  readonly sentAt: number;
  readonly receivedAt: number;
}

interface Lease extends Answered {
  left: number;
}

/** Calls to give back to the windows of a charge. */
export interface Unspent {
  readonly charge: Charge;
  readonly calls: number;
}

/** What identifies the callers whose calls have the same windows and limits. */
export const groupOf = (windows: readonly Window[]): string =>
  windows.map(({ key, max, seconds }) => `${key} ${max}/${seconds}`).join('\n');

const SECOND = 1_000;

/** Calls a second by group: those of the current second, and of the one before for the part of it that is less than a second ago. */
class Rates {
  #since = Number.NEGATIVE_INFINITY;
  #current = new Map<string, number>();
  #before = new Map<string, number>();

  #turn(now: number): void {
    const passed = now - this.#since;
    if (passed < SECOND) return;
    this.#before = passed < 2 * SECOND ? this.#current : new Map();
    this.#current = new Map();
    this.#since = passed < 2 * SECOND ? this.#since + SECOND : now;
  }

  /** Counts a call. @returns calls a second */
  count(group: string, now: number): number {
    this.#turn(now);
    this.#current.set(group, (this.#current.get(group) ?? 0) + 1);
    return this.of(group, now);
  }

  of(group: string, now: number): number {
    this.#turn(now);
    const part = 1 - (now - this.#since) / SECOND;
    return (this.#current.get(group) ?? 0) + (this.#before.get(group) ?? 0) * part;
  }
}

/**
 * Whether the windows that were charged are still the ones of this moment. The charge happened after it was sent, so the time
 * of the database is not later than assumed here: a call is never spent in the next window.
 */
const running = ({ charge, sentAt }: Answered, now: number): boolean => {
  const latest = charge.at.getTime() + (now - sentAt);
  return charge.windows.every(({ endsAt }) => latest < endsAt.getTime());
};

/** The answer once more, now. The time is the earliest possible, so that a retry after its seconds is never too early. */
const repeated = ({ charge, receivedAt }: Answered, now: number): Charge => ({
  ...charge,
  at: new Date(Math.floor(charge.at.getTime() + (now - receivedAt))),
});

/** The leases and remembered refusals of one process. Times are milliseconds of a monotonic clock. */
export class Leases {
  readonly #rules: LeaseRules;
  readonly #rates = new Rates();
  readonly #leases = new Map<string, Lease>();
  readonly #refusals = new Map<string, Answered>();

  constructor(rules: Partial<LeaseRules> = {}) {
    this.#rules = { ...LEASE_RULES, ...rules };
  }

  get share(): number {
    return this.#rules.share;
  }

  /** Whether there is nothing that `end` could end, now or later. */
  get isEmpty(): boolean {
    return this.#leases.size === 0 && this.#refusals.size === 0;
  }

  /**
   * Answers a call that arrives without PostgreSQL, if that is possible.
   * @returns null when PostgreSQL has to be asked
   */
  arrive(group: string, now: number): Charge | null {
    const rate = this.#rates.count(group, now);
    return this.spend(group, now) ?? (rate <= this.#rules.above ? null : this.#refusalOf(group, now));
  }

  /** Spends one call of a lease. @returns null when there is none */
  spend(group: string, now: number): Charge | null {
    const lease = this.#leases.get(group);
    if (!lease || lease.left === 0 || now >= lease.receivedAt + this.#rules.lasts || !running(lease, now)) return null;
    lease.left--;
    return repeated(lease, now);
  }

  #refusalOf(group: string, now: number): Charge | null {
    const refusal = this.#refusals.get(group);
    if (!refusal) return null;
    if (now < refusal.receivedAt + this.#rules.refused && running(refusal, now)) return repeated(refusal, now);
    this.#refusals.delete(group);
    return null;
  }

  /**
   * How many calls to lease on top of those that wait; 0 for a caller who does not call often, or whose last lease has yet to
   * be given back.
   */
  wish(group: string, now: number): number {
    if ((this.#leases.get(group)?.left ?? 0) > 0) return 0;
    const rate = this.#rates.of(group, now);
    if (rate <= this.#rules.above) return 0;
    return Math.min(this.#rules.maximum, Math.ceil((rate * this.#rules.covers) / SECOND));
  }

  /** Keeps calls that were leased. @param answered windows as they are with the lease counted as used */
  keep(group: string, answered: Answered, calls: number): void {
    if (calls > 0) this.#leases.set(group, { ...answered, left: calls });
  }

  /** Remembers the refusal of a caller who calls often. */
  refuse(group: string, answered: Answered): void {
    if (this.#rates.of(group, answered.receivedAt) > this.#rules.above) this.#refusals.set(group, answered);
  }

  /** Forgets the refusals that a window caused: a call was given back to it. */
  reopen(keys: readonly string[]): void {
    for (const [group, { charge }] of this.#refusals)
      if (charge.windows.some(({ key }) => keys.includes(key))) this.#refusals.delete(group);
  }

  /** Ends leases that are over or spent, and forgets old refusals. @returns what has to be given back */
  end(now: number): Unspent[] {
    for (const [group, { receivedAt }] of this.#refusals)
      if (now >= receivedAt + this.#rules.refused) this.#refusals.delete(group);
    return this.#endThose((lease) => now >= lease.receivedAt + this.#rules.lasts || !running(lease, now));
  }

  /** Ends all leases and forgets all refusals. @returns what has to be given back */
  endAll(): Unspent[] {
    this.#refusals.clear();
    return this.#endThose(() => true);
  }

  #endThose(over: (lease: Lease) => boolean): Unspent[] {
    const unspent: Unspent[] = [];
    for (const [group, lease] of this.#leases) {
      if (lease.left > 0 && !over(lease)) continue;
      this.#leases.delete(group);
      if (lease.left > 0) unspent.push({ charge: lease.charge, calls: lease.left });
    }
    return unspent;
  }
}
