/** What the page of a signal says to machines: schema.org's NewsArticle. */
import type { KeptReport } from '../../projector/models/signals-queries.ts';
import type { SignalDetail } from '../../schemas/resources.ts';
import { safeLink } from '../links.ts';
import type { Markup } from '../markup.ts';
import { clip } from '../text.ts';
import { linkedData } from './data-block.ts';

const MOST_CITED = 20;
/** What search engines show of a headline at most. */
const HEADLINE = 110;

/**
 * @param picture address of the picture that stands for it
 * @param changed RFC 3339, when its text last changed
 */
export function newsArticle(
  signal: SignalDetail,
  { picture, changed, reports }: { picture: string; changed: string; reports: readonly KeptReport[] },
): Markup {
  const cited = reports.flatMap(({ url }) => safeLink(url) ?? []).slice(0, MOST_CITED);
  return linkedData({
    '@type': 'NewsArticle',
    '@id': signal.url,
    identifier: signal.id,
    headline: clip(signal.headline, HEADLINE),
    description: clip(signal.summary ?? signal.headline, 300),
    url: signal.url,
    image: [picture],
    mainEntityOfPage: signal.url,
    datePublished: signal.published_at,
    dateModified: changed,
    inLanguage: 'en-IN',
    publisher: { '@type': 'Organization', name: 'Clarity' },
    author: { '@type': 'Organization', name: signal.source.outlet ?? 'Clarity' },
    isBasedOn: cited,
    about: signal.brands.map(({ name, url }) => ({ '@type': 'Brand', name, url })),
    contentLocation: signal.cities.map((name) => ({ '@type': 'City', name })),
  });
}
