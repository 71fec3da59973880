/** GET /account: who is signed in, and what belongs to them. POST /account/programs/end: ends what programs may do. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { revokeAccountTokens } from '../../access/token-revocations.ts';
import type { Reader } from '../../access/web-sessions.ts';
import { clip, neutralise } from '../../presentation/text.ts';
import { planOf } from '../../projector/models/accounts-queries.ts';
import type { Plan } from '../../schemas/access.ts';
import { form, formRoutes } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import { askToSignIn, type Site } from '../site.ts';

const render = (site: Site, reader: Reader, plan: Plan, ended: boolean): Promise<string> =>
  layout(site, {
    title: 'Your account · Clarity',
    description: 'Who is signed in, and what belongs to them.',
    path: null,
    body: html`<header class="subject"><p class="kicker">Your account</p>
      <h1>${clip(neutralise(reader.email ?? reader.account.name), 120)}</h1></header>
    <dl class="facts">
      <div><dt>Plan</dt><dd>${plan === 'pro' ? 'Pro' : 'Free'} · <a href="/plans">what it holds</a></dd></div>
      <div><dt>Account</dt><dd><code>${reader.account.id}</code></dd></div>
    </dl>
    <ul class="ways">
      <li><a href="/inbox">Inbox</a>: what you follow, and what it brought</li>
      <li><a href="/brief/mail">Morning brief by mail</a>: at 07:30 IST, on your brands and themes</li>
      <li><a href="/keys">Keys</a>: apply for one, make and revoke them, see their use</li>
      ${reader.operator ? html`<li><a href="/operate">Operate</a>: what waits for an operator</li>` : null}
    </ul>
    <h2 id="programs">Programs</h2>
    ${ended ? html`<p class="said" role="status">Programs that you had allowed to act for you have no access any more.</p>` : null}
    <p>Programs and assistants that you signed in with act for you until their access expires. Ending it takes effect at once
    for all of them; keys and this browser stay signed in.</p>
    ${form(reader, '/account/programs/end', {}, html`<button class="plain">End access of all programs</button>`)}
    ${form(reader, '/sign-out', {}, html`<button class="plain">Sign out</button>`)}`,
  });

export function accountPage(server: FastifyInstance, site: Site): void {
  server.get('/account', async (request: FastifyRequest<{ Querystring: { ended?: unknown } }>, reply) => {
    const { reader } = request;
    if (!reader) return askToSignIn(request, reply);
    const plan = (await planOf(site.database, reader.account.id)) ?? 'free';
    return sendPage(reply, await render(site, reader, plan, request.query.ended !== undefined));
  });
  formRoutes(server, site, (own) => {
    own.post('/account/programs/end', async (request, reply) => {
      const { reader } = request;
      if (!reader) return askToSignIn(request, reply, '/account');
      await revokeAccountTokens(site.database, reader.account);
      return reply.redirect('/account?ended#programs', 303);
    });
  });
}
