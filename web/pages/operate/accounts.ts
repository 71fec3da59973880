/**
 * GET /operate/accounts: accounts with their calls and keys; change plans and revoke keys. GET
 * /operate/applications: applications for a first free key.
 */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { type AccountCommand, commandAccount } from '../../../access/account.ts';
import { keyDocument, reviewApplication, reviewedApplication } from '../../../access/api-keys.ts';
import { type AccountUse, type KeyUse, usageOfAccounts, usageOfKeys } from '../../../access/quota/usage.ts';
import { fullTime, type Markup, timeTag } from '../../../presentation/markup.ts';
import { clip, formatCount, formatNumber, formatShortDay, neutralise } from '../../../presentation/text.ts';
import { type FoundAccount, findAccount, listAccounts } from '../../../projector/models/accounts-queries.ts';
import { AccountId, PLANS, Plan, type ReviewedApplication } from '../../../schemas/access.ts';
import { Refusal } from '../../../schemas/input-errors.ts';
import { form, readQuery } from '../../forms.ts';
import type { Site } from '../../site.ts';
import { keyUse } from '../keys.ts';
import { type Operator, operatorPage, reasonIn, whyField } from './operator-page.ts';

const PATH = '/operate/accounts';
const DAYS = 30;
/** Accounts listed, most calls first; the search finds the others. */
const SHOWN = 30;

const Asked = z.object({
  q: z.string().trim().max(120).describe('part of a name, an e-mail address or an id').optional(),
});

const NO_USE = { calls: 0, questions: 0, today: 0 };
type Use = Omit<AccountUse, 'account'>;

const keyRow = ({ reader }: Operator, site: Site, account: AccountId, uses: ReadonlyMap<string, KeyUse>) => {
  return (kept: FoundAccount['keys'][number]): Markup => {
    const key = keyDocument(kept, site.now());
    const name = clip(neutralise(key.name), 60);
    return html`<tr><th scope="row">${name}<small>…${key.ending} · <code>${key.id}</code></small></th>
    <td>${key.scopes.join(', ')}</td><td>${keyUse(uses.get(key.id))}</td>
    <td>${
      key.status === 'active'
        ? form(
            reader,
            `${PATH}/revoke`,
            { account, key: key.id },
            html`<button class="plain" aria-label="Revoke ${name}">Revoke</button>`,
          )
        : key.status
    }</td></tr>`;
  };
};

function entry(operator: Operator, site: Site, found: FoundAccount, use: Use, uses: ReadonlyMap<string, KeyUse>) {
  const { id, name, plan, opened_at, keys } = found;
  const called = clip(neutralise(name ?? id), 120);
  const other = PLANS.find((one) => one !== plan) ?? plan;
  const otherName = other === 'pro' ? 'Pro' : 'Free';
  return html`<article class="case"><h2>${called}</h2>
    <p class="said">${plan === 'pro' ? 'Pro' : 'Free'} · <code>${id}</code>${opened_at ? html` · since ${timeTag(opened_at, formatShortDay(opened_at))}` : null}</p>
    <p>${formatCount(use.calls, 'call')} in ${DAYS} days, ${formatNumber(use.today)} of them today; ${formatCount(use.questions, 'question')}.</p>
    ${
      keys.length === 0
        ? html`<p class="note">No keys.</p>`
        : html`<div class="scroll" tabindex="0" role="region" aria-label="Keys of ${called}"><table>
    <thead><tr><th scope="col">Key</th><th scope="col">Permissions</th><th scope="col">Calls, ${DAYS} days</th><th scope="col">State</th></tr></thead>
    <tbody>${keys.toReversed().map(keyRow(operator, site, id, uses))}</tbody></table></div>`
    }
    ${form(operator.reader, `${PATH}/plan`, { account: id, plan: other }, html`<button class="plain" aria-label="Change plan to ${otherName}: ${called}">Change plan to ${otherName}</button>`)}
  </article>`;
}

const searchForm = (q: string | undefined): Markup => html`<form class="row" action="${PATH}" method="get">
  <div class="field"><label for="q">Account</label><input id="q" name="q" type="search" maxlength="120" value="${q ?? ''}" placeholder="asha@kiri.example"></div>
  <button type="submit">Find</button></form>`;

