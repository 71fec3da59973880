/** Names as people write them, and arguments as models send them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnyClient, newClient } from './clients.ts';
import { type ServingMcp, servingMcp } from './serving-mcp.ts';
import { ID, RECORD } from './small-record.ts';

let serving: ServingMcp;
let client: AnyClient;
beforeAll(async () => {
  serving = await servingMcp();
  await serving.site.tell(...RECORD);
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
    [ID.opened],
    [`[${ID.opened}]`],
    ['kiri-foods-opens-40-stores'],
    ['https://any.example/signal/kiri-foods-opens-40-stores?from=mail'],
  ])('given the signal %j, then it is found', async (id_or_slug) => {
    expect((await client.call('get_signal', { id_or_slug })).structured).toMatchObject({ signal: { id: ID.opened } });
  });

  it('given a signal that is not public or does not exist, then the tool says where ids come from', async () => {
    for (const id_or_slug of ['sig_0000000000000000', '../../etc/passwd', 'x\0y'])
      expect(await client.call('get_signal', { id_or_slug })).toMatchObject({
        isError: true,
        text: expect.stringMatching(/latest_moves and search give them/),
      });
  });

  it('given two names of one brand, then there is nothing to compare', async () => {
    expect((await client.call('compare_brands', { brands: ['Kiri', 'kiri-foods'] })).text).toMatch(
      /All these names mean Kiri Foods/,
    );
  });
});

describe('arguments', () => {
  it.each([
    ['latest_moves', { limit: '2', mentions: 'false', brand: '', kind: null }],
    ['compare_brands', { brands: 'Kiri Foods, Vastra Bazaar', days: '30' }],
    ['get_leadership_moves', { days: '30', lens: 'marketing' }],
  ])('given numbers and lists as text and empty ones, then %s takes them for what they mean', async (tool, args) => {
    const { isError, text } = await client.call(tool, args);
    expect({ isError, text: isError ? text : '' }).toEqual({ isError: false, text: '' });
  });

  it.each([
    ['latest_moves', { limit: 51 }, 'The argument limit cannot be 51: how many, 1 to 50; 10 unless set.'],
    ['latest_moves', { since: 'yesterday' }, /^The argument since cannot be "yesterday": .*2026-11-20/],
    ['latest_moves', { cursor: 'bm9uZQ' }, /cursor: "bm9uZQ" cannot be used/],
    ['latest_moves', { city: 'Pune' }, /^There is no argument "city"; there are: brand, theme, kind/],
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

  it('given a tool that is not there, then the protocol says which are', async () => {
    await expect(client.call('delete_everything')).rejects.toThrow(/There is no tool .*latest_moves/);
  });
});
