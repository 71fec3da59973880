/** How long to wait before a source is polled again. */

export const SHORTEST_SECONDS = 600;
export const LONGEST_SECONDS = 86_400;
/** Where learning begins. */
const FIRST_SECONDS = 1_800;
/** A server that asks for more than this is asked again all the same, once a week. */
const LONGEST_RETRY_SECONDS = 7 * 86_400;

const bounded = (seconds: number): number => Math.round(Math.min(LONGEST_SECONDS, Math.max(SHORTEST_SECONDS, seconds)));

/**
 * The time between two polls in seconds: fixed by the roster, or learnt. Each poll with news shortens it and each
 * one without lengthens it, which settles at about two polls per change.
 */
export function learnCadence(
  fixed: number | undefined,
  previous: number | null | undefined,
  found: { readonly changed: boolean; readonly news: number },
): number {
  if (fixed !== undefined) return fixed;
  const before = previous ?? FIRST_SECONDS;
  return bounded(before * (found.news >= 3 ? 0.5 : found.changed ? 0.75 : 1.25));
}

export interface Wait {
  readonly now: Date;
  readonly cadenceSeconds: number;
  /** True where the roster fixes the cadence: then the outlet's caching headers do not lengthen it. */
  readonly fixed: boolean;
  /** Failures in a row, this poll included. */
  readonly failures: number;
  readonly retryAt: Date | null;
  /** Seconds that the outlet lets its answer be kept, 0 when it does not say. */
  readonly freshSeconds: number;
  /** From 0 to 1: how much of a tenth is added, so that sources do not stay in step. */
  readonly jitter: number;
}

/** The moment of the next poll. Failures double the wait up to a day; what a server asks for is honoured. */
export function nextPollAt(wait: Wait): Date {
  const fresh = wait.fixed || wait.failures > 0 ? 0 : Math.min(wait.freshSeconds, LONGEST_SECONDS);
  const doubled = wait.cadenceSeconds * 2 ** Math.min(Math.max(wait.failures - 1, 0), 20);
  const seconds = Math.min(LONGEST_SECONDS, Math.max(fresh, doubled * (1 + wait.jitter * 0.1)));
  const asked = wait.retryAt ? (wait.retryAt.getTime() - wait.now.getTime()) / 1000 : 0;
  return new Date(wait.now.getTime() + Math.max(seconds, Math.min(asked, LONGEST_RETRY_SECONDS)) * 1000);
}

/**
 * Whether a source may wait until a moment that was stored, by this process or another: one that no wait leads to was
 * written by a clock that has been set since, and means nothing.
 */
export function mayWaitUntil(due: number, failures: number, now: number): boolean {
  const longest = failures > 0 ? LONGEST_RETRY_SECONDS : LONGEST_SECONDS;
  return due > now && due - now <= longest * 1_000;
}
