import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { prepareCatalogue } from '../../facts/text/catalogue.ts';
import { changeCatalogue, planCatalogue } from '../../ingest/catalogue/catalogue-commands.ts';
import { type LiveCatalogue, openLiveCatalogue } from '../../ingest/catalogue/effective-catalogue.ts';
import { loadUnderstood, understandAgain } from '../../ingest/catalogue/understand-again.ts';
import { correctSignal } from '../../ingest/correct-signals.ts';
import { MATCH_GROUP, runMatcher } from '../../ingest/match/matcher.ts';
import { parentsIn } from '../../ingest/match/report-features.ts';
import { createUnderstander, runUnderstand, UNDERSTAND_GROUP } from '../../ingest/understand/understander.ts';
import { postgresDeadLetters } from '../../log/dead-letters.ts';
import { postgresTopics } from '../../log/postgres/topics/postgres-topics.ts';
import type { Topic, Topics } from '../../log/topic.ts';
import { CATALOGUE } from '../../operations/catalogue.ts';
import { waitForPosition } from '../../projector/model-progress.ts';
import { CatalogueFile } from '../../schemas/catalogue.ts';
import { type KnownEvent, newEvent, readEvent } from '../../schemas/events.ts';
import { ITEMS, type ItemKey } from '../../schemas/poll.ts';
import { eventId, fingerprint, type SignalId, signalId, slugify } from '../../schemas/scalar.ts';
import { STORIES } from '../../schemas/story.ts';
import { runCommand } from '../bin/run-command.ts';
import { attributesOf, fieldsOf } from '../harness/elements.ts';
import { eventually } from '../harness/eventually.ts';
import { sourceId } from '../harness/ids.ts';
import { OPERATOR, REVIEWER, type SignedIn, type SigningIn, signingIn } from './people/signing-in.ts';

const { sources: _, ...lists } = CatalogueFile.parse({
  sources: ['made up'],
  brands: [
    { slug: 'nordhem', name: 'Nordhem', category: 'home_and_furniture' },
    { slug: 'lampara', name: 'Lampara', category: 'home_and_furniture' },
  ],
  themes: [{ slug: 'late-hours', name: 'Late hours', words: ['midnight delivery'] }],
  cities: ['Surat', 'Pune', 'Nashik', 'Kochi'].map((name) => ({ name, state: 'X', latitude: 20, longitude: 75 })),
});
const MODELS = ['catalogue', 'brands', 'audit', 'audit_actors', 'search', 'names'];
const logger = pino({ level: 'silent' });

let people: SigningIn;
let olga: SignedIn;
let topics: Topics;
let live: LiveCatalogue;

const urlOf = (title: string): string => `https://post.example/${slugify(title)}`;
const idOf = (title: string): SignalId => signalId(urlOf(title));
function item(title: string): KnownEvent<'ItemFound'> {
  const published_at = '2026-11-19T04:00:00.000Z';
  const data = {
    source_id: sourceId('retail-post'),
    outlet: 'Retail Post',
    role: 'news' as const,
    authority: 0.5,
    item_key: urlOf(title) as ItemKey,
    url: urlOf(title),
    title,
    summary: null,
    published_at,
    language: 'en',
    first_seen_at: '2026-11-19T04:10:00.000Z',
    fingerprint: fingerprint(title, null, published_at),
  };
  const id = eventId('item', data.source_id, data.item_key, data.fingerprint);
  return newEvent('ItemFound', data, { id, time: data.first_seen_at });
}

const understander = () => live.following(() => createUnderstander(live.prepared(), null));
const seen = async (): Promise<void> => {
  const { database, store } = people.site.engine;
  const head = await store.head();
  for (const model of ['signals', ...MODELS]) expect(await waitForPosition(database, model, head, 20_000)).toBe(true);
  await live.refresh();
};

/** Publishes items, and understands them. */
async function understand(...titles: string[]): Promise<void> {
  const { database } = people.site.engine;
  const [items, stories] = [topics.topic(ITEMS), topics.topic(STORIES)];
  await items.publish(titles.map((title) => ({ key: urlOf(title), event: item(title) })));
  const stop = new AbortController();
  const rest = { deadLetters: postgresDeadLetters(database), logger, signal: stop.signal };
  const running = runUnderstand({ ...rest, items, stories, understander: understander() });
  await eventually(async () => expect(await items.lag(UNDERSTAND_GROUP)).toBe(0n));
  stop.abort();
  await running;
}

