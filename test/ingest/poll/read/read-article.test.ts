import { describe, expect, it } from 'vitest';
import { readArticle } from '../../../../ingest/poll/read/read-article.ts';
import { processorTime } from '../../../harness/processor-time.ts';

const URL = 'https://www.a.in/x';
const TITLE = 'Zudio opens in Surat';
const OPENING = 'Trent has opened its fourteenth Zudio store in Surat, the company said.';
const read = (html: string) => readArticle(html, URL, TITLE);

describe('an article', () => {
  it.each([
    ['a meta tag', '<meta property="article:published_time" content="2026-11-20T10:00:00+05:30">'],
    [
      'JSON-LD',
      '<script type="application/ld+json">{"@graph":[{"@type":"NewsArticle","datePublished":"2026-11-20T10:00:00+05:30"}]}</script>',
    ],
    ['a time element', '<time datetime="2026-11-20T10:00:00+05:30">yesterday</time>'],
  ])('given %s, then its date is read', (_name, html) => {
    expect(read(html).dates).toEqual(['2026-11-20T10:00:00+05:30']);
  });

  it.each([
    ['https://m.a.in/story-x', 'https://m.a.in/story-x'],
    ['/story-x', 'https://www.a.in/story-x'],
    ['https://elsewhere.in/x', null],
    ['https://www.a.in/', null],
    ['javascript:alert(1)', null],
  ])('given the canonical address %s, then it is %s', (href, canonical) => {
    expect(read(`<link rel="canonical" href="${href}">`).canonical).toBe(canonical);
  });

  it.each([
    ['Open Graph', `<meta property="og:description" content="${OPENING}"><meta name="description" content="Less">`],
    ['a description', `<meta name="description" content="${OPENING}"><p>${'Less. '.repeat(20)}</p>`],
    ['a description next to the headline', `<meta property="og:description" content="${TITLE}"><p>${OPENING}</p>`],
    [
      'JSON-LD',
      `<script type="application/ld+json">[{"datePublished":"2026-11-20","description":"${OPENING}"}]</script>`,
    ],
    ['its first paragraph', `<article><p>By Asha Rao</p><p>${OPENING}</p><p>${'More. '.repeat(20)}</p></article>`],
    [
      'its first paragraph behind what surrounds it',
      `<p>${'Read about retail before all others do. '.repeat(3)}</p><nav><p>${'Home and more. '.repeat(9)}</p></nav>
       <article><p>We use cookies to make this page better for you, dear reader.</p><iframe src="1"/>
       <p><a href="/1">Also of interest: the ten largest malls of the country</a></p><p>${OPENING}</p></article>`,
    ],
  ])('given %s, then its summary is read', (_name, html) => {
    expect(read(html).summaries[0]).toBe(OPENING);
  });

  it.each(['nosnippet', 'index, max-snippet:0'])('given %s, then the article is not quoted', (robots) => {
    const html = `<meta name="robots" content="${robots}"><meta name="date" content="2026-11-20"><p>${OPENING}</p>`;
    expect(read(html)).toMatchObject({ dates: ['2026-11-20'], summaries: [] });
  });

  it('given a hostile page of 3 MB, then the reading time is bounded', () => {
    const spent = processorTime();
    const parts = [
      '<p>',
      '<p>a</p>',
      '<article><p>',
      '<meta name="date">',
      '<a href="',
      '<script type="application/ld+json">[',
      '<b>',
    ];
    for (const part of parts) read(part.repeat(3_000_000 / part.length));
    expect(spent()).toBeLessThan(10_000);
  });
});
