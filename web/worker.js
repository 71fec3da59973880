/** Keeps the public brief of the day, with its style sheet, and shows it where a page cannot be loaded. */
const KEPT = 'brief';
const HOUR = 3_600_000;

async function keep() {
  const cache = await caches.open(KEPT);
  const old = await cache.match('/brief');
  if (old && Date.now() - Date.parse(old.headers.get('date') ?? '') < HOUR) return;
  // Without the session: what is kept is the same for everybody who uses this browser.
  const page = await fetch('/brief', { credentials: 'omit' });
  if (!page.ok) return;
  const [, style] = /href="(\/site\.css[^"]*)"/.exec(await page.clone().text()) ?? [];
  if (style) await cache.add(style);
  await cache.put('/brief', page);
}

self.addEventListener('install', (event) => event.waitUntil(keep().catch(() => undefined)));
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const isPage = request.mode === 'navigate' && request.method === 'GET';
  if (!isPage && new URL(request.url).pathname !== '/site.css') return;
  event.respondWith(
    fetch(request).catch(async (error) => {
      const kept = await (await caches.open(KEPT)).match(isPage ? '/brief' : request);
      if (!kept) throw error;
      return kept;
    }),
  );
  if (isPage) event.waitUntil(keep().catch(() => undefined));
});
