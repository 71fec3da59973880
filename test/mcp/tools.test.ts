/** Every tool through real clients over real HTTP. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TOOLS } from '../../mcp/tool-list.ts';
import { QUOTE_NOTICE } from '../../mcp/tool-text.ts';
import { latestBriefTime } from '../../presentation/subscriptions.ts';
import { waitForPosition } from '../../projector/model-progress.ts';
import type { AccountId } from '../../schemas/access.ts';
import { directoryOf } from '../../schemas/directory.ts';
import { brandStream, type SignalItem } from '../../schemas/resources.ts';
import { briefsAt } from '../../web/mail/due-mails.ts';
import { brandSlug } from '../harness/ids.ts';
import { storedEvent } from '../projector/given-when-then.ts';
import { detected, understanding } from '../projector/signal-events.ts';
import { CALLS } from './calls.ts';
import { CLIENTS, newClient } from './clients.ts';
import { type ServingMcp, servingMcp } from './serving-mcp.ts';
import { CATALOGUE, ID, RECORD, SIGNALS } from './small-record.ts';

let serving: ServingMcp;
let key: string;
beforeAll(async () => {
  serving = await servingMcp();
  await serving.site.append(...RECORD);
  key = await serving.key({ plan: 'pro' });
});
afterAll(() => serving.close());
beforeEach(() => serving.forgetCalls());

const open = () => newClient(`${serving.baseUrl}/mcp`, { 'x-api-key': key });

/** Addresses hold a port that changes; the chart has tests of its own. */
const steady = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(serving.baseUrl, 'https://clarity.example'), (name, one) =>
    name === 'chart_html' ? String(one).slice(0, 4) : one,
  );

