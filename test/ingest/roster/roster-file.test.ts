import { describe, expect, it } from 'vitest';
import {
  describeFault,
  parseRoster,
  RosterError,
  readOpml,
  readRoster,
  writeOpml,
} from '../../../ingest/roster/roster-file.ts';
import { Source } from '../../../schemas/source.ts';

const faultsOf = (text: string): string[] => {
  try {
    parseRoster(text, 'my.yaml');
  } catch (error) {
    if (error instanceof RosterError) return error.message.split('\n');
    throw error;
  }
  return [];
};

const WITH_HEADERS = (header: string): string =>
  `sources:\n  - id: a\n    outlet: A\n    url: https://a.in/f\n    country: IN\n    headers:\n      ${header}\n`;

describe('headers of a source', () => {
  it('given a plain header and a reference to a secret, then both are accepted', () => {
    expect(parseRoster(WITH_HEADERS(`Authorization: Bearer \${SOURCE_A}`), 'x.yaml')[0]).toMatchObject({
      country: 'IN',
      headers: { Authorization: `Bearer \${SOURCE_A}` },
    });
  });

  it.each([
    ['Authorization: Bearer hunter2', /x\.yaml:7: sources\[0\]\.headers\.Authorization: must take its secret/],
    ['X-Api-Key: hunter2', /must take its secret/],
    [`Cookie: a=\${DATABASE_URL}`, /must take its secret/],
    ['Host: hunter2', /is a header that the poller sets itself/],
    ['If-None-Match: hunter2', /is a header that the poller sets itself/],
    ['"X Y": hunter2', /must be the name of a header/],
    ['X-Y: "hunter2\\r\\nX: y"', /must be printable ASCII/],
  ])('given %s, then it is refused without showing the value', (header, message) => {
    expect(() => parseRoster(WITH_HEADERS(header), 'x.yaml')).toThrow(message);
    expect(() => parseRoster(WITH_HEADERS(header), 'x.yaml')).not.toThrow(/hunter2/);
  });
});

describe('what a roster file is checked against', () => {
  const source = (fields: string): string => `  - { id: a, outlet: A, ${fields} }\n`;
  const faults = (sources: string) => faultsOf(`sources:\n${sources}`);
  const HOME = "url: 'https://www.a.in/feed/'";

  it.each([
    ['a password in an address', source("url: 'https://asha:hunter2@a.in/f'"), /:2: .*url: must not contain a user or/],
    ['addresses in a list', source("url: ['https://asha:hunter2@a.in/f']"), /:2: .*url: must be given, as a string/],
    ['a list of headers', source(`${HOME}, headers: [{ Authorization: hunter2 }]`), /headers: must be given/],
    ['a source as text', "  - 'https://asha:hunter2@a.in/f'\n", /sources\[0\]: must be given, as a map/],
    ['a language in words', source(`${HOME}, language: english`), /language: "english" .*two small letters such as en/],
    [
      'a broken selector',
      source(`${HOME}, kind: html, selectors: { item: 'a[', title: h2 }`),
      /selectors\.item: "a\["/,
    ],
    ['a metadata service', source("url: 'http://169.254.169.254/latest'"), /url: .*private or internal network/],
    ['a private host', source("url: 'http://localhost:8080/feed'"), /url: .*ALLOW_PRIVATE_SOURCES/],
    [
      'one address twice',
      `${source(HOME)}  - { id: b, outlet: B, url: 'http://a.in/feed' }\n`,
      /sources\[0\] has the same/,
    ],
  ])('given %s, then the fault names field and what is allowed, and no secret', (_, sources, message) => {
    expect(faults(sources)).toEqual([expect.stringMatching(message)]);
    expect(faults(sources).join()).not.toContain('hunter2');
  });

  it('given a file without "sources", then nothing of its content is shown', () => {
    const [fault = ''] = faultsOf("- { id: a, outlet: A, url: 'https://asha:hunter2@a.in/f' }\n");
    expect(fault).toMatch(/my\.yaml:1: .*must be given, as a map/);
    expect(fault).not.toContain('hunter2');
  });

  it('given themes, then an unknown one is a fault, and a known one is not', () => {
    const text = `sources:\n${source(`${HOME}, themes: [expansion, expanssion]`)}`;
    expect(() => parseRoster(text, 'x.yaml', { themes: new Set(['expansion']) })).toThrow(
      /sources\[0\]\.themes\[1\]: "expanssion" .*slug of a theme/,
    );
    expect(faultsOf(text)).toEqual([]);
  });

  it('given aliases that unfold without end, then the file is refused in one line', () => {
    const levels = Array.from({ length: 12 }, (_, level) => `l${level + 1}: &l${level + 1} [*l${level}, *l${level}]`);
    expect(faultsOf(`l0: &l0 [a, a]\n${levels.join('\n')}\nsources: []\n`)).toEqual([
      expect.stringMatching(/^my\.yaml: cannot be unfolded: at most 100 uses of aliases/),
    ]);
  });

  it.each([
    ['a list', '- &x [*x]\n', /^my\.yaml: contains itself/],
    [
      'a source',
      "sources:\n  - &s { id: a, outlet: A, url: 'https://a.in/', self: *s }\n",
      /^my\.yaml: contains itself/,
    ],
  ])('given %s that contains itself, then the file is refused in one line', (_, text, message) => {
    expect(faultsOf(text)).toEqual([expect.stringMatching(message)]);
  });

  it('given a private network that is allowed, then its sources are, and metadata services are not', () => {
    const text = (url: string): string => `sources:\n${source(`url: '${url}'`)}`;
    expect(parseRoster(text('http://127.0.0.1:9/f'), 'x.yaml', { allowPrivate: true })).toHaveLength(1);
    expect(() => parseRoster(text('http://169.254.169.254/'), 'x.yaml', { allowPrivate: true })).toThrow(RosterError);
  });
});

