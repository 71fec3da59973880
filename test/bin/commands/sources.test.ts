import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SOURCES } from '../../../operations/sources.ts';
import { type TestDatabase, testDatabase } from '../../harness/database.ts';
import { type Outlet, rss, startOutlet } from '../../ingest/poll/outlet.ts';
import { runCommand } from '../run-command.ts';

const FEED = rss(
  '<title>Zudio opens 12 stores in Pune</title><link>https://a.in/1</link><guid>1</guid><pubDate>Sat, 21 Nov 2026 10:30:00 IST</pubDate>',
  '<title>Weather stays fine in Goa</title><link>https://a.in/2</link><guid>2</guid>',
  '<title>No address</title>',
);

const NAMED = rss('<title>Zudio opens 2 stores</title><link>https://a.in/3</link>').replace(
  '<title>Outlet</title>',
  '<title><![CDATA[Retail Today &amp; Co]]></title><link>https://a.in/</link>',
);

describe('clarity sources', () => {
  let server: TestDatabase;
  let outlet: Outlet;
  let folder: string;
  beforeAll(async () => {
    server = await testDatabase();
    folder = await mkdtemp(join(tmpdir(), 'clarity-sources-'));
    outlet = await startOutlet((request, response) =>
      request.url === '/feed.xml'
        ? response.writeHead(200, { 'content-type': 'application/rss+xml' }).end(FEED)
        : request.url?.startsWith('/named.xml')
          ? response.end(NAMED)
          : request.url === '/moved.xml'
            ? response.writeHead(301, { location: '/named.xml' }).end()
            : request.url === '/refused.xml'
              ? response.end(rss('<title>One</title>', '<title>Two</title>'))
              : request.url === '/bare'
                ? response.end('<html><body><p>No feed here</p></body></html>')
                : request.url === '/'
                  ? response.end(
                      '<html><link rel="alternate" type="application/rss+xml" href="/feed.xml" title="All"></html>',
                    )
                  : response.writeHead(404).end(),
    );
  });
  afterAll(async () => {
    await outlet.close();
    await server.close();
    await rm(folder, { recursive: true });
  });

  const clarity = (...words: string[]) => {
    // The run before took it back.
    vi.stubEnv('ALLOW_PRIVATE_SOURCES', '1');
    return runCommand(SOURCES, ['sources', ...words], server.url);
  };

  it('add, change, pause, resume and retire a source, each with who and why', async () => {
    const url = `${outlet.url}/feed.xml`;
    expect(
      await clarity('add', url, '--outlet', 'The Paper', '--authority', '0.7', '--by', 'asha', '--why', 'asked for'),
    ).toEqual({
      code: 0,
      output: 'added the-paper: The Paper, 2 items now\n',
    });
    expect((await clarity('edit', 'the-paper', '--authority', '0.9')).output).toBe('changed the-paper\n');
    expect((await clarity('pause', 'the-paper')).output).toBe('paused the-paper\n');
    expect((await clarity('pause', 'the-paper')).output).toBe('the-paper is unchanged\n');
    const shown = JSON.parse((await clarity('show', 'the-paper', '--json')).output);
    expect(shown).toMatchObject({ authority: 0.9, paused: true, url });
    expect(shown.history.map(({ change }: { change: string }) => change)).toEqual([
      'SourceAdded',
      'SourceChanged',
      'SourceChanged',
    ]);
    expect(shown.history[0]).toMatchObject({ by: 'asha', why: 'asked for' });
    expect((await clarity('resume', 'the-paper')).output).toBe('resumed the-paper\n');
    expect(JSON.parse((await clarity('list', '--json')).output)).toMatchObject([{ id: 'the-paper', health: 'new' }]);
    expect((await clarity('retire', 'the-paper')).output).toBe('retired the-paper\n');
    expect((await clarity('list')).output).toBe('no sources\n');
  });

  it('given an address without --outlet, when it is added, then the feed is read once and names the outlet', async () => {
    const url = `${outlet.url}/named.xml`;
    expect(await clarity('add', url)).toEqual({
      code: 0,
      output: 'added retail-today-co: Retail Today & Co, 1 items now\n',
    });
    expect(JSON.parse((await clarity('show', 'retail-today-co', '--json')).output)).toMatchObject({
      outlet: 'Retail Today & Co',
      kind: 'feed',
    });
    await clarity('retire', 'retail-today-co');
  });

  it('given an address of the roster, when it is added again in another form, then it is refused', async () => {
    await clarity('add', `${outlet.url}/named.xml`);
    for (const words of [
      ['add', `${outlet.url}/named.xml/#top`],
      ['add', `${outlet.url}/moved.xml`],
      ['add', `${outlet.url}/named.xml`, '--untested', '--id', 'other'],
    ])
      expect(await clarity(...words)).toMatchObject({
        code: 2,
        output: expect.stringMatching(/url: this address is already in the roster, as retail-today-co/),
      });
    await clarity('retire', 'retail-today-co');
  });

  it('given a page without a feed, when it is added, then it is refused with the feeds that the page names', async () => {
    expect(await clarity('add', `${outlet.url}/`)).toMatchObject({
      code: 2,
      output: expect.stringContaining(`The page names this feed:\n  ${outlet.url}/feed.xml  feed, 3 entries`),
    });
    expect(await clarity('add', `${outlet.url}/bare`)).toMatchObject({
      code: 2,
      output: expect.stringMatching(/names no feed either/),
    });
    expect((await clarity('list')).output).toBe('no sources\n');
  });

  it('given an outlet that does not answer, when it is added, then only --untested takes it', async () => {
    expect(await clarity('add', `${outlet.url}/none`)).toMatchObject({
      code: 2,
      output: expect.stringMatching(/not_found: HTTP 404.*--untested/),
    });
    expect((await clarity('add', `${outlet.url}/none`, '--untested', '--country', 'IN')).output).toMatch(
      /^added 127-0-0-1: 127\.0\.0\.1, not tested/,
    );
    await clarity('retire', '127-0-0-1');
  });

  it('given an address that no poll would ask, when it is added untested, then it is refused', async () => {
    expect(await clarity('add', 'http://169.254.169.254/latest', '--untested')).toMatchObject({
      code: 2,
      output: expect.stringMatching(/url: .*169\.254\.169\.254.* is on a private or internal network/),
    });
  });

  it('given a feed whose entries are all refused, when it is added, then it says why', async () => {
    expect(await clarity('add', `${outlet.url}/refused.xml`)).toMatchObject({
      code: 2,
      output: expect.stringMatching(/all 2 entries are refused, the first because it has no link/),
    });
  });

  it('given headers of a source, then only their names are shown, and a secret must come from the environment', async () => {
    const url = `${outlet.url}/named.xml?headers`;
    const refused = await clarity('add', url, '--header', 'Authorization: Bearer hunter2');
    expect(refused.code).toBe(2);
    expect(refused.output).toMatch(/headers\.Authorization: must take its secret from the environment/);
    expect(refused.output).not.toContain('hunter2');
    vi.stubEnv('SOURCE_PAPER', 'hunter2');
    await clarity(
      'add',
      url,
      '--id',
      'keyed',
      '--header',
      `X-Api-Key: \${SOURCE_PAPER}`,
      '--header',
      'X-Plain: plainly',
    );
    expect(outlet.requests.at(-1)?.headers).toMatchObject({ 'x-api-key': 'hunter2', 'x-plain': 'plainly' });
    for (const words of [
      ['show', 'keyed', '--json'],
      ['show', 'keyed'],
      ['list', '--json'],
    ]) {
      const { output } = await clarity(...words);
      expect(output).toMatch(/X-Api-Key[":]+\s*"\(set\)"/);
      expect(output).not.toMatch(/hunter2|plainly/);
    }
    expect((await clarity('export')).output).toContain(`X-Api-Key: \${SOURCE_PAPER}`);
    await clarity('retire', 'keyed');
  });

  it('reject invalid arguments and name the valid ones', async () => {
    for (const [words, message] of [
      [['add', 'ftp://a.in/feed'], /url: "ftp:\/\/a\.in\/feed" cannot be used: must be/],
      [['add', 'https://a.in/f', '--authority', '7'], /authority: 7 cannot be used\. Allowed: .*0 to 1/],
      [['add', 'https://a.in/f', '--kind', 'html'], /selectors: must name the parts/],
      [['edit', 'nobody', '--authority', '1'], /no source has the id "nobody"/],
      [['history', 'No Body'], /no source has the id "No Body"/],
      [['add', 'https://a.in/f', '--id', 'A Feed'], /id: "A Feed" cannot be used: must be kebab-case/],
    ] as const) {
      const { code, output } = await clarity(...words);
      expect(output).toMatch(message);
      expect(code).toBe(2);
    }
  });

  it('apply shows the difference, asks first, and applies it once', async () => {
    const file = join(folder, 'roster.yaml');
    await writeFile(
      file,
      `sources:\n  - id: one\n    outlet: One\n    url: ${outlet.url}/feed.xml\n  - id: two\n    outlet: Two\n    url: https://b.in/f\n`,
    );
    const asked = await clarity('apply', file);
    expect(asked).toMatchObject({ code: 2, output: expect.stringMatching(/\+ one .*\+ two .*--yes/s) });
    expect((await clarity('apply', file, '--yes')).output).toMatch(/applied: 2 sources changed/);
    expect((await clarity('apply', file, '--yes')).output).toBe('0 of 2 sources differ\n');
    await writeFile(
      file,
      (await readFile(file, 'utf8')).replace('outlet: One', 'outlet: First').split('  - id: two')[0] ?? '',
    );
    expect((await clarity('apply', file, '--yes')).output).toMatch(/~ one\n {4}outlet: "One" -> "First"\n- two/);
  });

  it('are exported and imported as YAML and OPML', async () => {
    const file = join(folder, 'out.opml');
    expect((await clarity('export', '--output', file)).code).toBe(0);
    const text = (await clarity('export')).output;
    expect(text).toContain('outlet: First');
    await writeFile(
      file,
      (await readFile(file, 'utf8')).replace(
        '</body>',
        '<outline text="Bad" xmlUrl="ftp://bad.in"/><outline text="New" xmlUrl="https://new.in/rss"/></body>',
      ),
    );
    expect((await clarity('import', file, '--yes')).output).toMatch(
      /^left out: .*outline \d: "ftp:\/\/bad\.in" cannot be used: url.*\n\+ new {2}New {2}https:\/\/new\.in\/rss\n1 of \d sources are new\nadded 1/,
    );
    expect((await clarity('import', file, '--yes')).output).toMatch(/\n0 of \d sources/);
  });

  it('test shows the items that a poll would find and how each would be understood', async () => {
    const found = JSON.parse((await clarity('test', `${outlet.url}/feed.xml`, '--json')).output);
    expect(found).toMatchObject({ kind: 'feed', encoding: 'utf-8', reader: 'rss-parser', status: 200 });
    expect(found.entries).toMatchObject([
      {
        item: { item_key: '1', title: 'Zudio opens 12 stores in Pune' },
        becomes: { move: 'stores', brands: ['Zudio'] },
      },
      { becomes: { fate: 'noise' } },
      { item: null, refused: 'it has no link' },
    ]);
    expect(await clarity('test', `${outlet.url}/none`)).toMatchObject({
      code: 2,
      output: expect.stringMatching(/not_found: HTTP 404/),
    });
  });

  it('discover finds the feeds that a site names', async () => {
    expect(JSON.parse((await clarity('discover', `${outlet.url}/`, '--json')).output)).toEqual([
      { url: `${outlet.url}/feed.xml`, kind: 'feed', title: 'All', entries: 3 },
    ]);
  });
});
