/** GET /operate/accounts: accounts, plans and keys; /operate/applications; /operate/audit, also .csv and .json. */

import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { keyDocument, reviewedApplication } from '../../../access/api-keys.ts';
import { type AccountUse, type KeyUse, usageOfAccounts, usageOfKeys } from '../../../access/quota/usage.ts';
import { DAY, formatDay, startOfDay } from '../../../language/days.ts';
import { formatCount, formatNumber } from '../../../language/prose.ts';
import { approve, changePlan, reject, revokeKey } from '../../../operations/accounts.ts';
import { sendCsv } from '../../../presentation/csv.ts';
import { addressWith, fullTime, type Markup, timeTag } from '../../../presentation/markup.ts';
import { labelToWords } from '../../../presentation/text.ts';
import {
  type Act,
  type AuditFilter,
  type FoundAccount,
  listAccounts,
  listActors,
  listActs,
} from '../../../projector/models/accounts-queries.ts';
import { AUDIT_ACTIONS } from '../../../projector/models/audit-read-models.ts';
import { PLANS, type ReviewedApplication } from '../../../schemas/access.ts';
import { IstDay } from '../../../schemas/scalar.ts';
import { choiceField, dayField, readQuery } from '../../forms.ts';
import { excerpt, table } from '../../parts.ts';
import type { Site } from '../../site.ts';
import { keyUse } from '../keys.ts';
import { actionForm, foldedForm, type Operator } from './operator-forms.ts';
import { forRole, operatorPage } from './operator-page.ts';

const PATH = '/operate/accounts';
const DAYS = 30;
/** Accounts listed, most calls first; the search finds the others. */
const SHOWN = 30;

const Search = z.object({
  q: z.string().trim().max(120).describe('part of a name, an e-mail address or an id').optional(),
});

const NO_USE = { calls: 0, questions: 0, today: 0 };
type Use = Omit<AccountUse, 'account'>;

const keyRow = (operator: Operator, site: Site, uses: ReadonlyMap<string, KeyUse>) => {
  return (kept: FoundAccount['keys'][number]): Markup => {
    const key = keyDocument(kept, site.now());
    const name = excerpt(key.name);
    return html`<tr><th scope="row">${name}<small>…${key.ending} · <code>${key.id}</code></small></th>
    <td>${key.scopes.join(', ')}</td><td>${keyUse(uses.get(key.id))}</td>
    <td>${
      key.status === 'active'
        ? actionForm(operator, revokeKey, {
            at: PATH,
            hidden: { key: key.id },
            button: 'Revoke',
            label: `Revoke ${name}`,
            isPlain: true,
          })
        : key.status
    }</td></tr>`;
  };
};

function entry(operator: Operator, site: Site, account: FoundAccount, use: Use, uses: ReadonlyMap<string, KeyUse>) {
  const { id, name, plan, opened_at, keys } = account;
  const called = excerpt(name ?? id, 120);
  const other = PLANS.find((one) => one !== plan) ?? plan;
  const otherName = other === 'pro' ? 'Pro' : 'Free';
  return html`<article class="case"><h2>${called}</h2>
    <p class="said">${plan === 'pro' ? 'Pro' : 'Free'} · <code>${id}</code>${opened_at ? html` · since ${timeTag(opened_at, formatDay(opened_at))}` : null}</p>
    <p>${formatCount(use.calls, 'call')} in ${DAYS} days, ${formatNumber(use.today)} of them today; ${formatCount(use.questions, 'question')}.</p>
    ${
      keys.length === 0
        ? html`<p class="note">No keys.</p>`
        : table(
            `Keys of ${called}`,
            ['Key', 'Permissions', `Calls, ${DAYS} days`, 'State'],
            keys.toReversed().map(keyRow(operator, site, uses)),
          )
    }
    ${actionForm(operator, changePlan, { at: PATH, hidden: { account: id, plan: other }, button: `Change plan to ${otherName}`, label: `Change plan to ${otherName}: ${called}`, isPlain: true })}
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
  operatorPage(server, site, {
    path: '/accounts',
    title: 'Accounts and keys',
    async body(operator, parameters) {
      const { q } = readQuery(Search, parameters);
      const [accounts, uses] = await Promise.all([listAccounts(database), usageOfAccounts(database, DAYS, now())]);
      const matches = ranked(accounts, uses, q);
      const shown = matches.slice(0, SHOWN);
      const ids = shown.flatMap(({ keys }) => keys.map(({ id }) => id));
      const keyUses = await usageOfKeys(database, ids, DAYS, now());
      const calls = [...uses.values()].reduce((sum, use) => sum + use.calls, 0);
      return html`<p>${formatCount(accounts.length, 'account')}, ${accounts.filter(({ plan }) => plan === 'pro').length} on Pro; ${formatCount(calls, 'call')} in ${DAYS} days.
        ${matches.length > SHOWN ? html`Showing the ${SHOWN} of ${matches.length} with most calls.` : null}</p>
      ${searchForm(q)}
      ${matches.length === 0 ? html`<p class="empty">No accounts found. <a href="${PATH}">Show all</a></p>` : null}
      ${shown.map((account) => entry(operator, site, account, uses.get(account.id) ?? NO_USE, keyUses))}`;
    },
    forms: [{ action: revokeKey }, { action: changePlan }],
  });
}

const APPLICATIONS_PATH = '/operate/applications';

const applicationEntry = (operator: Operator, application: ReviewedApplication): Markup => {
  const { id, email, account, use, submitted_at } = application;
  return html`<article class="case">
    <h2>${excerpt(account.name, 120)}</h2>
    <p class="said">${fullTime(submitted_at)} · reply to ${excerpt(email, 120)} · <code>${id}</code></p>
    <blockquote>${excerpt(use, 2_000)}</blockquote>
    ${actionForm(operator, approve, { at: APPLICATIONS_PATH, hidden: { application: id }, button: 'Approve' })}
    ${foldedForm(operator, reject, 'Reject', { at: APPLICATIONS_PATH, hidden: { application: id }, key: id, why: 'Reason (shown to the applicant)', button: 'Reject', isPlain: true })}
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
    forms: [{ action: approve }, { action: reject }],
  });
}

