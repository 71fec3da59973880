/** The page of a brand: what a competitor analyst asks first. */
import { load } from 'cheerio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Serving, serving } from '../api/serving.ts';
import { attributesOf } from '../harness/elements.ts';
import { smallFile } from '../harness/gazetteer.ts';
import { brandSlug } from '../harness/ids.ts';
import { appointment, brandRef, detected, opening, result, understanding } from '../projector/signal-events.ts';

const DAY = 86_400_000;
let site: Serving;

const kiri = brandRef('kiri-foods', 'Kiri Foods');
const tilak = { ...kiri, slug: brandSlug('tilak-shoes'), name: 'Tilak Shoes' };

/** A signal so many days before the clock of the test. */
const ago = (days: number, name: string, changes: Parameters<typeof understanding>[0]) =>
  detected(name, {
    published_at: new Date(Date.parse('2026-11-21T04:00:00Z') - days * DAY).toISOString(),
    understanding: understanding({ headline: `Headline of ${name}`, brands: [kiri], ...changes }),
  });

beforeAll(async () => {
  const models = ['brands', 'search', 'openings', 'appointments', 'results', 'deals'];
  site = await serving({ catalogue: smallFile, models });
  await site.append(
    ago(100, 'old', { move: 'strategy', openings: [] }),
    ago(40, 'before', { move: 'results', result: result({ period: 'Q1 FY27', metric: 'revenue', value: '₹190 Cr' }) }),
    ago(5, 'pune', { openings: [opening({ city: 'Pune', mall: 'Hill Mall', stores: 3, status: 'opened' })] }),
    ago(4, 'nagpur', { openings: [opening({ city: 'Nagpur', mall: null, stores: 2, status: 'announced' })] }),
    ago(3, 'quarter', {
      move: 'results',
      result: result({ period: 'Q2 FY27', metric: 'revenue', value: '₹230 Cr', growth_pct: 24 }),
    }),
    ago(2, 'chief', { move: 'people', people: [appointment({ person: 'Asha Rao', company: 'Kiri Foods' })] }),
    ago(1, 'raised', {
      move: 'deals',
      deal: { type: 'funding', amount: '₹40 Cr', target: 'Kiri Foods', buyers: ['Ganga Capital'], status: 'agreed' },
    }),
    ago(1, 'rival', { brands: [tilak] }),
    ago(1, 'both', { brands: [{ ...kiri, role: 'secondary' as const }, { ...tilak }] }),
  );
});
afterAll(() => site.close());

const open = async (url: string) => {
  const answer = await site.server.inject({ url, headers: { accept: 'text/html' } });
  const $ = load(answer.body);
  const part = (heading: string): string =>
    $(`section:has(> h2:contains("${heading}"))`).text().replace(/\s+/g, ' ').trim();
  return { answer, $, part };
};

describe('GET /brand/{slug}', () => {
  it('given a record of two windows, then both are compared by kind', async () => {
    const { $, part } = await open('/brand/kiri-foods');
    expect($('.subject').text()).toContain('up from 1 in the 30 before');
    expect(part('Last 30 days and the 30 days before')).toMatch(/Results ?1 ?1/);
  });

  it('given openings, then their cities are on a small map, with what they add up to and the latest', async () => {
    const { $, part } = await open('/brand/kiri-foods');
    expect(attributesOf($, '.mini a', 'href').sort()).toEqual(
      ['Nagpur', 'Pune'].map((city) => `/tables/openings?brand=kiri-foods&city=${city}`),
    );
    expect(part('Openings')).toContain('at least 3 stores opened, 2 announced or planned, 0 closed');
    expect(part('Openings')).toContain('Hill Mall, Pune 3 stores, opened');
    const picture = await site.server.inject($('.mini image').attr('href') ?? '');
    expect([picture.statusCode, picture.headers['content-type']]).toEqual([200, 'image/svg+xml; charset=utf-8']);
  });

  it('given results, people and deals, then each is listed, the quarters with the newest first', async () => {
    const { part } = await open('/brand/kiri-foods');
    expect(part('Results by quarter')).toMatch(/Q2 FY27 ?₹230 Cr ?\+24% ?Q1 FY27 ?₹190 Cr/);
    expect(part('People')).toContain('Asha Rao joined');
    expect(part('Deals')).toContain('₹40 Cr funding of Kiri Foods by Ganga Capital, agreed');
  });

  it('given competitors, then a form compares the brand with them and with typed ones', async () => {
    const { $ } = await open('/brand/kiri-foods');
    const form = $('form[action="/watch"]');
    expect(form.find('[type=hidden][name=b]').attr('value')).toBe('kiri-foods');
    expect(form.find('[type=checkbox]').attr('value')).toBe('tilak-shoes');
    const compared = await open('/watch?b=kiri-foods&b=tilak-shoes&add=Maya+Stores');
    expect(compared.$('.watch thead th').text()).toBe('Kiri FoodsTilak ShoesMaya Stores');
  });

  it('given a filtered page, then its stories alone', async () => {
    const { $ } = await open('/brand/kiri-foods?kind=deals');
    expect([$('.entry').length, $('.mini').length, $('.records').length]).toEqual([1, 0, 0]);
  });
});
