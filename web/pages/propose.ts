/** GET and POST /sources/propose: a reader suggests a source. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import type { Reader } from '../../access/web-sessions.ts';
import { type Proposed, proposeSource } from '../../ingest/roster/source-proposals.ts';
import type { Markup } from '../../presentation/markup.ts';
import { clip, neutralise } from '../../presentation/text.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { readParameters } from '../../schemas/parameters.ts';
import { ProposeBody } from '../../schemas/proposal.ts';
import { type Form, form, readForm, registerForms } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import type { Frame, Site } from '../site.ts';

const field = (name: string, label: string, typed: Form, attributes: Markup): Markup =>
  html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${typed[name] ?? ''}" ${attributes}></div>`;

/** The form that proposes a source. @param typed values to correct after an error */
const proposeForm = (reader: Reader | null, typed: Form = {}): Markup =>
  form(
    reader,
    '/sources/propose',
    {},
    html`${field('url', 'Address of a feed or page', typed, html`type="url" maxlength="2048" required placeholder="https://"`)}
    ${field('outlet', 'Publisher (optional)', typed, html`maxlength="120"`)}
    <div class="field"><label for="reason">Why it matters (optional)</label><textarea id="reason" name="reason" rows="3" maxlength="1000">${typed.reason ?? ''}</textarea></div>
    ${field('email', 'Your e-mail address for questions (optional)', typed, html`type="email" maxlength="320" autocomplete="email"`)}
    <div><button type="submit">Propose</button></div>`,
    'narrow',
  );

const page = (site: Frame, body: Markup): Promise<string> =>
  layout(site, {
    title: 'Propose a source · Clarity',
    description: 'Suggest a feed or page of Indian retail news that Clarity should read.',
    path: '/sources/propose',
    body: html`<header class="subject"><p class="kicker"><a href="/sources">Sources</a></p><h1>Propose a source</h1></header>${body}`,
  });

const SAID: Readonly<Record<Proposed['status'], string>> = {
  pending: 'Thank you. An operator will review it.',
  listed: 'Thank you. Clarity already reads this source.',
  rejected: 'This source was proposed before and rejected.',
};

const asked = (site: Frame, reader: Reader | null, typed: Form, wrong: string | null): Promise<string> =>
  page(
    site,
    html`<p>A feed is best: RSS, Atom or JSON Feed. A page that lists news works too. An operator reviews every proposal.</p>
    ${wrong === null ? null : html`<p class="wrong" role="alert">${neutralise(wrong)}</p>`}
    ${proposeForm(reader, typed)}`,
  );

const thanked = (site: Frame, { id, url, status }: Proposed): Promise<string> =>
  page(
    site,
    html`<p role="status">${SAID[status]}</p>
    <p class="note">${clip(neutralise(url), 200)}<br>Proposal <code>${id}</code></p>
    <p><a href="/sources">All sources</a></p>`,
  );

/** Three proposals an hour, counted together with those of the API. */
export function proposePage(server: FastifyInstance, site: Site): void {
  server.get('/sources/propose', async (request, reply) =>
    sendPage(reply, await asked(site, request.reader, {}, null)),
  );
  registerForms(server, site, (own) => {
    own.post('/sources/propose', { preHandler: site.authorise('anonymous') }, async (request, reply) => {
      const { form_token: _, ...typed } = readForm(request);
      try {
        const proposed = await proposeSource(site, readParameters(ProposeBody, typed));
        return sendPage(reply, await thanked(site, proposed));
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'invalid_request') throw error;
        return sendPage(reply.code(400), await asked(site, request.reader, typed, error.message));
      }
    });
  });
}