/** Matches all stories. */
async function match(): Promise<void> {
  const { database, store } = people.site.engine;
  const stories = topics.topic(STORIES);
  const stop = new AbortController();
  const rest = { deadLetters: postgresDeadLetters(database), logger, signal: stop.signal };
  const running = runMatcher({ ...rest, stories, store, parentOf: (slug) => parentsIn(live.prepared())(slug) });
  await eventually(async () => expect(await stories.lag(MATCH_GROUP)).toBe(0n));
  stop.abort();
  await running;
  await seen();
}

/** Publishes items, understands and matches them. */
async function report(...titles: string[]): Promise<void> {
  await understand(...titles);
  await match();
}

function again(
  changes: { signal?: AbortSignal; stories?: Topic; onProgress?: (phase: string, done: number) => void } = {},
) {
  const { store, clock } = people.site.engine;
  const { signal = new AbortController().signal, stories = topics.topic(STORIES), onProgress } = changes;
  return understandAgain({
    catalogue: live,
    store,
    items: topics.topic(ITEMS),
    stories,
    understander: understander(),
    logger,
    clock,
    signal,
    onProgress: ({ phase, done }) => onProgress?.(phase, done),
  });
}

const events = async (title: string) =>
  (await people.site.engine.store.read(`signal-${idOf(title)}`)).map((event) => readEvent(event));
const brandsOf = async (title: string): Promise<string[]> => {
  const last = (await events(title)).findLast((event) => 'after' in event.data || 'understanding' in event.data);
  const said = last?.data as { after?: { brands: { slug: string }[] }; understanding?: { brands: { slug: string }[] } };
  return (said.after ?? said.understanding)?.brands.map(({ slug }) => slug) ?? [];
};
const get = async (path: string) => {
  const { statusCode, headers, body } = await people.site.server.inject(path);
  return { statusCode, location: headers.location, body };
};
const preview = (query: Record<string, string>): string =>
  `/operate/catalogue/preview?${new URLSearchParams({ ...query, why: query.why || 'in the news' })}`;
/** Opens the preview, presses its button, and waits until everybody sees the change. */
async function confirm(query: Record<string, string>): Promise<Response> {
  const answer = await olga.send(preview(query), `/operate/catalogue/preview/${query.do}`);
  await seen();
  return answer;
}

beforeAll(async () => {
  people = await signingIn({ models: MODELS, catalogue: lists });
  const { database } = people.site.engine;
  topics = postgresTopics(database);
  const shipped = prepareCatalogue({ ...lists, version: 'test' });
  live = await openLiveCatalogue({ shipped, database, every: 0, report: () => undefined });
  olga = await people.signIn(OPERATOR);
}, 60_000);
afterAll(async () => {
  await topics.close();
  await people.close();
});

const TEA = ['Zarina Tea opens its first store in Surat', 'Zarina Tea opens its second store in Pune'];
const OTHER = 'Lampara opens its first store in Nashik';

