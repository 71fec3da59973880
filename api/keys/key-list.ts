/** What an account sees of its keys. */
import type { AccountName } from '../../access/account.ts';
import { peek } from '../../access/quota/charge.ts';
import { CALLS, callWindows } from '../../access/quota/limits.ts';
import { findAccount } from '../../projector/models/accounts-queries.ts';
import type { KeyList } from '../../schemas/key.ts';
import type { RouteContext } from '../context.ts';
import { applicationDocument, keyDocument } from './documents.ts';

/** The keys, newest first, how the limits stand, and the application for a first key. */
export async function keyList(
  { database, now }: Pick<RouteContext, 'database' | 'now'>,
  { id, name }: AccountName,
): Promise<KeyList> {
  const found = await findAccount(database, id);
  const plan = found?.plan ?? 'free';
  const { windows } = await peek(database, callWindows(id, CALLS[plan]));
  const [minute, day] = windows.map(({ used, max, endsAt }) => ({ used, max, resets_at: endsAt.toISOString() }));
  if (!minute || !day) throw new RangeError('calls have a minute and a day');
  return {
    account: { id, name, plan },
    usage: { minute, day },
    application: found?.application ? applicationDocument(found.application) : null,
    keys: (found?.keys ?? []).map((key) => keyDocument(key, now())).toReversed(),
  };
}
