/** GET /operate/applications: applications for a first free key. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { reviewApplication, reviewedApplication } from '../../../access/account-keys.ts';
import { fullTime, type Markup } from '../../../presentation/markup.ts';
import { clip, neutralise } from '../../../presentation/text.ts';
import { listAccounts } from '../../../projector/models/accounts-queries.ts';
import type { ReviewedApplication } from '../../../schemas/key.ts';
import { form } from '../../forms.ts';
import type { Site } from '../../site.ts';
import { type Operator, operatorPage, reasonIn, whyField } from './operator-page.ts';

const PATH = '/operate/applications';

const entry = ({ reader }: Operator, application: ReviewedApplication): Markup => {
  const { id, email, account, use, submitted_at } = application;
  return html`<article class="case">
    <h2>${clip(neutralise(account.name), 120)}</h2>
    <p class="said">${fullTime(submitted_at)} · reply to ${clip(neutralise(email), 120)} · <code>${id}</code></p>
    <blockquote>${clip(neutralise(use), 2_000)}</blockquote>
    ${form(reader, `${PATH}/approve`, { id }, html`<button>Approve</button>`)}
    <details><summary>Reject</summary>
      ${form(reader, `${PATH}/reject`, { id }, html`${whyField(id, 'Reason (shown to the applicant)')}<p><button class="plain">Reject</button></p>`, 'narrow')}
    </details>
  </article>`;
};

export function applicationsPage(server: FastifyInstance, site: Site): void {
  operatorPage(server, site, {
    path: '/applications',
    title: 'Applications for a key',
    async body(operator) {
      const accounts = await listAccounts(site.database, { application: 'pending' });
      const waiting = accounts
        .flatMap((account) => reviewedApplication(account) ?? [])
        .sort((one, other) => Date.parse(one.submitted_at) - Date.parse(other.submitted_at));
      if (waiting.length === 0) return html`<p class="empty">No open applications.</p>`;
      return html`${waiting.map((one) => entry(operator, one))}`;
    },
    actions: {
      async approve({ by }, { id = '' }) {
        await reviewApplication(site, { command: 'approve', application_id: id }, by);
      },
      async reject({ by }, sent) {
        await reviewApplication(site, { command: 'reject', application_id: sent.id ?? '', why: reasonIn(sent) }, by);
      },
    },
  });
}
