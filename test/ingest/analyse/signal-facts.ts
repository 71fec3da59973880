/** Invented facts for the tests of the analysis. */
import type { SignalFacts } from '../../../ingest/analyse.ts';
import type { BrandHistory } from '../../../projector/models/brands-queries.ts';
import type { Appointment, Opening } from '../../../schemas/story.ts';
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

export const opening = (changes: Partial<Opening> = {}): Opening => ({
  brand: 'Kiri Foods',
  city: 'Pune',
  mall: null,
  locality: null,
  stores: 1,
  status: 'opened',
  date: null,
  ...changes,
});

export const appointment = (changes: Partial<Appointment> = {}): Appointment => ({
  person: 'Meera Sanghvi',
  company: 'Kiri Foods',
  role: 'CFO',
  direction: 'joined',
  from: null,
  to: null,
  effective: null,
  ...changes,
});
