import { describe, expect, it } from 'vitest';
import { cleanSummary, firstSummary, MAX_SUMMARY_LENGTH } from '../../../../ingest/poll/normalise/clean-text.ts';

const TITLE = 'Zudio opens in Surat';

describe('a summary', () => {
  it.each([
    ['Trent runs 14 stores. The post Zudio opens in Surat appeared first on Mall Road.', 'Trent runs 14 stores.'],
    ['Trent runs 14 stores. This article was originally published by Mall Road.', 'Trent runs 14 stores.'],
    ['Trent runs 14 stores. Read more »', 'Trent runs 14 stores.'],
    ['Trent runs 14 stores. Continue reading <a>Zudio opens in Surat</a> →', 'Trent runs 14 stores.'],
    ['The post of chairman went to Asha Rao.', 'The post of chairman went to Asha Rao.'],
    ['Those who read more buy more.', 'Those who read more buy more.'],
  ])('%j is without what the publishing system adds', (text, summary) =>
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
  ])('%j keeps the ellipsis of an excerpt that was cut', (text, summary) =>
    expect(cleanSummary(text, TITLE)).toBe(summary),
  );

  it.each([
    '',
    ' ',
    '<img src="https://a.in/1.jpg">',
    '<p>The post Zudio opens in Surat appeared first on Mall Road.</p>',
    'Read more',
    'https://a.in/zudio',
    'ZUDIO opens in Surat.',
    'Zudio opens',
  ])('%j is none', (text) => expect(cleanSummary(text, TITLE)).toBeNull());

  it('given a long article that ends in an addition, then it is cut at a word and without the addition', () => {
    const summary = cleanSummary(`${'Trent runs stores. '.repeat(110)}The post Z appeared first on Y.`, TITLE) ?? '';
    expect(summary.length).toBeLessThanOrEqual(MAX_SUMMARY_LENGTH);
    expect(summary).not.toContain('appeared');
    expect(summary.endsWith('…')).toBe(true);
  });

  it('given several texts, then the first that says something is taken as it is written', () => {
    expect(firstSummary([' ', '<img src="1.jpg">', '<p>Fourteen doors</p>', 'More'], TITLE)).toBe(
      '<p>Fourteen doors</p>',
    );
    expect(firstSummary([null, undefined], TITLE)).toBeNull();
  });
});
