/** Feeds of every format with one entry, and the items that the poller reads from them. */
import { readItems } from '../../../../ingest/poll/normalise/read-items.ts';
import type { Entry } from '../../../../ingest/poll/read/entry.ts';
import { readPage } from '../../../../ingest/poll/read/reading-jobs.ts';

const NOW = new Date('2026-11-21T06:00:00Z');
const FEED = 'http://outlet.example.in/feeds/index.xml';

export async function read(body: string | Buffer, headers: Record<string, string> = {}) {
  const page = { url: FEED, status: 200, headers, body: Buffer.from(body), movedTo: null };
  const { entries, reader } = await readPage(page, { kind: 'feed' });
  const { items } = readItems(entries, FEED, NOW);
  return { entry: entries[0] as Entry, item: items[0], reader, items };
}

export const RSS = (item: string, root = 'version="2.0"') =>
  `<rss ${root}><channel><title>Outlet</title><link>http://outlet.example.in/</link><item>${item}</item></channel></rss>`;
export const ATOM = (entry: string, root = 'xmlns="http://www.w3.org/2005/Atom"') =>
  `<feed ${root}><title>Outlet</title><id>o</id><entry>${entry}</entry></feed>`;
export const RDF = (item: string, root = 'xmlns="http://purl.org/rss/1.0/"') =>
  `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/" ${root}><channel rdf:about="http://outlet.example.in/"><title>Outlet</title></channel><item rdf:about="http://outlet.example.in/1">${item}</item></rdf:RDF>`;
