import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalUrl } from '../../../../ingest/poll/normalise/read-items.ts';

describe('the canonical form of an address', () => {
  it.each([
    ['https://Example.IN:443/a?utm_source=rss&id=3&fbclid=x#top', 'https://example.in/a?id=3'],
    ['https://m.example.in/a', 'https://www.example.in/a'],
    ['https://m.example.co.in/a', 'https://www.example.co.in/a'],
    ['https://m.retail.example.com/a', 'https://retail.example.com/a'],
    ['https://www.example.in/story/amp', 'https://www.example.in/story'],
    ['https://www.example.in/story/amp/', 'https://www.example.in/story/'],
    ['https://www.example.in/amp/story', 'https://www.example.in/story'],
    ['https://www.example.in/story.amp.html', 'https://www.example.in/story.html'],
    ['https://www.google.com/amp/s/www.example.in/story/amp/', 'https://www.example.in/story/'],
    ['https://www-example-in.cdn.ampproject.org/c/s/www.example.in/story', 'https://www.example.in/story'],
    [
      'https://www.bing.com/news/apiclick.aspx?ref=FexRss&aid=&tid=1&url=https%3a%2f%2fexample.in%2fa%3fb%3d1&c=1&mkt=en-in',
      'https://example.in/a?b=1',
    ],
    ['https://www.google.com/url?q=https://example.in/a%3Fb%3D1', 'https://example.in/a?b=1'],
    ['https://example.in/a?b=2&a=1&from=rss', 'https://example.in/a?a=1&b=2'],
    ['https://example.in/a?from=2026', 'https://example.in/a?from=2026'],
    ['https://user:secret@example.in/a', 'https://example.in/a'],
    [' /a/b ', 'https://outlet.example.in/a/b'],
    ['//cdn.example.in/a', 'https://cdn.example.in/a'],
    ['https://example.in/amphitheatre', 'https://example.in/amphitheatre'],
  ])('given %s, then it is %s', (address, canonical) => {
    expect(canonicalUrl(address, 'https://outlet.example.in/feed')).toBe(canonical);
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'mailto:a@b.in',
    'http://',
    `https://a.in/${'x'.repeat(3000)}`,
  ])('given %s, then there is none', (address) => expect(canonicalUrl(address)).toBeNull());

  const part = fc.oneof(fc.constantFrom('amp', 'story', 'amp.html', 'AMP', 'a.amp'), fc.webSegment());
  const host = fc
    .tuple(fc.constantFrom('', 'm.', 'amp.', 'www.', 'mobile.', 'www.m.', 'm.amp.'), fc.domain())
    .map((labels) => labels.join(''));
  const query = fc.array(
    fc.tuple(
      fc.constantFrom('id', 'p', 'utm_medium', 'ref', 'a', 'amp'),
      fc.oneof(fc.constantFrom('rss', 'amp', '1'), fc.webSegment()),
    ),
    { maxLength: 5 },
  );
  const address = fc
    .tuple(fc.constantFrom('http', 'https'), host, fc.array(part, { maxLength: 5 }), query)
    .map(
      ([scheme, name, path, pairs]) =>
        `${scheme}://${name}/${path.join('/')}?${pairs.map((pair) => pair.join('=')).join('&')}`,
    );

  it('given a canonical address, then it is unchanged', () => {
    fc.assert(
      fc.property(address, (written) => {
        const once = canonicalUrl(written);
        expect(once).not.toBeNull();
        expect(canonicalUrl(once ?? '')).toBe(once);
      }),
    );
  });

  it('given tracking parameters, a fragment or another parameter order, then the result is the same', () => {
    fc.assert(
      fc.property(
        fc.domain(),
        fc
          .uniqueArray(fc.constantFrom('id', 'p', 'page', 'story'), { minLength: 1 })
          .chain((names) => fc.tuple(fc.constant(names), fc.shuffledSubarray(names, { minLength: names.length }))),
        (name, [one, other]) => {
          const plain = canonicalUrl(`https://${name}/a?${one.map((key) => `${key}=1`).join('&')}`);
          expect(
            canonicalUrl(`https://${name}/a?utm_campaign=x&${other.map((key) => `${key}=1`).join('&')}&gclid=2#c`),
          ).toBe(plain);
        },
      ),
    );
  });
});
