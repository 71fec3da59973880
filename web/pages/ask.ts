/**
 * GET and POST /ask, GET /ask/{session_slug}/{turn} and POST /ask/share: questions, answered from the record. GET and
 * POST /research, GET /research/{id}, with .csv for its tables: briefings on a topic.
 */

import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { httpAnswerOf } from '../../access/http-refusal.ts';
import type { Reader } from '../../access/web-sessions.ts';
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
import { findInvestigation, requestResearch, runResearch } from '../../answer/research.ts';
import { briefingTable, sendCsv } from '../../presentation/csv.ts';
import { fullTime, type Markup, renderMarkup } from '../../presentation/markup.ts';
import { clip, neutralise } from '../../presentation/text.ts';
import { waitForOwnWrite } from '../../projector/model-progress.ts';
import { ownSession, recentInvestigations, recentSessions } from '../../projector/models/ask-queries.ts';
import type { AccountId } from '../../schemas/access.ts';
import { AskBody, type Investigation, InvestigationId, ResearchBody } from '../../schemas/ask.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { readParameters } from '../../schemas/parameters.ts';
import { askedTurn, askForm, chargeBriefing, chargeQuestion, citedIn } from '../answers.ts';
import { form, readForm, registerForms } from '../forms.ts';
import { ASK_SCRIPT, layout, sendPage } from '../layout.ts';
import { answerMarkdown } from '../markdown.ts';
import { type Week, weekLoader } from '../names.ts';
import { redirectToSignIn, type Site } from '../site.ts';

const RECENT_SESSIONS = 8;
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
  const recent = reader ? await recentSessions(database, reader.account.id, RECENT_SESSIONS) : [];
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
        messages,
        session_id: id,
        account,
        requestId: request.id,
        query: changed.query,
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
        const { status, headers } = httpAnswerOf(error);
        return sendPage(reply.code(status).headers(headers), await page(site, body));
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

const Query = z.strictObject({ topic: z.string().max(300).default('') });
const RECENT_BRIEFINGS = 20;
/** Seconds after which the browser reloads a briefing that is being composed. */
const RELOAD_SECONDS = 3;

const topicForm = (reader: Reader, topic: string): Markup =>
  form(
    reader,
    '/research',
    {},
    html`<p class="field"><label for="topic">Topic</label>
      <input id="topic" name="topic" minlength="3" maxlength="300" required value="${topic}" placeholder="Quick commerce in small towns"></p>
    <p class="field"><label for="preset">Depth</label>
      <select id="preset" name="preset"><option value="standard">Standard</option><option value="deep">Deep</option></select></p>
    <p><button>Compose the briefing</button></p>`,
    'narrow',
  );

const SUGGESTED = 4;

/** Topics of which the last seven days have stories: a link fills in the form. */
function suggestions({ themes, cities, brands }: Week): Markup | null {
  const topics = [
    ...themes.slice(0, SUGGESTED).map(({ name, stories }) => [name, stories] as const),
    ...cities.slice(0, SUGGESTED).map(({ name, stories }) => [`Stores in ${name}`, stories] as const),
    ...brands.slice(0, SUGGESTED).map(({ name, stories }) => [name, stories] as const),
  ];
  if (topics.length === 0) return null;
  return html`<section><h2>Topics of this week</h2><ul class="counted">${topics.map(
    ([topic, stories]) =>
      html`<li><a href="/research?${new URLSearchParams({ topic })}">${topic}</a> <span>${stories}</span></li>`,
  )}</ul></section>`;
}

async function listBody({ database }: Site, reader: Reader, week: Week, topic: string): Promise<Markup> {
  const recent = await recentInvestigations(database, reader.account.id, RECENT_BRIEFINGS);
  return html`<header class="subject"><p class="kicker">Briefings</p><h1>A briefing on a topic</h1>
    <p class="lede">A summary, the moves in order, brands, amounts and what to watch, from the record; every line cites its signals.</p></header>
  <div class="desk columns"><div>${topicForm(reader, topic)}
  <section><h2>What a briefing contains</h2><ul><li>a summary with figures, each with its signals;</li>
  <li>openings by city, people, results, deals and enforcement as tables, with totals and a CSV file;</li>
  <li>the change from the period before, and where outlets disagree;</li>
  <li>what was searched for and not found.</li></ul></section></div>
  <div>${
    recent.length === 0
      ? null
      : html`<section><h2>Your briefings</h2><ul>${recent.map(
          ({ id, topic, status, created_at }) =>
            html`<li><a href="/research/${id}">${clip(neutralise(topic), 160)}</a> <span class="said">${fullTime(created_at.toISOString())}${status === 'completed' ? null : `, ${status}`}</span></li>`,
        )}</ul></section>`
  }${suggestions(week)}</div></div>`;
}

