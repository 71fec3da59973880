import { expect, test } from 'vitest';
import { cleanHeadline } from '../../../facts/text/item-reading.ts';

test.each([
  ['{Funding Alert} Munchly Raises Rs 18 Cr', 'Munchly Raises Rs 18 Cr'],
  ['[Update] Exclusive: Bazaario Nets $7 Mn', 'Bazaario Nets $7 Mn'],
  ['Retail India News: Pedalo Opens Store', 'Pedalo Opens Store'],
  ['Haldiram&amp;#039;s opens &amp;amp; expands', "Haldiram's opens & expands"],
  ['  Two\u200b  <b>stores</b>\n open ', 'Two stores open'],
  ['Sleepora: A Brand That Sleeps', 'Sleepora: A Brand That Sleeps'],
  ['Resort opens: Details here', 'Resort opens'],
])('given "%s", then the headline is "%s"', (title, headline) => {
  expect(cleanHeadline(title)).toBe(headline);
});

test('given a prefix of the outlet, then it is removed, unless the title contains nothing else', () => {
  expect(cleanHeadline('Shop News: Pedalo shuts', ['Shop News:'])).toBe('Pedalo shuts');
  expect(cleanHeadline('Shop News:', ['Shop News:'])).toBe('Shop News:');
});
