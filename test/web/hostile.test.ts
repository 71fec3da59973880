import fc from 'fast-check';
import { html } from 'hono/html';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataBlock } from '../../web/json-ld.ts';
import { safeLink } from '../../web/links.ts';
import { clip, neutralise } from '../../web/text.ts';
import { type Serving, serving } from '../api/serving.ts';
import { detected, report, reported, revised, understanding } from '../projector/signal-events.ts';

const SCRIPT = '"><script>alert(1)</script><img src=x onerror=alert(2)>';
const TURNED = 'Kiri \u202Eevil\u2066 foods\u200B';
const LONG = 'W'.repeat(10_000);

let site: Serving;
beforeAll(async () => {
  site = await serving({ models: ['brands', 'themes'] });
  const hostile = understanding({
    headline: `${SCRIPT} ${TURNED}`,
    summary: `${SCRIPT} </title> ${LONG}`,
    deck: LONG,
    delta: SCRIPT,
    kind: SCRIPT,
    key_facts: [SCRIPT, LONG],
    cities: [SCRIPT, LONG],
    theme: { slug: 'expansion', name: SCRIPT },
    brands: [{ slug: 'kiri-foods', name: `${SCRIPT}${LONG}`, role: 'primary', provisional: true }],
  });
  await site.tell(
    detected('hostile', { understanding: hostile, report: report('hostile', { outlet: SCRIPT, title: SCRIPT }) }),
    reported('hostile', report('again', { outlet: LONG, title: LONG })),
    ...Array.from({ length: 30 }, (_, n) => detected(`copy-${n}`, { understanding: hostile })),
    revised('hostile', 1, hostile),
  );
});
afterAll(() => site.close());

describe('pages that show hostile text', () => {
  it.each(['/', '/signal/slug-hostile', '/brand/kiri-foods', '/theme/expansion', '/?city=Pune%20'])(
    'given %s, then nothing of it is markup, nothing turns the text round, and the page stays light',
    async (url) => {
      const answer = await site.server.inject({ url, headers: { accept: 'text/html' } });
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(answer.body).not.toMatch(/<script>|<img|onerror=alert\(2\)>/);
      // Our own file and, on the page of a signal, its data block.
      expect(answer.body.match(/<script/g)).toHaveLength(url.startsWith('/signal/') ? 2 : 1);
      expect(answer.body).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/);
      expect(Buffer.byteLength(answer.body)).toBeLessThan(60_000);
    },
  );
});

describe('safeLink', () => {
  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'JaVaScRiPt:alert(1)',
    '//evil.test',
    'https://bank.test@evil.test/',
    '',
  ])('given %s, then there is no link', (url) => expect(safeLink(url)).toBeNull());
  it('given http or https, then it is a link', () => {
    expect(safeLink('https://outlet.test/a?b=1')).toBe('https://outlet.test/a?b=1');
    expect(safeLink('http://outlet.test/"><b>')).toBe('http://outlet.test/%22%3E%3Cb%3E');
  });
});

describe('text of strangers', () => {
  it('given any text in a data block, then it cannot end the block and reads back the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const block = dataBlock({ text: `${text}</script><!--` });
        expect(block).not.toMatch(/[<>&]/);
        expect(JSON.parse(block).text).toBe(`${text}</script><!--`);
      }),
    );
  });

  it('given any text, then clipping keeps to the length and to whole characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 2, max: 20 }), (text, most) => {
        const clipped = clip(text.toWellFormed(), most);
        expect(clipped.length).toBeLessThanOrEqual(most);
        expect(clipped.isWellFormed()).toBe(true);
      }),
    );
  });

  it('given Indic words with joiners, a rupee sign and an emoji, then they stay as they are', () => {
    const text = 'क्‍ष ₹230 Cr 🛍️ “Zudio” – పుస్తకం';
    expect(neutralise(text)).toBe(text);
    expect(String(html`${neutralise('a\u0000b\u202Ec\uFEFF')}`)).toBe('abc');
  });
});
