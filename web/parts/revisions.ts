/** What a signal said before, and why it was changed. */
import { html } from 'hono/html';
import type { Revision } from '../../projector/models/signals-queries.ts';
import type { Markup } from '../markup.ts';
import { clip, neutralise } from '../text.ts';
import { fullTime } from '../time.ts';

const REASONS: Readonly<Record<string, string>> = {
  edited: 'The outlet edited its report',
  better_report: 'A fuller report came in',
  understood_again: 'Read again with better rules',
  operator: 'Corrected by an editor',
};
const MOST_SHOWN = 30;

const revision = ({ at, reason, headline, delta }: Revision): Markup => html`<li>
  <p class="outlet">${REASONS[reason] ?? neutralise(reason)} <span>${fullTime(at)}</span></p>
  <p>Before: <q>${clip(neutralise(headline), 240)}</q>${delta ? html` (${clip(neutralise(delta), 40)})` : null}</p>
</li>`;

/** Newest change first; nothing at all for a text that was never changed. */
export const revisionList = (revisions: readonly Revision[]): Markup | null =>
  revisions.length === 0
    ? null
    : html`<section class="revisions"><h2>Corrections and changes</h2><ol>${revisions.toReversed().slice(0, MOST_SHOWN).map(revision)}</ol></section>`;
