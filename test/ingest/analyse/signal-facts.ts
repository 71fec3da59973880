/** Invented facts for the tests of the analysis. */
import type { SignalFacts } from '../../../ingest/analyse.ts';
import type { BrandHistory } from '../../../projector/models/brands-queries.ts';
import { understanding } from '../../projector/signal-events.ts';

export const NOW = '2026-11-20T04:30:00Z';

export const history = (changes: Partial<BrandHistory> = {}): BrandHistory => ({
  periods: new Array<number>(12).fill(0),
  stories: 0,
  first_seen_at: null,
  known_cities: [],
  earlier: [],
  ...changes,
});

export const facts = (changes: Partial<SignalFacts> = {}): SignalFacts => ({
  brand: 'Kiri Foods',
  understanding: understanding(),
  history: history(),
  earlier: [],
  follows: null,
  ...changes,
});
