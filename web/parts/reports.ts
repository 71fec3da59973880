/** Every report of a signal with its link. */
import { html } from 'hono/html';
import type { KeptReport } from '../../projector/models/signals-queries.ts';
import { outwardLink } from '../links.ts';
import type { Markup } from '../markup.ts';
import { clip, neutralise } from '../text.ts';
import { fullTime } from '../time.ts';

/** Enough for any real event; a flood of copies must not make the page heavy. */
const MOST_SHOWN = 60;

const report = ({ outlet, title, url, published_at, first_seen_at, resurfaced }: KeptReport): Markup => html`<li>
  <p class="outlet">${clip(neutralise(outlet), 80)} <span>${fullTime(published_at ?? first_seen_at)}${resurfaced ? ' · told again later' : null}</span></p>
  <p>${outwardLink(url, clip(neutralise(title), 240))}</p>
</li>`;

/** In the order in which they came; the first is the one that put the event on record. */
export const reportList = (reports: readonly KeptReport[]): Markup => html`<section class="reports">
  <h2>Reports</h2>
  <ol>${reports.slice(0, MOST_SHOWN).map(report)}</ol>
  ${reports.length > MOST_SHOWN ? html`<p>and ${reports.length - MOST_SHOWN} more.</p>` : null}
</section>`;
