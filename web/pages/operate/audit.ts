/** GET /operate/audit: what operators did, when and why; `.csv` and `.json` after the name are the same as files. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { sendCsv } from '../../../presentation/csv.ts';
import { addressWith, fullTime, type Markup } from '../../../presentation/markup.ts';
import { clip, formatNumber, formatShortDay, labelToWords, neutralise } from '../../../presentation/text.ts';
import { type Act, type AuditFilter, listActors, listActs } from '../../../projector/models/audit-queries.ts';
import { AUDIT_ACTIONS } from '../../../projector/models/audit-read-models.ts';
import { IstDay } from '../../../schemas/scalar.ts';
import { choiceField, readQuery } from '../../forms.ts';
import type { Site } from '../../site.ts';
import { operatorPage } from './operator-page.ts';

const PATH = '/operate/audit';
const SHOWN = 50;
/** Entries of a file; a narrower filter has the rest. */
const EXPORTED = 20_000;
const DAY = 86_400_000;

const Query = z.object({
  by: z.string().trim().max(320).optional(),
  action: z.enum(AUDIT_ACTIONS as [string, ...string[]]).optional(),
  subject: z.string().trim().max(200).optional(),
  since: IstDay.optional(),
  until: IstDay.optional(),
  after: z.uuid().optional(),
});
type Query = z.infer<typeof Query>;

const startOf = (day: string): Date => new Date(`${day}T00:00:00+05:30`);

/** Days are those of India; the last one counts as a whole. */
const filterOf = ({ by, action, subject, since, until }: Query): AuditFilter => ({
  ...{ by, action, subject },
  since: since === undefined ? undefined : startOf(since),
  until: until === undefined ? undefined : new Date(startOf(until).getTime() + DAY),
});

const addressOf = (path: string, { after: _, ...query }: Query, after?: string): string =>
  addressWith(path, { ...query, after });

const dateField = (name: string, label: string, value = ''): Markup =>
  html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" type="date" value="${value}" aria-describedby="${name}-words"><small id="${name}-words">${value ? formatShortDay(value) : 'any day'}</small></div>`;

const filters = (
  query: Query,
  actors: readonly string[],
): Markup => html`<form class="row" method="get" action="${PATH}" role="search" aria-label="Audit log">
  ${choiceField('by', 'Operator', [{ value: '', name: 'Everybody' }, ...actors.map((name) => ({ value: name, name: clip(neutralise(name), 60) }))], query.by ?? '')}
  ${choiceField('action', 'Action', [{ value: '', name: 'Every action' }, ...AUDIT_ACTIONS.map((value) => ({ value, name: labelToWords(value) }))], query.action ?? '')}
  <div class="field"><label for="subject">Signal, source, account or other subject</label><input id="subject" name="subject" maxlength="200" value="${query.subject ?? ''}"></div>
  ${dateField('since', 'From', query.since)}${dateField('until', 'To', query.until)}
  <div><button class="plain">Show</button></div></form>`;

/** A signal leads to the review desk, a source to its page. */
function subjectOf({ action, subject }: Act): Markup | string {
  const shown = clip(neutralise(subject), 120);
  if (action.startsWith('signal_'))
    return html`<a href="${addressWith('/operate/review', { signal: subject })}">${shown}</a>`;
  if (action.startsWith('source_')) return html`<a href="/operate/sources/${encodeURIComponent(subject)}">${shown}</a>`;
  return shown;
}

const row = (act: Act): Markup => html`<tr><th scope="row">${fullTime(act.at.toISOString())}</th>
  <td>${clip(neutralise(act.by), 80)}</td><td>${labelToWords(act.action)}</td>
  <td class="long">${subjectOf(act)}${act.detail ? html`<small>${clip(neutralise(act.detail), 200)}</small>` : null}</td>
  <td class="long">${clip(neutralise(act.why ?? ''), 500)}</td></tr>`;

export function auditPage(server: FastifyInstance, site: Site): void {
  const { database } = site;
  operatorPage(server, site, {
    path: '/audit',
    title: 'Audit log',
    async body(_operator, asked) {
      const query = readQuery(Query, asked);
      const [found, actors] = await Promise.all([
        listActs(database, filterOf(query), SHOWN + 1, query.after),
        listActors(database),
      ]);
      const shown = found.slice(0, SHOWN);
      const last = found.length > SHOWN ? shown.at(-1) : undefined;
      return html`${filters(query, actors)}
        ${
          shown.length === 0
            ? html`<p class="empty">Nothing found.</p>`
            : html`<div class="scroll" tabindex="0" role="region" aria-label="What operators did"><table>
          <thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">What</th><th scope="col">To what</th><th scope="col">Why</th></tr></thead>
          <tbody>${shown.map(row)}</tbody></table></div>`
        }
        <nav class="pager" aria-label="Pages">${query.after ? html`<a href="${addressOf(PATH, query)}">Back to the newest</a>` : html`<span></span>`}
          ${last ? html`<a rel="next" href="${addressOf(PATH, query, last.id)}">Older</a>` : null}</nav>
        <p><a href="${addressOf(`${PATH}.csv`, query)}" download>CSV</a> <a href="${addressOf(`${PATH}.json`, query)}" download>JSON</a>
          <small>with these filters, the newest ${formatNumber(EXPORTED)} at most</small></p>`;
    },
  });
  const exported = async (asked: unknown): Promise<Act[]> => {
    const query = readQuery(Query, asked);
    return listActs(database, filterOf(query), EXPORTED, query.after);
  };
  server.get(`${PATH}.csv`, async (request, reply) => {
    const rows = (await exported(request.query)).map(({ id, at, by, action, subject, detail, why }) => [
      ...[at.toISOString(), by, action, subject, detail, why, id],
    ]);
    return sendCsv(reply, 'audit', { columns: ['at', 'by', 'action', 'subject', 'detail', 'why', 'event'], rows });
  });
  server.get(`${PATH}.json`, async (request, reply) => {
    reply.header('content-disposition', 'attachment; filename="audit.json"').type('application/json; charset=utf-8');
    return reply.send(JSON.stringify({ acts: await exported(request.query) }));
  });
}
