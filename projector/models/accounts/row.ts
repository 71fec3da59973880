/** One account with all its keys. */
import type { KeyScope, Plan } from '../../../schemas/access.ts';

export interface AccountRow {
  /** Null before the account was opened. */
  readonly name: string | null;
  readonly plan: Plan;
  readonly opened_at: string | null;
  readonly keys: readonly KeyRow[];
  /** The newest one. */
  readonly application: ApplicationRow | null;
}

export interface KeyRow {
  readonly id: string;
  readonly hash: string;
  readonly ending: string;
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

export interface ApplicationRow {
  readonly id: string;
  readonly status: 'pending' | 'approved' | 'rejected';
  readonly email: string;
  readonly use: string;
  readonly submitted_at: string;
  readonly reviewed_at: string | null;
  /** Why it was rejected. */
  readonly why: string | null;
}
