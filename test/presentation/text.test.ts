import fc from 'fast-check';
import { html } from 'hono/html';
import { describe, expect, it } from 'vitest';
import { safeLink } from '../../presentation/markup.ts';
import { clip, neutralise } from '../../presentation/text.ts';

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

describe('untrusted text', () => {
  it('given any text, then clipping keeps to the length and to whole characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 2, max: 20 }), (text, most) => {
        const clipped = clip(text.toWellFormed(), most);
        expect(clipped.length).toBeLessThanOrEqual(most);
        expect(clipped.isWellFormed()).toBe(true);
      }),
    );
  });

  it('given Indic words with joiners, a rupee sign and an emoji, then they are unchanged', () => {
    const text = 'क्‍ष ₹230 Cr 🛍️ “Zudio” – పుస్తకం';
    expect(neutralise(text)).toBe(text);
    expect(String(html`${neutralise('a\u0000b\u202Ec\uFEFF')}`)).toBe('abc');
  });
});