const AUDIT_PATH = '/operate/audit';
const ACTS_SHOWN = 50;
/** Entries of a file; a narrower filter has the rest. */
const EXPORTED = 20_000;

const Query = z.object({
  by: z.string().trim().max(320).optional(),
  action: z.enum(AUDIT_ACTIONS as [string, ...string[]]).optional(),
  subject: z.string().trim().max(200).optional(),
  since: IstDay.optional(),
  until: IstDay.optional(),
  after: z.uuid().optional(),
});
type Query = z.infer<typeof Query>;

/** Days are those of India; the last one counts as a whole. */
const filterOf = ({ by, action, subject, since, until }: Query): AuditFilter => ({
  by,
  action,
  subject,
  since: since === undefined ? undefined : startOfDay(since),
  until: until === undefined ? undefined : new Date(startOfDay(until).getTime() + DAY),
});

const addressOf = (path: string, { after: _, ...query }: Query, after?: string): string =>
  addressWith(path, { ...query, after });

const filters = (
  query: Query,
  actors: readonly string[],
): Markup => html`<form class="row" method="get" action="${AUDIT_PATH}" role="search" aria-label="Audit log">
  ${choiceField('by', 'Operator', [{ value: '', name: 'Everybody' }, ...actors.map((name) => ({ value: name, name: excerpt(name) }))], query.by ?? '')}
  ${choiceField('action', 'Action', [{ value: '', name: 'Every action' }, ...AUDIT_ACTIONS.map((value) => ({ value, name: labelToWords(value) }))], query.action ?? '')}
  <div class="field"><label for="subject">Signal, source, account or other subject</label><input id="subject" name="subject" maxlength="200" value="${query.subject ?? ''}"></div>
  ${dayField('since', 'From', query.since)}${dayField('until', 'To', query.until)}
  <div><button class="plain">Show</button></div></form>`;

/** A signal leads to the review desk, a source to its page. */
function subjectOf({ action, subject }: Act): Markup | string {
  const shown = excerpt(subject, 120);
  if (action.startsWith('signal_'))
    return html`<a href="${addressWith('/operate/review', { signal: subject })}">${shown}</a>`;
  if (action.startsWith('source_')) return html`<a href="/operate/sources/${encodeURIComponent(subject)}">${shown}</a>`;
  return shown;
}

const row = (act: Act): Markup => html`<tr><th scope="row">${fullTime(act.at.toISOString())}</th>
  <td>${excerpt(act.by, 80)}</td><td>${labelToWords(act.action)}</td>
  <td class="long">${subjectOf(act)}${act.detail ? html`<small>${excerpt(act.detail, 200)}</small>` : null}</td>
  <td class="long">${excerpt(act.why ?? '', 500)}</td></tr>`;

export function auditPage(server: FastifyInstance, site: Site): void {
  const { database } = site;
  operatorPage(server, site, {
    path: '/audit',
    title: 'Audit log',
    async body(_operator, parameters) {
      const query = readQuery(Query, parameters);
      const [acts, actors] = await Promise.all([
        listActs(database, filterOf(query), ACTS_SHOWN + 1, query.after),
        listActors(database),
      ]);
      const shown = acts.slice(0, ACTS_SHOWN);
      const last = acts.length > ACTS_SHOWN ? shown.at(-1) : undefined;
      return html`${filters(query, actors)}
        ${
          shown.length === 0
            ? html`<p class="empty">Nothing found.</p>`
            : table('What operators did', ['When', 'Who', 'What', 'To what', 'Why'], shown.map(row))
        }
        <nav class="pager" aria-label="Pages">${query.after ? html`<a href="${addressOf(AUDIT_PATH, query)}">Back to the newest</a>` : html`<span></span>`}
          ${last ? html`<a rel="next" href="${addressOf(AUDIT_PATH, query, last.id)}">Older</a>` : null}</nav>
        <p><a href="${addressOf(`${AUDIT_PATH}.csv`, query)}" download>CSV</a> <a href="${addressOf(`${AUDIT_PATH}.json`, query)}" download>JSON</a>
          <small>with these filters, the newest ${formatNumber(EXPORTED)} at most</small></p>`;
    },
  });
  const exported = async (parameters: unknown): Promise<Act[]> => {
    const query = readQuery(Query, parameters);
    return listActs(database, filterOf(query), EXPORTED, query.after);
  };
  server.get(`${AUDIT_PATH}.csv`, forRole('operator'), async (request, reply) => {
    const rows = (await exported(request.query)).map(({ id, at, by, action, subject, detail, why }) => [
      at.toISOString(),
      by,
      action,
      subject,
      detail,
      why,
      id,
    ]);
    return sendCsv(reply, 'audit', { columns: ['at', 'by', 'action', 'subject', 'detail', 'why', 'event'], rows });
  });
  server.get(`${AUDIT_PATH}.json`, forRole('operator'), async (request, reply) => {
    reply.header('content-disposition', 'attachment; filename="audit.json"').type('application/json; charset=utf-8');
    return reply.send(JSON.stringify({ acts: await exported(request.query) }));
  });
}
