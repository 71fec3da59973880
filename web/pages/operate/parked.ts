/** GET /operate/parked: events that a read model could not take. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { dropParked, listParked, type Parked } from '../../../projector/parked.ts';
import { quoted, Refusal } from '../../../schemas/refusal.ts';
import type { Form } from '../../forms.ts';
import type { Markup } from '../../markup.ts';
import { type Operator, operatorPage, reasonIn, whyField } from '../../operators.ts';
import { form } from '../../parts/form.ts';
import type { Site } from '../../site.ts';
import { clip, neutralise } from '../../text.ts';
import { fullTime } from '../../time.ts';

const PATH = '/operate/parked';

const dropped = ({ dropped_by, dropped_why }: Parked): Markup =>
  html`<p>Dropped by ${clip(neutralise(dropped_by ?? ''), 60)}: ${clip(neutralise(dropped_why ?? ''), 300)}</p>`;

const entry = ({ reader }: Operator, parked: Parked, index: number): Markup => {
  const { model, event_id, type, input, error, event, parked_at, skipped } = parked;
  return html`<article class="case">
    <h2>${clip(neutralise(type), 60)}, in ${model}</h2>
    <p class="said">${fullTime(parked_at.toISOString())} · from ${clip(neutralise(input), 60)} · <code>${clip(neutralise(event_id), 60)}</code></p>
    <pre tabindex="0"><code>${clip(neutralise(error), 1_000)}</code></pre>
    <details><summary>The event as it came</summary><pre tabindex="0"><code>${clip(neutralise(event), 4_000)}</code></pre></details>
    ${
      skipped
        ? dropped(parked)
        : html`${form(reader, `${PATH}/retry`, { model, event: event_id }, html`<button>Try again</button>`)}
    <details><summary>Leave it out for good</summary>
      ${form(reader, `${PATH}/drop`, { model, event: event_id }, html`${whyField(`${index}`)}<p><button class="plain">Leave it out</button></p>`, 'narrow')}
    </details>`
    }
  </article>`;
};

export function parkedPage(server: FastifyInstance, site: Site): void {
  const { database } = site;
  async function find({ model, event }: Form): Promise<Parked> {
    const found = (await listParked(database, model)).find(({ event_id }) => event_id === event);
    if (!found)
      throw new Refusal('invalid_request', `No parked event has the id ${quoted(event)}. It may be done already.`);
    return found;
  }
  operatorPage(server, site, {
    path: '/parked',
    title: 'Parked events',
    async body(operator) {
      const parked = await listParked(database);
      if (parked.length === 0) return html`<p class="empty">No event is parked: the read models took everything.</p>`;
      return html`${parked.slice(0, 100).map((one, index) => entry(operator, one, index))}`;
    },
    actions: {
      async retry(_operator, sent) {
        if (!site.desk) throw new Refusal('invalid_request', 'This process cannot do it. Use "clarity parked retry".');
        const parked = await find(sent);
        if (parked.input !== 'store')
          throw new Refusal(
            'invalid_request',
            'Trying this one again may build its model anew. Use "clarity parked retry".',
          );
        const [outcome] = await site.desk.retry([parked]);
        if (outcome?.error)
          throw new Refusal('invalid_request', `${outcome.model} still cannot take it: ${clip(outcome.error, 300)}`);
      },
      async drop({ by }, sent) {
        const { model, event_id } = await find(sent);
        await dropParked(database, model, event_id, { by, why: reasonIn(sent) });
      },
    },
  });
}
