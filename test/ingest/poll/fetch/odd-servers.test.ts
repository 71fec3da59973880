import { once } from 'node:events';
import { createSecureServer, type Http2Server } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { rootCertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createFetchPage, type FetchOptions } from '../../../../ingest/poll/fetch/fetch-page.ts';
import { createAddressRule, mergeContentLengths } from '../../../../log/guarded-connection.ts';
import { certificate as selfSigned } from '../../../harness/certificate.ts';
import { startOutlet } from '../outlet.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function listening(server: Server | Http2Server): Promise<number> {
  const sockets = new Set<Socket>();
  (server as Server).on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A server that answers every request with these bytes and records the requests. */
async function rawServer(answer: string): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const port = await listening(
    createServer((socket) =>
      socket.on('data', (request) => {
        asked.push(request.toString());
        socket.write(answer);
      }),
    ),
  );
  return { url: `http://127.0.0.1:${port}/feed`, asked };
}

const fetcher = (options: Partial<FetchOptions> = {}) => {
  const fetchPage = createFetchPage({ allowAddress: createAddressRule(() => true), userAgent: 'Test', ...options });
  return (url: string, more: { headers?: Record<string, string>; form?: Record<string, string> } = {}) =>
    fetchPage({ url, signal: new AbortController().signal, ...more });
};

