/** Questions and briefings on the pages. */

import { load } from 'cheerio';
import { beforeAll, describe, expect, it } from 'vitest';
import { accountOfEmail, changeAccount } from '../../../access/account.ts';
import { cleanHeadline } from '../../../facts/text/item-reading.ts';
import { renderMarkup } from '../../../presentation/markup.ts';
import { waitForPosition } from '../../../projector/model-progress.ts';
import { answerMarkdown } from '../../../web/markdown.ts';
import { forgetCalls } from '../../harness/database.ts';
import { textsOf } from '../../harness/elements.ts';
import { brandRef, detectedBy, understanding } from '../../projector/signal-events.ts';
import type { SignedIn, SigningIn } from './signing-in.ts';
import { dateCallsToday, theSite } from './the-site.ts';

const HOSTILE = 'Tara Foods opens <script>alert(1)</script> [a](javascript:alert(1)) **store** \u202Ein Pune';

let people: SigningIn;
let asha: SignedIn;
let visitor: SignedIn;
beforeAll(async () => {
  people = await theSite();
  await people.site.append(
    detectedBy(
      'question',
      understanding({
        headline: HOSTILE,
        summary: 'Tara Foods opened 40 stores in Pune.',
        brands: [brandRef('tara-foods', 'Tara Foods')],
      }),
    ),
    detectedBy(
      'maya',
      understanding({
        headline: 'Maya Stores opens in Surat',
        summary: 'Maya Stores opened in Surat.',
        brands: [brandRef('maya', 'Maya Stores')],
        cities: ['Surat'],
      }),
    ),
  );
  asha = await people.signIn('asha@clarity.test');
  visitor = people.visitor();
});

const main = async (answer: Response) => load(await answer.text())('main');
const calls = () => forgetCalls(people.site.engine.database);

describe('/ask', () => {
  it('given a visitor, then the answer is a page that cites its signals and takes a follow-up question', async () => {
    const first = await visitor.send('/ask', '/ask', { question: 'What did Tara Foods open?' });
    expect(first.status).toBe(200);
    const $ = load(await first.text());
    expect($('h1').text()).toBe('What did Tara Foods open?');
    expect($('a.citation').first().attr('href')).toBe('/signal/slug-question');
    expect($('.answer').text()).toContain(cleanHeadline(HOSTILE));
    expect($('.answer script, .answer a[href^="javascript"], .answer em')).toHaveLength(0);
    const session_id = String($('input[name=session_id]').val());
    const second = await visitor.browser.post(`${people.baseUrl}/ask`, { session_id, question: 'And Maya Stores?' });
    expect((await main(second)).text()).toContain('Surat');
  });

  it('given a script, then it receives the frames of the API, and the finished part of the page at the end', async () => {
    const answer = await visitor.browser.post(
      `${people.baseUrl}/ask`,
      { question: 'What did Tara Foods open?' },
      { accept: 'text/event-stream' },
    );
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const frames = (await answer.text())
      .trim()
      .split('\n\n')
      .map(
        (frame) =>
          JSON.parse(frame.split('\ndata: ')[1] ?? '{}') as { type: string; html?: string; url?: string | null },
      );
    expect(frames.at(0)?.type).toBe('message_start');
    expect(frames.at(-2)?.type).toBe('message_stop');
    expect(frames.at(-1)).toMatchObject({ type: 'clarity.page', url: null });
    expect(
      load(frames.at(-1)?.html ?? '')('.answer a.citation')
        .first()
        .attr('href'),
    ).toBe('/signal/slug-question');
  });

  it('given an empty or too long question, then the page says so and keeps the text', async () => {
    for (const question of ['', 'x'.repeat(501)]) {
      const answer = await visitor.browser.post(`${people.baseUrl}/ask`, { question });
      expect(answer.status).toBe(400);
      expect((await main(answer)).find('[role=alert]').text()).toContain('messages');
    }
    const session = await visitor.browser.post(`${people.baseUrl}/ask`, {
      question: 'And?',
      session_id: 'ses_0000000000000000',
    });
    expect(session.status).toBe(404);
  });

  it('given a question from another site, or without the token of the session, then it is refused', async () => {
    const elsewhere = { origin: 'https://elsewhere.test' };
    // By another name of this machine it is still the service's own form.
    const byNumber = people.baseUrl.replace('localhost', '127.0.0.1');
    const numbered = await fetch(`${byNumber}/ask`, {
      method: 'POST',
      body: new URLSearchParams({ question: 'Who?' }),
      headers: { origin: byNumber },
    });
    expect(numbered.status).toBe(200);
    expect((await visitor.browser.post(`${people.baseUrl}/ask`, { question: 'Who?' }, elsewhere)).status).toBe(400);
    expect((await asha.browser.post(`${people.baseUrl}/ask`, { question: 'Who?' })).status).toBe(400);
    expect(
      (await asha.browser.post(`${people.baseUrl}/ask/share`, { session_id: 'ses_0000000000000000' })).status,
    ).toBe(400);
  });

  it('given thirty questions in a minute from one address, then the next is limited, on the page and in the API', async () => {
    await calls();
    const ask = () => visitor.browser.post(`${people.baseUrl}/ask`, { question: 'Who?' });
    const answers = await Promise.all(Array.from({ length: 30 }, ask));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await ask();
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true]);
    expect((await main(refused)).find('[role=alert]').text()).toContain('30 calls were made');
    await calls();
  });

  it('given a reader on Pro, then questions count against the limit of the day', async () => {
    const { store, database } = people.site.engine;
    const pro = accountOfEmail('pro@clarity.test');
    const commander = { role: 'operator', by: 'test' } as const;
    const { position } = await changeAccount(
      store,
      pro,
      { command: 'change_plan', plan: 'pro' },
      { commander, now: new Date() },
    );
    if (position !== null) await waitForPosition(database, 'accounts', position, 10_000);
    const person = await people.signIn('pro@clarity.test');
    await person.send('/ask', '/ask', { question: 'What did Tara Foods open?' });
    await dateCallsToday();
    expect((await person.open('/keys')).$('.usage tbody tr').first().text()).toMatch(/1\s*1$/);
    await database.query(`UPDATE access.quota_window SET used = 200 WHERE key = '${pro.id} questions'`);
    const refused = await person.send('/ask', '/ask', { question: 'And?' });
    expect([refused.status, (await main(refused)).find('[role=alert]').text()]).toEqual([
      429,
      expect.stringContaining('200 questions of the day'),
    ]);
  });
});

