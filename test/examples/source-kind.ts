/** A source kind by example: tab-separated lines. In the service it is `ingest/poll/read/read-lines.ts`, a case of `read-page.ts`. */
import { PollError } from '../../ingest/poll/poll-error.ts';
import { type Reading, resolveAddress, takeNewestEntries } from '../../ingest/poll/read/entry.ts';

/**
 * Reads lines of `date TAB title TAB address`. An invalid line is skipped alone.
 * @param url of the page, for relative addresses
 * @throws PollError not_a_feed when no line has this form
 */
export function readLines(text: string, url: string): Reading {
  const entries = text
    .split('\n')
    .map((line) => line.split('\t'))
    .filter((fields) => fields.length === 3)
    .map(([date = '', title = '', link = '']) => ({
      id: null,
      // The validation of items rejects an invalid address, not this reader.
      link: resolveAddress(link, url),
      title: title.trim() || null,
      summary: null,
      date: date.trim() || null,
    }));
  if (entries.length === 0) throw new PollError('not_a_feed', 'no line has a date, a title and an address');
  return { entries: takeNewestEntries(entries) };
}
