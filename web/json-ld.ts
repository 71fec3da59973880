/** What a page says to machines: schema.org's NewsArticle as a data block, which runs nothing under our CSP. */
import { html, raw } from 'hono/html';
import type { KeptReport } from '../projector/models/signals/queries.ts';
import type { SignalDetail } from '../schemas/resources.ts';
import { safeLink } from './links.ts';
import type { Markup } from './markup.ts';
import { clip } from './text.ts';

const MOST_CITED = 20;

/** JSON that cannot end the element it stands in, nor open a comment: every `<`, `>` and `&` is written as an escape. */
export const dataBlock = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** @param changed RFC 3339, when its text last changed */
export function newsArticle(signal: SignalDetail, changed: string, reports: readonly KeptReport[]): Markup {
  const cited = reports.flatMap(({ url }) => safeLink(url) ?? []).slice(0, MOST_CITED);
  const block = {
    '@context': 'https://schema.org',
    '@type': 'NewsArticle',
    '@id': signal.url,
    identifier: signal.id,
    headline: clip(signal.headline, 110),
    description: clip(signal.summary ?? signal.headline, 300),
    url: signal.url,
    mainEntityOfPage: signal.url,
    datePublished: signal.published_at,
    dateModified: changed,
    inLanguage: 'en-IN',
    publisher: { '@type': 'Organization', name: 'Clarity' },
    author: { '@type': 'Organization', name: signal.source.outlet ?? 'Clarity' },
    isBasedOn: cited,
    about: signal.brands.map(({ name, url }) => ({ '@type': 'Brand', name, url })),
    contentLocation: signal.cities.map((name) => ({ '@type': 'City', name })),
  };
  return html`<script type="application/ld+json">${raw(dataBlock(block))}</script>`;
}
