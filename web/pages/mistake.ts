/** GET and POST /signal/{slug}/report: a reader says what is wrong with an entry. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { reportMistake } from '../../ingest/report-mistake.ts';
import type { Markup } from '../../presentation/markup.ts';
import { findPublicSignal } from '../../presentation/public-records.ts';
import { clip, neutralise, parseDocument } from '../../presentation/text.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { MAXIMUM_NOTE, MISTAKES, type Mistake, MistakeBody } from '../../schemas/mistake.ts';
import { readParameters } from '../../schemas/parameters.ts';
import { SignalDetail } from '../../schemas/resources.ts';
import { SignalId } from '../../schemas/scalar.ts';
import { choiceField, type Form, form, readForm, registerForms } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import type { Site } from '../site.ts';

/** What can be wrong, as pages say it. */
export const MISTAKE_NAMES: Readonly<Record<Mistake, string>> = {
  not_a_move: 'It is no move of a company',
  kind: 'Wrong kind of move',
  brand: 'Wrong brand',
  figure: 'Wrong figure',
  place: 'Wrong place',
  duplicate: 'The same event has another entry',
  other: 'Something else',
};

/** Address of the form for an entry. */
export const mistakePath = (slug: string): string => `/signal/${slug}/report`;

type Asked = FastifyRequest<{ Params: { slug: string } }>;

export function mistakePage(server: FastifyInstance, site: Site): void {
  /** The public signal of the address; null when the reply leads to its present address. */
  async function signalOf(request: Asked, reply: FastifyReply): Promise<SignalDetail | null> {
    const found = await findPublicSignal(site.database, request.params.slug);
    if (!('redirect' in found)) return parseDocument(found.document, SignalDetail);
    // 308 keeps the form.
    reply.redirect(`${site.baseUrl}${mistakePath(found.redirect)}`, 308);
    return null;
  }
  const page = ({ slug, headline }: SignalDetail, body: Markup): Promise<string> =>
    layout(site, {
      title: 'Report a mistake · Clarity',
      description: 'Say what is wrong with an entry of the record.',
      path: null,
      body: html`<header class="subject"><p class="kicker"><a href="/signal/${slug}">${clip(headline, 200)}</a></p><h1>Report a mistake</h1></header>${body}`,
    });
  const asked = (request: Asked, signal: SignalDetail, typed: Form, wrong: string | null): Promise<string> =>
    page(
      signal,
      html`<p>An operator compares the entry with its reports. What was corrected is in the <a href="/corrections">log of corrections</a>.</p>
      ${wrong === null ? null : html`<p class="wrong" role="alert">${clip(neutralise(wrong), 600)}</p>`}
      ${form(
        request.reader,
        mistakePath(signal.slug),
        {},
        html`${choiceField(
          'what',
          'What is wrong',
          MISTAKES.map((value) => ({ value, name: MISTAKE_NAMES[value] })),
          typed.what,
        )}
        <div class="field"><label for="note">What would be right (optional)</label><textarea id="note" name="note" rows="4" maxlength="${MAXIMUM_NOTE}" aria-describedby="hint-note">${typed.note ?? ''}</textarea>
        <small id="hint-note">At most ${MAXIMUM_NOTE} characters. Only operators read it. Your name and address are not kept with it.</small></div>
        <div><button type="submit">Report</button></div>`,
        'narrow',
      )}`,
    );

  server.get('/signal/:slug/report', async (request: Asked, reply) => {
    const signal = await signalOf(request, reply);
    return signal ? sendPage(reply, await asked(request, signal, {}, null)) : reply;
  });
  registerForms(server, site, (own) => {
    own.post('/signal/:slug/report', { preHandler: site.authorise('anonymous') }, async (request: Asked, reply) => {
      const signal = await signalOf(request, reply);
      if (!signal) return reply;
      const { form_token: _, ...typed } = readForm(request);
      try {
        const id = await reportMistake(site, SignalId.parse(signal.id), readParameters(MistakeBody, typed));
        const thanks = html`<p role="status">Thank you. An operator will look at it.</p>
          <p class="note">Report <code>${id}</code></p><p><a href="/signal/${signal.slug}">Back to the entry</a></p>`;
        return sendPage(reply, await page(signal, thanks));
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'invalid_request') throw error;
        return sendPage(reply.code(400), await asked(request, signal, typed, error.message));
      }
    });
  });
}
