/** Small responses that could take seconds or all memory, while the same process reads other sources. */
import zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFetchPage } from '../../../ingest/poll/fetch/fetch-page.ts';
import { createPageReader, type PageReader } from '../../../ingest/poll/read/page-reader.ts';
import { discoverFeeds, trySource } from '../../../ingest/poll/try-source.ts';
import { probeAddress } from '../../../ingest/roster/source-proposals.ts';
import { createAddressRule } from '../../../log/guarded-connection.ts';
import { eventually } from '../../harness/eventually.ts';
import { body, type Case, GOOD, isCutOff } from './hostile-case.ts';
import { type Outlet, startOutlet } from './outlet.ts';
import { openPolling, type Polling, polled, source } from './polling.ts';

const many = (count: number, part: (n: number) => string) => Array.from({ length: count }, (_, n) => part(n)).join('');
const DC = 'http://purl.org/dc/elements/1.1/';
const ITEM = '<item><title>Zudio</title><link>https://a.in/1</link></item>';
const packed = (text: string) => body(zlib.gzipSync(text), { 'content-encoding': 'gzip' });
const ENDLESS = body(`${'<a></a>'.repeat(20_000)}<b></b>`);
/** Compares each combination of three links with the last element: hours of work. */
const SELECTORS = { item: 'i ~ a ~ a ~ a ~ b', title: 'a', link: 'a' };

const CASES: readonly Case[] = [
  {
    name: 'namespaces-at-the-root',
    answer: packed(
      `<rss ${many(3_000, (n) => `xmlns:p${n}="${DC}" `)}><channel>${many(8_000, () => `<a xmlns:b="${DC}"/>`)}${ITEM}</channel></rss>`,
    ),
    ends: 1,
  },
  {
    name: 'namespaces-inside-one-another',
    answer: packed(
      `<rss><channel>${ITEM}${many(90, (n) => `<a ${many(110, (m) => `xmlns:p${n}x${m}="${DC}" `)}>`)}${'<b/>'.repeat(5_000)}`,
    ),
    ends: 1,
  },
  { name: 'items-without-ends', answer: body(`<rss><channel>${ITEM}${'<item>'.repeat(200_000)}`), ends: 1 },
  {
    name: 'attributes',
    answer: body(
      `<rss><channel><item ${many(300_000, (n) => `a${n}="1" `)}><title>Zudio</title><link>https://a.in/1</link></item></channel></rss>`,
    ),
    ends: 1,
  },
  {
    name: 'attributes-of-a-short-feed',
    answer: body(
      `<rss version="2.0"><channel><item ${many(90_000, (n) => `a${n}="1" `)}><title>Zudio</title><link>https://a.in/1</link></item></channel></rss>`,
    ),
    ends: 1,
  },
  {
    name: 'depth',
    answer: body(`<rss><channel>${ITEM}${'<b>'.repeat(100_000)}${'</b>'.repeat(100_000)}</channel></rss>`),
    ends: { items: 1, error: 'too_complex' },
  },
  {
    name: 'robots',
    answer: body(GOOD),
    robots: body('User-agent: a\n'.repeat(4_700) + many(4_700, (n) => `Disallow: /${n}\n`)),
    ends: 1,
  },
  {
    name: 'robots-of-all-readers',
    answer: body(GOOD),
    robots: body(`${'User-agent: a\n'.repeat(4_700)}User-agent: *\n${many(4_700, () => 'Disallow: /*a*a*a*b\n')}`),
    ends: 1,
  },
  {
    name: 'large',
    answer: packed(`{"items":[${'{},'.repeat(4_000_000)}{}]}`),
    ends: 'reading_out_of_memory',
  },
];

const fetchPage = createFetchPage({ allowAddress: createAddressRule(() => true), userAgent: 'Test' });
const about = { fetchPage, signal: new AbortController().signal, now: new Date() };

describe('small responses that are expensive to read', () => {
  let polling: Polling;
  let reader: PageReader;
  let stop: () => Promise<void>;
  const outlets = new Map<string, Outlet>();

  beforeAll(async () => {
    reader = createPageReader({ deadlineMs: 50_000 });
    polling = await openPolling();
    for (const one of CASES) {
      const outlet = await startOutlet(one.answer);
      if (one.robots) outlet.robots = one.robots;
      outlets.set(one.name, outlet);
    }
    outlets.set('good', await startOutlet(body(GOOD)));
    const sources = CASES.map(({ name, source: more }) => source(name, outlets.get(name)?.url ?? '', more));
    sources.push(source('good', outlets.get('good')?.url ?? '', { cadence_seconds: 1 }));
    stop = await polling.start(sources, { reader, fetchPage });
    await eventually(() => expect(polling.polls.length).toBeGreaterThan(0));
    await polled(
      polling,
      CASES.map(({ name }) => name),
    );
  });
  afterAll(async () => {
    await stop();
    await reader.close();
    for (const outlet of outlets.values()) await outlet.close();
    await polling.close();
  });

  it.each(CASES)('given $name, then only its own source is affected', ({ name, ends }) => {
    const [poll] = polling.pollsOf(name);
    if (typeof ends === 'number') expect(poll).toMatchObject({ error: null, items_found: ends });
    else if (isCutOff(ends)) expect(poll).toMatchObject({ error: { code: ends.error }, items_found: ends.items });
    else expect(poll).toMatchObject({ outcome: 'failed', error: { code: expect.stringMatching(ends) } });
  });

  it('given all of them, then another source of the same process is polled meanwhile', async () => {
    await polled(polling, ['good'], 3);
    for (const poll of polling.pollsOf('good')) expect(poll).toMatchObject({ error: null, items_found: 1 });
  });

  it('given one that needs much memory, then proposals and discovery also end', async () => {
    const large = outlets.get('large')?.url ?? '';
    const little = createPageReader({ processes: 1, memoryMb: 24 });
    const code = 'reading_out_of_memory';
    await expect(probeAddress(large, { ...about, reader: little })).rejects.toMatchObject({ code });
    await expect(discoverFeeds(large, fetchPage, about.signal, little)).rejects.toMatchObject({ code });
    await little.close();
  });
});

describe('a page that takes hours to read', () => {
  it('given one, then its poll and `sources test` end at the deadline, and another source is polled meanwhile', async () => {
    const [slow, quick] = [await startOutlet(ENDLESS), await startOutlet(body(GOOD))];
    const endless = source('endless', slow.url, { kind: 'html', selectors: SELECTORS });
    const polling = await openPolling();
    const reader = createPageReader({ deadlineMs: 2_000 });
    const sources = [endless, source('good', quick.url, { cadence_seconds: 1 })];

    const stop = await polling.start(sources, { reader, fetchPage });
    await polled(polling, ['good'], 3);
    await polled(polling, ['endless']);
    const { id, outlet, ...rest } = endless;
    await expect(trySource({ id, outlet, ...rest }, { ...about, reader })).rejects.toMatchObject({
      code: 'reading_timeout',
    });
    await stop();

    expect(polling.pollsOf('endless')[0]).toMatchObject({ outcome: 'failed', error: { code: 'reading_timeout' } });
    for (const poll of polling.pollsOf('good')) expect(poll).toMatchObject({ error: null, items_found: 1 });
    await reader.close();
    for (const one of [slow, quick]) await one.close();
    await polling.close();
  });
});
