/** GET and POST /ask, GET /ask/{session_slug}/{turn} and POST /ask/share: questions, answered from the record. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import {
  type AskedTurn,
  answerOpen,
  findTurn,
  framesOf,
  frameText,
  type OpenQuestion,
  openQuestion,
  shareSession,
} from '../../answer/ask.ts';
import { type Markup, renderMarkup } from '../../presentation/markup.ts';
import { clip, neutralise } from '../../presentation/text.ts';
import { waitForOwnWrite } from '../../projector/model-progress.ts';
import { ownSession, recentSessions } from '../../projector/models/ask-queries.ts';
import { AskBody } from '../../schemas/ask.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { readParameters } from '../../schemas/parameters.ts';
import { askedTurn, askForm, chargeQuestion } from '../answers.ts';
import { readForm, registerForms } from '../forms.ts';
import { ASK_SCRIPT, layout, sendPage } from '../layout.ts';
import { redirectToSignIn, type Site } from '../site.ts';

const RECENT = 8;
const EXAMPLES = [
  'How many stores opened in Pune in the last 30 days?',
  'Who raised money this month?',
  'Which brands named a new chief this week?',
  'Compare store openings in Mumbai and Delhi',
];

const askScript = html`<script src="${ASK_SCRIPT}" defer></script>`;

const page = (site: Site, body: Markup): Promise<string> =>
  layout(site, {
    title: 'Ask the record · Clarity',
    description: 'Questions on Indian retail, answered from dated, source-cited moves, each answer with its citations.',
    path: '/ask',
    head: askScript,
    body: html`<div class="desk asking" id="asked">${body}</div>`,
  });

async function startBody(
  { database }: Site,
  { reader }: FastifyRequest,
  question: string,
  wrong: string | null,
): Promise<Markup> {
  const recent = reader ? await recentSessions(database, reader.account.id, RECENT) : [];
  return html`<header class="subject"><p class="kicker">Ask</p><h1>Ask the record</h1>
    <p class="lede">Answers use only the record, and every sentence cites its signals. Without evidence in the record there is no answer.</p></header>
  ${wrong === null ? null : html`<p class="wrong" role="alert">${neutralise(wrong)}</p>`}
  ${askForm({ reader, session: null, question })}
  <section><h2>Examples</h2><ul>${EXAMPLES.map((one) => html`<li><a href="/ask?${new URLSearchParams({ q: one })}">${one}</a></li>`)}</ul></section>
  ${
    recent.length === 0
      ? null
      : html`<section><h2>Your questions</h2><ul>${recent.map(({ slug, question: asked }) => html`<li><a href="/ask/${slug}/1">${clip(neutralise(asked), 160)}</a></li>`)}</ul></section>`
  }`;
}

const turnOf = (
  site: Site,
  request: FastifyRequest,
  { session, text }: OpenQuestion,
  { answer, ordinal }: AskedTurn,
): Markup =>
  askedTurn({
    ...{ reader: request.reader, baseUrl: site.baseUrl, ordinal, turns: ordinal },
    ...{ slug: session.slug, session: session.id, isPublic: session.is_public },
    turn: { question: text, ...answer },
  });

/** The frames of the API, and a last one with the rendered answer. */
async function* streamed(
  site: Site,
  request: FastifyRequest,
  question: OpenQuestion,
  failed: (error: unknown) => Promise<void>,
): AsyncGenerator<string> {
  let asked: AskedTurn | undefined;
  const answer = async (): Promise<AskedTurn> => {
    asked = await answerOpen(site.answers, question);
    return asked;
  };
  yield* framesOf(question, answer, { baseUrl: site.baseUrl, failed });
  if (!asked) return;
  if (request.reader) await waitForOwnWrite(site.database, ['sessions'], asked.position);
  const url = request.reader ? `/ask/${question.session.slug}/${asked.ordinal}` : null;
  yield frameText({ type: 'clarity.page', url, html: await renderMarkup(turnOf(site, request, question, asked)) });
}

const wantsStream = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/event-stream') ?? false;

