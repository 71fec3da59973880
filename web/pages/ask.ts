/**
 * GET and POST /ask, GET /ask/{session_slug}/{turn} and POST /ask/share: questions, answered from the record.
 */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { httpAnswerOf } from '../../access/http-refusal.ts';
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
import { sendCsv, signalRows } from '../../presentation/csv.ts';
import { type Markup, renderMarkup } from '../../presentation/markup.ts';
import { clip } from '../../presentation/text.ts';
import { waitForOwnWrite } from '../../projector/model-progress.ts';
import { ownSession, recentSessions } from '../../projector/models/ask-queries.ts';
import { AskBody } from '../../schemas/ask.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { readParameters } from '../../schemas/parameters.ts';
import { SignalId } from '../../schemas/scalar.ts';
import { readForm, registerForms, wrongFields } from '../forms.ts';
import { ASK_SCRIPT, type Page, showPage } from '../layout.ts';
import { excerpt, listPart, subject } from '../parts.ts';
import { readerRoutes, type Site } from '../site.ts';
import { askedTurn, askForm } from './ask-answer.ts';
import { chargeQuestion } from './ask-charge.ts';

const RECENT_SESSIONS = 8;
const EXAMPLES = [
  'How many stores opened in Pune in the last 30 days?',
  'Who raised money this month?',
  'Which brands named a new chief this week?',
  'Compare store openings in Mumbai and Delhi',
];

const askScript = html`<script src="${ASK_SCRIPT}" defer></script>`;

/** A page with questions; the script replaces what is in it. */
const questionsPart = (body: Markup): Markup => html`<div class="desk asking" id="asked">${body}</div>`;

const askView = (body: Markup): Page => ({
  title: 'Ask the record',
  description: 'Questions on Indian retail, answered from dated, source-cited moves, each answer with its citations.',
  path: '/ask',
  head: askScript,
  body: questionsPart(body),
});

async function startBody(
  { database }: Site,
  { reader }: FastifyRequest,
  question: string,
  wrong: string | null,
): Promise<Markup> {
  const recent = reader ? await recentSessions(database, reader.account.id, RECENT_SESSIONS) : [];
  const lede = html`<p class="lede">Answers use only the record, and every sentence cites its signals. Without evidence in the record there is no answer.</p>`;
  const links = (list: readonly (readonly [path: string, text: string])[]): Markup =>
    html`<ul class="plain-list">${list.map(([path, text]) => html`<li><a href="${path}">${text}</a></li>`)}</ul>`;
  return html`${subject('Ask', 'Ask the record', lede)}
  ${wrongFields(wrong)}
  ${askForm({ reader, session: null, question })}
  ${listPart('Examples', EXAMPLES, () => links(EXAMPLES.map((one) => [`/ask?${new URLSearchParams({ q: one })}`, one])), null)}
  ${listPart('Your questions', recent, () => links(recent.map(({ slug, question: text }) => [`/ask/${slug}/1`, excerpt(text, 160)])), null)}`;
}

const turnOf = (
  site: Site,
  request: FastifyRequest,
  { session, text }: OpenQuestion,
  { answer, ordinal }: AskedTurn,
): Markup =>
  askedTurn({
    reader: request.reader,
    baseUrl: site.baseUrl,
    ordinal,
    turns: ordinal,
    slug: session.slug,
    session: session.id,
    isPublic: session.is_public,
    turn: { question: text, ...answer },
  });

/** The frames of the API, and a last one with the rendered answer. */
async function* streamed(
  site: Site,
  request: FastifyRequest,
  question: OpenQuestion,
  failed: (error: unknown) => Promise<void>,
): AsyncGenerator<string> {
  let turn: AskedTurn | undefined;
  const answer: Parameters<typeof framesOf>[1] = async (meanwhile) => {
    turn = await answerOpen(site.answers, question, meanwhile);
    return turn;
  };
  yield* framesOf(question, answer, { baseUrl: site.baseUrl, failed });
  if (!turn) return;
  if (request.reader) await waitForOwnWrite(site.database, ['sessions'], turn.position);
  const url = request.reader ? `/ask/${question.session.slug}/${turn.ordinal}` : null;
  yield frameText({ type: 'clarity.page', url, html: await renderMarkup(turnOf(site, request, question, turn)) });
}

const wantsStream = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/event-stream') ?? false;

