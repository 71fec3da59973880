import { describe, expect, it } from 'vitest';
import { decideKnown, decideMerge, decideNew, decideReport } from '../../../ingest/match/decide.ts';
import { evolveSignal, foldSignal, type SignalState } from '../../../ingest/match/state.ts';
import { readEvent } from '../../../schemas/events.ts';
import { storyEvent, type Telling } from './stories.ts';

const FIRST: Telling = { title: 'Mitti opens in Pune', brand: 'Mitti', url: 'https://a.example/1' };
const fresh = { follows: null, resurfaced: false };
const detected = (telling: Telling = FIRST, slug = 'mitti-opens-in-pune') =>
  decideNew(storyEvent(telling), { slug, ...fresh });
const given = (...events: Parameters<typeof foldSignal>[0]): SignalState => {
  const state = foldSignal(events);
  if (!state) throw new Error('nothing was detected');
  return state;
};
const evidence = { signal: 'sig_0000000000000000', score: 0.91, reasons: ['same brand'], resurfaced: false };
const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);

describe('a story that no signal tells', () => {
  it('makes a public signal, published when it was first seen', () => {
    expect(detected().data).toMatchObject({
      status: 'public',
      status_reason: null,
      published_at: '2026-07-06T08:00:00.000Z',
      slug: 'mitti-opens-in-pune',
    });
    expect(() => readEvent(detected())).not.toThrow();
  });

  it('is held without a date, and without a source', () => {
    expect(detected({ ...FIRST, published_at: null }).data).toMatchObject({
      status: 'held',
      status_reason: 'it has no date',
    });
    expect(detected({ ...FIRST, outlet: ' ', url: 'https://a.example/9' }).data.status).toBe('held');
  });

  it('with an event date needs no other', () => {
    const told = { ...FIRST, published_at: null, understanding: { event_at: '2026-07-05T18:30:00.000Z' } };
    expect(detected(told).data.status).toBe('public');
  });
});

describe('a further report', () => {
  it('is kept with its evidence', () => {
    const story = storyEvent({ ...FIRST, outlet: 'B', url: 'https://b.example/1' });
    const events = decideReport(story, given(detected()), evidence);
    expect(events).toMatchObject([
      { type: 'SignalReported', data: { resurfaced: false, match: { score: 0.91 } }, causation_id: story.id },
    ]);
  });

  it('of more authority betters the text, keeps what only the old one knew, and leaves the slug', () => {
    const before = detected({ ...FIRST, understanding: { cities: ['Pune'], delta: '3 stores' } });
    const better = storyEvent({
      title: 'Mitti opens three stores in Pune',
      brand: 'Mitti',
      authority: 0.9,
      outlet: 'B',
      summary: 'Three stores opened.',
    });
    const state = given(before, ...decideReport(better, given(before), evidence));
    expect(state.understanding).toMatchObject({
      headline: 'Mitti opens three stores in Pune',
      cities: ['Pune'],
      delta: '3 stores',
    });
    expect(state.slug).toBe('mitti-opens-in-pune');
    expect(state.text.outlet).toBe('B');
    expect(state.revisions).toBe(1);
  });

  it('of less authority changes no text', () => {
    const worse = storyEvent({
      title: 'Stores opened',
      authority: 0.1,
      outlet: 'B',
      summary: 'Long.',
      understanding: { delta: '3 stores', cities: ['Pune'] },
    });
    expect(types(decideReport(worse, given(detected()), evidence))).toEqual(['SignalReported']);
  });

  it('with a date releases a signal that was held for want of one, but never one that an operator holds', () => {
    const held = detected({ ...FIRST, published_at: null });
    const dated = storyEvent({ ...FIRST, outlet: 'B', url: 'https://b.example/1' });
    expect(types(decideReport(dated, given(held), evidence))).toEqual(['SignalReported', 'SignalReleased']);
    const byOperator = { ...given(held), heldByRules: false };
    expect(types(decideReport(dated, byOperator, evidence))).toEqual(['SignalReported']);
  });

  it('decided again gives nothing', () => {
    const story = storyEvent({ ...FIRST, outlet: 'B', url: 'https://b.example/1' });
    const state = given(detected(), ...decideReport(story, given(detected()), evidence));
    expect(decideReport(story, state, evidence)).toEqual([]);
  });
});

describe('an item that a signal holds', () => {
  it('unchanged gives nothing', () => expect(decideKnown(storyEvent(FIRST), given(detected()))).toEqual([]));

  it('edited revises the text that it is', () => {
    const edited = storyEvent({ ...FIRST, title: 'Mitti opens in Nagpur', item_key: 'https://a.example/1' });
    const events = decideKnown(edited, given(detected()));
    expect(events).toMatchObject([
      { type: 'SignalReported', data: { report: { title: 'Mitti opens in Nagpur' } } },
      { type: 'SignalRevised', data: { revision: 1, reason: 'edited' } },
    ]);
    expect(decideKnown(edited, given(detected(), ...events))).toEqual([]);
  });

  it('edited is kept as a report, and revises nothing, where another report is the text', () => {
    const other = { ...FIRST, outlet: 'B', url: 'https://b.example/1', authority: 0.1 };
    const state = given(detected(), ...decideReport(storyEvent(other), given(detected()), evidence));
    const edited = storyEvent({ ...other, title: 'Mitti in Nagpur', item_key: other.url });
    const events = decideKnown(edited, state);
    expect(events).toMatchObject([
      { type: 'SignalReported', data: { report: { title: 'Mitti in Nagpur' }, resurfaced: false } },
    ]);
    expect(decideKnown(edited, events.reduce(evolveSignal, state) as SignalState)).toEqual([]);
  });

  it('of another source with the same address changes nothing', () => {
    const elsewhere = storyEvent({ ...FIRST, outlet: 'Aggregator', item_key: 'x', url: 'https://a.example/1' });
    expect(decideKnown(elsewhere, given(detected()))).toEqual([]);
  });

  it('understood by newer rules revises the text', () => {
    const again = storyEvent({ ...FIRST, understood_by: 'rules-2', understanding: { cities: ['Pune'] } });
    expect(decideKnown(again, given(detected()))).toMatchObject([{ data: { reason: 'understood_again' } }]);
  });
});

describe('two signals that are one', () => {
  it('leave the older with all reports and the younger pointing to it', () => {
    const cause = storyEvent({ title: 'A third report', url: 'https://c.example/1' });
    const [older, younger] = [detected(), detected({ title: 'Pune gets Mitti', outlet: 'B' }, 'pune-gets-mitti')];
    const events = decideMerge(cause, given(older), given(younger));
    expect(given(older, ...events.older).reports.map(({ outlet }) => outlet)).toEqual(['Retail Post', 'B']);
    expect(events.younger.reduce(evolveSignal, given(younger))).toMatchObject({
      status: 'merged',
      mergedInto: given(older).id,
    });
    const merged = [given(older, ...events.older), given(younger, ...events.younger)] as const;
    expect(decideMerge(cause, ...merged)).toEqual({ older: [], younger: [] });
  });
});