/** The session of a reader who is signed in is stored, and each turn has an address; other readers see the answer only on this page. */
export function askPage(server: FastifyInstance, site: Site): void {
  const { database, answers } = site;

  server.get<{ Querystring: { q?: unknown } }>('/ask', async (request, reply) => {
    const { q } = request.query;
    return sendPage(
      reply,
      await page(site, await startBody(site, request, typeof q === 'string' ? clip(q, 500) : '', null)),
    );
  });

  async function answered(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { question = '', session_id, query } = readForm(request);
    const {
      messages,
      session_id: id,
      ...changed
    } = readParameters(AskBody, {
      messages: [{ role: 'user', content: question }],
      ...(session_id ? { session_id } : {}),
      ...(query ? { query } : {}),
    });
    const account = request.reader?.account.id ?? null;
    const charged = await chargeQuestion(site, request);
    // The failure of the answer is reported; a charge that cannot be given back stays with the day's quota.
    const giveBack = (): Promise<void> => charged.giveBack().catch(() => undefined);
    try {
      const open = await openQuestion(answers, {
        ...{ messages, session_id: id, account, requestId: request.id, query: changed.query },
      });
      if (wantsStream(request)) {
        const failed = async (error: unknown): Promise<void> => {
          request.log.error({ err: error, request_id: request.id }, 'an answer failed in its stream');
          await giveBack();
        };
        reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
        return reply.send(Readable.from(streamed(site, request, open, failed), { objectMode: false }));
      }
      const asked = await answerOpen(answers, open);
      if (!account) return sendPage(reply, await page(site, turnOf(site, request, open, asked)));
      await waitForOwnWrite(database, ['sessions'], asked.position);
      return reply.redirect(`/ask/${open.session.slug}/${asked.ordinal}`, 303);
    } catch (error) {
      // A refused question stays charged; a failure on our side is refunded.
      if (!(error instanceof Refusal)) await giveBack();
      throw error;
    }
  }

  registerForms(server, site, (own) => {
    own.post('/ask', async (request, reply) => {
      try {
        return await answered(request, reply);
      } catch (error) {
        if (!(error instanceof Refusal) || wantsStream(request)) throw error;
        const body = await startBody(site, request, readForm(request).question ?? '', error.message);
        return sendPage(reply.code(error.status).headers(error.headers), await page(site, body));
      }
    });
  });
}

const SESSION_SLUG = /^[a-z0-9-]{1,120}$/;
const ORDINAL = /^[1-9]\d{0,3}$/;

/** 404 for readers who may not see the turn, as for a turn that does not exist. */
export function turnPage(server: FastifyInstance, site: Site): void {
  const { database, store, baseUrl, now } = site;

  server.get<{ Params: { slug: string; turn: string } }>('/ask/:slug/:turn', async (request, reply) => {
    const { reader, params } = request;
    const { slug, turn } = params;
    const account = reader?.account.id ?? null;
    const isAddress = SESSION_SLUG.test(slug) && ORDINAL.test(turn);
    const found = isAddress ? await findTurn(database, slug, Number(turn), account) : null;
    if (!found) throw new Refusal('not_found', 'No shared question has this address.');
    const own = account ? await ownSession(database, slug, account) : null;
    const shown = { reader, baseUrl, slug, ordinal: found.turn.ordinal, turns: found.turns, turn: found.turn };
    const body = askedTurn({ ...shown, session: own?.id ?? null, isPublic: own?.is_public ?? true });
    const question = clip(neutralise(found.turn.question), 120);
    const described = { title: `${question} · Clarity`, description: clip(neutralise(found.turn.content), 200) };
    // Only a shared question has a canonical address.
    const path = own && !own.is_public ? null : `/ask/${slug}/${turn}`;
    return sendPage(
      reply,
      await layout(site, {
        ...described,
        path,
        head: askScript,
        body: html`<p class="kicker"><a href="/ask">Ask</a></p><div class="desk asking" id="asked">${body}</div>`,
      }),
    );
  });

  registerForms(server, site, (own) => {
    own.post('/ask/share', async (request, reply) => {
      const { reader } = request;
      if (!reader) return redirectToSignIn(request, reply, '/ask');
      const { session_id: id = '', slug = '', turn = '1', share } = readForm(request);
      const command = { id, account: reader.account.id, share: share !== 'no', now: now() };
      const { session, position } = await shareSession(store, command);
      await waitForOwnWrite(database, ['sessions'], position);
      return reply.redirect(slug === session.slug && ORDINAL.test(turn) ? `/ask/${slug}/${turn}` : '/ask', 303);
    });
  });
}
