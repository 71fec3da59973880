/**
 * GET /account: the account of the reader. POST /account/programs/end: ends the access of programs. GET /sign-in,
 * /sign-in/begin and /sign-in/callback: to the issuer and back. POST /sign-out: ends the session of this browser.
 * /oidc/sign-in/{uid}: sign-in and consent pages of the embedded issuer.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import type { EmbeddedIssuer, Question } from '../../access/embedded-issuer.ts';
import { charge } from '../../access/quota/charge.ts';
import { signInWindows } from '../../access/quota/limits.ts';
import {
  FORGET_ISSUER_SESSION,
  foreignRequestReason,
  ISSUER_PATH,
  isFromElsewhere,
  isOwnForm,
} from '../../access/sign-in.ts';
import { revokeAccountTokens } from '../../access/sign-in-tokens.ts';
import { AddressNotVerified, CALLBACK_PATH, localPath, type Reader, SignInRefused } from '../../access/web-sessions.ts';
import type { Markup } from '../../presentation/markup.ts';
import { clip, neutralise } from '../../presentation/text.ts';
import { planOf } from '../../projector/models/accounts-queries.ts';
import type { Plan } from '../../schemas/access.ts';
import { quoted, Refusal } from '../../schemas/input-errors.ts';
import { form, registerForms } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import { type Frame, redirectToSignIn, type Site } from '../site.ts';

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
      ${reader.role ? html`<li><a href="/operate">Operate</a>: tasks for ${reader.role === 'operator' ? 'operators' : 'reviewers'}</li>` : null}
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

type WithTo = FastifyRequest<{ Querystring: { to?: unknown; failed?: unknown } }>;

const notice = (site: Site, title: string, body: Markup): Promise<string> =>
  layout(site, {
    title: `${title} · Clarity`,
    description: 'Sign in to follow brands, read your inbox and make keys.',
    path: null,
    body: html`<article class="notice"><p class="kicker">Your account</p><h1>${title}</h1>${body}</article>`,
  });

const THIS_MACHINE_ALONE =
  'Sign-in by e-mail address works only on the machine of the service, not through a proxy. Set OIDC_ISSUER.';

/** The message after a failed sign-in. */
function failureOf(failed: unknown): Markup | null {
  if (failed === undefined) return null;
  return failed === 'unverified'
    ? html`<p class="said" role="alert">Your e-mail address is not verified where you signed in. Verify it there, then sign in again.</p>`
    : html`<p class="said" role="alert">The sign-in was not confirmed, took too long, or was started in another browser. Start again.</p>`;
}

const WHY = html`<p>Sign in to follow brands, themes and signals, read new ones in your inbox, apply for a key of the API and
get the morning brief by mail. Everything else is public.</p>`;

function askPage(site: Site, to: string, failed: Markup | null): Promise<string> {
  const { signIn } = site.sessions;
  if (signIn.kind === 'off') return notice(site, 'Sign-in is disabled', html`<p>${signIn.why}</p>${WHY}`);
  const at = signIn.kind === 'embedded' ? 'this service itself' : new URL(signIn.issuer).host;
  return notice(
    site,
    'Sign in',
    html`${failed}
    ${WHY}
    <p><a class="button" href="/sign-in/begin?${new URLSearchParams({ to })}">Sign in at ${at}</a></p>`,
  );
}

/** Signs a reader in at the issuer, stores the session in a cookie, and returns to the page that required it. */
export function signInPage(server: FastifyInstance, site: Site): void {
  const { sessions, database, baseUrl } = site;

  server.get('/sign-in', async (request: WithTo, reply) => {
    const to = localPath(request.query.to, '/account');
    if (request.reader) return reply.redirect(to, 303);
    reply.header('cache-control', 'no-store');
    return sendPage(reply, await askPage(site, to, failureOf(request.query.failed)));
  });

  server.get('/sign-in/begin', async (request: WithTo, reply) => {
    reply.header('cache-control', 'no-store');
    const { signIn } = sessions;
    if (signIn.kind === 'off') return sendPage(reply, await askPage(site, '/account', null));
    // The cookie of a sign-in must be set by the address that the issuer leads back to.
    const elsewhere = signIn.kind === 'embedded' && request.headers.host !== new URL(baseUrl).host;
    if (signIn.kind === 'embedded' && isFromElsewhere(request.raw)) throw new Refusal('not_found', THIS_MACHINE_ALONE);
    if (elsewhere) return reply.redirect(`${baseUrl}${request.url}`, 303);
    if (!(await charge(database, signInWindows(request.ip))).fits)
      throw new Refusal('rate_limited', 'Too many sign-ins from this address. Wait a minute.');
    const led = await sessions.begin(request.query.to);
    return reply.header('set-cookie', [...led.cookies]).redirect(led.to, 303);
  });

  server.get(CALLBACK_PATH, async (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    try {
      const led = await sessions.finish(request.headers, request.url.split('?')[1] ?? '');
      return reply.header('set-cookie', [...led.cookies]).redirect(led.to, 303);
    } catch (error) {
      if (!(error instanceof SignInRefused)) throw error;
      request.log.info({ err: error, request_id: request.id }, 'a sign-in was not confirmed');
      return reply.redirect(`/sign-in?failed${error instanceof AddressNotVerified ? '=unverified' : ''}`, 303);
    }
  });
}

/** Ends the session and redirects to the home page. */
export function signOutPage(server: FastifyInstance, site: Site): void {
  registerForms(server, site, (own) => {
    own.post('/sign-out', async (request, reply) =>
      reply.header('set-cookie', [...(await site.sessions.end(request.headers))]).redirect('/', 303),
    );
  });
}

