import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createFetchPage } from '../../../../ingest/poll/fetch/fetch-page.ts';
import { certificate as selfSigned } from '../../../harness/certificate.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function listening(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  );
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('an outlet with an untrusted certificate', () => {
  const fetchPage = createFetchPage({ allowAddress: () => true, userAgent: 'Test', timeoutMs: 500 });
  const { key, certificate } = selfSigned();
  it.each([
    [
      'signed by itself',
      () => createSecureServer({ key, cert: certificate }, (_, response) => response.end('x')),
      'tls',
    ],
    [
      'no TLS at all',
      () => createServer((socket) => void socket.on('error', () => undefined).end('HTTP/1.1 200 OK\r\n\r\n')),
      'tls',
    ],
    ['a handshake that hangs', () => createServer((socket) => void socket.on('error', () => undefined)), 'timeout'],
  ] as const)('%s', async (_name, server, code) => {
    const url = await listening(server());
    const failed = fetchPage({ url, signal: new AbortController().signal });
    await expect(failed).rejects.toMatchObject({ name: 'PollError', code });
  });

  it.each(['before', 'during'])(
    'given an abort %s a handshake that hangs, then the fetch ends with it',
    async (when) => {
      const stop = new AbortController();
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        stop.abort(new Error('stopped'));
      });
      const url = await listening(server);
      // The handshake never ends, and the time limit is an hour: only the abort can end the fetch.
      const fetchPage = createFetchPage({ allowAddress: () => true, userAgent: 'Test', timeoutMs: 3_600_000 });
      const waiting = fetchPage({ url, signal: stop.signal });
      if (when === 'before') stop.abort(new Error('stopped'));
      await expect(waiting).rejects.toThrow('stopped');
    },
  );
});