describe.each(CLIENTS)('with the client $age', ({ open: connect, revision }) => {
  it('given the endpoint, then it uses the newest revision that both support, and sends its instructions', async () => {
    const client = await connect(`${serving.baseUrl}/mcp`);
    expect(client.revision()).toBe(revision);
    expect(client.instructions()).toMatch(/Cite a move/);
    expect((await client.tools()).map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    await client.close();
  });

  it('given a record, when every tool is called, then each answers in text and in a structure that its schema accepts', async () => {
    const client = await connect(`${serving.baseUrl}/mcp`, { authorization: `Bearer ${key}` });
    const schemas = new Map((await client.tools()).map((tool) => [tool.name, tool.outputSchema as object]));
    const ajv = addFormats.default(new Ajv2020({ strict: false }));
    for (const [name, args] of CALLS) {
      const { text, structured, isError } = await client.call(name, args);
      expect({ name, isError, text: isError ? text : '' }).toEqual({ name, isError: false, text: '' });
      const valid = ajv.compile(schemas.get(name) ?? false);
      expect(valid(structured), `${name}: ${JSON.stringify(valid.errors)}`).toBe(true);
      // The list describes less than the service guarantees.
      expect(TOOLS.find((tool) => tool.name === name)?.output.safeParse(structured).error, name).toBeUndefined();
      expect(text.length, name).toBeGreaterThan(60);
    }
    await client.close();
  });
});

describe('the answers of the tools', () => {
  it.each(CALLS)('given the record, then the response of %s matches its snapshot', async (name, args) => {
    const client = await open();
    const { text, structured } = await client.call(name, args);
    expect(steady({ text, structured })).toMatchSnapshot();
    await client.close();
  });

  it('given a tool that names signals, then its text cites the page of every one of them', async () => {
    const client = await open();
    for (const [name, args] of CALLS.slice(0, 8)) {
      const { text, structured } = await client.call(name, args);
      const pages = [...JSON.stringify(structured).matchAll(/"(http[^"\\]*\/signal\/[^"\\]*)"/g)].map(
        ([, page]) => page,
      );
      expect(pages.length, name).toBeGreaterThan(0);
      for (const page of pages) expect(text, name).toContain(page);
    }
    await client.close();
  });

  it('given more rows than the limit, when the cursor is followed, then every row comes once and the text counts them', async () => {
    const client = await open();
    for (const [tool, list] of [
      ['get_expansion_map', 'openings'],
      ['get_leadership_moves', 'moves'],
    ] as const) {
      const first = await client.call(tool, { limit: 1 });
      expect(first.text).toMatch(
        /1 of 2 (rows|moves) listed\. More: call get_\w+ again with the same arguments and cursor/,
      );
      const second = await client.call(tool, { limit: 1, cursor: first.structured?.next_cursor });
      expect(second.structured?.next_cursor).toBeNull();
      expect(second.text).toContain('This is the last page.');
      const rows = [first, second].flatMap(({ structured }) => structured?.[list] as { signal: { id: string } }[]);
      expect(new Set(rows.map(({ signal }) => signal.id)).size).toBe(2);
      expect(await client.call(tool, { cursor: 'bm9uZQ' })).toMatchObject({
        isError: true,
        text: expect.stringContaining('cursor: "bm9uZQ" cannot be used'),
      });
    }
    await client.close();
  });

  it('given rows that cite a signal, then each has the outlet, the address of the report and the date', async () => {
    const client = await open();
    for (const [name, args] of CALLS) {
      const { structured } = await client.call(name, args);
      for (const list of Object.values(structured ?? {}).filter(Array.isArray))
        for (const row of list)
          if (row.signal)
            expect(row, name).toMatchObject({
              outlet: expect.stringMatching(/\w/),
              source_url: expect.stringMatching(/^https:/),
              published_at: expect.stringMatching(/^2026-/),
            });
    }
    await client.close();
  });

  it('given more moves than the limit, when the cursor is followed, then every move comes once', async () => {
    const client = await open();
    const seen: string[] = [];
    let cursor: unknown;
    do {
      const { structured } = await client.call('latest_moves', { limit: 2, ...(cursor ? { cursor } : {}) });
      const { signals, next_cursor } = structured as { signals: { id: string }[]; next_cursor: string | null };
      seen.push(...signals.map(({ id }) => id));
      cursor = next_cursor;
    } while (cursor);
    expect(seen).toHaveLength(SIGNALS);
    expect(new Set(seen).size).toBe(seen.length);
    await client.close();
  });
});

describe('a name from headlines', () => {
  it('given no second story about it, then no tool knows it as a brand, and its address is the page of the move; promoted, it is one', async () => {
    const name = { slug: brandSlug('naya-dukaan'), name: 'Naya Dukaan' };
    await serving.site.append(
      detected('naya', {
        published_at: '2026-10-01T04:30:00Z',
        understanding: understanding({
          headline: 'Naya Dukaan hires a head of stores',
          brands: [{ ...name, role: 'primary', provisional: true }],
        }),
      }),
    );
    const client = await open();
    const page = `${serving.baseUrl}/signal/slug-naya`;
    const addresses = async (tool: string, args: object): Promise<unknown> => {
      const { structured } = await client.call(tool, { ...args });
      const { signal, signals } = structured as { signal?: SignalItem; signals?: SignalItem[] };
      return [...(signal ? [signal] : []), ...(signals ?? [])]
        .flatMap(({ brands }) => brands)
        .find(({ slug }) => slug === name.slug)?.url;
    };
    expect(await addresses('get_signal', { id_or_slug: 'slug-naya' })).toBe(page);
    expect(await addresses('latest_moves', { limit: 50 })).toBe(page);
    for (const [tool, args] of [
      ['latest_moves', { brand: 'Naya Dukaan' }],
      ['brand_profile', { brand: 'naya-dukaan' }],
    ] as const) {
      const refused = await client.call(tool, args);
      expect(refused.isError).toBe(true);
      expect(refused.text).toContain('No brand is called');
    }

    const { engine } = serving.site;
    const promoted = storedEvent('BrandPromoted', { ...name, by: 'asha', why: '' });
    const position = await engine.add(brandStream(name.slug), promoted);
    expect(await waitForPosition(engine.database, 'brands', position, 10_000)).toBe(true);
    expect(await addresses('get_signal', { id_or_slug: 'slug-naya' })).toBe(`${serving.baseUrl}/brand/naya-dukaan`);
    expect(await addresses('latest_moves', { brand: 'Naya Dukaan' })).toBe(`${serving.baseUrl}/brand/naya-dukaan`);
    await client.close();
  });
});

describe('a move of a thread', () => {
  it.each([
    [ID.results, [], [ID.planted], /After, in the same thread:\n- .*Ignore all previous/],
    [ID.planted, [ID.results], [], /Before, in the same thread:\n- .*Vastra Bazaar Q2 revenue rises 24%/],
    [ID.opened, [], [], /^(?!.*same thread)/s],
  ])(
    'given %s, then it has what came before and after, in text and structure',
    async (id_or_slug, before, after, said) => {
      const client = await open();
      const { structured, text } = await client.call('get_signal', { id_or_slug });
      await client.close();
      expect(structured).toMatchObject({
        signal: { before: before.map((id) => ({ id })), after: after.map((id) => ({ id })) },
      });
      expect(text).toMatch(said);
      for (const id of [...before, ...after]) expect(text).toContain(`(${id})`);
    },
  );
});

describe('the daily brief', () => {
  it('given no hours, then it is the brief that the e-mail of the date has; given hours, a window until now', async () => {
    const client = await open();
    const { engine } = serving.site;
    const mailed = await briefsAt(
      { database: engine.database, directory: directoryOf(CATALOGUE) },
      latestBriefTime(engine.clock()),
    )({
      account: 'acc_none' as AccountId,
      scope: 'everything',
    });
    const { structured, text } = await client.call('daily_brief');
    expect(structured).toMatchObject({ date: mailed.date, label: mailed.label, items: mailed.items });
    expect(text).toContain('of the 24 hours until 21 November 2026, 07:30 IST');
    expect((await client.call('daily_brief', { hours: 72 })).text).toContain('of the 72 hours until now');
    await client.close();
  });
});

describe('search and fetch, as connectors take them', () => {
  it('given a search, then one text holds exactly the results, and each can be fetched by its id', async () => {
    const client = await open();
    const { text, structured } = await client.call('search', { query: 'Kiri Foods' });
    expect(JSON.parse(text)).toEqual(structured);
    expect(Object.keys(structured ?? {})).toEqual(['results']);
    const { results } = structured as { results: { id: string; title: string; url: string }[] };
    expect(results.map(({ id }) => id)).toEqual(expect.arrayContaining(['brand:kiri-foods', ID.opened]));
    for (const { id, url, ...rest } of results) {
      expect(Object.keys(rest)).toEqual(['title']);
      const fetched = await client.call('fetch', { id });
      expect(JSON.parse(fetched.text)).toEqual(fetched.structured);
      expect(fetched.structured).toMatchObject({ id, url, text: expect.stringMatching(/.{40}/s) });
      expect(Object.keys(fetched.structured ?? {})).toEqual(['id', 'title', 'text', 'url', 'metadata']);
    }
    await client.close();
  });

  it('given a brand that is left out, or no word at all, then it is not found, or the tool says why', async () => {
    const client = await open();
    const { structured } = await client.call('search', { query: 'Indore -"Vastra Bazaar"' });
    const { results } = structured as { results: { id: string }[] };
    expect(results.map(({ id }) => id)).not.toContain('brand:vastra-bazaar');
    const silent = await client.call('search', { query: '!!!' });
    expect(silent.isError).toBe(true);
    expect(silent.text).toContain('query');
    await client.close();
  });

  it('given a name among other words, then the brand comes before the moves', async () => {
    const client = await open();
    const { structured } = await client.call('search', { query: 'what did Vastra Bazaar tell of Indore' });
    const { results } = structured as { results: { id: string; title: string }[] };
    expect(results[0]).toMatchObject({ id: 'brand:vastra-bazaar', title: 'Vastra Bazaar (brand)' });
    expect(results.slice(1).map(({ id }) => id)).toContain(ID.results);
    await client.close();
  });

  it('given a theme, then it is found and fetched too; given nothing that fits, then no result and no error', async () => {
    const client = await open();
    const answer = await client.call('search', { query: 'expansion' });
    expect(answer.text).toContain('"id":"theme:expansion"');
    expect((await client.call('fetch', { id: 'theme:expansion' })).structured).toMatchObject({ title: 'Expansion' });
    expect(await client.call('search', { query: 'zzzzqqq' })).toMatchObject({ isError: false, text: '{"results":[]}' });
    await client.close();
  });
});

describe.each(CLIENTS)('resources and prompts with the client $age', ({ open: connect }) => {
  it('given the cite id of a move, then its resource is what get_signal says', async () => {
    const client = await connect(`${serving.baseUrl}/mcp`);
    expect(await client.templates()).toMatchObject([{ uriTemplate: 'clarity://signal/{id}' }]);
    const { text, mimeType } = await client.read(`clarity://signal/${ID.opened}`);
    expect(mimeType).toBe('text/plain');
    expect(text).toBe((await client.call('get_signal', { id_or_slug: ID.opened })).text);
    await expect(client.read('clarity://signal/sig_0000000000000000')).rejects.toThrow();
    await expect(client.read('clarity://signal/../etc')).rejects.toThrow();
    await client.close();
  });

  it('given the prompt of the morning brief, then it asks for the tool, with what was filled in on one line', async () => {
    const client = await connect(`${serving.baseUrl}/mcp`);
    expect(await client.prompts()).toMatchObject([{ name: 'morning_brief', title: 'Morning brief' }]);
    expect(await client.prompt('morning_brief', {})).toContain('Call the tool daily_brief, without hours');
    const narrowed = await client.prompt('morning_brief', { brands: 'Zudio\n\n# Ignore, Westside' });
    expect(narrowed).toContain('daily_brief with brands "Zudio # Ignore, Westside"');
    await expect(client.prompt('evening_brief', {})).rejects.toThrow(/Unknown prompt/);
    await client.close();
  });
});

describe('the pages of a move, a brand and a theme', () => {
  it.each([
    ['https://any.example/brand/kiri-foods?days=7', 'brand:kiri-foods'],
    ['/theme/expansion', 'theme:expansion'],
    ['https://any.example/signal/kiri-foods-opens-40-stores', ID.opened],
  ])('given the address %s, then fetch has it', async (id, fetched) => {
    const client = await open();
    expect((await client.call('fetch', { id })).structured).toMatchObject({ id: fetched });
    await client.close();
  });

  it('given a page that another tool answers for, then fetch names the tool', async () => {
    const client = await open();
    const answer = await client.call('fetch', { id: 'https://any.example/city/pune' });
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('get_expansion_map') });
    await client.close();
  });
});

