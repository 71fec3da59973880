/** The layout of every page, the page of an error, and the static files: one style sheet, the scripts, the icon. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { html } from 'hono/html';
import type { ErrorAnswer } from '../presentation/http/error-answers.ts';
import { type Markup, renderMarkup } from '../presentation/markup.ts';

import { parametersOfFilter, type SignalQuery } from '../schemas/signal-filter.ts';
import { CARD_SIZE } from './cards/draw.ts';
import { cardOfPath, cardPath } from './cards/subjects.ts';
import { indiaPicture } from './map.ts';
import { excerpt, notice } from './parts.ts';
import type { Frame } from './site.ts';

const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');
const STYLES = ['tokens', 'base', 'ledger', 'signal', 'parts', 'tables', 'charts', 'forms', 'people', 'print'];

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly text: string;
  readonly version: string;
}

const asset = (path: string, type: string, text: string): Asset => ({
  path,
  type,
  text,
  version: createHash('sha256').update(text).digest('hex').slice(0, 10),
});

/** Removes comments and blanks from a style sheet. */
const minified = (css: string): string =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};]) ?/g, '$1')
    .replace(/;}/g, '}');

const style = asset('/site.css', 'text/css', minified(STYLES.map((name) => read(`styles/${name}.css`)).join('\n')));
const script = asset(
  '/site.js',
  'text/javascript',
  ['site', 'suggest', 'send', 'keys'].map((name) => `{${read(`${name}.js`)}}`).join('\n'),
);
const askScript = asset('/ask.js', 'text/javascript', read('ask.js'));
const mapScript = asset('/map.js', 'text/javascript', read('map.js'));
const reviewScript = asset('/review.js', 'text/javascript', read('review.js'));
const india = asset('/india.svg', 'image/svg+xml', indiaPicture());
export const ICON = read('favicon.svg');

/** The address changes with the content, so that browsers may cache it forever. */
const addressOf = ({ path, version }: Asset): string => `${path}?v=${version}`;

/** Addresses of the scripts of single pages: those with questions, the map, the review desk. */
export const ASK_SCRIPT = addressOf(askScript);
export const MAP_SCRIPT = addressOf(mapScript);
export const REVIEW_SCRIPT = addressOf(reviewScript);
/** Address of the outline of India, which small maps share. */
export const INDIA_PICTURE = addressOf(india);

/** Serves the static files. */
export function registerAssets(server: FastifyInstance): void {
  for (const { path, type, text, version } of [style, script, askScript, mapScript, reviewScript, india])
    server.get<{ Querystring: { v?: unknown } }>(path, async (request, reply) => {
      // Only the current version may be cached: this process does not have the text of others.
      const kept = request.query.v === version;
      reply.header('cache-control', kept ? 'public, max-age=31536000, immutable' : 'no-cache');
      return reply.type(`${type}; charset=utf-8`).send(text);
    });
  server.get('/favicon.svg', async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').type('image/svg+xml; charset=utf-8').send(ICON),
  );
}

/**
 * What an entry of the navigation is: a section of the record, a page that belongs to the reader, or a page that only
 * the menu and the footer name.
 */
type NavigationPlace = 'sections' | 'personal' | 'footer';

interface NavigationEntry {
  readonly path: string;
  readonly name: string;
  readonly place: NavigationPlace;
}

const NAVIGATION: readonly NavigationEntry[] = [
  { path: '/', name: 'Feed', place: 'sections' },
  { path: '/brief', name: 'Brief', place: 'sections' },
  { path: '/ask', name: 'Ask', place: 'sections' },
  { path: '/watch', name: 'Watch', place: 'sections' },
  { path: '/map', name: 'Map', place: 'sections' },
  { path: '/results', name: 'Results', place: 'sections' },
  { path: '/people', name: 'People', place: 'sections' },
  { path: '/tables', name: 'Tables', place: 'sections' },
  { path: '/index', name: 'Index', place: 'sections' },
  { path: '/sources', name: 'Sources', place: 'sections' },
  { path: '/developers', name: 'Developers', place: 'sections' },
  { path: '/my-brands', name: 'My brands', place: 'personal' },
  { path: '/keys', name: 'Keys', place: 'personal' },
  { path: '/account', name: 'Account', place: 'personal' },
  { path: '/research', name: 'Briefings', place: 'footer' },
  { path: '/quality', name: 'Quality', place: 'footer' },
  { path: '/corrections', name: 'Corrections', place: 'footer' },
  { path: '/plans', name: 'Plans', place: 'footer' },
  { path: '/developers/changelog', name: 'Changes', place: 'footer' },
  { path: '/about', name: 'About', place: 'footer' },
  { path: '/contact', name: 'Contact', place: 'footer' },
  { path: '/privacy', name: 'Privacy', place: 'footer' },
  { path: '/terms', name: 'Terms', place: 'footer' },
];

