/** POST /api/v1/ask, its sessions and turns, and briefings: POST /research and GET /api/v1/research/{id}. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  answerOpen,
  shareSession as changeSharing,
  findTurn,
  framesOf,
  type OpenQuestion,
  openQuestion,
} from '../../answer/ask.ts';
import {
  findInvestigation,
  type RequestedResearch,
  requestResearch,
  resumeResearch,
  runResearch,
} from '../../answer/research.ts';
import { checkKnown } from '../../presentation/public-records.ts';
import { waitForOwnWrite } from '../../projector/model-progress.ts';
import {
  AskAnswer,
  AskBody,
  Investigation,
  InvestigationId,
  QueuedResearch,
  ResearchBody,
  ResearchResult,
  SessionId,
  ShareAnswer,
  SharedTurn,
  type Turn,
} from '../../schemas/ask.ts';
import { quoted, Refusal } from '../../schemas/input-errors.ts';
import { citationExample } from '../description/examples.ts';
import { accountOf, addRoute, defineOperation, type RouteContext, sendValue } from '../route.ts';

const { id, headline } = citationExample;
const SESSION = 'ses_8d2f60c1b7e94a35';
const SLUG = 'what-did-kiri-foods-open-in-pune-5f2c91d0';
const QUESTION = 'What did Kiri Foods open in Pune?';

const content = `Daily Trade and 2 more reported on 21 November 2026: “${headline}”. [${id}]`;
const ofBrand = '{"brands":[{"slug":"kiri-foods","name":"Kiri Foods"}]';
const openings = '"kinds":["stores"],"store_status":"opened"}';
const query = {
  query: `${ofBrand},${openings}`,
  chips: [
    { field: 'kinds', label: 'Kind', value: 'Store openings', without: `${ofBrand}}` },
    { field: 'brands', label: 'Brand', value: 'Kiri Foods', without: `{${openings}` },
  ],
};
const answered = { content, citations: [citationExample], confidence: 0.91, query };
const answer: z.input<typeof AskAnswer> = {
  ...answered,
  request_id: 'req_5f2c91d07ab3e648',
  session_id: SESSION,
  session_slug: SLUG,
};
const turn: Turn = { ordinal: 1, question: QUESTION, ...answered, asked_at: '2026-11-21T06:30:00Z' };

const STREAM = [
  `event: message_start\ndata: {"type":"message_start","message":{"id":"req_5f2c91d07ab3e648","type":"message","role":"assistant","content":[]}}`,
  `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Daily Trade and 2 more reported"}}`,
  `event: clarity.citation_emitted\ndata: {"type":"clarity.citation_emitted","citation":{"id":"${id}"}}`,
  `event: message_stop\ndata: {"type":"message_stop"}`,
].join('\n\n');

const shared = (isPublic: boolean) => ({
  schema: ShareAnswer,
  example: { public: isPublic, url: `https://clarity.example/ask/${SLUG}/1` },
});
const session = { session_id: { description: 'Id of a session of the account', example: SESSION, schema: SessionId } };

const ask = defineOperation({
  method: 'post',
  path: '/api/v1/ask',
  id: 'ask',
  tag: 'Answers',
  summary: 'Ask a question of the record',
  description:
    'Every sentence cites the signals that support it as `[sig_…]`, and every quote is in a report of that signal byte for byte: `start` and `end` count UTF-16 code units in its title, a line end and its summary. Where the record has no answer, `content` says so and `confidence` is 0. With `stream` true, or `Accept: text/event-stream`, the answer comes as server-sent events in the form of a streaming messages API, with events of its own: `clarity.citation_emitted`, `clarity.confidence_updated`, `clarity.research_promotion_available`. Without a key 30 questions a minute and address are answered; with one it needs Pro and the scope `ask`, 200 a day together with the site.',
  access: 'ask',
  body: { schema: AskBody, example: { messages: [{ role: 'user', content: QUESTION }], stream: false } },
  answers: {
    200: {
      description: 'The answer.',
      schema: AskAnswer,
      example: answer,
      others: { 'text/event-stream': `${STREAM}\n\n` },
    },
  },
  errors: ['not_found'],
});

const shareSession = defineOperation({
  method: 'post',
  path: '/api/v1/ask/sessions/{session_id}/share',
  id: 'shareSession',
  tag: 'Answers',
  summary: 'Share a session',
  description: 'All its turns, future ones included, can then be read by everybody who knows its address.',
  access: 'account',
  pathParameters: session,
  answers: { 200: { description: 'The session is shared.', ...shared(true) } },
});

const unshareSession = defineOperation({
  method: 'delete',
  path: '/api/v1/ask/sessions/{session_id}/share',
  id: 'unshareSession',
  tag: 'Answers',
  summary: 'Stop sharing a session',
  description: 'From then on only its account can read its turns.',
  access: 'account',
  pathParameters: session,
  answers: { 200: { description: 'The session is private.', ...shared(false) } },
});

const getTurn = defineOperation({
  method: 'get',
  path: '/api/v1/ask/{session_slug}/{turn_ordinal}',
  id: 'getTurn',
  tag: 'Answers',
  summary: 'One turn of a shared session',
  description: 'The owner of a session reads its turns while it is private too. Ordinals count from 1.',
  access: 'anonymous',
  pathParameters: {
    session_slug: { description: 'The session_slug of an answer', example: SLUG },
    turn_ordinal: {
      description: 'Place of the turn in the session',
      example: '1',
      schema: z.string().regex(/^[1-9]\d{0,3}$/),
    },
  },
  answers: {
    200: { description: 'The turn.', schema: SharedTurn, example: { session_slug: SLUG, turns: 1, turn } },
  },
});

export const ASK_OPERATIONS = [ask, shareSession, unshareSession, getTurn];

/** Streams the answer. A client that leaves ends the stream; its turn is stored nevertheless. */
function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { answers, baseUrl, giveBack }: RouteContext,
  question: OpenQuestion,
): FastifyReply {
  const failed = async (error: unknown): Promise<void> => {
    // No answer to replay: a repetition asks again.
    request.onceFailed = true;
    request.log.error({ err: error, request_id: request.id }, 'an answer failed in its stream');
    await giveBack(request).catch((failure: unknown) =>
      request.log.error({ err: failure, request_id: request.id }, 'the charge of a failed answer was not given back'),
    );
  };
  const frames = framesOf(question, (meanwhile) => answerOpen(answers, question, meanwhile), { baseUrl, failed });
  reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
  return reply.send(Readable.from(frames, { objectMode: false }));
}

