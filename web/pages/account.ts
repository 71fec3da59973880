/** GET /account: the account of the reader. POST /account/programs/end: ends the access of programs. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { revokeAccountTokens } from '../../access/sign-in-tokens.ts';
import type { Reader } from '../../access/web-sessions.ts';
import { clip, neutralise } from '../../presentation/text.ts';
import { planOf } from '../../projector/models/accounts-queries.ts';
import type { Plan } from '../../schemas/access.ts';
import { form, registerForms } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import { redirectToSignIn, type Site } from '../site.ts';

const render = (site: Site, reader: Reader, plan: Plan, ended: boolean): Promise<string> =>
  layout(site, {
    title: 'Your account · Clarity',
    description: 'Your account, keys and subscriptions.',
    path: null,
    body: html`<header class="subject"><p class="kicker">Your account</p>
      <h1>${clip(neutralise(reader.email ?? reader.account.name), 120)}</h1></header>
    <dl class="facts">
      <div><dt>Plan</dt><dd>${plan === 'pro' ? 'Pro' : 'Free'} · <a href="/plans">what it includes</a></dd></div>
      <div><dt>Account</dt><dd><code>${reader.account.id}</code></dd></div>
    </dl>
    <ul class="ways">
      <li><a href="/inbox">Inbox</a>: what you follow, and new signals on it</li>
      <li><a href="/brief/mail">Morning brief by mail</a>: at 07:30 IST, about your brands and themes</li>
      <li><a href="/keys">Keys</a>: apply for one, make and revoke keys, see their use</li>
      ${reader.operator ? html`<li><a href="/operate">Operate</a>: tasks for operators</li>` : null}
    </ul>
    <h2 id="programs">Programs</h2>
    ${ended ? html`<p class="said" role="status">Programs that you allowed no longer have access.</p>` : null}
    <p>Programs and assistants that you allowed act for you until their access expires. Ending it takes effect at once
    for all of them. Keys stay valid, and this browser stays signed in.</p>
    ${form(reader, '/account/programs/end', {}, html`<button class="plain">End access for all programs</button>`)}
    ${form(reader, '/sign-out', {}, html`<button class="plain">Sign out</button>`)}`,
  });

export function accountPage(server: FastifyInstance, site: Site): void {
  server.get('/account', async (request: FastifyRequest<{ Querystring: { ended?: unknown } }>, reply) => {
    const { reader } = request;
    if (!reader) return redirectToSignIn(request, reply);
    const plan = (await planOf(site.database, reader.account.id)) ?? 'free';
    return sendPage(reply, await render(site, reader, plan, request.query.ended !== undefined));
  });
  registerForms(server, site, (own) => {
    own.post('/account/programs/end', async (request, reply) => {
      const { reader } = request;
      if (!reader) return redirectToSignIn(request, reply, '/account');
      await revokeAccountTokens(site.database, reader.account);
      return reply.redirect('/account?ended#programs', 303);
    });
  });
}
