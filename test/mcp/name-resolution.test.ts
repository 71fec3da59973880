/** Names as people write them, and arguments as models send them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnyClient, newClient } from './clients.ts';
import { type ServingMcp, servingMcp } from './serving-mcp.ts';
import { ID, RECORD } from './small-record.ts';

let serving: ServingMcp;
let client: AnyClient;
beforeAll(async () => {
  serving = await servingMcp();
  await serving.site.append(...RECORD);
  client = await newClient(`${serving.baseUrl}/mcp`, { 'x-api-key': await serving.key({ plan: 'pro' }) });
});
afterAll(async () => {
  await client.close();
  await serving.close();
});

describe('names', () => {
  it.each([
    ...['Kiri Foods', 'kiri-foods', 'KIRI FOODS', 'Kiri', 'kiri', 'Kiri Fods'].map(
      (name) => [name, 'kiri-foods'] as const,
    ),
    ['Vastra Bazaar Ltd.', 'vastra-bazaar'] as const,
    ['vastra bazar', 'vastra-bazaar'] as const,
    ['the Kiri Foods chain', 'kiri-foods'] as const,
  ])('given the brand %j, then %s is meant', async (brand, slug) => {
    expect((await client.call('brand_profile', { brand })).structured).toMatchObject({ brand: { slug } });
  });

  it.each([
    ['brand_profile', { brand: 'Vastar Baz Retail' }, /No brand is called.*Vastra Bazaar/],
    ['compare_brands', { brands: ['Kiri', 'Vastar Baz Retail'] }, /No brand is called.*Vastra Bazaar/],
    ['get_group', { group: 'valu fashun stores' }, /No group is called.*Value fashion/],
    ['get_expansion_map', { city: 'Punne City' }, /No city is called.*Pune/],
    ['get_expansion_map', { mall: 'Sahyadree Plaza' }, /No mall is called.*Sahyadri Mall/],
    ['get_leadership_moves', { company: 'Vastar Baz Retail' }, /No brand is called.*Vastra Bazaar/],
    ['latest_moves', { theme: 'expandsion plans' }, /No theme is called.*Expansion/],
  ])('given a name that %s does not know, then the nearest are offered: %o', async (tool, args, said) => {
    const { isError, text } = await client.call(tool, args);
    expect({ isError, text }).toEqual({ isError: true, text: expect.stringMatching(said) });
  });

  it.each([
    [
      'latest_moves',
      { kind: 'Stores' },
      { signals: expect.arrayContaining([expect.objectContaining({ move: 'stores' })]) },
    ],
    ['latest_moves', { kind: 'launch' }, { signals: [] }],
    ['get_leadership_moves', { lens: 'C-suite' }, { total: 2 }],
    ['get_leadership_moves', { lens: 'Human resources', role: 'x' }, null],
    ['get_group', { group: 'value retail', quarter: 'q2fy27' }, { quarter: 'Q2 FY27', quarter_status: 'ended' }],
    ['get_expansion_map', { city: 'Maharashtra' }, { place: { type: 'region', state: 'Maharashtra' } }],
    ['get_expansion_map', { city: 'delhi-ncr' }, { place: { type: 'region', name: 'Delhi NCR' } }],
    [
      'get_expansion_map',
      { city: 'Indore', mall: 'Sahyadri' },
      { place: { type: 'mall', name: 'Sahyadri Mall', city: 'Pune' } },
    ],
  ] as const)('given %s with values as people write them, %o, then they are understood', async (tool, args, answer) => {
    const { isError, structured } = await client.call(tool, args);
    if (answer === null) expect(isError).toBe(true);
    else expect({ isError, structured }).toMatchObject({ isError: false, structured: answer });
  });

  it('given a mall of another city, then the answer says where it is', async () => {
    const { text } = await client.call('get_expansion_map', { city: 'Indore', mall: 'Sahyadri Mall' });
    expect(text).toMatch(/^Sahyadri Mall is in Pune, not in Indore\./);
  });

  it('given a quarter that has not begun, then the answer says so and lists no company as missing', async () => {
    const { text, structured } = await client.call('get_group', { group: 'value-fashion', quarter: 'Q4 FY27' });
    expect(text).toContain('the quarter has not begun: it runs from 1 January 2027 to 31 March 2027');
    expect(text).not.toContain('Not yet:');
    expect(structured).toMatchObject({ quarter_status: 'not_begun', quarter_since: '2027-01-01' });
  });

  it.each([
    ['latest_moves', { theme: 'Kiri Foods' }, /No theme is called.*Kiri Foods is a brand: pass it/],
    ['latest_moves', { brand: 'Pune' }, /No brand is called.*Pune is a city: get_expansion_map/],
    ['get_group', { group: 'Vastra Bazaar' }, /No group is called.*Vastra Bazaar is a brand/],
    ['get_expansion_map', { city: 'Sahyadri Mall' }, /No city is called.*Sahyadri Mall is a mall/],
    ['brand_profile', { brand: 'value fashion' }, /No brand is called.*Value fashion is a group: get_group/],
  ])('given %s the name of another kind, %o, then it says where that name can be used', async (tool, args, said) => {
    expect(await client.call(tool, args)).toMatchObject({ isError: true, text: expect.stringMatching(said) });
  });

  it.each([
    [
      'latest_moves',
      { brand: 'Resham House', kind: 'deals' },
      /^No moves found \(deals, about Resham House\)\. Try no kind/,
    ],
    [
      'get_expansion_map',
      { city: 'Pune', category: 'value fashion', days: 30 },
      /^No openings of value fashion found in Pune in the last 30 days\./,
    ],
    [
      'get_leadership_moves',
      { company: 'Kiri', role: 'CFO' },
      /^Leadership moves of the last 90 days for role CFO at Kiri Foods: 0;.*No leadership moves found for role CFO at Kiri Foods in the last 90 days; 1 without that filter\.\n\nLeft out by the filter.*Ravi Nair/s,
    ],
  ])('given %s without a match, %o, then it names the filters as they were understood', async (tool, args, said) => {
    expect(await client.call(tool, args)).toMatchObject({ isError: false, text: expect.stringMatching(said) });
  });

  it.each([
    [ID.opened],
    [`[${ID.opened}]`],
    ['kiri-foods-opens-40-stores'],
    ['https://any.example/signal/kiri-foods-opens-40-stores?from=mail'],
  ])('given the signal %j, then it is found', async (id_or_slug) => {
    expect((await client.call('get_signal', { id_or_slug })).structured).toMatchObject({ signal: { id: ID.opened } });
  });

  it('given a signal that is not public or does not exist, then the tool says where ids come from', async () => {
    for (const id_or_slug of ['sig_0000000000000000', '../../etc/passwd', 'x y'])
      expect(await client.call('get_signal', { id_or_slug })).toMatchObject({
        isError: true,
        text: expect.stringMatching(/latest_moves and search return them/),
      });
  });

  it('given two names of one brand, then there is nothing to compare', async () => {
    expect((await client.call('compare_brands', { brands: ['Kiri', 'kiri-foods'] })).text).toMatch(
      /All these names are one brand: Kiri Foods/,
    );
  });
});

describe('arguments', () => {
  it.each([
    ['latest_moves', { limit: '2', mentions: 'false', brand: '', kind: null }],
    ['compare_brands', { brands: 'Kiri Foods, Vastra Bazaar', days: '30' }],
    ['get_leadership_moves', { days: '30', lens: 'marketing' }],
  ])('given numbers and lists as text and empty ones, then %s converts them', async (tool, args) => {
    const { isError, text } = await client.call(tool, args);
    expect({ isError, text: isError ? text : '' }).toEqual({ isError: false, text: '' });
  });

  it.each([
    ['latest_moves', { limit: 51 }, 'The argument limit cannot be 51: how many, 1 to 50; default 10.'],
    ['latest_moves', { since: 'yesterday' }, /^The argument since cannot be "yesterday": .*2026-11-20/],
    ['latest_moves', { cursor: 'bm9uZQ' }, /cursor: "bm9uZQ" cannot be used/],
    ['latest_moves', { city: 'Pune' }, /^Unknown argument "city"; available: brand, theme, kind/],
    ['get_signal', {}, /^The argument id_or_slug is missing: a cite id/],
    ['compare_brands', { brands: ['Kiri'] }, /^The argument brands cannot be \["Kiri"\]: 2 to 25 brands/],
    ['compare_brands', { brands: ['Kiri', 'Vastra Bazaar'], days: 8 }, /^The argument days cannot be 8: .*7, 30, 90/],
    ['get_group', { group: 'QSR', quarter: 'second' }, /^The argument quarter cannot be "second": .*"Q2 FY27"/],
  ])(
    'given an argument that %s cannot use, then it says which, what was sent and what is allowed: %o',
    async (tool, args, said) => {
      expect(await client.call(tool, args)).toMatchObject({ isError: true, text: expect.stringMatching(said) });
    },
  );

  it('given an unknown tool, then the error lists the tools', async () => {
    await expect(client.call('delete_everything')).rejects.toThrow(/Unknown tool .*latest_moves/);
  });
});
