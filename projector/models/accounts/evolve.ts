/** What happens to the row of an account. */
import { ACCOUNT_TYPES } from '../../../schemas/access.ts';
import type { KnownEvent } from '../../../schemas/events.ts';
import { ERASED } from '../../../schemas/personal-data.ts';
import type { AccountRow, ApplicationRow } from './row.ts';

const NOTHING: AccountRow = { name: null, plan: 'free', opened_at: null, keys: [], application: null };

type AccountEvent = KnownEvent<(typeof ACCOUNT_TYPES)[number]>;
const isOurs = (event: KnownEvent): event is AccountEvent => ACCOUNT_TYPES.some((type) => type === event.type);

/** The account that an event speaks of. */
export const touchedAccount = (event: KnownEvent): readonly string[] => (isOurs(event) ? [event.data.account_id] : []);

/** Applies an event to the row of its account. */
export function evolveAccountRow(row: AccountRow | null, event: KnownEvent): AccountRow | null {
  return isOurs(event) ? evolved(row ?? NOTHING, event) : row;
}

function evolved(row: AccountRow, { type, data, time }: AccountEvent): AccountRow {
  switch (type) {
    case 'AccountOpened':
      return { ...row, name: data.name, opened_at: time };
    case 'PlanChanged':
      return { ...row, plan: data.to };
    case 'KeyIssued': {
      const { key_id: id, hash, ending, name, scopes, expires_at } = data;
      const key = { id, hash, ending, name, scopes, created_at: time, expires_at, revoked_at: null };
      return { ...row, keys: [...row.keys, key] };
    }
    case 'KeyRevoked':
      return {
        ...row,
        keys: row.keys.map((key) => (key.id === data.key_id ? { ...key, revoked_at: key.revoked_at ?? time } : key)),
      };
    case 'ApplicationSubmitted': {
      const { application_id: id, email, use } = data;
      return {
        ...row,
        application: { id, status: 'pending', email, use, submitted_at: time, reviewed_at: null, why: null },
      };
    }
    case 'AccountErased':
      return {
        name: null,
        plan: 'free',
        opened_at: row.opened_at,
        keys: row.keys.map((key) => ({ ...key, name: ERASED, revoked_at: key.revoked_at ?? time })),
        application: null,
      };
    case 'ApplicationApproved':
      return { ...row, application: reviewed(row, data.application_id, { status: 'approved', reviewed_at: time }) };
    case 'ApplicationRejected': {
      const verdict = { status: 'rejected', reviewed_at: time, why: data.why } as const;
      return { ...row, application: reviewed(row, data.application_id, verdict) };
    }
  }
}

function reviewed({ application }: AccountRow, id: string, verdict: Partial<ApplicationRow>): ApplicationRow {
  if (application?.id !== id) throw new Error(`a review speaks of the application ${id}, which was never submitted`);
  return { ...application, ...verdict };
}
