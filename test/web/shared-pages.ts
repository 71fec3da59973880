/** What pages contain for link previews; checked on a site that is filled already. */

import { load } from 'cheerio';
import { describe, expect, it } from 'vitest';
import { BASE_URL, type Serving } from '../api/serving.ts';

/** Paths of every kind of page that has its own picture or entry. */
const SHARED = [
  '/',
  '/signal/slug-kiri-pune',
  '/signal/slug-hostile-0',
  '/brand/kiri-foods',
  '/theme/expansion',
].concat([
  '/city/pune',
  '/mall/hill-mall',
  '/group/food',
  '/brief',
  '/brief/2026-11-19',
  '/watch',
  '/map?mall=Hill+Mall',
  '/nothing-here',
]);

/** @param site filled by `fullRecord` and `appendHostileSignals` */
export function sharedPages(site: () => Serving): void {
  const get = (url: string, headers: Record<string, string> = {}) => site().server.inject({ url, headers });

  describe('GET /card/{subject}/{name}.png', () => {
    it('given every public page, also with hostile text, then it names a picture, and the picture exists', async () => {
      const shown = await Promise.all(
        SHARED.map(async (path) => {
          const $ = load((await get(path, { accept: 'text/html' })).body);
          return {
            path,
            card: $('meta[property="og:image"]').attr('content'),
            kind: $('[name="twitter:card"]').attr('content'),
          };
        }),
      );
      expect(shown.filter(({ card }) => card === undefined).map(({ path }) => path)).toEqual(['/nothing-here']);
      expect(new Set(shown.map(({ kind }) => kind))).toEqual(new Set([undefined, 'summary_large_image']));
      expect(shown.find(({ path }) => path === '/city/pune')?.card).toBe(`${BASE_URL}/card/city/pune.png`);
      for (const address of new Set(shown.flatMap(({ card }) => card ?? []))) {
        const answer = await get(new URL(address).pathname);
        expect([address, answer.statusCode, answer.headers['content-type']]).toEqual([address, 200, 'image/png']);
        expect(answer.rawPayload.subarray(1, 4).toString()).toBe('PNG');
      }
    });

    it('given a cached picture, then 304, and it may be cached for a day', async () => {
      const { headers } = await get('/card/signal/slug-kiri-pune.png');
      expect(headers['cache-control']).toMatch('public, max-age=86400');
      const again = await get('/card/signal/slug-kiri-pune.png', { 'if-none-match': String(headers.etag) });
      expect([again.statusCode, again.body]).toEqual([304, '']);
      expect(again.headers.etag).toBe(headers.etag);
    });

    it('given an id or an alternative name, then 301 to the picture of the page; given an unknown name, then 404', async () => {
      const moved = await get('/card/city/poona.png');
      expect([moved.statusCode, moved.headers.location]).toEqual([301, `${BASE_URL}/card/city/pune.png`]);
      const unknown = ['signal/none.png', 'brand/none.png', 'theme/a%00.png', 'city/none.png', 'group/none.png']
        .concat('page/constructor.png', 'page/clarity.jpg', 'other/clarity.png')
        .map((path) => get(`/card/${path}`));
      expect((await Promise.all(unknown)).map(({ statusCode }) => statusCode)).toEqual(unknown.map(() => 404));
    });
  });
}