const wantsStream = (request: FastifyRequest, { stream }: AskBody): boolean =>
  stream ?? request.headers.accept?.includes('text/event-stream') ?? false;

/** Answers `AskAnswer`, or a stream that begins before the answer is composed; shares sessions; answers `SharedTurn`. */
export function askRoutes(server: FastifyInstance, context: RouteContext): void {
  const { answers, database, store, baseUrl, now } = context;

  addRoute(server, context, ask, async ({ request, reply, body }) => {
    const { messages, session_id, query } = body;
    const { account } = request.access;
    const question = await openQuestion(answers, { messages, session_id, query, account, requestId: request.id });
    reply.headers({ 'cache-control': 'no-store', vary: 'Accept' });
    if (wantsStream(request, body)) return sendStream(request, reply, context, question);
    const { answer } = await answerOpen(answers, question);
    return sendValue(reply, answer);
  });

  for (const [operation, share] of [
    [shareSession, true],
    [unshareSession, false],
  ] as const)
    addRoute(server, context, operation, async ({ request, reply, parameters: { session_id: id } }) => {
      if (!SessionId.safeParse(id).success) throw new Refusal('not_found', 'You have no session of this id.');
      const command = { id, account: accountOf(request), share, now: now() };
      const { session, position } = await changeSharing(store, command);
      await waitForOwnWrite(database, ['sessions'], position);
      const url = `${baseUrl}/ask/${session.slug}/${session.turns.length}`;
      return sendValue(reply, { public: session.is_public, url });
    });

  addRoute(server, context, getTurn, async ({ request, reply, parameters }) => {
    const { session_slug: slug, turn_ordinal: ordinal } = parameters;
    const isAddress = /^[a-z0-9-]{1,120}$/.test(slug) && /^[1-9]\d{0,3}$/.test(ordinal);
    const turn = isAddress ? await findTurn(database, slug, Number(ordinal), request.access.account) : null;
    if (!turn) throw new Refusal('not_found', 'No shared session has this turn.');
    reply.header('cache-control', 'private, no-cache');
    return sendValue(reply, turn);
  });
}

const ID = 'inv_6c0d9e1f2a3b4857';
const SITE = 'https://clarity.example';
const body = { schema: ResearchBody, example: { topic: 'Quick commerce in Pune', preset: 'standard' } };

