/** GET and POST /brief/mail: the morning brief by mail. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { changeSubscription, type SubscriptionCommand } from '../../access/brief-subscription.ts';
import { newToken } from '../../access/web-session-store.ts';
import type { Reader } from '../../access/web-sessions.ts';
import { seeOwnWrite } from '../../api/read-own-write.ts';
import { type Subscriber, subscriptionOf } from '../../projector/models/brief-subscribers-queries.ts';
import { BRIEF_SUBSCRIBERS } from '../../projector/models/brief-subscribers-read-model.ts';
import { BriefScope } from '../../schemas/brief-mail.ts';
import { readParameters } from '../../schemas/parameters.ts';
import { Refusal } from '../../schemas/refusal.ts';
import { formOf, formRoutes } from '../forms.ts';
import { layout } from '../layout.ts';
import type { Markup } from '../markup.ts';
import { form } from '../parts/form.ts';
import { askToSignIn } from '../readers.ts';
import { sendPage } from '../send-page.ts';
import type { Site } from '../site.ts';
import { clip, neutralise } from '../text.ts';

const PATH = '/brief/mail';
const Wanted = z.object({ scope: BriefScope.describe('everything or followed') });

const SCOPES = {
  followed: 'The brands and themes that I follow (everything, while I follow none)',
  everything: 'All of the record',
} as const;

const choice = (scope: keyof typeof SCOPES, chosen: BriefScope): Markup =>
  html`<label><input type="radio" name="scope" value="${scope}"${scope === chosen ? html` checked` : null}> ${SCOPES[scope]}</label>`;

function part(reader: Reader, email: string, current: Subscriber | null): Markup {
  const choices = html`<fieldset class="choices"><legend>What is it about?</legend>
    ${choice('followed', current?.scope ?? 'followed')}${choice('everything', current?.scope ?? 'followed')}</fieldset>
    <p><button>${current ? 'Save' : 'Send it to me'}</button></p>`;
  return html`<p>${current ? 'It comes' : 'It would come'} at 07:30 IST to <strong>${clip(neutralise(email), 120)}</strong>,
    at most twelve moves, each with its source. Every mail has a link that ends it.</p>
  ${form(reader, PATH, {}, choices, 'narrow')}
  ${current ? form(reader, `${PATH}/end`, {}, html`<button class="plain">Stop it</button>`) : null}`;
}

async function body({ database, mails }: Site, reader: Reader): Promise<Markup> {
  const { email } = reader;
  const current = await subscriptionOf(database, reader.account.id);
  return html`<header class="subject"><p class="kicker">Morning brief</p><h1>By mail, every morning</h1></header>
  <div class="desk">
  ${mails ? null : html`<p class="wrong">This service sends no mail yet: its operator sets <code>SMTP_URL</code>. What you choose is kept.</p>`}
  ${email === null ? html`<p>The issuer that you signed in at vouches for no e-mail address of yours, so there is none to send it to.</p>` : part(reader, email, current)}
  <p class="said"><a href="/brief">Today's brief</a> · <a href="/inbox">What you follow</a></p></div>`;
}

/** Only to the address that the issuer vouches for: nobody subscribes somebody else. */
export function briefMailPage(server: FastifyInstance, site: Site): void {
  const change = async (account: string, command: SubscriptionCommand): Promise<void> => {
    const position = await changeSubscription(site.store, account, command, site.now());
    await seeOwnWrite(site.database, [BRIEF_SUBSCRIBERS], position);
  };
  server.get(PATH, async (request, reply) => {
    const { reader } = request;
    if (!reader) return askToSignIn(request, reply);
    const page = { title: 'Morning brief by mail · Clarity', description: 'The morning brief by mail.', path: null };
    return sendPage(reply, await layout(site, { ...page, body: await body(site, reader) }));
  });
  formRoutes(server, site, (own) => {
    own.post(PATH, async (request, reply) => {
      const { reader } = request;
      if (!reader) return askToSignIn(request, reply, PATH);
      const { email, account } = reader;
      if (email === null) throw new Refusal('invalid_request', 'Your issuer vouches for no e-mail address of yours.');
      const { scope } = readParameters(Wanted, formOf(request));
      await change(account.id, { do: 'subscribe', email, scope, token: newToken() });
      return reply.redirect(PATH, 303);
    });
    own.post(`${PATH}/end`, async (request, reply) => {
      const { reader } = request;
      if (!reader) return askToSignIn(request, reply, PATH);
      await change(reader.account.id, { do: 'unsubscribe', by: 'page' });
      return reply.redirect(PATH, 303);
    });
  });
}