/** The entries of one place, in order. */
export const entriesOf = (place: NavigationPlace): readonly NavigationEntry[] =>
  NAVIGATION.filter((entry) => entry.place === place);

/** Meta elements that name the picture of a page, for sites where its address is shared. @param path of the picture */
const cardHead = (baseUrl: string, path: string, alt: string): Markup =>
  html`<meta property="og:image" content="${baseUrl}${path}">
    <meta property="og:image:type" content="image/png">
    <meta property="og:image:width" content="${CARD_SIZE.width}">
    <meta property="og:image:height" content="${CARD_SIZE.height}">
    <meta property="og:image:alt" content="${alt}">
    <meta name="twitter:card" content="summary_large_image">`;

/** What a page gives to the frame. */
export interface Page {
  /** Without the name of the site; the home page has none. */
  readonly title?: string;
  readonly description: string;
  /** Canonical path; unset for a page without one, such as an error or a page of one reader. */
  readonly path?: string | undefined;
  readonly body: Markup;
  /** The entry of the navigation that the page belongs to, where its path does not say so. */
  readonly section?: string;
  /** More elements of the head. */
  readonly head?: Markup;
  readonly type?: 'website' | 'article';
  /** Path of the picture shown where the address is shared; by default that of the section. */
  readonly card?: string;
  /** The filters of the feed that the search of the bar keeps, with the words that were searched for. */
  readonly search?: SignalQuery;
  /** Seconds after which the browser reloads the page. */
  readonly refreshAfter?: number;
}

/** The picture, for pages with a canonical address. */
const sharingHead = ({ baseUrl }: Frame, { path, card }: Page, title: string): Markup | null =>
  path === undefined ? null : cardHead(baseUrl, card ?? cardPath('page', cardOfPath(path)), title);

const DEMO_NOTE = html`<aside class="demo-note" aria-label="Demonstration">
<strong>Demonstration:</strong> real brands, invented outlets and news.
</aside>`;

/** The value of `aria-current`: `page` for the page itself, `true` for a page below it, such as /developers/changelog. */
const currentMark = (shown: string | undefined, path: string): 'page' | 'true' | null => {
  if (shown === path) return 'page';
  return path !== '/' && shown?.startsWith(`${path}/`) ? 'true' : null;
};

const links = (page: Page, entries: readonly NavigationEntry[]): Markup[] => {
  const shown = page.section ?? page.path?.split('?', 1)[0];
  return entries.map(({ path, name }) => {
    const current = currentMark(shown, path);
    return html`<a href="${path}"${current ? html` aria-current="${current}"` : null}>${name}</a> `;
  });
};

const canonical = (site: Frame, page: Page): Markup =>
  page.path === undefined
    ? html`<meta name="robots" content="noindex">`
    : html`<link rel="canonical" href="${site.baseUrl}${page.path}">
    <meta property="og:url" content="${site.baseUrl}${page.path}">`;

const LENS = html`<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false"><path d="M10.5 10.5 15 15M12 6.5a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0Z" fill="none" stroke="currentColor" stroke-width="2"></path></svg>`;

/** The search of the bar. It keeps the filters that are set. */
const searchForm = (
  search: SignalQuery | undefined,
): Markup => html`<form class="find" action="/" method="get" role="search" aria-label="Signals">
  ${search && parametersOfFilter(search).map(([name, value]) => (['q', 'sort', 'cursor'].includes(name) ? null : html`<input type="hidden" name="${name}" value="${value}">`))}
  <input type="search" name="q" value="${search?.words ?? ''}" maxlength="200" aria-label="Search the record" placeholder="Search brands, cities, people">
  <button type="submit" aria-label="Search">${LENS}</button>
</form>`;

/** The tab that a reader who is signed in starts with. */
const HOME = '/my-brands';

/** The entries of the row of sections and of the row beside it. */
function rowsFor(isSignedIn: boolean): { sections: readonly NavigationEntry[]; personal: readonly NavigationEntry[] } {
  const [sections, personal] = [entriesOf('sections'), entriesOf('personal')];
  if (!isSignedIn) return { sections, personal };
  const isHome = ({ path }: NavigationEntry): boolean => path === HOME;
  return {
    sections: [...personal.filter(isHome), ...sections],
    personal: personal.filter((entry) => !isHome(entry)),
  };
}

