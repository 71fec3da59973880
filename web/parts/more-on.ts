/** What else the record tells of the brand that a signal is about. */
import { html } from 'hono/html';
import { listSignals } from '../../projector/models/signals-queries.ts';
import { type SignalDetail, SignalItem } from '../../schemas/resources.ts';
import { brandPath } from '../links.ts';
import type { Markup } from '../markup.ts';
import type { Site } from '../site.ts';
import { clip, readDocument } from '../text.ts';
import { shortDay, timeTag } from '../time.ts';

const LISTED = 3;

/** Its newest other signals; nothing for a signal about no brand, or the only one about it. */
export async function moreOn({ database, directory }: Site, { id, brands }: SignalDetail): Promise<Markup | null> {
  const brand = brands.find(({ role }) => role === 'primary');
  if (!brand) return null;
  const { documents } = await listSignals(database, { brand: directory.slugsOf(brand.slug), limit: LISTED + 1 });
  const others = documents
    .map((document) => readDocument(document, SignalItem))
    .filter((signal) => signal.id !== id)
    .slice(0, LISTED);
  if (others.length === 0) return null;
  return html`<section class="more"><h2>More on <a href="${brandPath(brand.slug)}">${clip(brand.name, 50)}</a></h2>
  <ul class="plain-list">${others.map(
    ({ slug, headline, published_at }) =>
      html`<li><a href="/signal/${slug}">${clip(headline, 140)}</a><small>${timeTag(published_at, shortDay(published_at))}</small></li>`,
  )}</ul></section>`;
}