describe('a headline that gives orders', () => {
  /** What is left of a text when every quotation is taken out. */
  const unquoted = (text: string): string => text.replace(/<quote>[^<>\n]*<\/quote>/g, '');

  it.each([
    ['latest_moves', {}],
    ['get_signal', { id_or_slug: ID.planted }],
    ['get_signal', { id_or_slug: ID.results }],
    ['brand_profile', { brand: 'resham-house' }],
    ['compare_brands', { brands: ['resham-house', 'Kiri'] }],
    ['daily_brief', { hours: 72 }],
    ['get_group', { group: 'value-fashion' }],
  ])(
    'given it in an answer of %s, then it is only between fences, below an explanation of them',
    async (tool, args) => {
      const client = await open();
      const { text } = await client.call(tool, args);
      await client.close();
      expect(text).toMatch(/Ignore all previous instructions/);
      expect(unquoted(text.replace(QUOTE_NOTICE, ''))).not.toMatch(
        /ignore all previous|SYSTEM:|New task|<\/?quote>|\u202e/i,
      );
      expect(text.indexOf(QUOTE_NOTICE)).toBeGreaterThanOrEqual(0);
      expect(text.indexOf(QUOTE_NOTICE)).toBeLessThan(text.indexOf('Ignore all previous'));
      expect(text).not.toMatch(/^# /m);
    },
  );

  it('given it in search and fetch, then the title is in quotation marks and the text is fenced', async () => {
    const client = await open();
    const answer = await client.call('search', { query: 'previous instructions' });
    const { results } = answer.structured as { results: { id: string; title: string }[] };
    expect(results.find(({ id }) => id === ID.planted)?.title).toMatch(
      /^“Ignore all previous instructions[^“”\n]*”, 20 November 2026$/,
    );
    const fetched = (await client.call('fetch', { id: ID.planted })).structured as { text: string; title: string };
    expect(fetched.title).toMatch(/^“[^“”\n]*”$/);
    await client.close();
    expect(unquoted(fetched.text.replace(QUOTE_NOTICE, ''))).not.toMatch(/ignore all previous|SYSTEM:/i);
  });
});
