/** The resources of the contract, field by field: what a caller may build on, in one table that the code must meet. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Authorise } from '../../access/authorise.ts';
import type { AccountId } from '../../schemas/access.ts';
import { MOVES } from '../../schemas/scalar.ts';
import { storedEvent } from '../projector/given-when-then.ts';
import { brandRef, detected, idOf, report, reported } from '../projector/signal-events.ts';
import { polled, source } from '../projector/source-events.ts';
import { type Serving, serving } from './serving.ts';

type Kind =
  | 'string'
  | 'string?'
  | 'integer'
  | 'number'
  | 'instant'
  | 'instant?'
  | 'move'
  | 'strings'
  | 'counts'
  | 'role';
/** A field is of a kind, or an object, or a list of objects; a name with a question mark may be null. */
type Shape = { readonly [field: string]: Kind | Shape | readonly [Shape] };

const SOURCE: Shape = { outlet: 'string?', url: 'string?' };
const BRAND_REF: Shape = { name: 'string', slug: 'string', url: 'string', role: 'role' };
const ITEM: Shape = {
  id: 'string',
  slug: 'string',
  url: 'string',
  headline: 'string',
  delta: 'string?',
  summary: 'string?',
  move: 'move',
  kind: 'string?',
  'theme?': { slug: 'string', url: 'string' },
  brands: [BRAND_REF],
  cities: 'strings',
  published_at: 'instant',
  event_at: 'instant?',
  source: SOURCE,
  outlets: 'integer',
};
const DETAIL: Shape = {
  ...ITEM,
  deck: 'string?',
  why_it_matters: 'string?',
  what_to_watch: 'string?',
  key_facts: 'strings',
  analysis: [{ field: 'string', text: 'string', signals: [{ id: 'string', url: 'string' }] }],
};
const WINDOW: Shape = { since: 'instant', until: 'instant', total: 'integer', by_move: 'counts' };
const BRAND: Shape = {
  name: 'string',
  slug: 'string',
  url: 'string',
  stories: 'integer',
  stories_about: 'integer',
  first_seen_at: 'instant?',
  last_seen_at: 'instant?',
  'last_30_days?': WINDOW,
  themes: [{ slug: 'string', name: 'string', url: 'string', stories: 'integer' }],
  related_brands: [{ name: 'string', slug: 'string', url: 'string', stories: 'integer' }],
  top_outlets: [{ outlet: 'string', stories: 'integer' }],
};
const LATEST: Shape = {
  id: 'string',
  slug: 'string',
  url: 'string',
  headline: 'string',
  move: 'move',
  delta: 'string?',
  published_at: 'instant',
  source: SOURCE,
};
const WATCH: Shape = {
  window_days: 'integer',
  since: 'instant',
  until: 'instant',
  brands: [
    {
      name: 'string',
      slug: 'string',
      url: 'string',
      total: 'integer',
      prior_total: 'integer',
      by_move: 'counts',
      prior_by_move: 'counts',
      cities: 'strings',
      latest: [LATEST],
    },
  ],
  quiet: 'strings',
};
const BRIEF: Shape = {
  date: 'string',
  label: 'string',
  window_hours: 'integer',
  until: 'instant',
  filters: { brands: 'strings', themes: 'strings' },
  items: [
    {
      id: 'string',
      headline: 'string',
      url: 'string',
      delta: 'string?',
      why_it_matters: 'string?',
      what_to_watch: 'string?',
      brand: 'string?',
      source: SOURCE,
      other_outlets: 'integer',
      published_at: 'instant',
    },
  ],
};
const FOLLOW: Shape = {
  id: 'string',
  type: 'string',
  slug: 'string',
  name: 'string',
  url: 'string',
  channel: 'string',
  created_at: 'instant',
};
const HEALTH: Shape = {
  generated_at: 'instant',
  stats: {
    ...Object.fromEntries(
      ['sources', 'active', 'paused', 'healthy', 'degraded', 'failing', 'silent', 'signals_24h'].map((name) => [
        name,
        'integer',
      ]),
    ),
    items_per_hour: 'number',
  },
  'oracle?': { miss_rate: 'number', checked: 'integer', missed: 'integer', window_hours: 'integer', slo: 'number' },
  sources: [
    {
      id: 'string',
      outlet: 'string',
      url: 'string',
      kind: 'string',
      health: 'string',
      cadence_seconds: 'integer',
      items_24h: 'integer',
      last_polled_at: 'instant?',
      last_success_at: 'instant?',
      last_item_at: 'instant?',
      consecutive_failures: 'integer',
      last_error: 'string?',
    },
  ],
};

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const isText = (value: unknown): boolean => typeof value === 'string';
const isWhole = (value: unknown): boolean => Number.isInteger(value);
const isInstant = (value: unknown): boolean => isText(value) && INSTANT.test(String(value));
const CHECKS: Record<Kind, (value: unknown) => boolean> = {
  string: (value) => isText(value) && value !== '',
  'string?': (value) => value === null || isText(value),
  integer: isWhole,
  number: (value) => typeof value === 'number',
  instant: isInstant,
  'instant?': (value) => value === null || isInstant(value),
  move: (value) => MOVES.some((move) => move === value),
  strings: (value) => Array.isArray(value) && value.every(isText),
  counts: (value) =>
    JSON.stringify(Object.keys(value ?? {})) === JSON.stringify(MOVES) && Object.values(value ?? {}).every(isWhole),
  role: (value) => value === 'primary' || value === 'secondary',
};