describe('a repeated Content-Length', () => {
  it.each([
    ['two headers', 'Content-Length: 5\r\ncontent-length: 5'],
    ['one header', 'Content-Length: 5, 5'],
  ])('given equal lengths in %s, then the response is read, and the next one directly', async (_name, lengths) => {
    const { url, asked } = await rawServer(`HTTP/1.1 200 OK\r\n${lengths}\r\nETag: "a"\r\n\r\nhello`);
    const fetchPage = fetcher();
    const page = await fetchPage(url);
    expect([page.status, page.headers.etag, page.body.toString()]).toEqual([200, '"a"', 'hello']);
    expect(asked).toHaveLength(2);
    expect((await fetchPage(url)).body.toString()).toBe('hello');
    expect(asked).toHaveLength(3);
  });

  it('given other lengths in an interim response, then the length of the final response is used', async () => {
    const { url } = await rawServer(
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi',
    );
    expect((await fetcher()(url)).body.toString()).toBe('hi');
  });

  it('given informational responses without end, then the request ends after the first few', async () => {
    const { url } = await rawServer('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(500));
    await expect(fetcher()(url)).rejects.toMatchObject({ code: 'too_many_hints' });
  });

  it('given lengths that differ, then the response is refused', async () => {
    const { url } = await rawServer('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 9\r\n\r\nhello');
    await expect(fetcher()(url)).rejects.toMatchObject({ code: 'bad_answer' });
    expect(mergeContentLengths('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 05\r\n\r\n')).toContain('05');
  });
});

describe('cookies', () => {
  it('given a server that redirects until it receives its cookie, then the cookie is sent to that server only', async () => {
    const other = await startOutlet((_request, response) => response.end('other'));
    const outlet = await startOutlet((request, response) => {
      if (request.url === '/leave')
        return response
          .writeHead(302, { location: other.url.replace('127.0.0.1', 'localhost'), 'set-cookie': 'a=1' })
          .end();
      if (request.headers.cookie?.includes('seen=yes')) return response.end('here');
      return response
        .writeHead(302, { location: request.url, 'set-cookie': ['seen=yes; Path=/; HttpOnly', ' ; ='] })
        .end();
    });
    closing.push(outlet.close, other.close);
    const fetchPage = fetcher();
    expect((await fetchPage(`${outlet.url}/feed`)).body.toString()).toBe('here');
    await fetchPage(`${outlet.url}/feed`);
    expect(outlet.requests.map(({ headers }) => headers.cookie)).toEqual([
      undefined,
      'seen=yes',
      undefined,
      'seen=yes',
    ]);
    await fetchPage(`${outlet.url}/leave`);
    expect(other.requests.map(({ headers }) => headers.cookie)).toEqual([undefined]);
  });
});

describe('headers of a source', () => {
  it('given a secret from the environment, then it is sent only to the origin of the source', async () => {
    const other = await startOutlet((_request, response) => response.end('other'));
    const outlet = await startOutlet((request, response) =>
      response.writeHead(302, { location: request.url === '/a' ? '/b' : other.url }).end(),
    );
    closing.push(outlet.close, other.close);
    const secrets = (name: string) => ({ SOURCE_MINT: 'hunter2' })[name];
    const headers = { Authorization: `Bearer \${SOURCE_MINT}`, 'User-Agent': 'Reader' };
    await fetcher({ secrets })(`${outlet.url}/a`, { headers });
    expect(outlet.requests.map(({ headers }) => [headers.authorization, headers['user-agent']])).toEqual([
      ['Bearer hunter2', 'Reader'],
      ['Bearer hunter2', 'Reader'],
    ]);
    expect(other.requests[0]?.headers).toMatchObject({ 'user-agent': 'Test' });
    expect(other.requests[0]?.headers.authorization).toBeUndefined();
  });

  it('given a secret that is not set, then no request is sent and the error names the setting', async () => {
    const outlet = await startOutlet((_request, response) => response.end('x'));
    closing.push(outlet.close);
    await expect(fetcher()(outlet.url, { headers: { 'X-Api-Key': `\${SOURCE_NONE}` } })).rejects.toMatchObject({
      code: 'missing_secret',
      message: expect.stringContaining('SOURCE_NONE'),
    });
    expect(outlet.requests).toEqual([]);
  });
});

describe('HTTP/2', () => {
  const { key, certificate } = selfSigned();
  beforeAll(() => setDefaultCACertificates([...rootCertificates, certificate]));
  afterAll(() => setDefaultCACertificates([...rootCertificates]));

  it('given a server that supports only HTTP/2, then HTTP/2 is used', async () => {
    const versions: string[] = [];
    const server = createSecureServer({ key, cert: certificate, allowHTTP1: false }, (request, response) => {
      versions.push(request.httpVersion);
      response.setHeader('etag', '"h2"');
      response.end('over two');
    });
    const port = await listening(server);
    const page = await fetcher()(`https://127.0.0.1:${port}/feed`);
    expect([page.status, page.headers.etag, page.body.toString()]).toEqual([200, '"h2"', 'over two']);
    expect(versions).toEqual(['2.0']);
  });

  it('given a forbidden address, then no HTTP/2 connection is made to it', async () => {
    let connections = 0;
    const server = createSecureServer({ key, cert: certificate });
    server.on('connection', () => {
      connections += 1;
    });
    const port = await listening(server);
    const guarded = fetcher({ allowAddress: createAddressRule(() => false) });
    await expect(guarded(`https://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'address_refused' });
    expect(connections).toBe(0);
  });

  it('given a server with broken HTTP/2, then HTTP/1.1 is used', async () => {
    const server = createSecureServer({ key, cert: certificate, allowHTTP1: true }, (request, response) => {
      if (request.httpVersion === '2.0') request.stream.session?.destroy();
      else response.end('over one');
    });
    server.on('stream', (stream) => stream.on('error', () => undefined));
    const port = await listening(server);
    const page = await fetcher({ timeoutMs: 10_000 })(`https://127.0.0.1:${port}/feed`);
    expect(page.body.toString()).toBe('over one');
  });

  it('given an endless body over HTTP/2, then it is cut off at the limit', async () => {
    const server = createSecureServer({ key, cert: certificate }, (_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', more).on('error', () => undefined);
      more();
    });
    const port = await listening(server);
    await expect(fetcher({ maximumBytes: 1_048_576 })(`https://127.0.0.1:${port}/`)).rejects.toMatchObject({
      code: 'too_large',
    });
  });
});
