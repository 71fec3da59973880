/** GET /operate: the open cases of every kind. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { loadProposals } from '../../../ingest/roster/source-proposals.ts';
import type { Markup } from '../../../presentation/markup.ts';

import { listAccounts } from '../../../projector/models/accounts-queries.ts';
import { listHeld } from '../../../projector/models/signals-queries.ts';
import { listParked } from '../../../projector/parked-events.ts';
import type { Site } from '../../site.ts';
import { operatorPage } from './operator-page.ts';

const MAXIMUM_COUNTED = 100;

const way = (path: string, name: string, waits: string, what: string): Markup =>
  html`<li><a href="/operate/${path}">${name}</a>: ${waits}. ${what}</li>`;

export function operatePage(server: FastifyInstance, site: Site): void {
  const { database, store } = site;
  operatorPage(server, site, {
    path: '',
    title: 'Open cases',
    async body() {
      const [applications, proposals, held, parked] = await Promise.all([
        listAccounts(database, { application: 'pending' }),
        loadProposals(store),
        listHeld(database, MAXIMUM_COUNTED),
        listParked(database),
      ]);
      const pending = proposals.filter(({ status }) => status === 'pending').length;
      const waiting = parked.filter(({ skipped }) => !skipped).length;
      const signals = held.length < MAXIMUM_COUNTED ? String(held.length) : `${MAXIMUM_COUNTED} or more`;
      return html`<ul class="ways">
        ${way('applications', 'Applications', `${applications.length} open`, 'Requests for a first free key.')}
        ${way('accounts', 'Accounts and keys', 'usage', 'Revoke a key, change a plan.')}
        ${way('proposals', 'Proposed sources', `${pending} open`, 'Feeds and pages that readers proposed.')}
        ${way('signals', 'Signals', `${signals} held`, 'Release, hold and merge signals.')}
        ${way('brands', 'Brands missing from the catalogue', 'names from headlines', 'Add them to the catalogue.')}
        ${way('parked', 'Parked events', `${waiting} parked`, 'Read models could not process them.')}
      </ul>`;
    },
  });
}
