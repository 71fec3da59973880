import { describe, expect, it } from 'vitest';
import { featuresOf } from '../../../ingest/match/report-features.ts';
import { SignalWindow } from '../../../ingest/match/signal-window.ts';
import { newEvent } from '../../../schemas/events.ts';
import type { ItemKey } from '../../../schemas/poll.ts';
import { eventId } from '../../../schemas/scalar.ts';
import { decideNewSignal, reportOf } from '../../../signal/report-decisions.ts';
import { sourceId } from '../../harness/ids.ts';
import { storyEvent, type TestStory } from './stories.ts';

const WORDS = ['kolam', 'tamarind', 'peepul', 'jasmine', 'monsoon', 'saffron', 'indigo', 'marigold'];
const storyAbout = (number: number, day = 0): TestStory => ({
  title: `Brand${number} ${WORDS[number % 8]} opens in ${WORDS[(number >> 3) % 8]} street`,
  brand: `Brand${number}`,
  url: `https://a.example/${number}`,
  first_seen_at: new Date(Date.UTC(2026, 6, 1) + day * 86_400_000).toISOString(),
});
const detect = (one: TestStory) =>
  decideNewSignal(storyEvent(one), { slug: 'x', follows: null, resurfaced: false }, '2026-07-06T08:00:00.000Z');
const features = (one: TestStory) => {
  const { item, understanding } = storyEvent(one).data;
  return featuresOf(item, understanding);
};

describe('the window', () => {
  it('finds a signal by its words, its item and its address', () => {
    const window = new SignalWindow();
    const event = detect(storyAbout(3));
    window.fold(event, 1n);
    const { signal_id, report } = event.data;
    expect(window.near(features(storyAbout(3))).map(({ id }) => id)).toEqual([signal_id]);
    expect(window.ofItem(report)).toBe(signal_id);
    expect(window.ofItem({ ...report, item_key: 'another' as ItemKey, source_id: sourceId('another') })).toBe(
      signal_id,
    );
    expect(
      window.ofItem({ source_id: sourceId('another'), item_key: 'another' as ItemKey, url: 'https://b.example/' }),
    ).toBeNull();
  });

  it('holds no more than its maximum, evicts the oldest, and compares few', () => {
    const window = new SignalWindow(100);
    for (let number = 0; number < 1_000; number++)
      window.fold(detect(storyAbout(number, number / 300)), BigInt(number + 1));
    window.shrink(Number.POSITIVE_INFINITY);
    expect(window.size).toBe(100);
    expect(window.ofItem(storyEvent(storyAbout(0)).data.item)).toBeNull();
    const near = window.near(features(storyAbout(999, 3)));
    expect(near.length).toBeLessThanOrEqual(24);
    expect(near[0]?.id).toBe(detect(storyAbout(999, 3.33)).data.signal_id);
  });

  it('is not changed by handling an event twice', () => {
    const window = new SignalWindow();
    const event = detect(storyAbout(1));
    window.fold(event, 1n);
    window.fold(event, 1n);
    expect(window.size).toBe(1);
    expect(window.get(event.data.signal_id)?.reports).toHaveLength(1);
  });

  it('forgets the words of a report that was split off, whatever was edited since, and takes it back', () => {
    const window = new SignalWindow();
    const own = storyAbout(1);
    const other = { ...storyAbout(2, 1), title: 'Peepul Mills names Kavita Rao chief executive', outlet: 'Daily' };
    const event = detect(own);
    const { signal_id } = event.data;
    const report = reportOf(storyEvent(other));
    window.fold(event, 1n);
    const joining = newEvent(
      'SignalReported',
      { signal_id, report, match: { score: 1, reasons: [] }, resurfaced: false },
      { id: eventId('test', 1), time: '2026-07-06T08:00:00.000Z' },
    );
    window.fold(joining, 2n);
    expect(window.near(features(other)).map(({ id }) => id)).toEqual([signal_id]);

    const edited = { ...report, title: `${report.title}, it says`, fingerprint: 'edited' };
    const decided = { outlets: ['Retail Post'], by: 'asha', why: 'another event' };
    const into = { into: detect(other).data.signal_id, into_slug: 'y' };
    const split = newEvent(
      'SignalSplit',
      { signal_id, report: edited, ...into, ...decided },
      { id: eventId('test', 2), time: '2026-07-06T09:00:00.000Z' },
    );
    window.fold(detect(other), 3n);
    window.fold(split, 4n);
    window.fold(split, 4n);
    expect(window.near(features(other)).map(({ id }) => id)).toEqual([into.into]);
    expect(window.near(features(own)).map(({ id }) => id)).toEqual([signal_id]);
    expect(window.get(signal_id)).toMatchObject({ day: features(own).seen, reports: [features(own)] });
    expect(window.ofItem(report)).toBe(into.into);
    expect(window.changedAfter(3)).toMatchObject([{ id: signal_id, replacesKeys: true, reports: [features(own)] }]);

    window.fold(joining, 5n);
    expect(window.near(features(other)).map(({ id }) => id)).toContain(signal_id);
  });

  it('treats as older what was detected first, or what happened weeks before', () => {
    const window = new SignalWindow();
    const [first, second, old] = [storyAbout(1), storyAbout(2), storyAbout(3, -40)].map(detect);
    if (!first || !second || !old) throw new Error('three signals were made');
    for (const [index, event] of [first, second, old].entries()) window.fold(event, BigInt(index + 1));
    expect(window.older(second.data.signal_id, first.data.signal_id)).toBe(first.data.signal_id);
    expect(window.older(first.data.signal_id, old.data.signal_id)).toBe(old.data.signal_id);
  });
});
