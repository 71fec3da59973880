/** Outlets for tests: RSS feeds on loopback whose items the test publishes round by round. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Published {
  readonly guid: string;
  readonly title: string;
  readonly summary: string;
  readonly published: Date;
}

export interface Outlets {
  readonly url: string;
  /** Adds items to an outlet's feed, newest on top. */
  publish(outlet: string, ...items: Published[]): void;
  /** Roster text of all outlets, in YAML. */
  roster(): string;
  /** The number of requests to the feed of each outlet. */
  readonly requests: Map<string, number>;
  close(): Promise<void>;
}

const escapeXml = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

/** @param names outlets in roster order; the first has the highest authority */
export async function startOutlets(names: readonly string[], cadenceSeconds = 1): Promise<Outlets> {
  const feeds = new Map<string, Published[]>(names.map((name) => [name, []]));
  const requests = new Map<string, number>();
  const server = createServer((request, response) => {
    const outlet = decodeURIComponent(request.url ?? '').slice(1);
    const items = feeds.get(outlet);
    requests.set(outlet, (requests.get(outlet) ?? 0) + 1);
    if (!items) return void response.writeHead(404).end();
    response
      .writeHead(200, { 'content-type': 'application/rss+xml; charset=utf-8' })
      .end(
        `<?xml version="1.0"?><rss version="2.0"><channel><title>${outlet}</title>${items
          .map(
            ({ guid, title, summary, published }) =>
              `<item><guid isPermaLink="false">${guid}</guid><title>${escapeXml(title)}</title>` +
              `<link>https://papers.example/${outlet}/${guid}</link><description>${escapeXml(summary)}</description>` +
              `<pubDate>${published.toUTCString()}</pubDate></item>`,
          )
          .join('')}</channel></rss>`,
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    publish: (outlet, ...items) => void feeds.get(outlet)?.unshift(...items),
    roster: () =>
      `sources:\n${names
        .map(
          (name, index) =>
            `  - id: ${name}\n    outlet: ${name}\n    url: ${url}/${name}\n    kind: rss\n` +
            `    cadence_seconds: ${cadenceSeconds}\n    authority: ${(0.9 - index * 0.05).toFixed(2)}\n`,
        )
        .join('')}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
