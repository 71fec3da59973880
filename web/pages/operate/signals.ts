/** GET /operate/signals: release, hold and merge signals. */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { holdSignal, mergeSignal, releaseSignal } from '../../../ingest/review-signals.ts';
import { fullTime, type Markup } from '../../../presentation/markup.ts';
import { clip, neutralise } from '../../../presentation/text.ts';
import { waitForOwnWrite } from '../../../projector/model-progress.ts';
import { type Held, listHeld } from '../../../projector/models/signals-queries.ts';
import type { Review } from '../../../signal/review-decisions.ts';
import { type Form, form } from '../../forms.ts';
import type { Site } from '../../site.ts';
import { type Operator, operatorPage, reasonIn, whyField } from './operator-page.ts';

const PATH = '/operate/signals';
const SHOWN = 50;

const entry = ({ reader }: Operator, { id, slug, headline, published_at }: Held): Markup => html`<article class="case">
  <h2>${clip(neutralise(headline), 240)}</h2>
  <p class="said">${fullTime(published_at)} · <code>${id}</code> · ${slug}</p>
  ${form(reader, `${PATH}/release`, { signal: id }, html`${whyField(id)}<p><button>Release</button></p>`, 'narrow')}
</article>`;

const signalField = (id: string, name: string, label: string): Markup =>
  html`<p class="field"><label for="${id}">${label}</label><input id="${id}" name="${name}" maxlength="200" required></p>`;

const decisions = ({ reader }: Operator): Markup => html`<section class="case"><h2>Hold a public signal</h2>
  ${form(reader, `${PATH}/hold`, {}, html`${signalField('held', 'signal', 'Id or slug')}${whyField('hold')}<p><button class="plain">Hold</button></p>`, 'narrow')}</section>
<section class="case"><h2>Merge two signals about one event</h2>
  <p>The first signal is merged into the second, which gets its reports. The address of the first redirects to the second.</p>
  ${form(reader, `${PATH}/merge`, {}, html`${signalField('merged', 'signal', 'Signal to merge: id or slug')}${signalField('into', 'into', 'Into signal: id or slug')}${whyField('merge')}<p><button class="plain">Merge</button></p>`, 'narrow')}</section>`;

export function reviewPage(server: FastifyInstance, site: Site): void {
  const { store, database, now } = site;
  const review = ({ by }: Operator, sent: Form): Review => ({
    by,
    why: reasonIn(sent),
    time: now().toISOString(),
    id: randomUUID(),
  });
  const seen = async (): Promise<void> => waitForOwnWrite(database, ['signals'], await store.head());
  operatorPage(server, site, {
    path: '/signals',
    title: 'Signals under review',
    async body(operator) {
      const held = await listHeld(database, SHOWN);
      return html`${held.length === 0 ? html`<p class="empty">No held signals.</p>` : html`<p>A signal without a date, a source or a kind is not public until it is released. The newest ${held.length} held signals:</p>${held.map((one) => entry(operator, one))}`}
      ${decisions(operator)}`;
    },
    actions: {
      async release(operator, sent) {
        await releaseSignal(store, sent.signal ?? '', review(operator, sent));
        await seen();
      },
      async hold(operator, sent) {
        await holdSignal(store, sent.signal ?? '', review(operator, sent));
        await seen();
      },
      async merge(operator, sent) {
        await mergeSignal(store, sent.signal ?? '', sent.into ?? '', review(operator, sent));
        await seen();
      },
    },
  });
}
