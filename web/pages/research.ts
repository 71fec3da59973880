/** GET and POST /research, GET /research/{id}: briefings on a topic. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import type { Reader } from '../../access/web-sessions.ts';
import { findInvestigation, requestResearch, runResearch } from '../../answer/research.ts';
import { fullTime, type Markup } from '../../presentation/markup.ts';
import { waitForOwnWrite } from '../../projector/model-progress.ts';
import { recentInvestigations } from '../../projector/models/ask-queries.ts';
import { type Investigation, InvestigationId, ResearchBody } from '../../schemas/ask.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { readParameters } from '../../schemas/parameters.ts';
import { form, readForm, registerForms } from '../forms.ts';
import { showPage } from '../layout.ts';
import { answerMarkdown } from '../markdown.ts';
import { countedPart, excerpt, listPart, subject } from '../parts.ts';
import { readerRoutes, type Site } from '../site.ts';
import { type Week, weekLoader } from '../week.ts';
import { citedIn } from './ask-answer.ts';
import { chargeBriefing } from './ask-charge.ts';

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
    ...themes.slice(0, SUGGESTED),
    ...cities.slice(0, SUGGESTED).map(({ name, stories }) => ({ name: `Stores in ${name}`, stories })),
    ...brands.slice(0, SUGGESTED),
  ].map(
    ({ name, stories }) =>
      html`<li><a href="/research?${new URLSearchParams({ topic: name })}">${name}</a> <span>${stories}</span></li>`,
  );
  return countedPart('Topics of this week', topics);
}

const LEDE = html`<p class="lede">A summary, the moves in order, brands, amounts and what to watch, from the record; every line cites its signals.</p>`;

async function listBody({ database }: Site, reader: Reader, week: Week, topic: string): Promise<Markup> {
  const recent = await recentInvestigations(database, reader.account.id, RECENT_BRIEFINGS);
  const items = recent.map(
    ({ id, topic, status, created_at }) =>
      html`<li><a href="/research/${id}">${excerpt(topic, 160)}</a> <span class="said">${fullTime(created_at.toISOString())}${status === 'completed' ? null : `, ${status}`}</span></li>`,
  );
  return html`${subject('Briefings', 'A briefing on a topic', LEDE)}
  <div class="desk columns"><div>${topicForm(reader, topic)}
  <section><h2>What a briefing contains</h2><ul><li>a summary with figures, each with its signals;</li>
  <li>openings by city, people, results, deals and enforcement as tables, with totals;</li>
  <li>the change from the period before, and where outlets disagree;</li>
  <li>what was searched for and not found.</li></ul></section></div>
  <div>${listPart('Your briefings', items, () => html`<ul>${items}</ul>`, null)}${suggestions(week)}</div></div>`;
}

function contentOf({ baseUrl }: Site, { status, report_markdown, citations, error }: Investigation): Markup {
  if (status === 'failed') return html`<p class="wrong">${error}</p>`;
  if (report_markdown === null)
    return html`<p class="empty" role="status">This briefing is being composed. The page reloads by itself.</p>`;
  // The heading of the page replaces that of the report.
  return answerMarkdown(report_markdown.replace(/^# .*\n/, ''), { baseUrl, cited: citedIn(citations) });
}

function reportBody(site: Site, briefing: Investigation): Markup {
  const { topic, created_at } = briefing;
  const details = html`<p class="said">${fullTime(created_at)}</p>`;
  return html`${subject(html`<a href="/research">Briefings</a>`, excerpt(topic, 300), details)}
  <article class="answer report">${contentOf(site, briefing)}</article>`;
}

/** Only their owner sees briefings. */
export function researchPage(server: FastifyInstance, site: Site): void {
  const { database, answers, baseUrl } = site;
  const loadWeek = weekLoader(site);
  const description = 'A briefing from the record; every line cites its signals.';
  const pages = readerRoutes(server);

  pages.get('/research', async (reader, request, reply) => {
    const { topic } = readParameters(Query, request.query);
    const body = await listBody(site, reader, await loadWeek(), topic);
    return showPage(reply, site, { title: 'Briefings', description, body });
  });
  pages.get<{ Params: { id: string } }>('/research/:id', async (reader, { params }, reply) => {
    const { id } = params;
    const stored = InvestigationId.safeParse(id).success ? await findInvestigation(database, id, baseUrl) : null;
    if (stored?.account !== reader.account.id) throw new Refusal('not_found', 'You have no briefing with this id.');
    const briefing = stored.investigation;
    return showPage(reply, site, {
      title: excerpt(briefing.topic, 120),
      description,
      ...(briefing.status === 'queued' ? { refreshAfter: RELOAD_SECONDS } : {}),
      body: reportBody(site, briefing),
    });
  });

  async function begin(request: FastifyRequest, { account }: Reader): Promise<string> {
    const { topic, preset } = readForm(request);
    const body = readParameters(ResearchBody, { topic, ...(preset ? { preset } : {}) });
    const charged = await chargeBriefing(site, request);
    const research = await requestResearch(answers, { body, account: account.id, requestId: request.id });
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
    readerRoutes(own, '/research').post('/research', async (reader, request, reply) =>
      reply.redirect(`/research/${await begin(request, reader)}`, 303),
    );
  });
}
