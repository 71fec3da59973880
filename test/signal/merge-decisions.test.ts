import { describe, expect, it } from 'vitest';
import { type KnownEvent, newEvent } from '../../schemas/events.ts';
import { eventId, SignalId } from '../../schemas/scalar.ts';
import { decideMerge, survivorOf } from '../../signal/merge-decisions.ts';
import { decideNewSignal } from '../../signal/report-decisions.ts';
import { CannotReview, decideOperatorMerge } from '../../signal/review-decisions.ts';
import { afterEvents, foldSignal, type SignalState } from '../../signal/signal.ts';
import { storyEvent, type TestStory } from '../ingest/match/stories.ts';

const NOW = '2026-07-06T09:00:00.000Z';
const cause = { id: storyEvent({ title: 'A third report' }).id, time: NOW, correlation_id: eventId('cause') };
const decided = (survivor: SignalState, other: SignalState) => decideMerge(cause, survivor, other, 'attempt');
const JOINED = { type: 'SignalJoined' };
const REVIEW = { by: 'asha', why: 'one event', time: NOW, id: eventId('review') };

const STATUSES = ['public', 'held', 'held by an operator', 'resurfaced', 'merged'] as const;
type Status = (typeof STATUSES)[number];

/** A signal with one report and this status. */
function signal(name: string, status: Status, report: Partial<TestStory> = {}): SignalState {
  const story = storyEvent({
    title: `Mitti opens in Pune, says ${name}`,
    brand: 'Mitti',
    outlet: name,
    ...report,
    ...(status === 'held' && { published_at: null }),
    ...(status === 'resurfaced' && { published_at: '2026-01-01T00:00:00.000Z' }),
  });
  const given = {
    slug: `mitti-opens-in-pune-says-${name.toLowerCase()}`,
    follows: null,
    resurfaced: status === 'resurfaced',
  };
  const detected = decideNewSignal(story, given, '2026-07-06T08:00:00.000Z');
  const about = { id: eventId(name, status), time: '2026-07-06T08:30:00.000Z' };
  const id = detected.data.signal_id;
  const into = { into: SignalId.parse('sig_0000000000000000'), into_slug: 'x', by: 'match', why: 'x' };
  const more: KnownEvent[] = [];
  if (status === 'held by an operator')
    more.push(newEvent('SignalHeld', { signal_id: id, by: 'asha', why: 'in doubt' }, about));
  if (status === 'merged') more.push(newEvent('SignalMerged', { signal_id: id, ...into }, about));
  const state = foldSignal([detected, ...more]);
  if (!state) throw new Error('nothing was detected');
  expect(state.status).toBe(status === 'held by an operator' ? 'held' : status);
  return state;
}

/** Which of the two remains: the preferred one (the older, or that of the operator), or the other; by status of both. */
const REMAINS: Readonly<Record<Status, string>> = {
  public: 'preferred preferred preferred preferred neither',
  held: 'other preferred preferred preferred neither',
  'held by an operator': 'other preferred preferred preferred neither',
  resurfaced: 'other other other preferred neither',
  merged: 'neither neither neither neither neither',
};
const TABLE = STATUSES.flatMap((one) => {
  const remaining = REMAINS[one].split(' ');
  return STATUSES.map((other, index) => [one, other, remaining[index]] as const);
});

