import { describe, expect, it } from 'vitest';
import { ATOM, RDF, RSS, read } from './feeds.ts';

describe('dates', () => {
  const noon = '2026-11-20T06:30:00.000Z';
  it.each([
    ['pubDate', RSS, 'pubDate', 'Fri, 20 Nov 2026 12:00:00 +0530', noon],
    ['two digits of a year', RSS, 'pubDate', 'Fri, 20 Nov 26 06:30:00 GMT', noon],
    ['no seconds', RSS, 'pubDate', 'Fri, 20 Nov 2026 06:30 GMT', noon],
    ['no day of the week', RSS, 'pubDate', '20 Nov 2026 06:30:00 UT', noon],
    ['a long day of the week', RSS, 'pubDate', 'Friday, 20 November 2026 06:30:00 Z', noon],
    ['a wrong day of the week', RSS, 'pubDate', 'Mon, 20 Nov 2026 06:30:00 GMT', noon],
    ['a named zone', RSS, 'pubDate', 'Fri, 20 Nov 2026 01:30:00 EST', noon],
    ['daylight time', RSS, 'pubDate', 'Thu, 19 Nov 2026 23:30:00 PDT', noon],
    ['a military zone', RSS, 'pubDate', 'Fri, 20 Nov 2026 06:30:00 A', noon],
    ['Indian time', RSS, 'pubDate', 'Fri, 20 Nov 2026 12:00:00 IST', noon],
    ['no zone', RSS, 'pubDate', 'Fri, 20 Nov 2026 12:00:00', noon],
    ['one digit of a day', RSS, 'pubDate', 'Mon, 2 Nov 2026 6:30:00 GMT', '2026-11-02T06:30:00.000Z'],
    ['asctime', RSS, 'pubDate', 'Fri Nov 20 06:30:00 2026 GMT', noon],
    ['asctime with a zone', RSS, 'pubDate', 'Fri Nov 20 06:30:00 GMT 2026', noon],
    ['a colon in the zone', RSS, 'pubDate', 'Fri, 20 Nov 2026 12:00:00 +05:30', noon],
    ['GMT and an offset', RSS, 'pubDate', 'Fri, 20 Nov 2026 12:00:00 GMT+0530', noon],
    ['spaces and a comment', RSS, 'pubDate', ' Fri,  20 Nov 2026  06:30:00 GMT (now) ', noon],
    ['Dublin Core', RDF, 'dc:date', '2026-11-20T06:30:00Z', noon],
    ['no seconds, W3C', RDF, 'dc:date', '2026-11-20T06:30Z', noon],
    ['an offset, W3C', RDF, 'dc:date', '2026-11-20T01:30:00-05:00', noon],
    ['fractions', RDF, 'dc:date', '2026-11-20T06:30:00.000000Z', noon],
    ['lower case', RDF, 'dc:date', '2026-11-20t06:30:00z', noon],
    ['a space for the T', RDF, 'dc:date', '2026-11-20 06:30:00Z', noon],
    ['a day', RDF, 'dc:date', '2026-11-20', '2026-11-19T18:30:00.000Z'],
    ['a month', RDF, 'dc:date', '2026-11', '2026-10-31T18:30:00.000Z'],
    ['a year', RDF, 'dc:date', '2026', '2025-12-31T18:30:00.000Z'],
    ['the basic form', RDF, 'dc:date', '20261120T063000Z', noon],
    ['a day of the year', RDF, 'dc:date', '2026-324T06:30:00Z', noon],
    ['published', ATOM, 'published', '2026-11-20T06:30:00Z', noon],
    ['updated', ATOM, 'updated', '2026-11-20T06:30:00Z', noon],
    ['issued', ATOM, 'issued', '2026-11-20T06:30:00Z', noon],
    ['created', ATOM, 'created', '2026-11-20T06:30:00Z', noon],
    ['modified', ATOM, 'modified', '2026-11-20T06:30:00Z', noon],
    ['RFC 822 in Atom', ATOM, 'updated', 'Fri, 20 Nov 2026 06:30:00 GMT', noon],
    ['no date', RSS, 'pubDate', 'yesterday', undefined],
    ['an impossible day', RSS, 'pubDate', '31 Nov 2026 10:00 GMT', undefined],
  ])('%s', async (_name, form, element, written, moment) => {
    const link = form === ATOM ? '<link href="http://a.in/1"/>' : '<link>http://a.in/1</link>';
    const { item } = await read(form(`<title>Z</title>${link}<${element}>${written}</${element}>`));
    expect(item?.published_at?.toISOString()).toBe(moment);
  });

  it('given dates of publication and of change, then the date of publication is used', async () => {
    const { item } = await read(
      ATOM(
        '<title>Z</title><link href="http://a.in/1"/><updated>2026-11-21T00:00:00Z</updated><published>2026-11-20T06:30:00Z</published>',
      ),
    );
    expect(item?.published_at?.toISOString()).toBe(noon);
  });
});
