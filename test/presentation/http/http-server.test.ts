/** Clients that are slow on purpose, on real sockets. Addresses of 127.0.0.0/8 are other clients to the server. */
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildServer } from '../../../api/server.ts';
import type { ConnectionLimits } from '../../../presentation/http/http-server.ts';
import { BASE_URL, type Serving, serving } from '../../api/serving.ts';
import { openAccess } from '../../harness/open-access.ts';
import { detected, understanding } from '../../projector/signal-events.ts';

const SLOW = '127.0.0.2';
const OTHER = '127.0.0.3';
/** More than the kernel buffers of both sides can hold. */
const LARGE = Buffer.alloc(16 * 1_048_576, 'x');

let site: Serving;
const opened: { server: FastifyInstance; sockets: Socket[] }[] = [];
beforeAll(async () => {
  site = await serving({ models: ['brands', 'names', 'search', 'sessions'] });
  await site.append(detected('seed', { understanding: understanding({}) }));
});
afterEach(async () => {
  for (const { server, sockets } of opened.splice(0)) {
    for (const socket of sockets) socket.destroy();
    await server.close();
  }
});
afterAll(() => site.close());

/** A server on its own port. @param connections limits that differ from the defaults */
async function open(connections: Partial<ConnectionLimits> = {}, trustProxy?: string) {
  const { database, store, clock } = site.engine;
  const server = await buildServer({
    database,
    store,
    now: clock,
    access: openAccess(),
    connections,
    configuration: { BASE_URL, TRUST_PROXY: trustProxy },
    capacity: { maximum: 2_048, maximumLate: 32, wait: 0 },
    surfaces: [
      async (own) => {
        own.get('/large', async (_request, reply) => reply.type('application/octet-stream').send(LARGE));
      },
    ],
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const sockets: Socket[] = [];
  opened.push({ server, sockets });
  return {
    /** Connects and sends these bytes. */
    async send(bytes: string, from = SLOW): Promise<Socket> {
      const socket = connect({ host: '127.0.0.1', port, localAddress: from });
      sockets.push(socket);
      // Most of these tests expect the server to close the connection.
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      if (bytes !== '') socket.write(bytes);
      return socket;
    },
    /** A call of a well-behaved client. @returns its status */
    async call(method: 'GET' | 'POST', path: string, body?: object, from = OTHER): Promise<number> {
      const agent = new Agent({ localAddress: from, keepAlive: false });
      const call = request({ host: '127.0.0.1', port, method, path, agent });
      if (body) call.setHeader('content-type', 'application/json');
      call.end(body && JSON.stringify(body));
      const [answer] = await once(call, 'response');
      answer.resume();
      await once(answer, 'end');
      return answer.statusCode;
    },
  };
}

/** Everything that the server sends until it closes. */
async function untilClosed(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  if (!socket.destroyed) await once(socket, 'close');
  return text;
}

const NO_END_OF_HEADERS = 'POST /api/v1/ask HTTP/1.1\r\nHost: clarity.test\r\nX-Slow: ';
const ONE_BYTE = `POST /api/v1/ask HTTP/1.1\r\nHost: clarity.test\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
const DRIP = `POST /api/v1/ask HTTP/1.1\r\nHost: clarity.test\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
const READS_LARGE = 'GET /large HTTP/1.1\r\nHost: clarity.test\r\n\r\n';

describe('200 slow sockets', () => {
  it('given 50 of each kind from one address, then every call from other addresses is answered', async () => {
    const { send, call } = await open();
    const drips: Socket[] = [];
    for (let n = 0; n < 50; n++) {
      await send(NO_END_OF_HEADERS);
      await send(ONE_BYTE);
      drips.push(await send(DRIP));
      (await send(READS_LARGE)).pause();
    }
    const ask = { messages: [{ role: 'user', content: 'What did Kiri Foods open?' }] };
    for (let round = 0; round < 20; round++) {
      for (const socket of drips) socket.write('1\r\n \r\n');
      expect(await call('GET', '/api/v1/signals')).toBe(200);
      expect(await call('POST', '/api/v1/ask', ask)).toBe(200);
    }
  });
});

describe('timeouts for slow clients', () => {
  it.each([
    ['headers that do not end', NO_END_OF_HEADERS],
    ['a body of which one byte comes', ONE_BYTE],
    ['a body in pieces that does not end', `${DRIP}1\r\n{\r\n`],
  ])('given %s, when its timeout expires, then 408 and the connection is closed', async (_kind, bytes) => {
    const { send } = await open({ headers: 300, request: 300 });
    const text = await untilClosed(await send(bytes));
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toContain('"error":"invalid_request"');
  });

  it('given a response that is not read, when its timeout expires, then the connection is closed', async () => {
    const { send } = await open({ idle: 300 });
    const socket = await send(READS_LARGE);
    socket.pause();
    await once(opened[0]?.server.server as never, 'timeout');
    socket.resume();
    expect((await untilClosed(socket)).length).toBeLessThan(LARGE.length);
  });

  it('given two Host headers, then the request is refused', async () => {
    const { send } = await open();
    const twice = 'GET /api/v1/signals HTTP/1.1\r\nHost: clarity.test\r\nHost: other.test\r\nConnection: close\r\n\r\n';
    expect(await untilClosed(await send(twice))).toMatch(/^HTTP\/1\.1 400 [\s\S]*more than one Host header/);
  });

  it('given an idle connection, when its timeout expires, then it is closed', async () => {
    const { send } = await open({ idle: 300 });
    expect(await untilClosed(await send(''))).toBe('');
  });

  it('given the maximum of connections from one address, then one more is refused, and other addresses are not', async () => {
    const { send, call } = await open({ perClient: 3 });
    const mine = [await send(''), await send(''), await send('')];
    const refused = await untilClosed(await send(''));
    expect(refused).toMatch(/^HTTP\/1\.1 503 [\s\S]*"error":"unavailable"/);
    for (const header of ['X-Request-ID', 'Retry-After', 'x-rate-limit-remaining'])
      expect(refused).toContain(`\r\n${header}: `);
    expect(await call('GET', '/api/v1/signals', undefined, OTHER)).toBe(200);
    mine[0]?.destroy();
    await once(mine[0] as Socket, 'close');
    await expect.poll(() => call('GET', '/api/v1/signals', undefined, SLOW)).toBe(200);
  });

  it('given a trusted proxy, then its connections are not limited', async () => {
    const { send, call } = await open({ perClient: 1 }, '1');
    await send('');
    expect(await call('GET', '/api/v1/signals', undefined, SLOW)).toBe(200);
  });
});
