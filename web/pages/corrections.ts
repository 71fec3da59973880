/** GET /corrections: the public log of what was wrong, and what was corrected, when and why. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { fullTime, type Markup } from '../../presentation/markup.ts';
import { clip, neutralise } from '../../presentation/text.ts';
import { type LoggedCorrection, listCorrections } from '../../projector/models/review-queries.ts';
import type { Correctable } from '../../schemas/signal.ts';
import { readQuery } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import type { Site } from '../site.ts';

const SHOWN = 50;
const MAXIMUM_PAGE = 200;
const Query = z.object({ page: z.coerce.number().int().min(1).max(MAXIMUM_PAGE).default(1) });

const FIELD_NAMES: Readonly<Record<Correctable, string>> = {
  ...{ move: 'the kind of move', brands: 'the brands', cities: 'the cities', delta: 'the figure' },
  ...{ people: 'the people', openings: 'the openings', deal: 'the deal', result: 'the results' },
};

const said = (text: string | null): Markup =>
  text === null ? html`nothing` : html`<q>${clip(neutralise(text), 400)}</q>`;

/** What was done, in a sentence or a list of fields. */
function what({ entry: { what: done, fields, about, into } }: LoggedCorrection): Markup {
  const there = into ? html`<a href="/signal/${into}">another entry</a>` : html`another entry`;
  switch (done) {
    case 'retracted':
      return html`<p>Retracted: the report is about no move.</p>`;
    case 'merged':
      return html`<p>Merged into ${there}, which reports the same event.</p>`;
    case 'split':
      return html`<p>The report ${said(about)} is about another event and is part of ${there} now.</p>`;
    case 'corrected':
      return html`<ul class="plain-list">${fields.map(
        ({ field, before, after }) =>
          html`<li>Corrected ${FIELD_NAMES[field]}: we had ${said(before)}; right is ${said(after)}.</li>`,
      )}</ul>`;
  }
}

/** An entry of the log. */
export const correctionEntry = (one: LoggedCorrection): Markup => {
  const headline = clip(neutralise(one.headline ?? 'An entry'), 240);
  return html`<article class="case">
    <h2>${one.status === 'public' && one.slug ? html`<a href="/signal/${one.slug}">${headline}</a>` : headline}</h2>
    <p class="said">${fullTime(one.entry.at)}</p>
    ${what(one)}
    <p>Why: ${clip(neutralise(one.entry.why), 500)}</p>
  </article>`;
};

export function correctionsPage(server: FastifyInstance, site: Site): void {
  server.get('/corrections', async (request, reply) => {
    const { page } = readQuery(Query, request.query);
    const found = await listCorrections(site.database, SHOWN + 1, (page - 1) * SHOWN);
    const shown = found.slice(0, SHOWN);
    const older = found.length > SHOWN && page < MAXIMUM_PAGE;
    return sendPage(
      reply,
      await layout(site, {
        title: 'Corrections · Clarity',
        description: 'What Clarity had wrong, what was corrected, when and why.',
        path: page === 1 ? '/corrections' : `/corrections?page=${page}`,
        body: html`<header class="subject"><h1>Corrections</h1>
          <p>What we had wrong, and what we corrected. Corrected fields stay as they are, whatever is reported later.
            How often that was necessary: <a href="/quality">quality</a>.</p></header>
          <div class="desk">${shown.length === 0 ? html`<p class="empty">No corrections.</p>` : shown.map(correctionEntry)}
          ${older ? html`<p><a rel="next" href="/corrections?page=${page + 1}">Older corrections</a></p>` : null}</div>`,
      }),
    );
  });
}