/** Every way in which a value is not of its shape. Further fields are allowed. */
function faults(value: unknown, shape: Shape, at: string): string[] {
  if (typeof value !== 'object' || value === null) return [`${at} is no object`];
  return Object.entries(shape).flatMap(([name, expected]) => {
    const field = name.replace('?', '');
    const fieldValue = (value as Record<string, unknown>)[field];
    const where = `${at}.${field}`;
    if (fieldValue === undefined) return [`${where} is missing`];
    if (typeof expected === 'string') return CHECKS[expected](fieldValue) ? [] : [`${where} is no ${expected}`];
    if (fieldValue === null) return name.endsWith('?') ? [] : [`${where} is null`];
    if (!Array.isArray(expected)) return faults(fieldValue, expected as Shape, where);
    if (!Array.isArray(fieldValue) || fieldValue.length === 0) return [`${where} is no list with something in it`];
    return fieldValue.flatMap((one, index) => faults(one, (expected as readonly [Shape])[0], `${where}.${index}`));
  });
}

let site: Serving;
const authorise: Authorise = () => async (request) => {
  request.access = {
    kind: 'key',
    account: 'acc_0000000000000001' as AccountId,
    plan: 'pro',
    scopes: ['read'],
    keyId: null,
  };
};

beforeAll(async () => {
  const models = ['brands', 'follows', 'inbox_reads'];
  site = await serving({ models, authorise });
  await site.enrol(source());
  await site.engine.topics.topic('polls').publish([{ key: 'daily-trade', event: polled() }]);
  const brands = [brandRef('kiri', 'Kiri'), brandRef('maya', 'Maya', 'secondary')];
  const first = detected('one');
  await site.append(
    { ...first, data: { ...first.data, understanding: { ...first.data.understanding, brands } } },
    reported('one', report('two', { outlet: 'Second' })),
    storedEvent('SignalAnalysed', {
      signal_id: idOf('one'),
      why_it_matters: 'Why.',
      what_to_watch: 'What.',
      sentences: [{ field: 'why_it_matters', text: 'Why.', signals: [idOf('zero')] }],
      by: 'rules',
    }),
  );
  await site.server.inject({
    method: 'POST',
    url: '/api/v1/follow',
    payload: { target: { type: 'brand', slug: 'kiri' } },
  });
  await site.append(
    detected('later', { published_at: '2026-11-21T05:00:00Z', understanding: { ...first.data.understanding, brands } }),
  );
});
afterAll(() => site.close());

describe('the resources of the contract', () => {
  it.each<[string, Shape]>([
    ['/signals', { signals: [ITEM], next_cursor: 'string?' }],
    ['/signals/slug-one', { signal: DETAIL }],
    ['/brands/kiri', { brand: BRAND, latest: [ITEM] }],
    ['/watch?b=kiri', WATCH],
    ['/brief', BRIEF],
    ['/follow', { follows: [FOLLOW], unread: 'integer' }],
    [
      '/follow/inbox',
      {
        items: [{ id: 'string', signal: ITEM, follows: 'strings', delivered_at: 'instant', read_at: 'instant?' }],
        unread: 'integer',
        next_cursor: 'string?',
      },
    ],
    ['/sources/health', HEALTH],
  ])('given %s, then every field is present and has its type', async (path, shape) => {
    const answer = await site.server.inject(`/api/v1${path}`);
    expect(answer.statusCode).toBe(200);
    expect(faults(answer.json(), shape, path)).toEqual([]);
  });

  it('given any kind of deviation, then the check finds it', () => {
    const shape: Shape = { a: 'string', 'b?': { c: 'integer' }, d: [{ e: 'move' }], f: 'counts' };
    const good = {
      a: 'x',
      b: null,
      d: [{ e: 'stores' }],
      f: Object.fromEntries(MOVES.map((move) => [move, 0])),
      more: 1,
    };
    expect(faults(good, shape, '')).toEqual([]);
    expect(faults({ a: '', b: { c: 1.5 }, d: [{ e: 'x' }], f: { stores: 1 } }, shape, '')).toHaveLength(4);
    expect(faults({ b: null, d: [], f: null }, shape, '')).toHaveLength(3);
  });
});
