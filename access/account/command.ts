/** What can be asked of an account, by its owner or by an operator. */
import type { KeyScope, Plan } from '../../schemas/access.ts';

export interface IssueKey {
  readonly command: 'issue_key';
  readonly key: { readonly id: string; readonly hash: string; readonly ending: string };
  readonly name: string;
  /** Null for the usual ones of the plan. */
  readonly scopes: readonly KeyScope[] | null;
  /** RFC 3339; null for a key that stays until it is revoked. */
  readonly expires_at: string | null;
  /** Plan to which the account is set with it; null leaves the plan. */
  readonly plan: Plan | null;
}

export type AccountCommand =
  | IssueKey
  | { readonly command: 'revoke_key'; readonly key_id: string }
  | { readonly command: 'change_plan'; readonly plan: Plan }
  /** Revokes all keys and closes the account; see `eraseAccount`, which destroys the personal data as well. */
  | { readonly command: 'erase' }
  | { readonly command: 'apply'; readonly email: string; readonly use: string }
  | { readonly command: 'approve'; readonly application_id: string }
  | { readonly command: 'reject'; readonly application_id: string; readonly why: string };

/** Who commands. An operator may do everything, an owner what the plan allows. */
export interface Commander {
  readonly role: 'owner' | 'operator';
  /** As it stands in the events, such as `operator asha` or `owner`. */
  readonly by: string;
}

/** Whose account it is. */
export interface AccountName {
  readonly id: string;
  readonly name: string;
}
