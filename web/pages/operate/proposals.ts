/** GET /operate/proposals: sources that readers proposed. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { acceptProposal, loadProposals, type Proposal, storeVerdict } from '../../../ingest/roster/source-proposals.ts';
import { fullTime, type Markup, outwardLink } from '../../../presentation/markup.ts';
import { clip, neutralise } from '../../../presentation/text.ts';
import { quoted, Refusal } from '../../../schemas/input-errors.ts';
import { form } from '../../forms.ts';
import type { Site } from '../../site.ts';
import { type Operator, operatorPage, reasonIn, whyField } from './operator-page.ts';

const PATH = '/operate/proposals';
/** Milliseconds that an address may take to answer. */
const TRIAL_TIMEOUT = 25_000;

const entry = ({ reader }: Operator, { id, url, outlet, reason, email, submitted_at }: Proposal): Markup =>
  html`<article class="case">
    <h2>${outwardLink(url, clip(neutralise(outlet ?? url), 120))}</h2>
    <p class="said">${fullTime(submitted_at)} · ${clip(neutralise(url), 300)}${email ? html` · contact ${clip(neutralise(email), 120)}` : null} · <code>${id}</code></p>
    ${reason ? html`<blockquote>${clip(neutralise(reason), 1_000)}</blockquote>` : null}
    ${form(
      reader,
      `${PATH}/accept`,
      { id },
      html`<p class="field"><label for="outlet-${id}">Outlet</label>
        <input id="outlet-${id}" name="outlet" maxlength="120" value="${clip(neutralise(outlet ?? ''), 120)}"></p>
      <p><button>Poll it once, and add it if that works</button></p>`,
      'narrow',
    )}
    <details><summary>Reject</summary>
      ${form(reader, `${PATH}/reject`, { id }, html`${whyField(id)}<p><button class="plain">Reject</button></p>`, 'narrow')}
    </details>
  </article>`;

export function proposalsPage(server: FastifyInstance, site: Site): void {
  const { store, now: clock } = site;
  async function find(id: string | undefined): Promise<Proposal> {
    const found = (await loadProposals(store)).find((proposal) => proposal.id === id);
    if (!found) throw new Refusal('invalid_request', `There is no proposal ${quoted(id)}.`);
    return found;
  }
  operatorPage(server, site, {
    path: '/proposals',
    title: 'Proposed sources',
    async body(operator) {
      const waiting = (await loadProposals(store)).filter(({ status }) => status === 'pending');
      if (waiting.length === 0) return html`<p class="empty">No open proposals.</p>`;
      return html`${waiting.map((one) => entry(operator, one))}`;
    },
    actions: {
      async accept({ by }, { id, outlet }) {
        if (!site.desk)
          throw new Refusal('invalid_request', 'This process cannot poll. Use "clarity proposals accept".');
        const signal = AbortSignal.timeout(TRIAL_TIMEOUT);
        const context = { store, fetchPage: site.desk.fetchPage, signal, clock };
        const author = { by, why: 'accepted on the page' };
        await acceptProposal(context, await find(id), { fields: { ...(outlet ? { outlet } : {}) } }, author);
      },
      async reject({ by }, sent) {
        const author = { by, why: reasonIn(sent) };
        await storeVerdict({ store, clock }, await find(sent.id), { verdict: 'reject' }, author);
      },
    },
  });
}
