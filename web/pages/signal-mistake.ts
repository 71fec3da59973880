/** GET and POST /signal/{slug}/report: a reader says what is wrong with an entry. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import type { Reader } from '../../access/web-sessions.ts';
import { reportMistake } from '../../ingest/review-signals.ts';
import type { Markup } from '../../presentation/markup.ts';
import { findPublicSignal } from '../../presentation/public-records.ts';
import { clip, parseDocument } from '../../presentation/text.ts';
import { readParameters } from '../../schemas/parameters.ts';
import { SignalDetail } from '../../schemas/resources.ts';
import { SignalId } from '../../schemas/scalar.ts';
import { MAXIMUM_NOTE, MISTAKES, type Mistake, MistakeBody } from '../../schemas/signal.ts';
import { choiceField, type Form, form, orAgain, readForm, registerForms, wrongFields } from '../forms.ts';
import { type Page, showPage } from '../layout.ts';
import { subject } from '../parts.ts';
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

/** Where mails are sent, a reader can hear the outcome. */
const answerField = (typed: Form): Markup =>
  html`<div class="field"><label for="email">E-mail address, to hear the outcome (optional)</label><input type="email" id="email" name="email" maxlength="320" autocomplete="email" value="${typed.email ?? ''}" aria-describedby="hint-email">
        <small id="hint-email">One mail, when an operator has decided. The address is used for nothing else.</small></div>`;

const mistakeForm = (
  { mails }: Pick<Site, 'mails'>,
  reader: Reader | null,
  slug: string,
  typed: Form,
  wrong: string | null,
): Markup =>
  html`<p>An operator compares the entry with its reports. What was corrected is in the <a href="/corrections">log of corrections</a>.</p>
      ${wrongFields(wrong)}
      ${form(
        reader,
        mistakePath(slug),
        {},
        html`${choiceField(
          'what',
          'What is wrong',
          MISTAKES.map((value) => ({ value, name: MISTAKE_NAMES[value] })),
          typed.what,
        )}
        <div class="field"><label for="note">What would be right (optional)</label><textarea id="note" name="note" rows="4" maxlength="${MAXIMUM_NOTE}" aria-describedby="hint-note">${typed.note ?? ''}</textarea>
        <small id="hint-note">At most ${MAXIMUM_NOTE} characters. Only operators read it. Your name is not kept with it.</small></div>
        ${mails ? answerField(typed) : null}
        <div><button type="submit">Report</button></div>`,
        'narrow',
      )}`;

const thanked = (id: string, slug: string): Markup => html`<p role="status">Thank you. An operator will look at it.</p>
  <p class="note">Report <code>${id}</code></p><p><a href="/signal/${slug}">Back to the entry</a></p>`;

const mistakeView = ({ slug, headline }: SignalDetail, body: Markup): Page => ({
  title: `Report a mistake: ${clip(headline, 80)}`,
  description: 'Say what is wrong with an entry of the record.',
  body: html`${subject(html`<a href="/signal/${slug}">${clip(headline, 200)}</a>`, 'Report a mistake')}${body}`,
});

type SignalRequest = FastifyRequest<{ Params: { slug: string } }>;

export function mistakePage(server: FastifyInstance, site: Site): void {
  /** The public signal of the address; null when the reply leads to its present address. */
  async function signalOf(request: SignalRequest, reply: FastifyReply): Promise<SignalDetail | null> {
    const stored = await findPublicSignal(site.database, request.params.slug);
    if (!('redirect' in stored)) return parseDocument(stored.document, SignalDetail);
    // 308 keeps the form.
    reply.redirect(`${site.baseUrl}${mistakePath(stored.redirect)}`, 308);
    return null;
  }

  server.get('/signal/:slug/report', async (request: SignalRequest, reply) => {
    const signal = await signalOf(request, reply);
    if (!signal) return reply;
    return showPage(reply, site, mistakeView(signal, mistakeForm(site, request.reader, signal.slug, {}, null)));
  });
  registerForms(server, site, (own) => {
    own.post(
      '/signal/:slug/report',
      { preHandler: site.authorise('anonymous') },
      async (request: SignalRequest, reply) => {
        const signal = await signalOf(request, reply);
        if (!signal) return reply;
        const { id, slug } = signal;
        const { form_token: _, ...typed } = readForm(request);
        const body = await orAgain(
          reply,
          async () => thanked(await reportMistake(site, SignalId.parse(id), readParameters(MistakeBody, typed)), slug),
          (wrong) => mistakeForm(site, request.reader, slug, typed, wrong),
        );
        return showPage(reply, site, mistakeView(signal, body));
      },
    );
  });
}
