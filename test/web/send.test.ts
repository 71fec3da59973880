/** GET /send: chosen stories as a page, as text and as a mail. */
import { load } from 'cheerio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Serving } from '../api/serving.ts';
import { detected, idOf, merged, report, reported, understanding } from '../projector/signal-events.ts';
import { fullRecord } from './full-record.ts';

let site: Serving;
beforeAll(async () => {
  site = await fullRecord();
  await site.append(
    detected('one', {
      understanding: understanding({ headline: 'Kiri & Maya\nmerge', summary: 'Both keep their names.' }),
    }),
    reported('one', report('second', { outlet: 'Bazaar Wire' })),
    detected('bare', { understanding: understanding({ headline: 'Tilak grows', summary: null, deck: null }) }),
    detected('held', { status: 'held' }),
    detected('double'),
    merged('double', 'bare'),
  );
});
afterAll(() => site?.close());

const send = async (chosen: string) => {
  const answer = await site.server.inject(`/send?s=${chosen}`);
  return { status: answer.statusCode, $: load(answer.body) };
};

describe('sending stories', () => {
  it('given stories by slug or id, then each as headline, one sentence and source, in this order', async () => {
    const { $ } = await send(`slug-bare,${idOf('one')}`);
    expect($('pre').text()).toBe(
      [
        'Tilak grows',
        'Daily Trade, 20 November 2026: http://clarity.test/signal/slug-bare',
        '',
        'Kiri & Maya merge',
        'Both keep their names.',
        'Daily Trade and 1 more, 20 November 2026: http://clarity.test/signal/slug-one',
      ].join('\n'),
    );
    expect($('h1').text()).toBe('2 stories');
    const link = `http://clarity.test/send?s=${idOf('bare')},${idOf('one')}`;
    expect($('[data-share]').attr('data-path')).toBe(link);
    const mail = new URL($('a[href^="mailto:"]').attr('href') ?? '');
    expect(mail.searchParams.get('subject')).toBe('2 stories from Clarity');
    expect(mail.searchParams.get('body')).toBe(`${$('pre').text()}\n\n${link}`);
  });

  it('given a story twice, merged, held or unknown, then what it became once, and nothing that is not public', async () => {
    const { $ } = await send('slug-bare,slug-bare,slug-double,slug-held,nothing');
    expect($('h1').text()).toBe('1 story');
    expect($('pre').text()).not.toContain('held');
    for (const chosen of ['', 'slug-held']) expect((await send(chosen)).$('h1').text()).toBe('Send stories');
    for (const chosen of ['../x', 'a%00b', Array.from({ length: 26 }, (_, n) => `s-${n}`).join(',')])
      expect((await send(chosen)).status).toBe(400);
  });
});
