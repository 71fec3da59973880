import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cleanSummary,
  cleanText,
  firstSummary,
  MAX_SUMMARY_LENGTH,
} from '../../../../ingest/poll/normalise/clean-text.ts';
import { processorTime } from '../../../harness/processor-time.ts';

describe('cleanText', () => {
  it.each([
    ['D&amp;#039;Mart opens', "D'Mart opens"],
    ['AT&amp;amp;T', 'AT&T'],
    ['M&M and P&G', 'M&M and P&G'],
    ['<p>Zudio</p><p>opens</p>', 'Zudio opens'],
    ['&lt;b&gt;Zudio&lt;/b&gt; opens', 'Zudio opens'],
    ['a <script>alert(1)</script>b', 'a b'],
    ['EBITDA < 5% & PAT > 3%', 'EBITDA < 5% & PAT > 3%'],
    ['one\n\t two&nbsp;three', 'one two three'],
    ['safe\u202e evil\u200b', 'safe evil'],
    ['Zu\u200ddio, क्\u200dष', 'Zudio, क्\u200dष'],
    ['Zu\u034fd\ufe0fi\u{e0041}o, 5\u200d0 stores', 'Zudio, 50 stores'],
    ['₹230&nbsp;Cr', '₹230 Cr'],
    ['before <iframe src="https://video.in/1"/> <p>after</p>', 'before after'],
    ['before <iframe src="https://video.in/1"> <p>after</p>', 'before after'],
    ['before <iframe>no frames here</iframe> after', 'before after'],
    [
      '<figure><img src="1.jpg"><figcaption>A store in <b>Mumbai</b></figcaption></figure><p>It has 14 doors.</p>',
      'It has 14 doors.',
    ],
    [
      '<div class="wp-caption alignleft"><img><p class="wp-caption-text">A store in Mumbai</p></div>It has 14 doors.',
      'It has 14 doors.',
    ],
    ['<p class="image-caption">A store in Mumbai<p>It has 14 doors.</p>', 'It has 14 doors.'],
    ['<figcaption>It has 14 doors.', 'It has 14 doors.'],
    ['<p class="captioned">It has 14 doors.</p>', 'It has 14 doors.'],
    ['Nykaa <NSE:NYKAA> doubles its profit', 'Nykaa <NSE:NYKAA> doubles its profit'],
    ['Nykaa &lt;NSE:NYKAA&gt; doubles its profit', 'Nykaa <NSE:NYKAA> doubles its profit'],
    ['<o:p></o:p>Zudio <amp-img src="a.png"></amp-img>opens<st1:place>', 'Zudio opens'],
    ['<?xml:namespace prefix = o />Zudio opens', 'Zudio opens'],
    ['&lt;![CDATA[Zudio opens]]&gt;', 'Zudio opens'],
    ['<!-- ad > slot --><p>Zudio opens</p>', 'Zudio opens'],
    ['<!--more Zudio opens <b>today</b>', 'more Zudio opens today'],
  ])('given %j, then the result is %j', (text, plain) => expect(cleanText(text, 200)).toBe(plain));

  it('given a long text, then it is cut at a word boundary', () => {
    expect(cleanText('Zudio opens its hundredth store', 20)).toBe('Zudio opens its…');
  });

  it.each([
    ['a picture that is written into it', `<img src="data:image/png;base64,${'A'.repeat(300_000)}">`],
    ['a picture of many sizes', `<img srcset="${'https://a.in/zudio.jpg 100w, '.repeat(200)}">`],
    ['a long style sheet', `<style>${'p { margin: 0 }'.repeat(500)}</style>`],
  ])('given %s before the text, then the text is found', (_name, markup) => {
    expect(cleanText(`${markup}<p>Zudio opens</p>`, 200)).toBe('Zudio opens');
  });

  it('given any text, then the result is within the maximum length, without control characters, and fast', () => {
    const hostile = fc.array(
      fc.constantFrom('<b>', '</b>', '&amp;', '&lt;', '<', '>', 'a', ' ', '<script', '&#0;', '&#x202e;', '\u0000'),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(hostile, (parts) => {
        const text = cleanText(parts.join(''), 50);
        expect(text.length).toBeLessThanOrEqual(50);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: asserts that none is left
        expect(text).not.toMatch(/[\u0000-\u001f\u202e]/);
      }),
    );
    const spent = processorTime();
    cleanText('<'.repeat(1_000_000), 2_000);
    cleanText('<b>'.repeat(1_000_000), 2_000);
    expect(spent()).toBeLessThan(2_000);
  });
});