/** The bar at the top of every page. The menu names every page: a narrow window has no room for the row of sections. */
const bar = (page: Page, isSignedIn: boolean): Markup => {
  const { sections, personal } = rowsFor(isSignedIn);
  return html`<header class="bar">
  <a class="nameplate" href="${isSignedIn ? HOME : '/'}">Clarity</a>
  <nav class="sections" aria-label="Sections">${links(page, sections)}</nav>
  ${searchForm(page.search)}
  <nav class="personal" aria-label="Your own">${links(page, personal)}</nav>
  <details class="menu"><summary>Menu</summary>
    <nav aria-label="All pages"><b>The record</b>${links(page, sections)}<b>Yours</b>${links(page, personal)}<b>The service</b>${links(page, entriesOf('footer'))}</nav></details>
</header>`;
};

/** Renders the whole document. @param reader who is signed in */
export function layout(site: Frame, page: Page, reader: unknown = null): Promise<string> {
  const title = page.title === undefined ? 'Clarity · Indian retail, on the record' : `${page.title} · Clarity`;
  return renderMarkup(html`<!doctype html>
<html lang="en-IN">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <meta name="description" content="${page.description}">
    ${canonical(site, page)}
    <meta property="og:site_name" content="Clarity">
    <meta property="og:type" content="${page.type ?? 'website'}">
    <meta property="og:title" content="${title}">
    <meta property="og:description" content="${page.description}">
    <meta property="og:locale" content="en_IN">
    ${sharingHead(site, page, title)}
    ${page.refreshAfter ? html`<meta http-equiv="refresh" content="${page.refreshAfter}">` : null}
    <link rel="icon" href="/favicon.svg" type="image/svg+xml">
    <link rel="manifest" href="/manifest.webmanifest">
    <link rel="search" href="/opensearch.xml" type="application/opensearchdescription+xml" title="Clarity">
    <link rel="stylesheet" href="${addressOf(style)}">
    <script src="${addressOf(script)}" type="module"></script>
    ${page.head ?? null}
  </head>
  <body>
    <a class="skip" href="#main">Skip to the record</a>
    ${bar(page, reader !== null)}
    ${site.demo ? DEMO_NOTE : null}
    <main id="main" tabindex="-1">${page.body}</main>
    <footer>
      ${page.path === undefined ? null : html`<p class="on-paper">${site.baseUrl}${page.path}</p>`}
      <p>Indian retail, on the record: each entry is dated, names its source and keeps its address. Times are Indian Standard Time.</p>
      <nav aria-label="More">${links(page, NAVIGATION)}</nav>
    </footer>
  </body>
</html>
`);
}

/** Sends a page. Browsers cache it but revalidate each time, which the ETag makes cheap. */
export const sendPage = (reply: FastifyReply, page: string): FastifyReply => {
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-cache');
  return reply.type('text/html; charset=utf-8').send(page);
};

/** Renders a page and sends it. */
export const showPage = async (reply: FastifyReply, site: Frame, page: Page): Promise<FastifyReply> =>
  sendPage(reply, await layout(site, page, reply.request.reader));

/** What happened, and what to do. */
function wordsOf(status: number): readonly [heading: string, advice: string] {
  if (status === 404)
    return [
      'Not in the record',
      'It may never have existed, or was withdrawn. Retired addresses redirect. Search for its name instead:',
    ];
  if (status === 429) return ['Too many requests', 'You reached a limit. Try again later.'];
  if (status === 401 || status === 403) return ['Access denied', 'Sign in, or use another account.'];
  if (status === 503) return ['Temporarily unavailable', 'Try again in a few seconds.'];
  if (status >= 500) return ['The service failed', 'Try again in a moment.'];
  return ['Invalid request', 'This page cannot handle the request.'];
}

/** The search of the record: who follows a dead link knows a name. */
const SEARCH = html`<form class="row" action="/" method="get" role="search" aria-label="The record"><div class="field"><label for="sought">Name or words</label><input type="search" id="sought" name="q" maxlength="200"></div><button type="submit">Search</button></form>`;

/** Renders an error with links to other pages, and the request id to quote. */
export function renderError(site: Frame, { status, message, requestId }: ErrorAnswer): Promise<string> {
  const [heading, advice] = wordsOf(status);
  // The message of an error of the service helps no reader.
  const helps = status < 500 || status === 503;
  const body = html`<p>${advice}</p>
    ${status === 404 ? SEARCH : null}
    ${helps ? html`<p class="said">${excerpt(message, 600)}</p>` : null}
    <p>Or read <a href="/">the newest entries</a>, today's <a href="/brief">brief</a>, or <a href="/index">the index</a> of every name.</p>
    <p class="request-id">Request <code>${requestId}</code></p>`;
  return layout(site, { title: heading, description: heading, body: notice(`Error ${status}`, heading, body) });
}
