/** GET /account: the account of the reader. POST /account/programs/end: ends the access of programs. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { revokeAccountTokens } from '../../access/sign-in-tokens.ts';
import type { Reader } from '../../access/web-sessions.ts';
import { planOf } from '../../projector/models/accounts-queries.ts';
import type { Plan } from '../../schemas/access.ts';
import { form, registerForms } from '../forms.ts';
import { type Page, showPage } from '../layout.ts';
import { excerpt, subject } from '../parts.ts';
import { readerRoutes, type Site } from '../site.ts';

/** @param hasEnded the access of programs, just now */
const accountView = (reader: Reader, plan: Plan, hasEnded: boolean): Page => ({
  title: 'Your account',
  description: 'Your account, keys and subscriptions.',
  body: html`${subject('Your account', excerpt(reader.email ?? reader.account.name, 120))}
    <dl class="facts">
      <div><dt>Plan</dt><dd>${plan === 'pro' ? 'Pro' : 'Free'} · <a href="/plans">what it includes</a></dd></div>
      <div><dt>Account</dt><dd><code>${reader.account.id}</code></dd></div>
    </dl>
    <ul class="ways">
      <li><a href="/my-brands">My brands</a>: what you follow, and new signals on it</li>
      <li><a href="/lists">Team lists</a>: stories that you collect with others</li>
      <li><a href="/brief/mail">Morning brief by mail</a>: at 07:30 IST, about your brands and themes</li>
      <li><a href="/keys">Keys</a>: apply for one, make and revoke keys, see their use</li>
      ${reader.role ? html`<li><a href="/operate">Operate</a>: tasks for ${reader.role === 'operator' ? 'operators' : 'reviewers'}</li>` : null}
    </ul>
    <h2 id="programs">Programs</h2>
    ${hasEnded ? html`<p class="said" role="status">Programs that you allowed no longer have access.</p>` : null}
    <p>Programs and assistants that you allowed act for you until their access expires. Ending it takes effect at once
    for all of them. Keys stay valid, and this browser stays signed in.</p>
    ${form(reader, '/account/programs/end', {}, html`<button class="plain">End access for all programs</button>`)}
    ${form(reader, '/sign-out', {}, html`<button class="plain">Sign out</button>`)}`,
});

export function accountPage(server: FastifyInstance, site: Site): void {
  readerRoutes(server).get<{ Querystring: { ended?: unknown } }>('/account', async (reader, { query }, reply) => {
    const plan = (await planOf(site.database, reader.account.id)) ?? 'free';
    return showPage(reply, site, accountView(reader, plan, query.ended !== undefined));
  });
  registerForms(server, site, (own) => {
    readerRoutes(own, '/account').post('/account/programs/end', async (reader, _request, reply) => {
      await revokeAccountTokens(site.database, reader.account);
      return reply.redirect('/account?ended#programs', 303);
    });
  });
}
