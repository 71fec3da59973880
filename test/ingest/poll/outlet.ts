/** An outlet on loopback whose responses a test sets, with a log of its requests. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Outlet {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly {
    readonly path: string;
    readonly headers: IncomingMessage['headers'];
    readonly at: number;
  }[];
  /** May be replaced while the outlet runs. */
  answer: RequestListener;
  /** Its robots.txt; by default none, which allows everything. */
  robots: RequestListener;
  close(): Promise<void>;
}

/** Starts an outlet; `answer` may be replaced while it runs. */
export async function startOutlet(answer: RequestListener): Promise<Outlet> {
  const requests: Outlet['requests'][number][] = [];
  const outlet = { answer, robots: ((_request, response) => response.writeHead(404).end()) as RequestListener };
  const server: Server = createServer((request, response) => {
    if (request.url === '/robots.txt') return outlet.robots(request, response);
    requests.push({ path: request.url ?? '', headers: request.headers, at: Date.now() });
    outlet.answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(outlet, {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

/** A feed in RSS 2.0 of these items; an item is XML inside `<item>`. */
export const rss = (...items: readonly string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>Outlet</title>${items
    .map((item) => `<item>${item}</item>`)
    .join('')}</channel></rss>`;
