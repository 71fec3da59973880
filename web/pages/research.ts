/** GET and POST /research, GET /research/{id}, with .csv for its tables: briefings on a topic. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import type { Reader } from '../../access/web-sessions.ts';
import { findInvestigation, requestResearch, runResearch } from '../../answer/research.ts';
import { briefingTable, sendCsv } from '../../presentation/csv.ts';
import { fullTime, type Markup } from '../../presentation/markup.ts';
import { clip, neutralise } from '../../presentation/text.ts';
import { waitForOwnWrite } from '../../projector/model-progress.ts';
import { recentInvestigations } from '../../projector/models/ask-queries.ts';
import type { AccountId } from '../../schemas/access.ts';
import { type Investigation, InvestigationId, ResearchBody } from '../../schemas/ask.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { readParameters } from '../../schemas/parameters.ts';
import { chargeBriefing, citedIn } from '../answers.ts';
import { form, readForm, registerForms } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import { answerMarkdown } from '../markdown.ts';
import { type Week, weekLoader } from '../names.ts';
import { redirectToSignIn, type Site } from '../site.ts';

const Query = z.strictObject({ topic: z.string().max(300).default('') });
const RECENT = 20;
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
  const recent = await recentInvestigations(database, reader.account.id, RECENT);
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