describe('a roster file', () => {
  it('given defaults in the file, then its sources have these and those of the schema, in order', () => {
    const sources = parseRoster(
      `
defaults:
  backlog_days: 7
  authority: 0.9
sources:
  - id: mint-companies
    outlet: Mint
    url: https://www.livemint.com/rss/companies
  - { id: et-retail, outlet: ETRetail, url: 'https://retail.example.in/rss', authority: 0.4 }
`,
      'my.yaml',
    );
    expect(sources.map(({ id, authority, backlog_days, kind }) => [id, authority, backlog_days, kind])).toEqual([
      ['mint-companies', 0.9, 7, 'feed'],
      ['et-retail', 0.4, 7, 'feed'],
    ]);
  });

  it('given the kinds of feeds of former releases, then each is read as a feed', () => {
    const of = (kind: string): string =>
      `  - { id: s-${kind.replace('_', '-')}, outlet: S, url: 'https://${kind}.example.in/rss', kind: ${kind} }\n`;
    const sources = parseRoster(`sources:\n${['rss', 'atom', 'json_feed'].map(of).join('')}`, 'my.yaml');
    expect(sources.map(({ kind }) => kind)).toEqual(['feed', 'feed', 'feed']);
  });

  it('given several faults, then each error names file, line, field, value and what is allowed', () => {
    const faults = faultsOf(`sources:
  - id: Mint Companies
    outlet: Mint
    url: ftp://livemint.com/rss
  - id: et
    url: https://et.example.in/rss
    kind: rdf
    cadence_seconds: 0
    colour: red
  - id: page
    outlet: Page
    url: https://page.example.in/
    kind: html
`);
    expect(faults).toEqual([
      'my.yaml:2: sources[0].id: "Mint Companies" cannot be used: must be kebab-case such as "mint-companies"',
      'my.yaml:4: sources[0].url: "ftp://livemint.com/rss" cannot be used: must be an http or https address',
      expect.stringMatching(/^my\.yaml:5: sources\[1\]\.outlet: must be given/),
      'my.yaml:7: sources[1].kind: "rdf" cannot be used: must be one of feed, html, news_sitemap',
      'my.yaml:8: sources[1].cadence_seconds: 0 cannot be used: must be at least 1',
      'my.yaml:9: sources[1].colour: "red" cannot be used: there is no field of this name',
      expect.stringMatching(/^my\.yaml:10: sources\[2\]\.selectors: must name the parts of the page/),
    ]);
  });

  it('given two sources with one id, then the second is refused', () => {
    const faults = faultsOf(`sources:
  - { id: a, outlet: A, url: 'https://a.example.in/' }
  - { id: a, outlet: B, url: 'https://b.example.in/' }
`);
    expect(faults).toEqual([
      'my.yaml:3: sources[1].id: "a" cannot be used: must be unique; sources[0] has the same id',
    ]);
  });

  it('given an invalid default, then it is reported once, at its own line', () => {
    const faults = faultsOf(`defaults:
  authority: high
sources:
  - { id: a, outlet: A, url: 'https://a.example.in/' }
  - { id: b, outlet: B, url: 'https://b.example.in/' }
`);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/^my\.yaml:2: defaults\.authority: "high"/);
  });

  it.each([
    ['sources: [', /^my\.yaml:1: is not YAML/],
    ['', /^my\.yaml.*sources/],
    ['sources: 3', /^my\.yaml:1: sources: 3 cannot be used: must be given, as a list/],
    ['- a', /^my\.yaml:1: .*must be given, as a map/],
  ])('given %j, then the error explains it', (text, message) => {
    expect(faultsOf(text).join('\n')).toMatch(message);
  });

  it('given no such file, then the error says so', async () => {
    await expect(readRoster('/nowhere/my.yaml')).rejects.toThrow(
      '/nowhere/my.yaml: the roster cannot be read: there is no such file',
    );
  });
});

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

  it('given the same feed as http, https, with www and a slash, then it is read once; one on an internal network is skipped', () => {
    const outlines = [
      'https://www.a.in/feed',
      'http://a.in/feed/',
      'http://169.254.169.254/x',
      'http://localhost/feed',
    ];
    const text = `<opml><body>${outlines.map((url) => `<outline text="A" xmlUrl="${url}"/>`).join('')}</body></opml>`;
    const { sources, faults } = readOpml(text, 'x.opml');
    expect(sources.map(({ url }) => url)).toEqual(outlines.slice(0, 1));
    expect(faults.map(({ field }) => field)).toEqual(['outline 3', 'outline 4']);
    expect(readOpml(text, 'x.opml', { allowPrivate: true }).sources.map(({ url }) => url)).toContain(outlines[3]);
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