/** Answers the question of a form: by a redirect to its turn, by the page with the answer, or by a stream of it. */
async function answerForm(site: Site, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { database, answers } = site;
  const { question = '', session_id, query } = readForm(request);
  const body = readParameters(AskBody, {
    messages: [{ role: 'user', content: question }],
    ...(session_id && { session_id }),
    ...(query && { query }),
  });
  const account = request.reader?.account.id ?? null;
  const charged = await chargeQuestion(site, request);
  // The failure of the answer is reported; a charge that cannot be given back stays with the day's quota.
  const giveBack = (): Promise<void> => charged.giveBack().catch(() => undefined);
  try {
    const open = await openQuestion(answers, {
      messages: body.messages,
      session_id: body.session_id,
      account,
      requestId: request.id,
      query: body.query,
    });
    if (wantsStream(request)) {
      const failed = async (error: unknown): Promise<void> => {
        request.log.error({ err: error, request_id: request.id }, 'an answer failed in its stream');
        await giveBack();
      };
      reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
      return reply.send(Readable.from(streamed(site, request, open, failed), { objectMode: false }));
    }
    const turn = await answerOpen(answers, open);
    if (!account) return showPage(reply, site, askView(turnOf(site, request, open, turn)));
    await waitForOwnWrite(database, ['sessions'], turn.position);
    return reply.redirect(`/ask/${open.session.slug}/${turn.ordinal}`, 303);
  } catch (error) {
    // A refused question stays charged; a failure on our side is refunded.
    if (!(error instanceof Refusal)) await giveBack();
    throw error;
  }
}

/** The session of a reader who is signed in is stored, and each turn has an address; other readers see the answer only on this page. */
export function askPage(server: FastifyInstance, site: Site): void {
  server.get<{ Querystring: { q?: unknown } }>('/ask', async (request, reply) => {
    const { q } = request.query;
    const body = await startBody(site, request, typeof q === 'string' ? clip(q, 500) : '', null);
    return showPage(reply, site, askView(body));
  });
  // The signals that an answer cited, as a file.
  server.get('/ask/export.csv', async (request, reply) => {
    const { ids } = readParameters(EXPORTED, request.query);
    const signals = await site.search.search({ ids, limit: ids.length });
    const shown = signals.toSorted(
      (one, other) => ids.indexOf(SignalId.parse(one.signal.id)) - ids.indexOf(SignalId.parse(other.signal.id)),
    );
    return sendCsv(reply, 'clarity-answer', signalRows(shown.map(({ signal }) => signal)));
  });

  registerForms(server, site, (own) => {
    own.post('/ask', async (request, reply) => {
      try {
        return await answerForm(site, request, reply);
      } catch (error) {
        if (!(error instanceof Refusal) || wantsStream(request)) throw error;
        const body = await startBody(site, request, readForm(request).question ?? '', error.message);
        const { status, headers } = httpAnswerOf(error);
        return showPage(reply.code(status).headers(headers), site, askView(body));
      }
    });
  });
}

const SESSION_SLUG = /^[a-z0-9-]{1,120}$/;
const EXPORTED = z.strictObject({
  ids: z
    .string()
    .transform((ids) => ids.split(','))
    .pipe(z.array(SignalId).min(1).max(100)),
});
const ORDINAL = /^[1-9]\d{0,3}$/;

/** 404 for readers who may not see the turn, as for a turn that does not exist. */
export function turnPage(server: FastifyInstance, site: Site): void {
  const { database, store, baseUrl, now } = site;

  server.get<{ Params: { slug: string; turn: string } }>('/ask/:slug/:turn', async (request, reply) => {
    const { reader, params } = request;
    const { slug, turn } = params;
    const account = reader?.account.id ?? null;
    const isAddress = SESSION_SLUG.test(slug) && ORDINAL.test(turn);
    const stored = isAddress ? await findTurn(database, slug, Number(turn), account) : null;
    if (!stored) throw new Refusal('not_found', 'No shared question has this address.');
    const own = account ? await ownSession(database, slug, account) : null;
    const isPublic = own?.is_public ?? true;
    const { question, content, ordinal } = stored.turn;
    const shown = { reader, baseUrl, slug, ordinal, turns: stored.turns, turn: stored.turn };
    const body = askedTurn({ ...shown, session: own?.id ?? null, isPublic });
    return showPage(reply, site, {
      title: excerpt(question, 120),
      description: excerpt(content, 200),
      // Only a shared question has a canonical address.
      path: isPublic ? `/ask/${slug}/${turn}` : undefined,
      head: askScript,
      body: html`<p class="kicker"><a href="/ask">Ask</a></p>${questionsPart(body)}`,
    });
  });

  registerForms(server, site, (own) => {
    readerRoutes(own, '/ask').post('/ask/share', async (reader, request, reply) => {
      const { session_id: id = '', slug = '', turn = '1', share } = readForm(request);
      const command = { id, account: reader.account.id, share: share !== 'no', now: now() };
      const { session, position } = await shareSession(store, command);
      await waitForOwnWrite(database, ['sessions'], position);
      return reply.redirect(slug === session.slug && ORDINAL.test(turn) ? `/ask/${slug}/${turn}` : '/ask', 303);
    });
  });
}