describe('summary', () => {
  const TITLE = 'Zudio opens in Surat';

  describe('a summary', () => {
    it.each([
      ['Trent runs 14 stores. The post Zudio opens in Surat appeared first on Mall Road.', 'Trent runs 14 stores.'],
      ['Trent runs 14 stores. This article was originally published by Mall Road.', 'Trent runs 14 stores.'],
      ['Trent runs 14 stores. Read more »', 'Trent runs 14 stores.'],
      ['Trent runs 14 stores. Continue reading <a>Zudio opens in Surat</a> →', 'Trent runs 14 stores.'],
      [
        'Following the news, its shares rose 5%. The post Zudio opens in Surat appeared first on Mall Road.',
        'Following the news, its shares rose 5%.',
      ],
      [
        'It says so in the report of May The post Zudio opens in Surat appeared first on Mall Road.',
        'It says so in the report of May',
      ],
      ['As the report says, it first appeared in Surat.', 'As the report says, it first appeared in Surat.'],
      ['The post of chairman went to Asha Rao.', 'The post of chairman went to Asha Rao.'],
      ['Those who read more buy more.', 'Those who read more buy more.'],
    ])('given %j, then the addition of the publishing system is removed', (text, summary) =>
      expect(cleanSummary(text, TITLE)).toBe(summary),
    );

    it.each([
      ['Trent has opened a store of [&hellip;]', 'Trent has opened a store of…'],
      [
        'Trent has opened a store of […]<p>The post <a>Z</a> appeared first on <a>Y</a>.</p>',
        'Trent has opened a store of…',
      ],
      ['Trent has opened a store of [...]', 'Trent has opened a store of…'],
      ['Trent has opened a store of... Read more', 'Trent has opened a store of...'],
      ['Trent has opened a store of…', 'Trent has opened a store of…'],
    ])('given %j, then the ellipsis of a truncated excerpt is kept', (text, summary) =>
      expect(cleanSummary(text, TITLE)).toBe(summary),
    );

    it('given any sentences before the addition of the publishing system, then all of them stay', () => {
      const word = fc.constantFrom(
        'the',
        'post',
        'news',
        'this',
        'report',
        'Zudio',
        'first',
        'appeared',
        'shares',
        'on',
      );
      const sentence = fc.array(word, { minLength: 3, maxLength: 9 }).map((words) => `Trent says ${words.join(' ')}.`);
      const text = fc.array(sentence, { minLength: 1, maxLength: 4 }).map((sentences) => sentences.join(' '));
      fc.assert(
        fc.property(text, (before) => {
          const summary = cleanSummary(`${before} The post ${TITLE} appeared first on Mall Road.`, TITLE);
          expect(summary).toBe(before);
        }),
      );
    });

    it.each([
      '',
      ' ',
      '<img src="https://a.in/1.jpg">',
      '<p>The post Zudio opens in Surat appeared first on Mall Road.</p>',
      'Read more',
      'https://a.in/zudio',
      'ZUDIO opens in Surat.',
      'Zudio opens',
    ])('given %j, then there is no summary', (text) => expect(cleanSummary(text, TITLE)).toBeNull());

    it('given a long article that ends in an addition, then it is cut at a word boundary and the addition is dropped', () => {
      const summary = cleanSummary(`${'Trent runs stores. '.repeat(110)}The post Z appeared first on Y.`, TITLE) ?? '';
      expect(summary.length).toBeLessThanOrEqual(MAX_SUMMARY_LENGTH);
      expect(summary).not.toContain('appeared');
      expect(summary.endsWith('…')).toBe(true);
    });

    it.each([
      ['The news first appeared in Mint. It said Nykaa opens stores in Pune.', 'It said Nykaa opens stores in Pune.'],
      ['Sales rose. This report was originally published on Mint. Nykaa denied it.', 'Sales rose. Nykaa denied it.'],
      ['Sales rose. The post Nykaa opens stores appeared first on Mint. All rights reserved.', 'Sales rose.'],
      ['Sales rose.The post Nykaa opens stores appeared first on Mint.', 'Sales rose.'],
    ])('given %s, then sentences after a report that is named stay', (text, expected) => {
      expect(cleanSummary(text, 'Nykaa opens stores')).toBe(expected);
    });

    it.each([
      ['FILE PHOTO: A Croma store in Mumbai', null],
      ['Representational image.', null],
      [
        'FILE PHOTO: A Croma store in Mumbai. It has 14 doors.',
        'FILE PHOTO: A Croma store in Mumbai. It has 14 doors.',
      ],
    ])('given %s, then what describes a picture alone is no summary', (text, expected) => {
      expect(cleanSummary(text, 'Croma opens ten stores')).toBe(expected);
    });

    it('given several texts, then the first meaningful one is used unchanged', () => {
      expect(firstSummary([' ', '<img src="1.jpg">', '<p>Fourteen doors</p>', 'More'], TITLE)).toBe(
        '<p>Fourteen doors</p>',
      );
      expect(firstSummary([null, undefined], TITLE)).toBeNull();
    });
  });
});