function reportBody(
  { baseUrl }: Site,
  { id, topic, status, created_at, report_markdown, citations, error }: Investigation,
): Markup {
  const content =
    status === 'failed'
      ? html`<p class="wrong">${error}</p>`
      : report_markdown === null
        ? html`<p class="empty" role="status">This briefing is being composed. The page reloads by itself.</p>`
        : // The heading of the page replaces that of the report.
          answerMarkdown(report_markdown.replace(/^# .*\n/, ''), { baseUrl, cited: citedIn(citations) });
  return html`<header class="subject"><p class="kicker"><a href="/research">Briefings</a></p><h1>${clip(neutralise(topic), 300)}</h1>
    <p class="said">${fullTime(created_at)}</p>
    ${report_markdown !== null && briefingTable(report_markdown).rows.length > 0 ? html`<p class="files"><a href="/research/${id}.csv" download>The tables as CSV</a></p>` : null}</header>
  <article class="answer report">${content}</article>`;
}

/** Only their owner sees briefings. */
export function researchPage(server: FastifyInstance, site: Site): void {
  const { database, answers, baseUrl } = site;
  const loadWeek = weekLoader(site);
  const described = { description: 'A briefing from the record; every line cites its signals.', path: null };

  server.get('/research', async (request, reply) => {
    const { reader } = request;
    if (!reader) return redirectToSignIn(request, reply);
    return sendPage(
      reply,
      await layout(site, {
        title: 'Briefings · Clarity',
        ...described,
        body: await listBody(site, reader, await loadWeek(), readParameters(Query, request.query).topic),
      }),
    );
  });

  async function ownBriefing({ account }: Reader, id: string): Promise<Investigation> {
    const found = InvestigationId.safeParse(id).success ? await findInvestigation(database, id, baseUrl) : null;
    if (found?.account !== account.id) throw new Refusal('not_found', 'You have no briefing with this id.');
    return found.investigation;
  }

  server.get<{ Params: { id: string } }>('/research/:id.csv', async (request, reply) => {
    const { reader, params } = request;
    if (!reader) return redirectToSignIn(request, reply);
    const { report_markdown } = await ownBriefing(reader, params.id);
    return sendCsv(reply, params.id, briefingTable(report_markdown ?? ''));
  });

  server.get<{ Params: { id: string } }>('/research/:id', async (request, reply) => {
    const { reader, params } = request;
    if (!reader) return redirectToSignIn(request, reply);
    const investigation = await ownBriefing(reader, params.id);
    return sendPage(
      reply,
      await layout(site, {
        title: `${clip(neutralise(investigation.topic), 120)} · Clarity`,
        ...described,
        ...(investigation.status === 'queued' ? { refreshAfter: RELOAD_SECONDS } : {}),
        body: reportBody(site, investigation),
      }),
    );
  });

  async function begin(request: FastifyRequest, account: AccountId): Promise<string> {
    const { topic, preset } = readForm(request);
    const body = readParameters(ResearchBody, { topic, ...(preset ? { preset } : {}) });
    const charged = await chargeBriefing(site, request);
    const research = await requestResearch(answers, { body, account, requestId: request.id });
    // It may take a minute; its page shows the status.
    runResearch(answers, research).catch(async (error: unknown) => {
      request.log.error({ err: error, request_id: request.id }, 'a briefing failed');
      // The failure above was logged; a charge that cannot be given back stays with the day's quota.
      await charged.giveBack().catch(() => undefined);
    });
    await waitForOwnWrite(database, ['investigations'], research.position);
    return research.id;
  }

  registerForms(server, site, (own) => {
    own.post('/research', async (request, reply) => {
      const { reader } = request;
      if (!reader) return redirectToSignIn(request, reply, '/research');
      return reply.redirect(`/research/${await begin(request, reader.account.id)}`, 303);
    });
  });
}
