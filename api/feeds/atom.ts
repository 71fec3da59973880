/** Atom (RFC 4287). */
import { element, emptyElement } from '../../presentation/xml.ts';
import type { SignalItem } from '../../schemas/resources.ts';
import { entryTags, entryText, type Feed } from './feed.ts';

const entry = (signal: SignalItem): string =>
  [
    '<entry>',
    element('title', signal.headline),
    element('id', signal.url),
    emptyElement('link', { rel: 'alternate', type: 'text/html', href: signal.url }),
    ...(signal.source.url ? [emptyElement('link', { rel: 'via', href: signal.source.url })] : []),
    element('published', signal.published_at),
    element('updated', signal.published_at),
    element('summary', entryText(signal)),
    ...entryTags(signal).map((tag) => emptyElement('category', { term: tag })),
    '</entry>',
  ].join('');

/** The document as text. */
export const atom = ({ title, description, page, self, updated, signals }: Feed): string =>
  [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en-IN">',
    element('title', title),
    element('subtitle', description),
    element('id', self),
    element('updated', updated),
    '<author><name>Clarity</name></author>',
    emptyElement('link', { rel: 'self', type: 'application/atom+xml', href: self }),
    emptyElement('link', { rel: 'alternate', type: 'text/html', href: page }),
    ...signals.map(entry),
    '</feed>',
    '',
  ].join('\n');
