/** Windows of calls: whose, how many, how long. */
import type { ErrorCode } from '../../schemas/resources.ts';

export interface Window {
  /** Whose window it is and which, such as `acc_0123456789abcdef day`. */
  readonly key: string;
  /** Its name in the headers, such as `minute`. */
  readonly name: string;
  readonly max: number;
  readonly seconds: number;
  /** The answer when it is full. */
  readonly code: Extract<ErrorCode, 'rate_limited' | 'quota_exhausted' | 'ask_quota'>;
}

/** A window as a call left it. */
export interface Counted extends Window {
  readonly used: number;
  readonly endsAt: Date;
}

export interface Charge {
  /** False: a window was full, and nothing was charged. */
  readonly fits: boolean;
  /** In the order of precedence. */
  readonly windows: readonly Counted[];
  /** The time at which it was counted. */
  readonly at: Date;
  /** The key that called; null for a call without one. */
  readonly keyId?: string | null;
}

/** The window that the caller is told about: the one that turned the call away, else the day, else the first. */
export const tellingWindow = ({ fits, windows }: Charge): Counted | undefined =>
  (fits ? undefined : windows.find(({ used, max }) => used >= max)) ??
  windows.find(({ name }) => name === 'day') ??
  windows[0];