describe('shared turns', () => {
  it('given a question of a reader, then only they can read it, until they share it, and again after they withdraw it', async () => {
    const asked = await asha.send('/ask', '/ask', { question: 'What did Maya Stores open?' });
    const path = asked.headers.get('location') ?? '';
    expect(path).toMatch(/^\/ask\/what-did-maya-stores-open-[0-9a-f]{8}\/1$/);
    expect((await asha.open(path)).$('.answer').text()).toContain('Surat');
    expect((await visitor.open(path)).status).toBe(404);
    expect((await asha.send(path, '/ask/share')).headers.get('location')).toBe(path);
    const shared = await visitor.open(path);
    expect([shared.status, shared.$('link[rel=canonical]').attr('href')]).toEqual([200, `${people.baseUrl}${path}`]);
    expect(shared.$('form[action="/ask/share"], form[action="/research"], input[name=session_id]')).toHaveLength(0);
    await asha.send(path, '/ask/share');
    expect((await visitor.open(path)).status).toBe(404);
    expect((await asha.open('/ask')).$('main').text()).toContain('What did Maya Stores open?');
  });

  it.each(['/ask/nothing/1', '/ask/a/0', '/ask/a/x', '/ask/%00/1', '/ask/A/1'])('given %s, then 404', async (path) => {
    expect((await visitor.open(path)).status).toBe(404);
  });
});

describe('/research', () => {
  it('given a topic, then its briefing is on a page that only its owner can read', async () => {
    const begun = await asha.send('/research', '/research', { topic: 'Store openings in Surat' });
    const path = begun.headers.get('location') ?? '';
    expect(path).toMatch(/^\/research\/inv_[0-9a-f]{16}$/);
    await expect.poll(async () => (await asha.open(path)).$('.report h2').first().text()).toBe('Summary');
    const { $ } = await asha.open(path);
    expect($('h1').text()).toBe('Store openings in Surat');
    expect($('.report a[href^="/signal/slug-maya"]').length).toBeGreaterThan(0);
    expect($('.report script')).toHaveLength(0);
    expect((await asha.open('/research')).$('main').text()).toContain('Store openings in Surat');
    const suggested = (await asha.open('/research')).$('a[href^="/research?topic="]').first();
    const filled = await asha.open(suggested.attr('href') ?? '');
    expect(filled.$('#topic').attr('value')).toBe(suggested.text());
    const bina = await people.signIn('bina@clarity.test');
    expect((await bina.open(path)).status).toBe(404);
    expect((await visitor.open(path)).status).toBe(303);
  });
});

describe('answers as HTML', () => {
  const shown = async (text: string) =>
    renderMarkup(
      answerMarkdown(text, {
        baseUrl: 'http://clarity.test',
        cited: (id) => (id === 'sig_0123456789abcdef' ? { slug: 'one', headline: 'The "one"', number: 1 } : null),
      }),
    ).then((markup) => markup.replace(/\s+/g, ' '));

  it.each([
    [
      'a citation',
      'So [sig_0123456789abcdef].',
      '<p>So <sup><a class="citation" href="/signal/one" title="The &quot;one&quot;" aria-label="Signal 1: The &quot;one&quot;">1</a></sup>.</p>',
    ],
    ['a citation that the answer does not carry', 'So [sig_ffffffffffffffff].', '<p>So .</p>'],
    ['what was escaped', '\\*\\*a\\*\\* \\[b\\](c) \\<i\\>', '<p>**a** [b](c) &lt;i&gt;</p>'],
    ['a link of ours', '[one](http://clarity.test/signal/one)', '<p><a href="/signal/one">one</a></p>'],
    ['a link that is none', '[one](javascript:alert)', '<p><span>one</span></p>'],
    ['lists and bold', '- **a** b\n- c\n\n1. d', '<ul><li><strong>a</strong> b</li><li>c</li></ul><ol><li>d</li></ol>'],
    ['markup', '<img src=x onerror=alert(1)>', '<p>&lt;img src=x onerror=alert(1)&gt;</p>'],
  ])('given %s, then it is rendered as expected', async (_what, text, expected) => {
    expect(await shown(text)).toBe(expected);
  });

  it('given a table, then its figures are right-aligned, and an escaped bar is text', async () => {
    const markup = await shown('| A | B |\n|---|---:|\n| a \\| b | 2 |');
    const $ = load(markup);
    expect(textsOf($, 'td')).toEqual(['a | b', '2']);
    expect($('td').last().attr('class')).toBe('figure');
  });
});
