/**
 * GET /sign-in, /sign-in/begin and /sign-in/callback: to the issuer and back. POST /sign-out: ends the session of this
 * browser. /oidc/sign-in/{uid}: sign-in and consent pages of the embedded issuer.
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
import { AddressNotVerified, CALLBACK_PATH, localPath, SignInRefused } from '../../access/web-sessions.ts';
import type { Markup } from '../../presentation/markup.ts';
import { neutralise } from '../../presentation/text.ts';
import { quoted, Refusal } from '../../schemas/input-errors.ts';
import { registerForms } from '../forms.ts';
import { type Page, showPage } from '../layout.ts';
import { excerpt, notice } from '../parts.ts';
import type { Frame, Site } from '../site.ts';

type WithTo = FastifyRequest<{ Querystring: { to?: unknown; failed?: unknown } }>;

const signInNotice = (title: string, body: Markup): Page => ({
  title,
  description: 'Sign in to follow brands and make keys.',
  body: notice('Your account', title, body),
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

const WHY = html`<p>Sign in to follow brands, themes and signals, read new ones in one place, apply for a key of the API and
get the morning brief by mail. Everything else is public.</p>`;

function signInView({ sessions: { signIn } }: Site, to: string, failed: Markup | null): Page {
  if (signIn.kind === 'off') return signInNotice('Sign-in is disabled', html`<p>${signIn.why}</p>${WHY}`);
  const at = signIn.kind === 'embedded' ? 'this service itself' : new URL(signIn.issuer).host;
  return signInNotice(
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
    const to = localPath(request.query.to, '/my-brands');
    if (request.reader) return reply.redirect(to, 303);
    reply.header('cache-control', 'no-store');
    return showPage(reply, site, signInView(site, to, failureOf(request.query.failed)));
  });

  server.get('/sign-in/begin', async (request: WithTo, reply) => {
    reply.header('cache-control', 'no-store');
    const { signIn } = sessions;
    if (signIn.kind === 'off') return showPage(reply, site, signInView(site, '/account', null));
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

/** The policy allows forms to redirect to the program: without that no sign-in would end. */
const policyFor = ({ returnsTo }: Question): string => {
  const target = URL.parse(returnsTo);
  const allowed = target ? (target.origin === 'null' ? target.protocol : target.origin) : '';
  return `default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; form-action 'self' ${allowed}; base-uri 'none'; frame-ancestors 'none'`;
};

/** Asks for an e-mail address. @param wrong the invalid address that was typed */
const emailView = ({ uid, program }: Question, wrong: string | null): Page => ({
  title: 'Sign in',
  description: 'Sign in on this machine.',
  body: notice(
    'Sign in',
    'Who are you?',
    html`<p><strong>${excerpt(program, 120)}</strong> asks for your account.</p>
      ${wrong === null ? null : html`<p class="said" role="alert">${quoted(neutralise(wrong))} is not an e-mail address.</p>`}
      <form class="narrow" method="post" action="${ISSUER_PATH}/sign-in/${uid}">
        <p class="field"><label for="email">E-mail address</label>
        <input id="email" name="email" type="email" autocomplete="email" maxlength="254" required autofocus></p>
        <p><button type="submit" name="answer" value="sign_in">Sign in</button>
        <button class="plain" type="submit" name="answer" value="refuse" formnovalidate>Cancel</button></p>
      </form>
      <p><strong>Local trust:</strong> this service runs for the users of this machine and trusts the address that
      you type. There is no password. A public service sets <code>OIDC_ISSUER</code>.</p>`,
  ),
});

/** Asks whether a program may act for the reader. */
const consentView = ({ baseUrl }: Frame, { uid, program, email, returnsTo, resources }: Question): Page => {
  const surfaces = (resources.length > 0 ? resources : [`${baseUrl}/api/v1`]).map(
    (resource) => SURFACES[resource.slice(baseUrl.length)] ?? resource,
  );
  return {
    title: 'Allow a program',
    description: 'A program asks to act for you.',
    body: notice(
      `Signed in as ${excerpt(email ?? '', 120)}`,
      'May this program act for you?',
      html`<p><strong>${excerpt(program, 120)}</strong> asks to use:</p>
      <ul>${surfaces.map((surface) => html`<li>${surface}</li>`)}</ul>
      <p>The answer goes to <code>${excerpt(returnsTo, 120)}</code>. Allow it only if you started this sign-in.</p>
      <form method="post" action="${ISSUER_PATH}/sign-in/${uid}">
        <p><button type="submit" name="answer" value="allow">Allow</button>
        <button class="plain" type="submit" name="answer" value="refuse">Refuse</button>
        <button class="plain" type="submit" name="answer" value="other">Use another account</button></p>
      </form>`,
    ),
  };
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

    const questionOf = async (request: WithUid, reply: FastifyReply): Promise<Question> => {
      const refusal = foreignRequestReason(request.raw, site.baseUrl);
      if (refusal) throw new Refusal('not_found', refusal);
      const question = await issuer.question(request.raw, reply.raw);
      if (question?.uid !== request.params.uid)
        throw new Refusal('not_found', 'This sign-in has ended or was started in another browser. Start again.');
      reply.headers({ 'cache-control': 'no-store', 'content-security-policy': policyFor(question) });
      return question;
    };

    own.get(`${ISSUER_PATH}/sign-in/:uid`, async (request: WithUid, reply) => {
      const question = await questionOf(request, reply);
      return showPage(
        reply,
        site,
        question.kind === 'sign_in' ? emailView(question, null) : consentView(site, question),
      );
    });

    own.post(`${ISSUER_PATH}/sign-in/:uid`, async (request: WithUid, reply) => {
      if (!isOwnForm(request.headers, site.baseUrl))
        throw new Refusal('invalid_request', 'This form was sent from another site.');
      const question = await questionOf(request, reply);
      const { answer, email: typed = '' } = z.record(z.string(), z.string()).catch({}).parse(request.body);
      if (question.kind === 'sign_in' && answer === 'sign_in') {
        const email = EmailAddress.safeParse(typed.trim().toLowerCase());
        if (!email.success) return showPage(reply.code(400), site, emailView(question, typed.trim()));
        return reply.redirect(await issuer.signIn(request.raw, reply.raw, email.data), 303);
      }
      if (question.kind === 'consent' && answer === 'other')
        return reply.header('set-cookie', [...FORGET_ISSUER_SESSION]).redirect(question.beginning, 303);
      if (question.kind === 'consent' && answer === 'allow')
        return reply.redirect(await issuer.consent(request.raw, reply.raw), 303);
      if (answer === 'refuse') return reply.redirect(await issuer.refuse(request.raw, reply.raw), 303);
      throw new Refusal('invalid_request', 'This form is invalid. Go back and send it again.');
    });
  });
}
