/**
 * GET /keys and its forms: apply for a key, make one, see it once, revoke it, and see the use by day. GET /plans: what the
 * API allows on which plan, and how to get a key.
 */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { commandAccount } from '../../access/account.ts';
import { keyList, makeKey, OWNER } from '../../access/api-keys.ts';
import { ANONYMOUS_MCP, CALLS, QUESTIONS_DAY } from '../../access/quota/limits.ts';
import { type KeyUse, usageByDay, usageOfKeys } from '../../access/quota/usage.ts';
import type { Reader } from '../../access/web-sessions.ts';
import { formatDay } from '../../language/days.ts';
import { formatCount, formatNumber } from '../../language/prose.ts';
import { fullTime, type Markup, timeTag } from '../../presentation/markup.ts';
import {
  ApplicationBody,
  type ApplicationDocument,
  type IssuedKey,
  KeyBody,
  type KeyDocument,
  type KeyList,
} from '../../schemas/access.ts';
import { readParameters } from '../../schemas/parameters.ts';
import { usageChart } from '../charts.ts';
import { form, readForm, registerForms } from '../forms.ts';
import { type Page, showPage } from '../layout.ts';
import { dayTag, excerpt, listPart, subject, table } from '../parts.ts';
import { readerRoutes, type Site } from '../site.ts';

/** The new key. It is stored nowhere and shown on no later page. */
const newKeyNotice = ({ key, details }: IssuedKey, baseUrl: string): Markup => html`<section class="made" role="status">
  <h2>Your key</h2>
  <p><code>${key}</code></p>
  <p><strong>It is shown only once.</strong> Store it like a password; the service keeps only its end, …${details.ending}.</p>
  <pre tabindex="0"><code>curl -H 'Authorization: Bearer ${key}' \\
  '${baseUrl}/api/v1/signals?limit=5'</code></pre>
</section>`;

/** The state of the application for a first key, with its form. */
function applicationPart(reader: Reader, application: ApplicationDocument | null): Markup {
  if (application?.status === 'pending')
    return html`<section><h2>Your application is being reviewed</h2>
      <p>It was sent on ${dayTag(application.submitted_at)}. Once it is approved, you can make keys here.</p></section>`;
  return html`<section><h2>Apply for a key</h2>
  ${
    application?.status === 'rejected'
      ? html`<p class="wrong">Your last application was rejected: ${excerpt(application.why ?? '', 500)} You can send another.</p>`
      : html`<p>A first free key needs a short review. Describe what it is for.</p>`
  }
  ${form(
    reader,
    '/keys/apply',
    {},
    html`<p class="field"><label for="email">E-mail address for the answer</label>
      <input id="email" name="email" type="email" autocomplete="email" maxlength="320" required value="${reader.email ?? ''}"></p>
    <p class="field"><label for="use">What will you use it for? (10 characters or more)</label>
      <textarea id="use" name="use" rows="4" minlength="10" maxlength="2000" required></textarea></p>
    <p><button>Apply</button></p>`,
    'narrow',
  )}</section>`;
}

const makePart = (reader: Reader, { account: { plan }, keys }: KeyList): Markup => html`<section><h2>Make a key</h2>
${form(
  reader,
  '/keys/make',
  // A form that is sent again, such as by reloading its result, must not make a second key.
  { known: String(keys.length) },
  html`<p class="field"><label for="name">What is it for?</label>
    <input id="name" name="name" maxlength="80" required placeholder="Morning dashboard"></p>
  ${
    plan === 'pro'
      ? html`<p class="field"><label for="scopes">Permissions</label>
    <select id="scopes" name="scopes"><option value="read,ask">Read and ask</option><option value="read">Read</option></select></p>`
      : null
  }
  <p class="field"><label for="expires_at">Expires on (optional)</label>
    <input id="expires_at" name="expires_at" type="date"></p>
  <p><button>Make the key</button></p>`,
  'narrow',
)}</section>`;

/** The number of calls of a key and the time of the last one. */
export const keyUse = (use: KeyUse | undefined): Markup =>
  use ? html`${formatNumber(use.calls)}<small>last ${fullTime(use.last_at.toISOString())}</small>` : html`none`;

const row = (reader: Reader, key: KeyDocument, use: KeyUse | undefined): Markup => {
  const name = excerpt(key.name, 80);
  return html`<tr><th scope="row">${name}<small>…${key.ending}</small></th>
  <td>${key.scopes.join(', ')}</td>
  <td>${keyUse(use)}</td>
  <td>${fullTime(key.created_at)}${key.expires_at ? html`<small>expires ${fullTime(key.expires_at)}</small>` : null}</td>
  <td>${
    key.status === 'active'
      ? form(
          reader,
          '/keys/revoke',
          { id: key.id },
          html`<button class="plain" aria-label="Revoke ${name}">Revoke</button>`,
        )
      : key.status
  }</td></tr>`;
};

/** The keys of the reader. @param uses calls by the id of a key */
const keyTable = (reader: Reader, keys: readonly KeyDocument[], uses: ReadonlyMap<string, KeyUse>): Markup | null =>
  listPart(
    'Your keys',
    keys,
    () => html`${table(
      'Your keys',
      ['Key', 'Permissions', `Calls, ${DAYS} days`, 'Created', 'State'],
      keys.map((key) => row(reader, key, uses.get(key.id))),
    )}
  <p class="said">A revoked key is refused everywhere within a minute.</p>`,
    null,
  );

