import { describe, expect, it } from 'vitest';
import { readOpml, writeOpml } from '../../../ingest/roster/opml.ts';
import { Source } from '../../../schemas/source.ts';

const source = (id: string, outlet: string, url = `https://${id}.example.in/rss?a=1&b=2`): Source =>
  Source.parse({ id, outlet, url });

describe('OPML', () => {
  it('comes back as it went out', () => {
    const sources = [source('mint', 'Mint "Retail" & <more>'), source('et', 'ET')];
    expect(readOpml(writeOpml(sources, 'Sources'), 'x.opml')).toEqual(sources);
  });

  it('is read with folders, without names, and each feed once', () => {
    const text = `<opml><body><outline text="Business"><outline text="Mint" XMLURL="https://m.in/a"/><outline xmlUrl="https://m.in/a"/><outline text="Mint" xmlUrl="https://m.in/b"/><outline xmlUrl="https://et.in/c"/></outline></body></opml>`;
    expect(readOpml(text, 'x.opml').map(({ id, url }) => [id, url])).toEqual([
      ['mint', 'https://m.in/a'],
      ['mint-2', 'https://m.in/b'],
      ['et-in', 'https://et.in/c'],
    ]);
  });

  it('leaves out what no feed reader can poll', () => {
    const listing = Source.parse({ ...source('page', 'Page'), kind: 'html', selectors: { item: 'li', title: 'a' } });
    expect(writeOpml([listing], 'Sources')).not.toContain('outline');
  });

  it.each([
    [
      '<opml><body><outline text="a" xmlUrl="ftp://a.in"/></body></opml>',
      /x\.opml: outline 1: "ftp:\/\/a\.in" cannot be used: url/,
    ],
    ['hello', /x\.opml: no outline has an xmlUrl/],
  ])('says what is wrong with %s', (text, message) => expect(() => readOpml(text, 'x.opml')).toThrow(message));
});
