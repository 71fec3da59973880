/** Examples that the description shows. A test checks each against its schema. */
import type { Citation } from '../../schemas/ask.ts';
import type { Quality } from '../../schemas/quality.ts';
import type { Brand, HealthSnapshot, SignalDetail, SignalItem, Watch } from '../../schemas/resources.ts';
import { brandSlugOf, type MoveCounts, signalId } from '../../schemas/scalar.ts';
import type { BriefItem, Follow } from '../../schemas/subscriptions.ts';
import type { Answer } from '../route.ts';

const SITE = 'https://clarity.example';

export const signalExample: SignalItem = {
  id: 'sig_3f1c9a0be27d5546',
  slug: 'kiri-foods-opens-40-stores-in-pune',
  url: `${SITE}/signal/kiri-foods-opens-40-stores-in-pune`,
  headline: 'Kiri Foods opens 40 stores in Pune',
  delta: '40 stores',
  summary: 'Kiri Foods opened 40 stores in Pune, its first outside Mumbai.',
  move: 'stores',
  kind: 'Store opening',
  theme: { slug: 'expansion', name: 'Expansion', url: `${SITE}/theme/expansion` },
  brands: [{ name: 'Kiri Foods', slug: brandSlugOf('Kiri Foods'), url: `${SITE}/brand/kiri-foods`, role: 'primary' }],
  cities: ['Pune'],
  published_at: '2026-11-21T04:30:00Z',
  reported_at: '2026-11-21T04:10:00Z',
  event_at: '2026-11-20T18:30:00Z',
  source: { outlet: 'Daily Trade', url: 'https://daily-trade.example/kiri-foods-pune' },
  outlets: 3,
};

export const detailExample: SignalDetail = {
  ...signalExample,
  deck: 'The chain doubles its count within a quarter.',
  why_it_matters: 'It is the first move of Kiri Foods in Pune on record since 1 June 2026, among 4 signals about it.',
  what_to_watch: 'The opening at Nagpur is announced for 5 December 2026.',
  analysis: [
    {
      field: 'why_it_matters',
      text: 'It is the first move of Kiri Foods in Pune on record since 1 June 2026, among 4 signals about it.',
      signals: [{ id: 'sig_9b2d4c5e6f708192', url: `${SITE}/signal/sig_9b2d4c5e6f708192` }],
    },
    { field: 'what_to_watch', text: 'The opening at Nagpur is announced for 5 December 2026.', signals: [] },
  ],
  key_facts: ['40 stores', 'First stores outside Mumbai'],
  reports: [
    {
      outlet: 'Daily Trade',
      url: 'https://daily-trade.example/kiri-foods-pune',
      headline: 'Kiri Foods opens 40 stores in Pune',
      published_at: '2026-11-21T04:10:00Z',
    },
    {
      outlet: 'Market Gazette',
      url: 'https://market-gazette.example/kiri-pune',
      headline: 'Pune gets 40 Kiri stores',
      published_at: '2026-11-21T05:00:00Z',
    },
  ],
  before: [
    {
      id: 'sig_5a6b7c8d9e0f1a2b',
      slug: 'kiri-foods-plans-40-stores-in-pune',
      url: `${SITE}/signal/kiri-foods-plans-40-stores-in-pune`,
      headline: 'Kiri Foods plans 40 stores in Pune',
      published_at: '2026-09-03T05:20:00Z',
      reported_at: '2026-09-03T04:50:00Z',
      move: 'stores',
    },
  ],
  after: [],
  corrections: [
    { at: '2026-11-21T06:10:00Z', fields: ['delta'], by: 'operator', why: 'The report says 40 stores, not 4.' },
  ],
};

const counts: MoveCounts = { stores: 3, deals: 1, people: 0, results: 1, launches: 2, strategy: 0, rules: 0, other: 0 };
const before: MoveCounts = { stores: 1, deals: 0, people: 1, results: 0, launches: 0, strategy: 0, rules: 0, other: 0 };

export const brandExample: Brand = {
  name: 'Kiri Foods',
  slug: brandSlugOf('Kiri Foods'),
  url: `${SITE}/brand/kiri-foods`,
  stories: 48,
  stories_about: 41,
  first_seen_at: '2026-02-03T05:10:00Z',
  last_seen_at: '2026-11-21T04:30:00Z',
  last_30_days: { since: '2026-10-22T04:40:00Z', until: '2026-11-21T04:40:00Z', total: 7, by_move: counts },
  themes: [{ slug: 'expansion', name: 'Expansion', url: `${SITE}/theme/expansion`, stories: 19 }],
  related_brands: [
    { name: 'Maya Stores', slug: brandSlugOf('Maya Stores'), url: `${SITE}/brand/maya-stores`, stories: 6 },
  ],
  top_outlets: [{ outlet: 'Daily Trade', stories: 22 }],
};

const { id, slug, url, headline, move, delta, published_at, reported_at, source } = signalExample;

