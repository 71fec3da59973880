import { load } from 'cheerio';
import { describe, expect, it } from 'vitest';
import { renderStandaloneChart } from '../../presentation/growth-chart.ts';
import type { GroupSeason, KeyNumber } from '../../schemas/moves-by-kind.ts';
import { brandSlugOf } from '../../schemas/scalar.ts';

const number = (company: string, changes: Partial<KeyNumber> = {}): KeyNumber => ({
  company,
  company_slug: brandSlugOf(company),
  metric: 'revenue',
  value: '₹230 Cr',
  growth_pct: 18,
  signal: {
    id: 'sig_0123456789abcdef',
    slug: 'one',
    url: 'https://clarity.test/signal/one',
    headline: 'One',
    published_at: '2026-11-20T04:30:00Z',
  },
  outlet: 'Daily Trade',
  source_url: 'https://outlet.test/one',
  published_at: '2026-11-20T04:30:00Z',
  growth_signal: null,
  ...changes,
});
const season = (key_numbers: KeyNumber[]): Pick<GroupSeason, 'group' | 'quarter' | 'growth' | 'key_numbers'> => ({
  group: { name: 'Footwear', slug: 'footwear', url: 'https://clarity.test/group/footwear' },
  quarter: 'Q2 FY27',
  growth: key_numbers.flatMap(({ growth_pct, ...rest }) => (growth_pct === null ? [] : [{ ...rest, growth_pct }])),
  key_numbers,
});

describe('standaloneChart', () => {
  it('given growth and a fall, draws a bar on each side of zero, in proportion, and says so in the table', async () => {
    const numbers = [number('Kiri', { growth_pct: 20 }), number('Maya', { growth_pct: -10, value: null })];

    const page = load(await renderStandaloneChart(season(numbers)), null, false);

    const [up, down] = page('rect').toArray();
    const zero = Number(page('line').attr('x1'));
    expect(page(up).attr('class')).toBe('up');
    expect(Number(page(up).attr('x'))).toBeCloseTo(zero, 0);
    expect(Number(page(down).attr('x')) + Number(page(down).attr('width'))).toBeCloseTo(zero, 0);
    expect(Number(page(up).attr('width')) / Number(page(down).attr('width'))).toBeCloseTo(2, 1);
    expect(page('svg').attr('role')).toBe('img');
    expect(page('svg title').text()).toBe('Revenue growth in Q2 FY27, Footwear');
    const rows = page('tbody tr')
      .toArray()
      .map((row) =>
        page(row)
          .children()
          .toArray()
          .map((cell) => page(cell).text()),
      );
    expect(rows).toEqual([
      ['Kiri', 'revenue', '₹230 Cr', '+20%', 'Report'],
      ['Maya', 'revenue', '–', '−10%', 'Report'],
    ]);
    expect(page('tbody a').attr('href')).toBe('https://clarity.test/signal/one');
  });

  it('given profit alone, names it', async () => {
    const page = load(await renderStandaloneChart(season([number('Kiri', { metric: 'profit' })])), null, false);

    expect(page('svg title').text()).toBe('Profit growth in Q2 FY27, Footwear');
  });

  it('given no growth, draws only the table; given no figure, says so', async () => {
    const bare = load(await renderStandaloneChart(season([number('Kiri', { growth_pct: null })])), null, false);
    const empty = load(await renderStandaloneChart(season([])), null, false);

    expect([bare('svg').length, bare('tbody tr').length]).toEqual([0, 1]);
    expect(empty('figcaption').text()).toBe('No figures for Q2 FY27 are reported yet.');
  });

  it('given hostile text, shows it as text', async () => {
    const hostile = number('<script>alert(1)</script>', {
      metric: '"><img src=x onerror=alert(1)>',
      value: '<b>\u202e₹1</b>',
    });

    const fragment = await renderStandaloneChart(season([hostile]));

    const page = load(fragment, null, false);
    expect(page('script, img, b').length).toBe(0);
    expect(page('tbody th').text()).toBe('<script>alert(1)</script>');
    expect(fragment).not.toContain('\u202e');
    expect(fragment).not.toMatch(/https?:\/\/(?!clarity\.test|www\.w3\.org)/);
  });
});