describe('merging two signals of one event', () => {
  it.each(TABLE)('given a signal that is %s and a younger one that is %s, then %s remains', (one, other, remains) => {
    const [older, younger] = [signal('Older', one), signal('Younger', other)];
    const { survivor, merged } = survivorOf(older, younger);
    const events = decided(survivor, merged);
    if (remains === 'neither') return expect(events).toEqual({ survivor: [], merged: [] });

    expect(survivor.id).toBe(remains === 'preferred' ? older.id : younger.id);
    const [left, gone] = [afterEvents(survivor, events.survivor), afterEvents(merged, events.merged)];
    expect(gone).toMatchObject({ status: 'merged', mergedInto: left.id });
    expect(left.reports.map(({ outlet }) => outlet).toSorted()).toEqual(['Older', 'Younger']);
    if (one === 'public' || other === 'public') expect(left.status).toBe('public');
    // A merge never publishes a held, undated or old report.
    else expect(left.status).not.toBe('public');
    // Still written to, so that a concurrent merge has a revision conflict.
    expect(decided(left, merged).survivor).toMatchObject([JOINED]);
    expect(decided(left, gone)).toEqual({ survivor: [], merged: [] });
  });

  it.each(TABLE)(
    'given an operator who merges into a signal that is %s another that is %s, then %s remains',
    (one, other, remains) => {
      const [into, state] = [signal('Into', one), signal('Other', other)];
      if (remains === 'neither') return expect(() => decideOperatorMerge(state, into, REVIEW)).toThrow(CannotReview);

      const { survivor, merged, events } = decideOperatorMerge(state, into, REVIEW);

      expect(survivor.id).toBe(remains === 'preferred' ? into.id : state.id);
      const left = afterEvents(survivor, events.survivor);
      expect(left.status === 'public').toBe(one === 'public' || other === 'public');
      expect(afterEvents(merged, events.merged)).toMatchObject({ status: 'merged', mergedInto: survivor.id });
      expect(events.merged).toMatchObject([{ data: { by: 'asha', into_slug: survivor.slug } }]);
    },
  );
});

describe('the text after a merge', () => {
  const rich: Partial<TestStory> = { authority: 0.9, summary: 'Three stores.', understanding: { delta: '3 stores' } };

  it('given a better text of the younger signal, then it becomes the text of the remaining one', () => {
    const [older, younger] = [signal('Older', 'public'), signal('Younger', 'public', rich)];
    const left = afterEvents(older, decided(older, younger).survivor);
    expect(left.understanding).toMatchObject({ headline: younger.understanding.headline, delta: '3 stores' });
    expect(left.text.outlet).toBe('Younger');
    expect(left.slug).toBe('mitti-opens-in-pune-says-older');
  });

  it('given a better text of the older signal, then it stays', () => {
    const [older, younger] = [signal('Older', 'public', rich), signal('Younger', 'public')];
    expect(afterEvents(older, decided(older, younger).survivor).text.outlet).toBe('Older');
  });

  it('given a better text that is held or old, then it does not become the text', () => {
    const one = signal('Public', 'public');
    for (const status of ['held by an operator', 'resurfaced'] as const) {
      const other = signal('Other', status, rich);
      expect(afterEvents(one, decided(one, other).survivor).text.outlet).toBe('Public');
    }
  });

  it('given two signals published long apart, then the later reports are kept but do not count', () => {
    const older = signal('Older', 'public', { first_seen_at: '2026-06-01T08:00:00.000Z' });
    const left = afterEvents(older, decided(older, signal('Younger', 'public', rich)).survivor);
    expect(left.reports.map(({ resurfaced }) => resurfaced)).toEqual([false, true]);
    expect(left.text.outlet).toBe('Older');
  });

  it('given an item in both signals, then its later wording is kept', () => {
    const item = { item_key: 'a', source_id: 'a', url: 'https://a.example/1' };
    const first = signal('A', 'public', item);
    const edited = signal('A', 'public', { ...item, title: 'Edited', found_at: '2026-07-06T10:00:00.000Z', edits: 1 });
    const others = { ...edited, id: SignalId.parse('sig_1111111111111111') };
    expect(afterEvents(first, decided(first, others).survivor).reports).toMatchObject([{ title: 'Edited' }]);
    expect(decided({ ...edited, id: SignalId.parse('sig_2222222222222222') }, first).survivor).toMatchObject([JOINED]);
  });

  it('given two public signals of two kinds, then matching leaves them two, and merges one that is held', () => {
    const [stores, deals] = [signal('Alpha', 'public'), signal('Beta', 'public', { understanding: { move: 'deals' } })];
    expect(decided(stores, deals)).toEqual({ survivor: [], merged: [] });
    expect(decided(stores, signal('Gamma', 'held', { understanding: { move: 'deals' } })).merged).toHaveLength(1);
    const byOperator = decideMerge(cause, stores, deals, 'attempt', { by: 'asha', why: 'one event' });
    expect(byOperator.merged).toHaveLength(1);
  });
});
