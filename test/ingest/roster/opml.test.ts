import { describe, expect, it } from 'vitest';
import { readOpml, writeOpml } from '../../../ingest/roster/opml.ts';
import { describeFault } from '../../../ingest/roster/roster-file.ts';
import { Source } from '../../../schemas/source.ts';

const source = (id: string, outlet: string, url = `https://${id}.example.in/rss?a=1&b=2`): Source =>
  Source.parse({ id, outlet, url });

describe('OPML', () => {
  it('given an export, then the import reads the same sources', () => {
    const sources = [source('mint', 'Mint "Retail" & <more>'), source('et', 'ET')];
    expect(readOpml(writeOpml(sources, 'Sources'), 'x.opml')).toEqual({ sources, faults: [] });
  });

  it('given folders, missing names and duplicates, then each feed is read once', () => {
    const text = `<opml><body><outline text="Business"><outline text="Mint" XMLURL="https://m.in/a"/><outline xmlUrl="https://m.in/a"/><outline text="Mint" xmlUrl="https://m.in/b"/><outline xmlUrl="https://et.in/c"/></outline></body></opml>`;
    expect(readOpml(text, 'x.opml').sources.map(({ id, url }) => [id, url])).toEqual([
      ['mint', 'https://m.in/a'],
      ['mint-2', 'https://m.in/b'],
      ['et-in', 'https://et.in/c'],
    ]);
  });

  it('given sources that a feed reader cannot poll, then the export omits them', () => {
    const listing = Source.parse({ ...source('page', 'Page'), kind: 'html', selectors: { item: 'li', title: 'a' } });
    expect(writeOpml([listing], 'Sources')).not.toContain('outline');
  });

  it('given an invalid outline, then only this one is skipped, with its error', () => {
    const text = `<opml><body><outline text="a" xmlUrl="ftp://a.in"/><outline text="B" xmlUrl="https://b.in/f"/></body></opml>`;
    const { sources, faults } = readOpml(text, 'x.opml');
    expect(sources.map(({ id }) => id)).toEqual(['b']);
    expect(faults.map((fault) => describeFault('x.opml', fault))).toEqual([
      expect.stringMatching(/^x\.opml: outline 1: "ftp:\/\/a\.in" cannot be used: url/),
    ]);
  });

  it('given a file without any feed, then it is refused', () => {
    expect(() => readOpml('hello', 'x.opml')).toThrow(/x\.opml: no outline has an xmlUrl/);
  });
});