export const watchExample: Watch = {
  window_days: 7,
  since: '2026-11-14T04:40:00Z',
  until: '2026-11-21T04:40:00Z',
  brands: [
    {
      name: 'Kiri Foods',
      slug: brandSlugOf('Kiri Foods'),
      url: `${SITE}/brand/kiri-foods`,
      total: 7,
      prior_total: 2,
      by_move: counts,
      prior_by_move: before,
      cities: ['Pune', 'Mumbai'],
      latest: [{ id, slug, url, headline, move, delta, published_at, reported_at, source }],
    },
  ],
  quiet: [],
};

export const briefItemExample: BriefItem = {
  id,
  headline,
  url,
  delta,
  why_it_matters: detailExample.why_it_matters,
  what_to_watch: detailExample.what_to_watch,
  brand: 'Kiri Foods',
  source,
  other_outlets: 2,
  published_at,
  reported_at: '2026-11-21T04:10:00Z',
};

export const followExample: Follow = {
  id: 'fol_9d2e61c07b34aa18',
  type: 'brand',
  slug: 'kiri-foods',
  name: 'Kiri Foods',
  url: `${SITE}/brand/kiri-foods`,
  channel: 'inbox',
  created_at: '2026-11-20T10:00:00Z',
};

export const healthExample: HealthSnapshot = {
  generated_at: '2026-11-21T04:40:00Z',
  stats: {
    sources: 1,
    active: 1,
    paused: 0,
    healthy: 1,
    degraded: 0,
    failing: 0,
    silent: 0,
    items_per_hour: 4.2,
    signals_24h: 37,
  },
  oracle: {
    miss_rate: 0.05,
    checked: 20,
    missed: 1,
    window_hours: 72,
    slo: 0.1,
    measured_at: '2026-11-21T04:00:00Z',
    sample: [
      {
        headline: 'Kiri Foods opens 40 stores in Pune',
        url: 'https://reference.example/kiri-pune',
        outlet: 'Reference',
        published_at: '2026-11-21T03:00:00Z',
        reading: 'understanding',
        signal_id: signalId('https://daily-trade.example/kiri-foods-pune'),
      },
    ],
    misses: [
      {
        headline: 'Maya Stores names a chief executive',
        url: 'https://wire.example/maya-stores-ceo',
        outlet: 'Reference Wire',
        published_at: '2026-11-20T12:00:00Z',
      },
    ],
  },
  sources: [
    {
      id: 'daily-trade',
      outlet: 'Daily Trade',
      url: 'https://daily-trade.example/feed.xml',
      kind: 'feed',
      health: 'healthy',
      cadence_seconds: 600,
      items_24h: 101,
      last_polled_at: '2026-11-21T04:35:00Z',
      last_success_at: '2026-11-21T04:35:00Z',
      last_item_at: '2026-11-21T04:20:00Z',
      consecutive_failures: 0,
      last_error: null,
    },
  ],
};

const half = { value: 0.9, low: 0.8256, high: 0.9448 };

export const qualityExample: Quality = {
  generated_at: '2026-11-21T04:40:00Z',
  precision: {
    window_days: 30,
    sampled: 580,
    judged: 100,
    facts: [
      { fact: 'signal', judged: 100, right: 90, precision: half, needed: 0 },
      { fact: 'move', judged: 0, right: 0, precision: null, needed: 100 },
    ],
  },
  recall: {
    measured_at: '2026-11-21T04:00:00Z',
    window_hours: 72,
    checked: 100,
    found: 90,
    recall: half,
    goal: 0.9,
    days: [{ date: '2026-11-21', checked: 100, found: 90 }],
  },
  freshness: {
    window_days: 7,
    signals: 210,
    left_out: 31,
    to_page: { p50: 840, p90: 5_400, p99: 29_000 },
    to_poll: { p50: 800, p90: 5_300, p99: 28_900 },
    within: [{ seconds: 3_600, signals: 170 }],
  },
  release: {
    measured_on: '2026-11-22',
    set: '2800 items by weeks left out, with the encoder',
    figures: [{ figure: 'relevance_f1', value: 0.912, low: 0.898, high: 0.925 }],
  },
  corrections: {
    url: `${SITE}/corrections`,
    latest: [
      {
        at: '2026-11-20T09:00:00Z',
        what: 'corrected',
        why: 'The report names Patna',
        fields: [{ field: 'cities', before: 'Pune', after: 'Patna' }],
        signal: { headline, url },
      },
    ],
  },
};

export const citationExample: Citation = {
  id,
  slug,
  url,
  headline,
  published_at,
  outlet: source.outlet,
  source_url: source.url,
  quotes: [{ text: headline, start: 0, end: headline.length }],
};

/** The answer to a retired slug. */
export const retiredSlug: Answer = {
  description: 'The slug was retired; `Location` has its successor.',
  headers: { Location: 'Address of the successor' },
};
