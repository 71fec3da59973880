import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createPageReader, type PageReader, type PageReaderOptions } from '../../../../ingest/poll/read/page-reader.ts';
import { rss } from '../outlet.ts';

const NOW = new Date('2026-11-21T06:00:00Z');
const pageOf = (text: string) => ({ url: 'https://outlet.example.in/feed', headers: {}, body: Buffer.from(text) });
const small = { page: pageOf(rss('<title>Zudio</title><link>/z</link>')), source: { kind: 'feed' as const } };
/** Its selector compares each combination of three links with the last element: hours of work. */
const endless = {
  page: pageOf(`${'<a></a>'.repeat(20_000)}<b></b>`),
  source: { kind: 'html' as const, selectors: { item: 'i ~ a ~ a ~ a ~ b', title: 'a', link: 'a' } },
};
const large = { page: pageOf(`<rss><channel>${'<a/>'.repeat(390_000)}`), source: { kind: 'feed' as const } };

describe('a page reader', () => {
  // A process starts with the first page.
  const ordinary = createPageReader();
  afterAll(() => ordinary.close());
  const open: PageReader[] = [];
  const reader = (options?: PageReaderOptions): PageReader => {
    const made = createPageReader(options);
    open.push(made);
    return made;
  };
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });

  it('given a page, then it returns the result, and the caller keeps the bytes', async () => {
    const { entries, reader: by } = await ordinary.run('readPage', small);
    expect(entries).toEqual([
      { id: null, link: 'https://outlet.example.in/z', title: 'Zudio', summary: null, date: null },
    ]);
    expect(by).toBe('rss-parser');
    expect(small.page.body.toString()).toContain('Zudio');
  });

  it('given entries, then it returns their items, with dates as Date objects', async () => {
    const entries = [{ id: 'z', link: '/z', title: 'Zudio', summary: null, date: '2026-11-20T10:00:00Z' }];
    const { items } = await ordinary.run('readItems', { entries, base: small.page.url, now: NOW });
    expect(items).toMatchObject([
      { url: 'https://outlet.example.in/z', published_at: new Date('2026-11-20T10:00:00Z') },
    ]);
  });

  it('given a page that is not a feed, then the error is that of the reader of this kind', async () => {
    const read = ordinary.run('readPage', { ...small, page: pageOf('hello') });
    await expect(read).rejects.toMatchObject({ name: 'PollError', code: 'not_a_feed', status: null, retryAt: null });
  });

  it('given an endless page, then its process is killed at the deadline and another process reads the next page', async () => {
    const one = reader({ processes: 1, deadlineMs: 1_500 });
    const [slow, next] = [one.run('readPage', endless), one.run('readPage', small)];
    await expect(slow).rejects.toMatchObject({ code: 'reading_timeout', message: expect.stringContaining('1.5 s') });
    expect((await next).entries).toHaveLength(1);
  });

  it('given an endless page, then other pages are read meanwhile', async () => {
    const two = reader({ deadlineMs: 60_000 });
    const over = new AbortController();
    let ended = false;
    const slow = two.run('readPage', endless, over.signal).finally(() => {
      ended = true;
    });
    // Awaited at the end; until then it must not count as unhandled.
    slow.catch(() => undefined);
    for (let page = 0; page < 20; page++) expect((await two.run('readPage', small)).entries).toHaveLength(1);
    expect(ended).toBe(false);
    over.abort(new Error('stop'));
    await expect(slow).rejects.toThrow('stop');
  });

  it('given a page that needs more memory than a process may use, then only this page fails', async () => {
    const one = reader({ processes: 1, memoryMb: 24 });
    const [much, next] = [one.run('readPage', large), one.run('readPage', small)];
    await expect(much).rejects.toMatchObject({ code: 'reading_out_of_memory' });
    expect((await next).entries).toHaveLength(1);
  });

  it('given an idle process, then it stops, and a later page starts another', async () => {
    const one = reader({ processes: 1, idleMs: 1 });
    for (let page = 0; page < 3; page++) {
      expect((await one.run('readPage', small)).entries).toHaveLength(1);
      await new Promise((resolve) => setImmediate(resolve));
    }
  });

  it('given that it is closed or the signal is aborted, then waiting pages fail at once', async () => {
    const one = reader({ processes: 1 });
    const over = AbortSignal.abort(new Error('over'));
    await expect(one.run('readPage', small, over)).rejects.toThrow('over');
    const waiting = [one.run('readPage', endless), one.run('readPage', small)].map((read) =>
      expect(read).rejects.toMatchObject({ code: 'reading_failed' }),
    );
    await one.close();
    await Promise.all(waiting);
  });
});
