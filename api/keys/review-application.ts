/** An operator decides on an application for a first key. */
import type { AccountCommand } from '../../access/account.ts';
import { commandAccount } from '../../access/account-commands.ts';
import { findAccount, ownerOfApplication } from '../../projector/models/accounts-queries.ts';
import { ApplicationId } from '../../schemas/access.ts';
import type { ReviewedApplication } from '../../schemas/key.ts';
import { quoted, Refusal } from '../../schemas/refusal.ts';
import type { RouteContext } from '../context.ts';
import { reviewedApplication } from './documents.ts';

type Verdict = Extract<AccountCommand, { command: 'approve' | 'reject' }>;

/**
 * @param operator the name of who decides
 * @returns the application as it is then, also when it was decided so before
 * @throws Refusal `not_found` for none, `invalid_request` for one that was decided otherwise
 */
export async function reviewApplication(
  context: Pick<RouteContext, 'database' | 'store' | 'now'>,
  verdict: Verdict,
  operator: string,
): Promise<ReviewedApplication> {
  const { database } = context;
  const { application_id: id } = verdict;
  const none = new Refusal('not_found', `There is no application ${quoted(id)}. GET /api/v1/keys/applications lists.`);
  const owner = ApplicationId.safeParse(id).success ? await ownerOfApplication(database, id) : null;
  const account = owner === null ? null : await findAccount(database, owner);
  if (!account) throw none;
  const commander = { role: 'operator', by: `operator ${operator}` } as const;
  await commandAccount(context, { id: account.id, name: account.name ?? account.id }, verdict, commander);
  const after = await findAccount(database, account.id);
  const application = after && reviewedApplication(after);
  if (!application) throw none;
  return application;
}
