/** The port for machines that watch: `/metrics`, `/livez`, `/readyz`. Never the port of readers. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** By path. */
export type Answers = Readonly<Record<string, () => Promise<Answer>>>;

const plain = (status: number, body: string): Answer => ({ status, type: 'text/plain; charset=utf-8', body });

function serverOf(answers: Answers): Server {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const reads = request.method === 'GET' || request.method === 'HEAD';
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined;
    const found = !reads
      ? Promise.resolve(plain(405, 'only GET\n'))
      : (answer?.() ?? Promise.resolve(plain(404, `there are ${Object.keys(answers).join(', ')}\n`)));
    // What fails here tells a stranger nothing.
    void found
      .catch(() => plain(500, 'failed\n'))
      .then(({ status, type, body }) => {
        response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
        response.end(request.method === 'HEAD' ? undefined : body);
      });
  });
  server.requestTimeout = 10_000;
  // It answers as long as the process lives, and never keeps it alive.
  server.unref();
  return server;
}

async function listening(answers: Answers, host: string, port: number): Promise<Server> {
  const server = serverOf(answers);
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

/**
 * Listens on the port, else on any free one, else not at all: watching must never stop what is watched.
 * @param port 0 for any
 * @returns the port, with what was in the way; the port is null when there is none
 */
export async function openObservedServer(
  answers: Answers,
  host: string,
  port: number,
): Promise<{ port: number | null; hindrance: unknown; close(): Promise<void> }> {
  let hindrance: unknown = null;
  for (const wanted of new Set([port, 0])) {
    try {
      const server = await listening(answers, host, wanted);
      const close = async (): Promise<void> => {
        server.close();
        server.closeAllConnections();
      };
      return { port: (server.address() as AddressInfo).port, hindrance, close };
    } catch (error) {
      hindrance = error;
    }
  }
  return { port: null, hindrance, close: async () => undefined };
}
