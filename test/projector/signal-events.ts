/** Events of signals for tests, each field as it mostly is. */

import type { Opening } from '../../facts/openings/fields.ts';
import type { Appointment } from '../../facts/people/fields.ts';
import type { Result } from '../../facts/results/fields.ts';
import type { DataOf, KnownEvent } from '../../schemas/events.ts';
import type { ItemKey } from '../../schemas/poll.ts';
import { type SignalId, signalId } from '../../schemas/scalar.ts';
import type { Correction, Report, ReportedFacts } from '../../schemas/signal.ts';
import type { Understanding } from '../../schemas/story.ts';
import { brandSlug, sourceId } from '../harness/ids.ts';
import { storedEvent } from './given-when-then.ts';

/** The id of the n-th signal of a test. */
export const idOf = (name: string): SignalId => signalId(`https://outlet.test/${name}`);

export const report = (name: string, changes: Partial<Report> = {}): Report => ({
  item_key: `key-${name}` as ItemKey,
  source_id: sourceId('daily-trade'),
  outlet: 'Daily Trade',
  authority: 0.5,
  url: `https://outlet.test/${name}`,
  title: `Title of ${name}`,
  summary: null,
  published_at: '2026-11-20T04:00:00Z',
  first_seen_at: '2026-11-20T04:30:00Z',
  fingerprint: name,
  ...changes,
});

/** A brand of the catalogue, as a signal names it. */
export const brandRef = (slug: string, name: string, role: 'primary' | 'secondary' = 'primary') => ({
  slug: brandSlug(slug),
  name,
  role,
  provisional: false,
});

export const understanding = (changes: Partial<Understanding> = {}): Understanding => ({
  move: 'stores',
  kind: 'Store opening',
  headline: 'Kiri Foods opens 40 stores',
  deck: null,
  summary: 'Kiri Foods opened 40 stores in Pune.',
  key_facts: ['40 stores'],
  delta: '40 stores',
  event_at: '2026-11-20T04:00:00Z',
  theme: { slug: 'expansion', name: 'Expansion' },
  brands: [brandRef('kiri-foods', 'Kiri Foods')],
  cities: ['Pune'],
  mall: null,
  people: [],
  openings: [],
  deal: null,
  result: null,
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
  person: 'Asha Rao',
  company: 'Kiri Foods',
  role: 'CFO',
  direction: 'joined',
  from: null,
  to: null,
  effective: null,
  ...changes,
});

export const result = (changes: Partial<Result> = {}): Result => ({
  company: 'Kiri Foods',
  period: 'Q2 FY27',
  metric: 'revenue',
  value: '₹230 Cr',
  growth_pct: 18,
  ...changes,
});

/** The date of a report: where a test says when its signal was published, the same. */
const reportedOn = ({ published_at }: Partial<DataOf<'SignalDetected'>>): Partial<Report> =>
  published_at === undefined ? {} : { published_at };

export const detected = (name: string, changes: Partial<DataOf<'SignalDetected'>> = {}): KnownEvent<'SignalDetected'> =>
  storedEvent('SignalDetected', {
    signal_id: idOf(name),
    slug: `slug-${name}`,
    status: 'public',
    status_reason: null,
    published_at: '2026-11-20T04:30:00Z',
    understanding: understanding(),
    understood_by: 'test',
    report: report(name, reportedOn(changes)),
    follows: null,
    ...changes,
  });

/** A signal whose report says what its text says. */
export const detectedBy = (
  name: string,
  text: Understanding,
  changes: Partial<DataOf<'SignalDetected'>> = {},
): KnownEvent<'SignalDetected'> => {
  const said = [...new Set([text.summary, text.deck, ...text.key_facts].filter(Boolean))].join(' ') || null;
  return detected(name, {
    understanding: text,
    report: report(name, { title: text.headline, summary: said, ...reportedOn(changes) }),
    ...changes,
  });
};

export const reported = (
  name: string,
  by: Report,
  resurfaced = false,
  facts?: ReportedFacts,
): KnownEvent<'SignalReported'> =>
  storedEvent('SignalReported', {
    signal_id: idOf(name),
    report: by,
    match: { score: 1, reasons: ['same words'] },
    resurfaced,
    ...(facts && { facts }),
  });

export const revised = (
  name: string,
  revision: number,
  after: Partial<Understanding>,
  item_key = `key-${name}`,
  reason: DataOf<'SignalRevised'>['reason'] = 'edited',
): KnownEvent<'SignalRevised'> =>
  storedEvent('SignalRevised', {
    signal_id: idOf(name),
    revision,
    reason,
    before: understanding(),
    after: understanding(after),
    understood_by: 'test',
    item_key: item_key as ItemKey,
  });

export const held = (name: string) =>
  storedEvent('SignalHeld', { signal_id: idOf(name), by: 'an operator', why: 'the date is in doubt' });
export const released = (name: string) =>
  storedEvent('SignalReleased', { signal_id: idOf(name), by: 'an operator', why: 'checked' });
export const linked = (name: string, follows: string) =>
  storedEvent('SignalLinked', { signal_id: idOf(name), follows: idOf(follows) });
export const merged = (name: string, into: string) =>
  storedEvent('SignalMerged', {
    signal_id: idOf(name),
    into: idOf(into),
    into_slug: `slug-${into}`,
    by: 'match',
    why: 'one event',
  });

/** A correction by an operator. @param before what the signal said */
export const corrected = (
  name: string,
  revision: number,
  correction: Correction,
  before: Partial<Understanding> = {},
): KnownEvent<'SignalCorrected'> =>
  storedEvent('SignalCorrected', {
    signal_id: idOf(name),
    revision,
    corrected: correction,
    before: understanding(before),
    after: { ...understanding(before), ...correction },
    report: report(name),
    by: 'asha',
    why: 'the report says so',
  });
export const retracted = (name: string) =>
  storedEvent('SignalRetracted', { signal_id: idOf(name), by: 'asha', why: 'an opinion' });
export const confirmed = (name: string) =>
  storedEvent('SignalConfirmed', { signal_id: idOf(name), by: 'asha', why: null });
/** @param gone the report that left, and the outlets that remain */
export const split = (name: string, gone: Report, into: string, outlets: string[]) =>
  storedEvent('SignalSplit', {
    signal_id: idOf(name),
    report: gone,
    into: idOf(into),
    into_slug: `slug-${into}`,
    outlets,
    by: 'asha',
    why: 'another event',
  });
