/** /oidc/sign-in/{uid}: sign-in and consent pages of the embedded issuer. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import type { EmbeddedIssuer, Question } from '../../access/embedded-issuer.ts';
import { cameOtherwise, FORGET_ISSUER_SESSION, ISSUER_PATH, isOwnForm } from '../../access/sign-in.ts';
import { clip, neutralise } from '../../presentation/text.ts';
import { quoted, Refusal } from '../../schemas/input-errors.ts';
import { layout, sendPage } from '../layout.ts';
import type { Frame } from '../site.ts';

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
      const refused = cameOtherwise(request.raw, site.baseUrl);
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
