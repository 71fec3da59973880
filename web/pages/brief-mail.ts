/**
 * GET and POST /brief/mail: the morning brief by mail. GET and POST /unsubscribe/{token}: the link that ends it, or the
 * digest of a saved search (RFC 8058).
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { commandSubscription } from '../../access/mails.ts';
import { commandSearches } from '../../access/subscriptions.ts';
import { isToken, newToken, type Reader } from '../../access/web-sessions.ts';
import type { Markup } from '../../presentation/markup.ts';
import { type Subscriber, subscriptionOf, subscriptionOfToken } from '../../projector/models/brief-queries.ts';
import { searchByDigestToken } from '../../projector/models/saved-searches-queries.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { readParameters } from '../../schemas/parameters.ts';
import { BriefScope } from '../../schemas/subscriptions.ts';
import { form, readForm, registerForms } from '../forms.ts';
import { showPage } from '../layout.ts';
import { excerpt, notice, subject } from '../parts.ts';
import { readerRoutes, type Site } from '../site.ts';

const PATH = '/brief/mail';
const Wanted = z.object({ scope: BriefScope.describe('everything or followed') });

const SCOPES = {
  followed: 'Brands and themes that I follow (everything while I follow none)',
  everything: 'Everything',
} as const;

const choice = (scope: keyof typeof SCOPES, chosen: BriefScope): Markup =>
  html`<label><input type="radio" name="scope" value="${scope}"${scope === chosen ? html` checked` : null}> ${SCOPES[scope]}</label>`;

function subscriptionForm(reader: Reader, email: string, current: Subscriber | null): Markup {
  const choices = html`<fieldset class="choices"><legend>Content</legend>
    ${choice('followed', current?.scope ?? 'followed')}${choice('everything', current?.scope ?? 'followed')}</fieldset>
    <p><button>${current ? 'Save' : 'Subscribe'}</button></p>`;
  return html`<p>The brief ${current ? 'is' : 'will be'} sent at 07:30 IST to <strong>${excerpt(email, 120)}</strong>,
    up to twelve moves, each with its source. Every mail has a link to unsubscribe.</p>
  ${form(reader, PATH, {}, choices, 'narrow')}
  ${current ? form(reader, `${PATH}/end`, {}, html`<button class="plain">Unsubscribe</button>`) : null}`;
}

async function mailBody({ database, mails }: Site, reader: Reader): Promise<Markup> {
  const { email } = reader;
  const current = await subscriptionOf(database, reader.account.id);
  return html`${subject('Morning brief', 'By mail, every morning')}
  <div class="desk">
  ${mails ? null : html`<p class="wrong">This service sends no mail yet: its operator has to set <code>SMTP_URL</code>. Your choice is saved.</p>`}
  ${email === null ? html`<p>Your sign-in provided no verified e-mail address, so the brief cannot be sent.</p>` : subscriptionForm(reader, email, current)}
  <p class="said"><a href="/brief">Today's brief</a> · <a href="/my-brands">What you follow</a></p></div>`;
}

/** The brief is sent only to the address that the issuer verified, so that a user cannot subscribe others. */
export function briefMailPage(server: FastifyInstance, site: Site): void {
  readerRoutes(server).get(PATH, async (reader, _request, reply) =>
    showPage(reply, site, {
      title: 'Morning brief by mail',
      description: 'The morning brief by mail.',
      body: await mailBody(site, reader),
    }),
  );
  registerForms(server, site, (own) => {
    const forms = readerRoutes(own, PATH);
    forms.post(PATH, async ({ email, account }, request, reply) => {
      if (email === null) throw new Refusal('invalid_request', 'Your sign-in provided no verified e-mail address.');
      const { scope } = readParameters(Wanted, readForm(request));
      await commandSubscription(site, account.id, { do: 'subscribe', email, scope, token: newToken() });
      return reply.redirect(PATH, 303);
    });
    forms.post(`${PATH}/end`, async ({ account }, _request, reply) => {
      await commandSubscription(site, account.id, { do: 'unsubscribe', by: 'page' });
      return reply.redirect(PATH, 303);
    });
  });
}

/** A subscription that a link ends: what it is of, and how. */
interface Ending {
  readonly name: string;
  /** The same within a question. */
  readonly what: string;
  /** What the reader gets until then. */
  readonly now: string;
  readonly hasEnded: boolean;
  /** Where it is chosen again. */
  readonly page: string;
  end(): Promise<unknown>;
}

const ended = ({ page }: Ending): Markup =>
  html`<p>You will receive no more of these mails. <a href="${page}">Choose them again</a>, or <a href="/brief">read today's
  brief</a>.</p>`;

const confirmation = ({ now }: Ending, token: string): Markup => html`<p>${now}</p>
<form method="post" action="/unsubscribe/${token}"><input type="hidden" name="List-Unsubscribe" value="One-Click">
<p><button>Unsubscribe</button></p></form>`;

/** @throws Refusal for a token that no subscription has */
async function subscriptionEnding(site: Site, token: string): Promise<Ending> {
  const { database } = site;
  const [brief, search] = isToken(token)
    ? await Promise.all([subscriptionOfToken(database, token), searchByDigestToken(database, token)])
    : [null, null];
  if (brief)
    return {
      name: 'Morning brief by mail',
      what: 'the morning brief',
      now: 'You receive the morning brief at 07:30 IST.',
      hasEnded: brief.ended_at !== null,
      page: '/brief/mail',
      end: () => commandSubscription(site, brief.account, { do: 'unsubscribe', by: 'one_click' }),
    };
  if (!search) throw new Refusal('not_found', 'No subscription has this link. What it ended may have been removed.');
  const { key: id, account } = search;
  return {
    name: 'Mails of a saved search',
    what: 'the mails of this search',
    now: `You receive the new entries of the saved search “${excerpt(search.name, 80)}”.`,
    hasEnded: search.digest_ended_by !== null,
    page: `/searches/${id}`,
    end: () => commandSearches(site, account, { do: 'end_digest', id, by: 'one_click' }),
  };
}

/** GET changes nothing: programs that check links open every one. */
export function unsubscribePage(server: FastifyInstance, site: Site): void {
  const show = async (reply: FastifyReply, name: string, title: string, body: Markup): Promise<FastifyReply> =>
    showPage(reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer'), site, {
      title,
      description: 'Unsubscribe from mails.',
      body: notice(name, title, body),
    });

  server.register(async (own) => {
    // Mail programs send forms of different types; only the address matters.
    own.removeAllContentTypeParsers();
    own.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 4_096 }, (_request, _body, done) => done(null, {}));

    own.get<{ Params: { token: string } }>('/unsubscribe/:token', async ({ params }, reply) => {
      const ending = await subscriptionEnding(site, params.token);
      return ending.hasEnded
        ? show(reply, ending.name, 'You are unsubscribed', ended(ending))
        : show(reply, ending.name, `Unsubscribe from ${ending.what}?`, confirmation(ending, params.token));
    });

    own.post<{ Params: { token: string } }>('/unsubscribe/:token', async ({ params }, reply) => {
      const ending = await subscriptionEnding(site, params.token);
      await ending.end();
      return show(reply, ending.name, 'You are unsubscribed', ended(ending));
    });
  });
}
