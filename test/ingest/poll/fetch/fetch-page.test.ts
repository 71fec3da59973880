import { type AddressInfo, createServer } from 'node:net';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createFetchPage, type FetchOptions } from '../../../../ingest/poll/fetch/fetch-page.ts';
import { createAddressRule } from '../../../../log/guarded-connection.ts';
import { type Outlet, startOutlet } from '../outlet.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function outletThat(answer: Outlet['answer']): Promise<Outlet> {
  const outlet = await startOutlet(answer);
  closing.push(outlet.close);
  return outlet;
}

const fetcher = (options: Partial<FetchOptions> = {}) => {
  const fetchPage = createFetchPage({
    allowAddress: createAddressRule(() => true),
    userAgent: 'Test/1 (+a@b.in)',
    ...options,
  });
  return (url: string, more: { etag?: string; lastModified?: string; signal?: AbortSignal } = {}) =>
    fetchPage({ url, signal: new AbortController().signal, ...more });
};

describe('fetching', () => {
  it('given validators, then the request has a User-Agent and the conditional headers', async () => {
    const outlet = await outletThat((_request, response) => response.writeHead(304).end());
    const page = await fetcher()(`${outlet.url}/rss`, { etag: '"1"', lastModified: 'Sat, 21 Nov 2026 05:00:00 GMT' });
    expect(page.status).toBe(304);
    expect(outlet.requests[0]?.headers).toMatchObject({
      'user-agent': 'Test/1 (+a@b.in)',
      'if-none-match': '"1"',
      'if-modified-since': 'Sat, 21 Nov 2026 05:00:00 GMT',
    });
  });

  it.each([
    ['gzip', zlib.gzipSync('नमस्ते')],
    ['deflate', zlib.deflateSync('नमस्ते')],
    ['deflate', zlib.deflateRawSync('नमस्ते')],
    ['br', zlib.brotliCompressSync('नमस्ते')],
    ['gzip, br', zlib.brotliCompressSync(zlib.gzipSync('नमस्ते'))],
    ['identity', zlib.gzipSync('नमस्ते')],
    ['identity', Buffer.from('नमस्ते')],
    ['UTF-8', Buffer.from('नमस्ते')],
    ['gzip, utf8', zlib.gzipSync('नमस्ते')],
    ['none', Buffer.from('नमस्ते')],
  ])('given %s, then it is decompressed', async (encoding, body) => {
    const outlet = await outletThat((_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(body),
    );
    expect((await fetcher()(outlet.url)).body.toString()).toBe('नमस्ते');
  });

  it.each([
    ['a gzip bomb', 'gzip', zlib.gzipSync(Buffer.alloc(20 * 1_048_576)), 'too_large'],
    ['a brotli bomb', 'br', zlib.brotliCompressSync(Buffer.alloc(20 * 1_048_576)), 'too_large'],
    ['a bomb in a bomb', 'gzip, gzip', zlib.gzipSync(zlib.gzipSync(Buffer.alloc(20 * 1_048_576))), 'too_large'],
    ['a plain giant', 'identity', Buffer.alloc(16 * 1_048_576), 'too_large'],
    ['what is not packed', 'gzip', Buffer.from('plain'), 'bad_compression'],
    ['an unknown packing', 'lzma', Buffer.from('plain'), 'unknown_encoding'],
    ['many layers', 'gzip,gzip,gzip,gzip', Buffer.from('plain'), 'unknown_encoding'],
  ])('given %s, then it is refused', async (_name, encoding, body, code) => {
    const outlet = await outletThat((_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(body),
    );
    await expect(fetcher()(outlet.url)).rejects.toMatchObject({ code });
  });

  it('given a body that arrives byte by byte, then it is cut off at the total timeout', async () => {
    const outlet = await outletThat((_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(drip));
    });
    await expect(fetcher({ timeoutMs: 200 })(outlet.url)).rejects.toMatchObject({ code: 'timeout' });
  });

  it('given five redirects, then they are followed and a permanent move is reported', async () => {
    const outlet = await outletThat((request, response) => {
      const left = Number(new URL(request.url ?? '', 'http://x').searchParams.get('left'));
      if (left > 0) response.writeHead(301, { location: `/?left=${left - 1}` }).end();
      else response.end('here');
    });
    const page = await fetcher()(`${outlet.url}/?left=5`);
    expect(page).toMatchObject({ status: 200, url: `${outlet.url}/?left=0`, movedTo: `${outlet.url}/?left=0` });
    await expect(fetcher()(`${outlet.url}/?left=6`)).rejects.toMatchObject({ code: 'too_many_redirects' });
  });

  it('given a temporary redirect, then no permanent move is reported', async () => {
    const outlet = await outletThat((request, response) =>
      request.url === '/new' ? response.end('here') : response.writeHead(302, { location: '/new' }).end(),
    );
    expect((await fetcher()(outlet.url)).movedTo).toBeNull();
  });

  it.each(['file:///etc/passwd', 'gopher://127.0.0.1/', 'javascript:1'])(
    'given a redirect to %s, then it is refused',
    async (location) => {
      const outlet = await outletThat((_request, response) => response.writeHead(302, { location }).end());
      await expect(fetcher()(outlet.url)).rejects.toMatchObject({ code: 'bad_address' });
    },
  );

  it('given an abort signal, then it ends at once', async () => {
    const outlet = await outletThat(() => undefined);
    const stop = new AbortController();
    const fetching = fetcher()(outlet.url, { signal: stop.signal });
    stop.abort(new Error('stopping'));
    await expect(fetching).rejects.toThrow('stopping');
  });

  it('given a failure below HTTP, then its code names the cause', async () => {
    const gone = await startOutlet(() => undefined);
    await gone.close();
    await expect(fetcher()(gone.url)).rejects.toMatchObject({ code: 'connection_refused' });
    const rude = await outletThat((_request, response) => response.destroy());
    await expect(fetcher()(rude.url)).rejects.toMatchObject({ code: 'connection_lost' });
    const garbage = createServer((socket) =>
      socket
        .on('error', () => undefined)
        .resume()
        .end('SSH-2.0-OpenSSH\r\n\r\n'),
    );
    await promisify((done: () => void) => garbage.listen(0, '127.0.0.1', done))();
    closing.push(promisify((done: () => void) => garbage.close(done)));
    const { port } = garbage.address() as AddressInfo;
    await expect(fetcher()(`http://127.0.0.1:${port}`)).rejects.toMatchObject({ code: 'bad_answer' });
    await expect(fetcher()(`https://127.0.0.1:${rude.port}`)).rejects.toMatchObject({ name: 'PollError' });
  });
});

describe('forbidden source addresses', () => {
  const strict = fetcher({ allowAddress: createAddressRule(() => false) });

  it.each([
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '127.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '0.0.0.0',
    'localhost',
  ])('given %s, then it is refused before a request is sent', async (host) => {
    const outlet = await outletThat((_request, response) => response.end('secret'));
    await expect(strict(`http://${host}:${outlet.port}/`)).rejects.toMatchObject({ code: 'address_refused' });
    expect(outlet.requests).toEqual([]);
  });

  it.each([
    '169.254.169.254',
    '[::ffff:169.254.169.254]',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '100.100.100.200',
    '224.0.0.1',
  ])('given %s and allowed private sources, then it is still refused', async (host) => {
    await expect(fetcher()(`http://${host}/latest/meta-data`)).rejects.toMatchObject({ code: 'address_refused' });
  });

  it('given a redirect to one, then it is refused', async () => {
    const inside = await outletThat((_request, response) => response.end('secret'));
    const outlet = await outletThat((_request, response) => response.writeHead(302, { location: inside.url }).end());
    const onlyOutlet = fetcher({ allowAddress: createAddressRule((_ip, port) => port === outlet.port) });
    await expect(onlyOutlet(outlet.url)).rejects.toMatchObject({ code: 'address_refused' });
    expect(inside.requests).toEqual([]);
  });
});