type WithUid = FastifyRequest<{ Params: { uid: string } }>;

const EmailAddress = z.email().max(254);
const SURFACES: Readonly<Record<string, string>> = {
  '/api/v1': 'your keys, follows and briefings in the API',
  '/mcp/account': 'the tools for assistants, on your account',
};

const shown = (text: string): string => clip(neutralise(text), 120);

/** The policy allows forms to redirect to the program: without that no sign-in would end. */
const policyFor = ({ returnsTo }: Question): string => {
  const target = URL.parse(returnsTo);
  const allowed = target ? (target.origin === 'null' ? target.protocol : target.origin) : '';
  return `default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; form-action 'self' ${allowed}; base-uri 'none'; frame-ancestors 'none'`;
};

/** Asks for an e-mail address. @param wrong the invalid address that was typed */
const renderSignIn = (site: Frame, { uid, program }: Question, wrong: string | null): Promise<string> =>
  layout(site, {
    title: 'Sign in · Clarity',
    description: 'Sign in on this machine.',
    path: null,
    body: html`<article class="notice">
      <p class="kicker">Sign in</p>
      <h1>Who are you?</h1>
      <p><strong>${shown(program)}</strong> asks for your account.</p>
      ${wrong === null ? null : html`<p class="said" role="alert">${quoted(neutralise(wrong))} is not an e-mail address.</p>`}
      <form class="narrow" method="post" action="${ISSUER_PATH}/sign-in/${uid}">
        <p class="field"><label for="email">E-mail address</label>
        <input id="email" name="email" type="email" autocomplete="email" maxlength="254" required autofocus></p>
        <p><button type="submit" name="answer" value="sign_in">Sign in</button>
        <button class="plain" type="submit" name="answer" value="refuse" formnovalidate>Cancel</button></p>
      </form>
      <p><strong>Local trust:</strong> this service runs for the users of this machine and trusts the address that
      you type. There is no password. A public service sets <code>OIDC_ISSUER</code>.</p>
    </article>`,
  });

const renderConsent = (site: Frame, { uid, program, email, returnsTo, resources }: Question): Promise<string> => {
  const surfaces = (resources.length > 0 ? resources : [`${site.baseUrl}/api/v1`]).map(
    (resource) => SURFACES[resource.slice(site.baseUrl.length)] ?? resource,
  );
  return layout(site, {
    title: 'Allow a program · Clarity',
    description: 'A program asks to act for you.',
    path: null,
    body: html`<article class="notice">
      <p class="kicker">Signed in as ${shown(email ?? '')}</p>
      <h1>May this program act for you?</h1>
      <p><strong>${shown(program)}</strong> asks to use:</p>
      <ul>${surfaces.map((surface) => html`<li>${surface}</li>`)}</ul>
      <p>The answer goes to <code>${shown(returnsTo)}</code>. Allow it only if you started this sign-in.</p>
      <form method="post" action="${ISSUER_PATH}/sign-in/${uid}">
        <p><button type="submit" name="answer" value="allow">Allow</button>
        <button class="plain" type="submit" name="answer" value="refuse">Refuse</button>
        <button class="plain" type="submit" name="answer" value="other">Use another account</button></p>
      </form>
    </article>`,
  });
};

/** Serves the page for the current step of a sign-in: e-mail address or consent. */
export function issuerPage(server: FastifyInstance, site: Frame, issuer: EmbeddedIssuer): void {
  server.register(async (own) => {
    own.removeAllContentTypeParsers();
    own.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 4_096 },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );

    const asked = async (request: WithUid, reply: FastifyReply): Promise<Question> => {
      const refused = foreignRequestReason(request.raw, site.baseUrl);
      if (refused) throw new Refusal('not_found', refused);
      const question = await issuer.question(request.raw, reply.raw);
      if (question?.uid !== request.params.uid)
        throw new Refusal('not_found', 'This sign-in has ended or was started in another browser. Start again.');
      reply.headers({ 'cache-control': 'no-store', 'content-security-policy': policyFor(question) });
      return question;
    };

    own.get(`${ISSUER_PATH}/sign-in/:uid`, async (request: WithUid, reply) => {
      const question = await asked(request, reply);
      const page = question.kind === 'sign_in' ? renderSignIn(site, question, null) : renderConsent(site, question);
      return sendPage(reply, await page);
    });

    own.post(`${ISSUER_PATH}/sign-in/:uid`, async (request: WithUid, reply) => {
      if (!isOwnForm(request.headers, site.baseUrl))
        throw new Refusal('invalid_request', 'This form was sent from another site.');
      const question = await asked(request, reply);
      const form = z.record(z.string(), z.string()).catch({}).parse(request.body);
      const [sent, answered] = [request.raw, reply.raw] as const;
      if (question.kind === 'sign_in' && form.answer === 'sign_in') {
        const typed = (form.email ?? '').trim();
        const email = EmailAddress.safeParse(typed.toLowerCase());
        if (!email.success) return sendPage(reply.code(400), await renderSignIn(site, question, typed));
        return reply.redirect(await issuer.signIn(sent, answered, email.data), 303);
      }
      if (question.kind === 'consent' && form.answer === 'allow')
        return reply.redirect(await issuer.consent(sent, answered), 303);
      if (question.kind === 'consent' && form.answer === 'other') {
        return reply.header('set-cookie', [...FORGET_ISSUER_SESSION]).redirect(question.beginning, 303);
      }
      if (form.answer === 'refuse') return reply.redirect(await issuer.refuse(sent, answered), 303);
      throw new Refusal('invalid_request', 'This form is invalid. Go back and send it again.');
    });
  });
}
