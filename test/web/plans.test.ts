import { load } from 'cheerio';
import { expect, it } from 'vitest';
import { renderPlans } from '../../web/pages/plans.ts';

it('given the page of plans, then it shows the very figures by which calls are counted', async () => {
  const $ = load(await renderPlans({ baseUrl: 'http://clarity.test', now: () => new Date(0), demo: false }));
  const rows = $('tbody tr')
    .map((_, row) => $(row).text().replace(/\s+/g, ' ').trim())
    .get();
  expect(rows[0]).toMatch(/^No key, in an assistant 50 30/);
  expect(rows[1]).toMatch(/^Free key 100 30/);
  expect(rows[2]).toMatch(/^Pro key 5,000 60 ₹999 a month/);
});
