/** RSS 2.0. */
import { element, emptyElement } from '../../presentation/xml.ts';
import type { SignalItem } from '../../schemas/resources.ts';
import { entryTags, entryText, type Feed } from './feed.ts';

const date = (instant: string): string => new Date(instant).toUTCString();

const item = (signal: SignalItem): string =>
  [
    '<item>',
    element('title', signal.headline),
    element('link', signal.url),
    element('guid', signal.id, { isPermaLink: 'false' }),
    element('pubDate', date(signal.published_at)),
    element('description', entryText(signal)),
    ...entryTags(signal).map((tag) => element('category', tag)),
    ...(signal.source.outlet ? [element('dc:source', signal.source.outlet)] : []),
    '</item>',
  ].join('');

/** The document as text. */
export const rss = ({ title, description, page, self, updated, signals }: Feed): string =>
  [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>',
    element('title', title),
    element('link', page),
    element('description', description),
    element('language', 'en-in'),
    element('lastBuildDate', date(updated)),
    emptyElement('atom:link', { href: self, rel: 'self', type: 'application/rss+xml' }),
    ...signals.map(item),
    '</channel></rss>',
    '',
  ].join('\n');
