/** The frame of every page: head, masthead, footer. */
import { html } from 'hono/html';
import { STYLESHEET } from './assets.ts';
import { type Markup, rendered } from './markup.ts';
import type { Frame } from './site.ts';
import { istDay, longDay, timeTag } from './time.ts';

export interface Page {
  readonly title: string;
  readonly description: string;
  /** Path of the page under its canonical address; null for a page that has none, such as an error. */
  readonly path: string | null;
  readonly body: Markup;
  /** More elements of the head. */
  readonly head?: Markup;
  readonly type?: 'website' | 'article';
  /** Ask for the page again after so many seconds. */
  readonly refreshAfter?: number;
}

const DEMO_NOTE = html`<p class="demo-note" role="note">
<strong>Demonstration.</strong> The brands are real, the news is not: every outlet and report here is made up.
</p>`;

const SECTIONS = [
  ['/', 'The feed'],
  ['/sources', 'Sources'],
  ['/plans', 'API'],
] as const;

const here = (page: Page, path: string): Markup | null =>
  page.path?.split('?', 1)[0] === path ? html` aria-current="page"` : null;

const canonical = (site: Frame, page: Page): Markup =>
  page.path === null
    ? html`<meta name="robots" content="noindex">`
    : html`<link rel="canonical" href="${site.baseUrl}${page.path}">
    <meta property="og:url" content="${site.baseUrl}${page.path}">`;

/** The whole document as text. */
export const layout = (site: Frame, page: Page): Promise<string> => {
  const today = site.now();
  return rendered(html`<!doctype html>
<html lang="en-IN">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${page.title}</title>
    <meta name="description" content="${page.description}">
    ${canonical(site, page)}
    <meta property="og:site_name" content="Clarity">
    <meta property="og:type" content="${page.type ?? 'website'}">
    <meta property="og:title" content="${page.title}">
    <meta property="og:description" content="${page.description}">
    <meta property="og:locale" content="en_IN">
    <meta name="twitter:card" content="summary">
    ${page.refreshAfter ? html`<meta http-equiv="refresh" content="${page.refreshAfter}">` : null}
    <link rel="icon" href="/favicon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="${STYLESHEET}">
    ${page.head ?? null}
  </head>
  <body>
    <a class="skip" href="#main">Skip to the record</a>
    <header class="masthead">
      <p class="dateline">${timeTag(istDay(today), longDay(today))}<span>Indian retail, on the record</span></p>
      <p class="nameplate"><a href="/">Clarity</a></p>
      <nav aria-label="Sections">
        ${SECTIONS.map(([path, name]) => html`<a href="${path}"${here(page, path)}>${name}</a> `)}
      </nav>
    </header>
    ${site.demo ? DEMO_NOTE : null}
    <main id="main">${page.body}</main>
    <footer>
      <p>Each entry is dated, names its source and keeps its address. Times are Indian Standard Time.</p>
      <p><a href="/sources">How the sources are doing</a> · <a href="/plans">The same as an API</a></p>
    </footer>
  </body>
</html>
`);
};