/** Accounts that match a search, most calls first. */
function ranked(accounts: readonly FoundAccount[], uses: ReadonlyMap<string, Use>, q = ''): FoundAccount[] {
  const wanted = q.toLowerCase();
  const texts = ({ id, name, application, keys }: FoundAccount): string[] =>
    [id, name ?? '', application?.email ?? '', ...keys.map((key) => key.id)].map((text) => text.toLowerCase());
  return accounts
    .filter((account) => texts(account).some((text) => text.includes(wanted)))
    .toSorted((one, other) => (uses.get(other.id)?.calls ?? 0) - (uses.get(one.id)?.calls ?? 0));
}

export function accountsPage(server: FastifyInstance, site: Site): void {
  const { database, now } = site;
  async function command({ by }: Operator, id: string | undefined, wanted: AccountCommand): Promise<void> {
    const account = AccountId.safeParse(id);
    const found = account.success ? await findAccount(database, account.data) : null;
    if (!found) throw new Refusal('invalid_request', 'account: no account has this id.');
    await commandAccount(site, { id: found.id, name: found.name ?? found.id }, wanted, { role: 'operator', by });
  }
  operatorPage(server, site, {
    path: '/accounts',
    title: 'Accounts and keys',
    async body(operator, asked) {
      const { q } = readQuery(Asked, asked);
      const [accounts, uses] = await Promise.all([listAccounts(database), usageOfAccounts(database, DAYS, now())]);
      const found = ranked(accounts, uses, q);
      const shown = found.slice(0, SHOWN);
      const ids = shown.flatMap(({ keys }) => keys.map(({ id }) => id));
      const keyUses = await usageOfKeys(database, ids, DAYS, now());
      const calls = [...uses.values()].reduce((sum, use) => sum + use.calls, 0);
      return html`<p>${formatCount(accounts.length, 'account')}, ${accounts.filter(({ plan }) => plan === 'pro').length} on Pro; ${formatCount(calls, 'call')} in ${DAYS} days.
        ${found.length > SHOWN ? html`Showing the ${SHOWN} of ${found.length} with most calls.` : null}</p>
      ${searchForm(q)}
      ${found.length === 0 ? html`<p class="empty">No accounts found. <a href="${PATH}">Show all</a></p>` : null}
      ${shown.map((account) => entry(operator, site, account, uses.get(account.id) ?? NO_USE, keyUses))}`;
    },
    actions: {
      revoke: (operator, { account, key: key_id = '' }) =>
        command(operator, account, { command: 'revoke_key', key_id }),
      async plan(operator, { account, plan }) {
        const wanted = Plan.safeParse(plan);
        if (!wanted.success) throw new Refusal('invalid_request', `plan: allowed are ${PLANS.join(' and ')}.`);
        await command(operator, account, { command: 'change_plan', plan: wanted.data });
      },
    },
  });
}

const APPLICATIONS_PATH = '/operate/applications';

const applicationEntry = ({ reader }: Operator, application: ReviewedApplication): Markup => {
  const { id, email, account, use, submitted_at } = application;
  return html`<article class="case">
    <h2>${clip(neutralise(account.name), 120)}</h2>
    <p class="said">${fullTime(submitted_at)} · reply to ${clip(neutralise(email), 120)} · <code>${id}</code></p>
    <blockquote>${clip(neutralise(use), 2_000)}</blockquote>
    ${form(reader, `${APPLICATIONS_PATH}/approve`, { id }, html`<button>Approve</button>`)}
    <details><summary>Reject</summary>
      ${form(reader, `${APPLICATIONS_PATH}/reject`, { id }, html`${whyField(id, 'Reason (shown to the applicant)')}<p><button class="plain">Reject</button></p>`, 'narrow')}
    </details>
  </article>`;
};

export function applicationsPage(server: FastifyInstance, site: Site): void {
  operatorPage(server, site, {
    path: '/applications',
    title: 'Applications for a key',
    async body(operator) {
      const accounts = await listAccounts(site.database, { application: 'pending' });
      const waiting = accounts
        .flatMap((account) => reviewedApplication(account) ?? [])
        .sort((one, other) => Date.parse(one.submitted_at) - Date.parse(other.submitted_at));
      if (waiting.length === 0) return html`<p class="empty">No open applications.</p>`;
      return html`${waiting.map((one) => applicationEntry(operator, one))}`;
    },
    actions: {
      async approve({ by }, { id = '' }) {
        await reviewApplication(site, { command: 'approve', application_id: id }, by);
      },
      async reject({ by }, sent) {
        await reviewApplication(site, { command: 'reject', application_id: sent.id ?? '', why: reasonIn(sent) }, by);
      },
    },
  });
}
