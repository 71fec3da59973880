/** GET /operate: what waits for an operator. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { loadProposals } from '../../../ingest/roster/source-proposals.ts';
import type { Markup } from '../../../presentation/markup.ts';
import { counted } from '../../../presentation/text.ts';
import { listAccounts } from '../../../projector/models/accounts-queries.ts';
import { listHeld } from '../../../projector/models/signals-queries.ts';
import { listParked } from '../../../projector/parked-events.ts';
import type { Site } from '../../site.ts';
import { operatorPage } from './operator-page.ts';

const COUNTED_AT_MOST = 100;

const way = (path: string, name: string, waits: string, what: string): Markup =>
  html`<li><a href="/operate/${path}">${name}</a>: ${waits}. ${what}</li>`;

export function operatePage(server: FastifyInstance, site: Site): void {
  const { database, store } = site;
  operatorPage(server, site, {
    path: '',
    title: 'What waits for you',
    async body() {
      const [applications, proposals, held, parked] = await Promise.all([
        listAccounts(database, { application: 'pending' }),
        loadProposals(store),
        listHeld(database, COUNTED_AT_MOST),
        listParked(database),
      ]);
      const pending = proposals.filter(({ status }) => status === 'pending').length;
      const waiting = parked.filter(({ skipped }) => !skipped).length;
      const signals = held.length < COUNTED_AT_MOST ? String(held.length) : `${COUNTED_AT_MOST} or more`;
      return html`<ul class="ways">
        ${way('applications', 'Applications', `${counted(applications.length, 'waits', 'wait')}`, 'People ask for a first free key.')}
        ${way('accounts', 'Accounts and keys', 'who calls how much', 'Revoke a key, set a plan.')}
        ${way('proposals', 'Proposed sources', `${counted(pending, 'waits', 'wait')}`, 'Readers suggest feeds and pages.')}
        ${way('signals', 'Signals', `${signals} held`, 'Release what is held, hold what is wrong, merge what is one event.')}
        ${way('brands', 'Brands that the catalogue lacks', 'names found in headlines', 'Take them into the catalogue.')}
        ${way('parked', 'Parked events', `${counted(waiting, 'waits', 'wait')}`, 'Read models could not take them.')}
      </ul>`;
    },
  });
}
