import { load } from 'cheerio';
import fc from 'fast-check';
import { html } from 'hono/html';
import { describe, expect, it } from 'vitest';
import { renderMarkup } from '../../presentation/markup.ts';
import { answerMarkdown, markdown } from '../../web/markdown.ts';
import { attributesOf, textsOf } from '../harness/elements.ts';

const shown = async (text: string) => load(await renderMarkup(html`${markdown(text)}`), null, false);

describe('markdown', () => {
  it('given headings, continued lists, fenced code and a paragraph, then each becomes its element', async () => {
    const $ = await shown(
      '# One\n\n## Two\n- first\n  and on\n- `code` and **bold**\n\n1. a\n2. b\n\n```sh\nnpm start\n  # no heading\n```\ntext\nof two lines',
    );
    expect(textsOf($, 'h2')).toEqual(['One', 'Two']);
    expect(textsOf($, 'ul li')).toEqual(['first and on', 'code and bold']);
    expect([$('ol li').length, $('ul code').text(), $('ul strong').text()]).toEqual([2, 'code', 'bold']);
    expect($('pre').text()).toBe('npm start\n  # no heading');
    expect($('p').text()).toBe('text of two lines');
  });

  it('given links, then those within the site and with http are links, all others plain text', async () => {
    const $ = await shown(
      '[in](/plans) [out](https://a.test/x) [bad](javascript:alert(1)) [other](//evil.test) [here](#x)',
    );
    expect(attributesOf($, 'a', 'href')).toEqual(['/plans', 'https://a.test/x', '#x']);
    expect($.text()).toContain('other');
  });

  it('given any text, then it creates only these elements, and no letter is lost', async () => {
    const pieces = fc.constantFrom(
      '<b>',
      '`',
      '**',
      '# ',
      '- ',
      '\n\n',
      '```\n',
      '[a](',
      'javascript:x)',
      '<script>',
      'word ',
      '&',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 40 }), async (parts) => {
        const $ = await shown(parts.join(''));
        expect($('script, b')).toHaveLength(0);
        expect($.text().match(/word/g)?.length ?? 0).toBe(parts.filter((part) => part === 'word ').length);
      }),
      { examples: [[['```', 'word ']]] },
    );
  });
});

describe('an answer', () => {
  it('given words beneath a sentence, then they are a quotation below it, without markup of their own', async () => {
    const text =
      'Kiri Foods opened 40 stores. [sig_0123456789abcdef]\n> “Kiri \\<b\\> opens 40 stores” Daily, 9 July 2026\n\nMore.';
    const frame = { baseUrl: 'http://clarity.test', cited: () => ({ slug: 'kiri', headline: 'Kiri', number: 1 }) };
    const $ = load(await renderMarkup(html`${answerMarkdown(text, frame)}`), null, false);

    expect($('p + blockquote p').text()).toBe('“Kiri <b> opens 40 stores” Daily, 9 July 2026');
    expect($('blockquote').next().text()).toBe('More.');
    expect($('p').first().find('a').attr('href')).toBe('/signal/kiri');
    expect($('b')).toHaveLength(0);
  });
});