describe('the catalogue desk', () => {
  it('given a name that the catalogue lacks, then a preview names its stories, and adding it moves them by a run that a kill only interrupts', async () => {
    await report(...TEA, OTHER);
    const query = { do: 'add', of: 'brand', name: 'Zarina Tea', category: 'food_and_beverage', aliases: 'Zarina' };
    const { $, status } = await olga.open(preview(query));
    expect(status).toBe(200);
    expect($('main').text()).toContain('2 stories of the last 90 days would get this brand');
    expect($('main').text()).toContain(TEA[0]);
    const before = await Promise.all(TEA.map(events));

    const answer = await confirm(query);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/operate/catalogue/brand/zarina-tea']);
    expect((await olga.open('/operate/catalogue')).$('[role=status]').text()).toContain('being understood again');

    // Killed after the first signal: what was appended stays.
    const kill = new AbortController();
    const killed = again({ signal: kill.signal, onProgress: (phase) => void (phase === 'signals' && kill.abort()) });
    await expect(killed).rejects.toThrow();
    expect((await loadUnderstood(people.site.engine.store)).through).toBe(0);

    const outcome = await again();
    await seen();
    expect(outcome).toMatchObject({ passed_over: 0 });
    for (const [index, title] of TEA.entries()) {
      const after = await events(title);
      expect(after.length - (before[index]?.length ?? 0)).toBe(1);
      expect(await brandsOf(title)).toEqual(['zarina-tea']);
    }
    expect(await again()).toBeNull();
    const said = (await olga.open('/operate/catalogue')).$('[role=status]').text();
    expect(said).toContain('Stories are understood by all 1 change');

    expect(JSON.parse((await get('/brand/zarina-tea/feed.json')).body).items).toHaveLength(2);
    expect((await get('/brand/zarina-tea')).body).toContain(TEA[1]);
  }, 60_000);

  it('given a correction by a reviewer, when a change alters the story, then the corrected field stays', async () => {
    const { store } = people.site.engine;
    const title = 'Zarina Tea opens its fifth store in Kochi';
    await report(title);
    const directory = (name: string) => (name === 'Lampara' ? { slug: 'lampara' as never, name } : null);
    const review = {
      by: REVIEWER,
      why: 'misread',
      time: '2026-11-20T04:00:00Z',
      id: '00000000-0000-4000-8000-000000000001',
    };
    await correctSignal(store, idOf(title), { brands: 'Lampara' }, directory, review);
    const corrected = await brandsOf(title);
    await confirm({ do: 'merge', of: 'brand', entry: 'zarina-tea', into: 'nordhem' });
    await again();
    await seen();
    expect(await brandsOf(title)).toEqual(corrected);
    for (const one of TEA) expect(await brandsOf(one)).toEqual(['nordhem']);
  }, 60_000);

  it('given a merged brand, then its address, its resource, filters and new stories lead to the other', async () => {
    expect(await get('/brand/zarina-tea')).toMatchObject({
      statusCode: 301,
      location: `${people.baseUrl}/brand/nordhem`,
    });
    expect(await get('/brand/zarina-tea/feed.json')).toMatchObject({
      statusCode: 301,
      location: `${people.baseUrl}/brand/nordhem/feed.json`,
    });
    expect((await get('/?brand=zarina-tea')).body).toContain(TEA[0]);
    await report('Zarina opens its ninth store in Nashik');
    expect(await brandsOf('Zarina opens its ninth store in Nashik')).toEqual(['nordhem']);
  }, 60_000);

  it('given stories by the former catalogue that are matched only now, then they take nothing back', async () => {
    const titles = ['Quillmere opens its first store in Kochi', 'Quillmere opens its second store in Pune'];
    await understand(...titles);
    await confirm({
      do: 'add',
      of: 'brand',
      name: 'Quillmere Tea',
      category: 'food_and_beverage',
      aliases: 'Quillmere',
    });
    const { promise: waits, resolve } = Promise.withResolvers<void>();
    const stories = topics.topic(STORIES);
    const progress: Topic['progress'] = (group) => {
      resolve();
      return stories.progress(group);
    };
    const run = again({ stories: { ...stories, progress } });
    await Promise.race([waits, run]);
    await match();
    await run;
    for (const title of titles) expect(await brandsOf(title)).toEqual(['quillmere-tea']);
  }, 60_000);

  it('given two operators on one page, then the second sees who was faster, and nothing of it is stored', async () => {
    const page = await olga.open('/operate/catalogue/brand/lampara');
    const sent = fieldsOf(page.$, 'form:has(input[value=edit])');
    expect(sent.expected).toBe('0');
    expect((await confirm({ ...sent, aliases: 'Lampara Lights', why: 'seen' })).status).toBe(303);
    const late = await olga.open(preview({ ...sent, name: 'Lampara Home' }));
    expect(late.status).toBe(400);
    expect(late.$('main').text()).toContain(`Lampara was changed in the meantime by ${OPERATOR}`);
  });

  it('given a new slug of a theme and a brand, then pages and feeds of the old one answer 301', async () => {
    await confirm({
      do: 'edit',
      of: 'theme',
      entry: 'late-hours',
      name: 'Late hours',
      slug: 'night',
      words: 'midnight delivery',
    });
    expect(await get('/theme/late-hours')).toMatchObject({
      statusCode: 301,
      location: `${people.baseUrl}/theme/night`,
    });
    expect((await get('/theme/late-hours/feed.json')).statusCode).toBe(301);
  });

  it('given a retired brand, then its page keeps its stories and says so, and new stories are not put under it', async () => {
    await confirm({ do: 'retire', of: 'brand', entry: 'lampara' });
    const page = (await get('/brand/lampara')).body;
    expect(page).toContain(OTHER);
    expect(page).toContain('Retired from the catalogue on');
    const title = 'Lampara opens its tenth store in Kochi';
    const verdict = await understander().understand({ ...item(title).data, first_seen_at: '2026-11-25T00:00:00Z' });
    expect(verdict.understanding.brands).toEqual([]);
  });

  it('given the exported file, then its import changes nothing; the shipped files keep the edits', async () => {
    const answer = await olga.browser.get(`${people.baseUrl}/operate/catalogue/export.yaml`);
    const yaml = await answer.text();
    const send = (text: string) =>
      olga.send('/operate/catalogue', '/operate/catalogue/import', { file: text, why: 'test' });
    expect((await send(yaml)).headers.get('location')).toBe('/operate/catalogue?added=0&changed=0&kept=0');
    const shipped = JSON.stringify({ sources: ['made up'], ...lists });
    expect((await send(shipped)).headers.get('location')).toBe('/operate/catalogue?added=0&changed=0&kept=3');
    expect((await send('brands: [{ slug: X }]')).status).toBe(400);
    const before = live.effective().number;
    await seen();
    expect(live.effective().number).toBe(before);
  });

  it('given a candidate, then its headlines are there, its category is guessed from them, one button accepts it, and the audit log has who and why', async () => {
    const title = 'Quillon Bakery opens its first store in Surat';
    await report(title);
    const path = '/operate/catalogue/candidates';
    const { $ } = await olga.open(path);
    expect($('.case').text()).toContain(title);
    expect($('.case select[name=category]').val()).toBe('restaurants_and_cafes');
    expect(attributesOf($, 'button[data-key]', 'data-key')).toEqual(expect.arrayContaining(['a', 'r', 'p']));
    expect((await olga.send(path, `${path}/accept`)).status).toBe(303);
    await seen();
    expect((await olga.open(path)).$('.case').text()).not.toContain('Quillon');
    expect((await olga.open('/operate/audit')).$('tbody').text()).toContain('brand Quillon');
  });

  it('given a change by another process, then this one has it after a look', async () => {
    const { store, clock } = people.site.engine;
    const { shipped } = live;
    await changeCatalogue({ store, shipped, now: clock }, (history) =>
      planCatalogue(
        history,
        { do: 'add', kind: 'brand', fields: { name: 'Veloso', category: 'luxury' } },
        { by: 'cli', why: 'test' },
      ),
    );
    await seen();
    expect(live.prepared().names.get(' veloso ')?.brand?.slug).toBe('veloso');
  });
});

