/** `clarity accounts`: accounts, their plans and their applications, for operators. */
import type { Command } from 'commander';
import type { AccountCommand } from '../../access/account.ts';
import { commandAccount } from '../../access/account-commands.ts';
import { eraseAccount } from '../../access/erase-account.ts';
import { revokeAccountTokens } from '../../access/token-revocations.ts';
import { waitForPosition } from '../../projector/model-progress.ts';
import { listAccounts, ownerOfApplication } from '../../projector/models/accounts-queries.ts';
import { accountsModel } from '../../projector/models/accounts-read-model.ts';
import { investigationsModel } from '../../projector/models/investigations-read-model.ts';
import { sessionsModel } from '../../projector/models/sessions-read-model.ts';
import { PLANS, Plan } from '../../schemas/access.ts';
import { CATCH_UP_TIMEOUT, keyStatus, namedAccount, operator, withAccounts } from '../account-commands.ts';
import { UserError } from '../errors.ts';
import { confirmed, printTable } from '../terminal.ts';

const printJson = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);

async function list({ json }: { json?: boolean }): Promise<void> {
  await withAccounts('accounts', async ({ database, now }) => {
    const accounts = (await listAccounts(database)).map(({ keys, ...account }) => ({
      ...account,
      active_keys: keys.filter((key) => keyStatus(key, now()) === 'active').length,
    }));
    if (json) return printJson(accounts);
    printTable(
      ['id', 'name', 'plan', 'active keys', 'application', 'opened'],
      accounts.map(({ id, name, plan, active_keys, application, opened_at }) => [
        id,
        name ?? '',
        plan,
        String(active_keys),
        application?.status ?? '',
        opened_at ?? '',
      ]),
    );
  });
}

async function setPlan(named: string, given: string, { json }: { json?: boolean }): Promise<void> {
  const plan = Plan.safeParse(given);
  if (!plan.success) throw new UserError(`${JSON.stringify(given)} is not a plan; allowed: ${PLANS.join(', ')}`);
  await withAccounts('accounts', async (services) => {
    const account = await namedAccount(services, named);
    const command = { command: 'change_plan', plan: plan.data } as const;
    const changed = await commandAccount(services, account, command, operator());
    if (json) return printJson({ id: account.id, name: account.name, plan: changed.account.plan });
    process.stdout.write(`${account.name} is on ${changed.account.plan}; all processes apply it within a minute\n`);
  });
}

async function applications({ all, json }: { all?: boolean; json?: boolean }): Promise<void> {
  await withAccounts('accounts', async ({ database }) => {
    const found = (await listAccounts(database, { application: all ? null : 'pending' })).flatMap(
      ({ id, name, application }) => (application ? [{ ...application, account: name ?? id }] : []),
    );
    if (json) return printJson(found);
    printTable(
      ['id', 'account', 'e-mail', 'status', 'submitted', 'use'],
      found.map((one) => [one.id, one.account, one.email, one.status, one.submitted_at, JSON.stringify(one.use)]),
    );
  });
}

async function review(application_id: string, command: AccountCommand): Promise<void> {
  await withAccounts('accounts', async (services) => {
    const owner = await ownerOfApplication(services.database, application_id);
    if (!owner)
      throw new UserError(`no application ${JSON.stringify(application_id)}; see "clarity accounts applications"`);
    const account = await namedAccount(services, owner);
    const { account: after } = await commandAccount(services, account, command, operator());
    process.stdout.write(`${application_id} of ${account.name} is ${after.application?.status}\n`);
  });
}

async function revokeTokens(named: string, { json }: { json?: boolean }): Promise<void> {
  await withAccounts('accounts', async (services) => {
    const account = await namedAccount(services, named);
    const grants = await revokeAccountTokens(services.database, account);
    if (json) return printJson({ id: account.id, name: account.name, grants });
    process.stdout.write(
      `Access tokens of ${account.name} that were issued until now are revoked on all processes; ` +
        `${grants} grants of the embedded issuer are revoked. Keys stay valid\n`,
    );
  });
}

async function erase(named: string, { yes, json }: { yes?: boolean; json?: boolean }): Promise<void> {
  const models = [accountsModel(), sessionsModel(), investigationsModel()];
  await withAccounts(
    'accounts',
    async (services) => {
      const account = await namedAccount(services, named);
      const question = `Erase ${account.name}? Its personal data becomes permanently unreadable.`;
      if (!(await confirmed(question, yes))) throw new UserError('nothing was erased');
      const erased = await eraseAccount({ ...services, now: services.now() }, account, operator());
      if (erased.position !== null)
        for (const { name } of models)
          await waitForPosition(services.database, name, erased.position, CATCH_UP_TIMEOUT);
      const { position: _, ...counts } = erased;
      if (json) return printJson({ id: account.id, ...counts });
      process.stdout.write(
        `${account.id} is erased: ${counts.keys} keys revoked, ${counts.follows} follows, ${counts.sessions} sessions and ` +
          `${counts.briefings} briefings ended, and the key of its personal data destroyed\n` +
          'Earlier backups of the database still contain that key; see "Personal data" in docs/operators.md\n',
      );
    },
    models,
  );
}

export function addAccounts(program: Command): void {
  const accounts = program
    .command('accounts')
    .description('list and erase accounts, set plans, review applications for keys');
  accounts.command('list').description('list all accounts').option('--json', 'print JSON').action(list);
  accounts
    .command('plan')
    .argument('<account>', 'e-mail address, or acc_…')
    .argument('<plan>', PLANS.join(' or '))
    .description('set the plan of an account')
    .option('--json', 'print JSON')
    .action(setPlan);
  accounts
    .command('applications')
    .description('list pending applications for a first free key')
    .option('--all', 'include reviewed applications')
    .option('--json', 'print JSON')
    .action(applications);
  accounts
    .command('revoke-tokens')
    .argument('<account>', 'e-mail address, the sub of its tokens, or acc_…')
    .description('revoke the access of all programs that an account signed in with; keys stay valid')
    .option('--json', 'print JSON')
    .action(revokeTokens);
  accounts
    .command('erase')
    .argument('<account>', 'e-mail address, or acc_…')
    .description('revoke all keys of an account and make its personal data permanently unreadable')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print JSON')
    .action(erase);
  accounts
    .command('approve')
    .argument('<application_id>')
    .description('allow the applicant to create a first free key')
    .action((application_id: string) => review(application_id, { command: 'approve', application_id }));
  accounts
    .command('reject')
    .argument('<application_id>')
    .requiredOption('--why <text>', 'the reason, which is shown to the applicant')
    .description('reject an application')
    .action((application_id: string, { why }: { why: string }) =>
      review(application_id, { command: 'reject', application_id, why: why.slice(0, 500) }),
    );
}