const DAYS = 30;

async function keysView(site: Site, reader: Reader, made: IssuedKey | null): Promise<Page> {
  const list = await keyList(site, reader.account);
  const { account, usage, application, keys } = list;
  const days = await usageByDay(site.database, reader.account.id, DAYS, site.now());
  const ids = keys.map(({ id }) => id);
  const uses = await usageOfKeys(site.database, ids, DAYS, site.now());
  const mayMake = account.plan === 'pro' || application?.status === 'approved' || keys.length > 0;
  const calls = days.reduce((sum, day) => sum + day.calls, 0);
  return {
    title: 'Keys',
    description: 'Apply for a key of the API, make and revoke keys, and see their use.',
    body: html`${subject(`Keys of the API · plan ${account.plan === 'pro' ? 'Pro' : 'Free'}`, 'Your keys')}
    <div class="desk">
    ${made ? newKeyNotice(made, site.baseUrl) : null}
    ${keyTable(reader, keys, uses)}
    ${mayMake ? makePart(reader, list) : applicationPart(reader, application)}
    <section><h2>Use</h2>
      <p>${usage.day.used} of ${usage.day.max} calls of the day are used, by all keys, REST and MCP together.
        ${usage.day.used > 0 ? html`They reset ${timeTag(usage.day.resets_at, `on ${formatDay(usage.day.resets_at)}`)}.` : null}
        ${formatCount(calls, 'call')} in the last ${DAYS} days.</p>
      ${usageChart(days)}</section>
    <p class="said"><a href="/developers">How to call the API</a> · <a href="/plans">What each plan includes</a></p>
    </div>`,
  };
}

/** The answer to the form that makes a key shows it once; it is cached nowhere. */
export function keysPage(server: FastifyInstance, site: Site): void {
  readerRoutes(server).get('/keys', async (reader, _request, reply) =>
    showPage(reply, site, await keysView(site, reader, null)),
  );
  registerForms(server, site, (own) => {
    const forms = readerRoutes(own, '/keys');
    forms.post('/keys/apply', async (reader, request, reply) => {
      const { email, use } = readForm(request);
      const body = readParameters(ApplicationBody, { email, use });
      await commandAccount(site, reader.account, { command: 'apply', ...body }, OWNER);
      return reply.redirect('/keys', 303);
    });
    forms.post('/keys/make', async (reader, request, reply) => {
      const { known: count, name, scopes, expires_at } = readForm(request);
      const { keys } = await keyList(site, reader.account);
      if (count !== String(keys.length)) return reply.redirect('/keys', 303);
      const body = readParameters(KeyBody, { name, scopes: scopes?.split(','), expires_at });
      const made = await makeKey(site, reader.account, body);
      return showPage(reply, site, await keysView(site, reader, made));
    });
    forms.post('/keys/revoke', async (reader, request, reply) => {
      const { id: key_id = '' } = readForm(request);
      await commandAccount(site, reader.account, { command: 'revoke_key', key_id }, OWNER);
      return reply.redirect('/keys', 303);
    });
  });
}

const planRow = (access: string, calls: { minute: number; day: number }, price: string, allows: string): Markup =>
  html`<tr>
  <th scope="row">${access}</th>
  <td class="figure">${formatNumber(calls.day)}</td>
  <td class="figure">${formatNumber(calls.minute)}</td>
  <td>${price}</td>
  <td>${allows}</td>
</tr>`;

/** The plans with the limits that are enforced. */
export function plansPage(server: FastifyInstance, site: Site): void {
  const columns = ['Access', { figure: 'Calls a day' }, { figure: 'A minute' }, 'Price', 'Allows'];
  const plans = [
    planRow('No key, in an assistant', ANONYMOUS_MCP, 'none', 'all tools'),
    planRow('Free key', CALLS.free, 'none, after review', 'reading; Competitor Watch of 5 brands over 7 days'),
    planRow(
      'Pro key',
      CALLS.pro,
      '₹999 a month',
      `reading; ${formatNumber(QUESTIONS_DAY)} questions a day; Competitor Watch of 25 brands over 7, 30 or 90 days`,
    ),
  ];
  const body = html`${subject(null, 'API and plans')}
    <p>With a key you can read every page of the record as JSON. The pages need no key.</p>
    <pre tabindex="0">curl -H 'Authorization: Bearer &lt;key&gt;' '${site.baseUrl}/api/v1/signals?limit=5'</pre>
    ${table('Table of plans', columns, plans)}
    <p>A window starts at its first call and counts all keys of an account together. A call that a limit refuses
    is not counted, and the headers of every answer show how many calls are left.</p>
    <p>A free key needs an application: sign in and <a href="/keys">apply on the keys page</a>; an operator reviews it.
    For the Pro plan, write to ${site.contact ? html`<a href="mailto:${site.contact}?subject=Clarity%20Pro">${site.contact}</a>` : 'the operators of this service'} from the address of your account${site.contact ? html`; <a href="/contact">contact</a> has more` : null}.</p>`;
  const description = 'The record as an API: what a key allows on each plan, and how to get one.';
  server.get('/plans', async (_request, reply) =>
    showPage(reply, site, { title: 'API and plans', description, path: '/plans', body }),
  );
}
