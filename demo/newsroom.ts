/** The demo newsroom: a web server of outlets that do not exist, whose news follow the clock. */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Source } from '../schemas/source.ts';
import { type AuthoredEvent, createDesk, type Desk } from './desk.ts';
import {
  type Document,
  type Edition,
  renderArticle,
  renderFront,
  renderListing,
  writeAtom,
  writeJsonFeed,
  writeRdf,
  writeRss,
  writeSitemap,
} from './feeds.ts';
import { OUTLETS, type Outlet, outletById } from './outlets.ts';

/** Longer than the cycle of authored events, so that the first poll takes every listed item on its own date. */
const BACKLOG_DAYS = 130;

/** The outlets as entries of a roster. @param url URL of the newsroom, without a trailing slash */
const listSources = (url: string): Source[] =>
  OUTLETS.map((outlet) =>
    Source.parse({
      id: `demo-${outlet.id}`,
      outlet: outlet.name,
      url: `${url}/${outlet.id}/${outlet.file}`,
      kind: outlet.kind,
      role: outlet.role,
      authority: outlet.authority,
      cadence_seconds: outlet.cadence,
      backlog_days: BACKLOG_DAYS,
      selectors: outlet.selectors,
    }),
  );

const FORMATS: Record<Outlet['format'], (edition: Edition) => Document | Promise<Document>> = {
  rss: writeRss,
  atom: writeAtom,
  rdf: writeRdf,
  json_feed: writeJsonFeed,
  sitemap: writeSitemap,
  listing: renderListing,
};

const writeFeed = async (edition: Edition): Promise<Document> => FORMATS[edition.outlet.format](edition);

type FoundDocument = { document: Document; changedAt: Date | null } | { movedTo: string } | null;

/** The items that an outlet lists at a moment. @param url URL of the newsroom, without a trailing slash */
function editionOf(desk: Desk, outlet: Outlet, url: string, now: Date): Edition {
  const entries = desk.listed(outlet.id, now);
  const changedAt = new Date(Math.max(0, ...entries.map((entry) => entry.updatedAt.getTime())));
  return { outlet, url, entries, changedAt };
}

/** Finds the document of a path at a moment. @returns null when there is none */
async function findDocument(desk: Desk, url: string, path: string, now: Date): Promise<FoundDocument> {
  if (path === '/') return { document: await renderFront(), changedAt: null };
  const [, id = '', file, key, ...rest] = path.split('/');
  const outlet = outletById.get(id);
  if (!outlet) return null;
  if (key === undefined && (file === undefined || file === outlet.file)) {
    const edition = editionOf(desk, outlet, url, now);
    const document = await (file === undefined ? renderListing(edition) : writeFeed(edition));
    return { document, changedAt: edition.changedAt };
  }
  if (file !== 'news' || key === undefined || rest.length > 1) return null;
  const found = desk.find(id, key, now);
  if (!found) return null;
  if (found.entry.path !== path) return { movedTo: `${url}${found.entry.path}` };
  const document = await renderArticle(url, outlet, found.entry, found.occurrence);
  return { document, changedAt: found.entry.updatedAt };
}

interface NewsroomOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Read on every request; default: the clock of the machine. */
  readonly clock?: () => Date;
  /** Default: the authored events. */
  readonly events?: readonly AuthoredEvent[];
}

export interface Newsroom {
  /** Without a trailing slash. */
  readonly url: string;
  /** The outlets as entries of a roster. */
  readonly sources: Source[];
  close(): Promise<void>;
}

/** Whether the client has the current document: by ETag, else by date. */
function isFresh(request: IncomingMessage, etag: string, changedAt: Date | null): boolean {
  const tags = request.headers['if-none-match'];
  if (tags !== undefined)
    return tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag || tag.trim() === '*');
  const since = Date.parse(request.headers['if-modified-since'] ?? '');
  return changedAt !== null && Math.floor(changedAt.getTime() / 1000) * 1000 <= since;
}

function send(request: IncomingMessage, response: ServerResponse, document: Document, changedAt: Date | null): void {
  const etag = `"${createHash('sha256').update(document.body).digest('base64url').slice(0, 22)}"`;
  response.setHeader('ETag', etag);
  response.setHeader('Cache-Control', 'no-cache');
  if (changedAt) response.setHeader('Last-Modified', changedAt.toUTCString());
  if (isFresh(request, etag, changedAt)) {
    response.writeHead(304).end();
    return;
  }
  response.writeHead(200, { 'Content-Type': document.type, 'Content-Length': document.body.length });
  response.end(request.method === 'HEAD' ? undefined : document.body);
}

const refuse = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
};

/** Starts the newsroom. @throws the error of `listen`, for example `EADDRINUSE` when the port is taken */
export async function startNewsroom(options: NewsroomOptions): Promise<Newsroom> {
  const { port, host = '127.0.0.1', clock = () => new Date(), events } = options;
  const desk = createDesk(events);
  let url = '';

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      return refuse(response, 405, 'only GET and HEAD');
    }
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const found = await findDocument(desk, url, path, clock());
    if (!found) return refuse(response, 404, 'the demo newsroom has no such page');
    if ('movedTo' in found) {
      response.setHeader('Location', found.movedTo);
      return refuse(response, 301, found.movedTo);
    }
    send(request, response, found.document, found.changedAt);
  };
  const server = createServer((request, response) => {
    // The newsroom has no log: a defect of the demo shows as status 500.
    answer(request, response).catch(() => {
      if (!response.headersSent) refuse(response, 500, 'the demo newsroom failed');
      else response.destroy();
    });
  });

  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  url = `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
  return {
    url,
    sources: listSources(url),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