describe('clarity catalogue', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clarity-catalogue-'));
    await writeFile(join(folder, 'all.yaml'), JSON.stringify({ sources: ['made up'], ...lists }));
  });
  afterAll(() => rm(folder, { recursive: true }));
  const clarity = (...words: string[]) => {
    vi.stubEnv('CATALOGUE', folder);
    return runCommand(CATALOGUE, ['catalogue', ...words], people.site.engine.url);
  };

  it('given verbs, then they are the commands of the page: listed, shown, previewed, changed, and refused with what is allowed', async () => {
    expect((await clarity('list', 'nord')).output).toContain('Nordhem');
    const dry = await clarity('alias', 'nordhem', 'Quillon', '--dry');
    expect(dry).toMatchObject({ code: 0, output: expect.stringContaining('would be') });
    expect(await clarity('alias', 'nordhem', 'Nordhem Home', '--why', 'seen')).toMatchObject({ code: 0 });
    const shown = JSON.parse((await clarity('show', 'nordhem', '--json')).output);
    expect(shown).toMatchObject({ aliases: expect.arrayContaining(['Nordhem Home']), last_change: { why: 'seen' } });
    expect(await clarity('alias', 'nordhem', 'more')).toMatchObject({
      code: 2,
      output: expect.stringContaining('aliases: "more" is an ordinary word'),
    });
    expect(await clarity('rename', 'nobody', '--name', 'X')).toMatchObject({ code: 2 });
    await seen();
    expect((await olga.open('/operate/catalogue/brand/nordhem')).$('main').text()).toContain('seen');
  });

  it('given an export, then its import changes nothing, and one that differs from an edit is a conflict with exit code 1', async () => {
    const path = join(folder, 'export');
    expect((await clarity('export', path)).code).toBe(0);
    expect(await clarity('import', path)).toMatchObject({
      code: 0,
      output: expect.stringContaining('nothing changed'),
    });
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('name: Nordhem\n', 'name: Nordhem Retail\n'));
    const conflict = await clarity('import', path);
    expect(conflict).toMatchObject({ code: 1, output: expect.stringContaining('the file has "Nordhem Retail"') });
  });
});
