/** Notes which items of its inbox an account has read. */
import { countUnread, findItems } from '../../projector/models/inbox-queries.ts';
import { Refusal } from '../../schemas/refusal.ts';
import type { RouteContext } from '../context.ts';
import { seeOwnWrite } from '../read-own-write.ts';
import { markRead } from './command.ts';
import { accountFollows } from './waiting.ts';

type Context = Pick<RouteContext, 'database' | 'store' | 'directory' | 'now'>;

/**
 * @param read ids of items, or the item up to which all is read
 * @returns how many are left unread
 * @throws Refusal `not_found` for an item that the inbox does not have
 */
export async function readItems(
  { database, store, directory, now }: Context,
  account: string,
  read: { readonly ids: readonly string[] } | { readonly up_to: string },
): Promise<number> {
  const { waiting } = await accountFollows(database, directory, account);
  const wanted = 'ids' in read ? read.ids : [read.up_to];
  const found = await findItems(database, account, waiting, wanted);
  const missing = wanted.filter((id) => !found.some((item) => item.id === id));
  if (missing.length > 0) throw new Refusal('not_found', `Your inbox has no item ${missing.slice(0, 5).join(', ')}.`);
  const mark = 'up_to' in read ? found[0] : undefined;
  const fresh = found.filter(({ read_at }) => read_at === null).map(({ id }) => id);
  if (mark || fresh.length > 0) {
    const marked = mark ? { delivered_at: mark.delivered_at.toISOString(), signal_id: mark.id } : null;
    const command = { store, account, now: now() };
    const position = await markRead(command, { signal_ids: mark ? [] : fresh, up_to: marked });
    await seeOwnWrite(database, ['inbox_reads'], position);
  }
  return countUnread(database, account, waiting);
}