const research = defineOperation({
  method: 'post',
  path: '/api/v1/research',
  id: 'research',
  tag: 'Answers',
  summary: 'Compose a briefing on a topic',
  description:
    'Answers when the report is written, which takes seconds. The report is Markdown: summary, timeline, by brand, figures, what to watch, sources; every statement links to its signals. 5 briefings in 5 minutes.',
  access: 'account',
  body,
  answers: {
    200: {
      description: 'The briefing is complete.',
      schema: ResearchResult,
      example: { id: ID, status: 'completed', report_url: `${SITE}/research/${ID}`, citation_count: 14, cost_usd: 0 },
    },
  },
});

const researchQueued = defineOperation({
  method: 'post',
  path: '/api/v2/research',
  id: 'researchQueued',
  tag: 'Answers',
  summary: 'Order a briefing on a topic',
  description: 'The form planned for v2: it answers at once. Poll `status_url` until `status` is no longer `queued`.',
  access: 'account',
  body,
  answers: {
    202: {
      description: 'The briefing is being composed.',
      headers: { Location: 'The `status_url`' },
      schema: QueuedResearch,
      example: { id: ID, status: 'queued', status_url: `${SITE}/api/v1/research/${ID}` },
    },
  },
});

const getResearch = defineOperation({
  method: 'get',
  path: '/api/v1/research/{id}',
  id: 'getResearch',
  tag: 'Answers',
  summary: 'A briefing and its status',
  description: 'Those of other accounts are 404.',
  access: 'account',
  pathParameters: { id: { description: 'Id of a briefing of the account', example: ID, schema: InvestigationId } },
  answers: {
    200: {
      description: 'The briefing. `status` is `queued`, `completed` or `failed`.',
      schema: Investigation,
      example: {
        id: ID,
        status: 'completed',
        topic: 'Quick commerce in Pune',
        preset: 'standard',
        created_at: '2026-11-21T06:30:00Z',
        completed_at: '2026-11-21T06:30:01Z',
        report_url: `${SITE}/research/${ID}`,
        report_markdown: '# Quick commerce in Pune\n',
        citations: [citationExample],
        citation_count: 1,
        cost_usd: 0,
        error: null,
      },
    },
  },
});

export const RESEARCH_OPERATIONS = [research, researchQueued, getResearch];

/** v1 answers when the report is complete; v2 answers at once with the address of its status. */
export function researchRoutes(server: FastifyInstance, context: RouteContext): void {
  const { database, answers, baseUrl, giveBack } = context;
  const requested = async (request: FastifyRequest, body: ResearchBody): Promise<RequestedResearch> => {
    await checkKnown(context, { brands: { brands: body.brands }, themes: { themes: body.themes } });
    return requestResearch(answers, { body, account: accountOf(request), requestId: request.id });
  };

  // Not before the port is open: until then the read models may be missing.
  server.addHook('onListen', () => {
    resumeResearch(answers, (error, id) =>
      server.log.error({ err: error, investigation: id }, 'a resumed briefing failed'),
    ).catch((error: unknown) => server.log.error({ err: error }, 'interrupted briefings could not be resumed'));
  });

  addRoute(server, context, research, async ({ request, reply, body }) => {
    const { result, position } = await runResearch(answers, await requested(request, body));
    await waitForOwnWrite(database, ['investigations'], position);
    return sendValue(reply, result);
  });

  addRoute(server, context, researchQueued, async ({ request, reply, body }) => {
    const ordered = await requested(request, body);
    await waitForOwnWrite(database, ['investigations'], ordered.position);
    runResearch(answers, ordered).catch(async (error: unknown) => {
      request.log.error({ err: error, request_id: request.id }, 'a briefing failed');
      await giveBack(request).catch((failure: unknown) =>
        request.log.error(
          { err: failure, request_id: request.id },
          'the charge of a failed briefing was not given back',
        ),
      );
    });
    const status_url = `${baseUrl}/api/v1/research/${ordered.id}`;
    return sendValue(reply.code(202).header('location', status_url), { id: ordered.id, status: 'queued', status_url });
  });

  addRoute(server, context, getResearch, async ({ request, reply, parameters: { id } }) => {
    const briefing = InvestigationId.safeParse(id).success ? await findInvestigation(database, id, baseUrl) : null;
    if (briefing?.account !== accountOf(request)) throw new Refusal('not_found', `You have no briefing ${quoted(id)}.`);
    reply.header('cache-control', 'private, no-cache');
    return sendValue(reply, briefing.investigation);
  });
}
