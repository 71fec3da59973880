/** Rosters as OPML, the form in which feed readers exchange their lists. */
import { load } from 'cheerio/slim';
import { Source, type SourceId } from '../../schemas/source.ts';
import { chooseFreeId } from './roster.ts';
import { RosterError, type RosterFault } from './roster-file.ts';

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);

/** The sources that other readers can poll too: feeds. Listings and sitemaps have no place in OPML. */
export function writeOpml(sources: readonly Source[], title: string): string {
  const outlines = sources
    .filter(({ kind }) => kind === 'rss' || kind === 'atom' || kind === 'json_feed')
    .map(
      ({ id, outlet, url }) =>
        `    <outline type="rss" text="${escaped(outlet)}" title="${escaped(outlet)}" xmlUrl="${escaped(url)}" clarityId="${escaped(id)}"/>`,
    );
  return `<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0">
  <head><title>${escaped(title)}</title></head>
  <body>
${outlines.join('\n')}
  </body>
</opml>
`;
}

/**
 * Reads the feeds of an OPML file, folders and all; each feed once. An outline that cannot be used costs itself only.
 * @param file its name, for messages
 * @returns the sources, and one fault for each outline that was left out
 * @throws RosterError when no outline names a feed
 */
export function readOpml(
  text: string,
  file: string,
): { readonly sources: Source[]; readonly faults: readonly RosterFault[] } {
  const page = load(text, { xml: true });
  const faults: RosterFault[] = [];
  const sources = new Map<string, Source>();
  const ids = new Set<SourceId>();
  page('outline').each((place, element) => {
    const attribute = (name: string): string | undefined =>
      Object.entries(element.attribs)
        .find(([written]) => written.toLowerCase() === name)?.[1]
        .trim();
    const url = attribute('xmlurl');
    if (!url || sources.has(url)) return;
    const outlet = attribute('text') || attribute('title') || URL.parse(url)?.hostname || url;
    const id = chooseFreeId(attribute('clarityid') ?? outlet, ids);
    const source = Source.safeParse({ id, outlet: outlet.slice(0, 120), url });
    if (source.success) {
      ids.add(id);
      sources.set(url, source.data);
    } else
      faults.push({
        line: null,
        field: `outline ${place + 1}`,
        value: JSON.stringify(url.slice(0, 120)),
        allowed: source.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
      });
  });
  if (sources.size === 0 && faults.length === 0)
    throw new RosterError(file, [
      { line: null, field: '', value: null, allowed: 'no outline has an xmlUrl; is it OPML?' },
    ]);
  return { sources: [...sources.values()], faults };
}
