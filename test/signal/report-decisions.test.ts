import { describe, expect, it } from 'vitest';
import { readEvent } from '../../schemas/events.ts';
import { decideKnownItem, decideNewSignal, decideReport } from '../../signal/report-decisions.ts';
import { evolveSignal, foldSignal, type SignalState } from '../../signal/signal.ts';
import { storyEvent, type TestStory } from '../ingest/match/stories.ts';

const FIRST: TestStory = { title: 'Mitti opens in Pune', brand: 'Mitti', url: 'https://a.example/1' };
/** When it is decided: some seconds after the poll that found it. */
const NOW = '2026-07-06T08:00:07.000Z';
const fresh = { follows: null, resurfaced: false };
const detected = (report: TestStory = FIRST, slug = 'mitti-opens-in-pune') =>
  decideNewSignal(storyEvent(report), { slug, ...fresh }, NOW);
const given = (...events: Parameters<typeof foldSignal>[0]): SignalState => {
  const state = foldSignal(events);
  if (!state) throw new Error('nothing was detected');
  return state;
};
const withEvents = (state: SignalState, events: Parameters<typeof foldSignal>[0]): SignalState =>
  events.reduce<SignalState | null>(evolveSignal, state) ?? state;
const evidence = { signal: 'sig_0000000000000000', score: 0.91, reasons: ['same brand'], resurfaced: false };
const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);

describe('a story that no signal tells', () => {
  it('makes a public signal, published when that is decided', () => {
    expect(detected()).toMatchObject({ time: NOW });
    expect(detected().data).toMatchObject({
      status: 'public',
      status_reason: null,
      published_at: NOW,
      slug: 'mitti-opens-in-pune',
    });
    expect(() => readEvent(detected())).not.toThrow();
  });

  it.each([
    ['found at the first poll, three days old', '2026-07-03T08:00:00.000Z', NOW],
    ['found at the first poll, a month old: history', '2026-06-06T08:00:00.000Z', '2026-06-06T08:00:00.000Z'],
  ])('%s, is published then', (_, date, publishedAt) => {
    const backlog = { ...FIRST, published_at: date, first_seen_at: date, found_at: '2026-07-06T08:00:00.000Z' };
    expect(detected(backlog).data).toMatchObject({ status: 'public', published_at: publishedAt });
  });

  it('understood long after it was found, is published when that is decided', () => {
    const late = decideNewSignal(storyEvent(FIRST), { slug: 'x', ...fresh }, '2026-08-01T00:00:00.000Z');
    expect(late.data.published_at).toBe('2026-08-01T00:00:00.000Z');
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
  it('carries the facts that its report states, and none where it states none', () => {
    const people = [
      {
        person: 'Asha Rao',
        company: 'Mitti',
        role: 'CFO',
        ...{ direction: 'joined' as const, from: null, to: null, effective: null },
      },
    ];
    const plain = storyEvent({ ...FIRST, url: 'https://b.example/2' });
    const story = { ...plain, data: { ...plain.data, understanding: { ...plain.data.understanding, people } } };
    const factsOf = (one: typeof plain) =>
      decideReport(one, given(detected()), evidence, NOW).flatMap((event) =>
        event.type === 'SignalReported' ? [event.data.facts] : [],
      );

    expect(factsOf(story)).toMatchObject([{ people, brands: [{ name: 'Mitti' }] }]);
    const silent = { ...plain.data.understanding, people: [], openings: [], deal: null, result: null };
    expect(factsOf({ ...plain, data: { ...plain.data, understanding: silent } })).toEqual([undefined]);
  });

  it('is kept with its evidence', () => {
    const story = storyEvent({ ...FIRST, outlet: 'B', url: 'https://b.example/1' });
    const events = decideReport(story, given(detected()), evidence, NOW);
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
    const state = given(before, ...decideReport(better, given(before), evidence, NOW));
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
    expect(types(decideReport(worse, given(detected()), evidence, NOW))).toEqual(['SignalReported']);
  });

  it('with a date releases a signal that was held for want of one, but never one that an operator holds', () => {
    const held = detected({ ...FIRST, published_at: null });
    const dated = storyEvent({ ...FIRST, outlet: 'B', url: 'https://b.example/1' });
    expect(types(decideReport(dated, given(held), evidence, NOW))).toEqual(['SignalReported', 'SignalReleased']);
    const byOperator = { ...given(held), heldByRules: false };
    expect(types(decideReport(dated, byOperator, evidence, NOW))).toEqual(['SignalReported']);
  });

  it('decided again gives nothing', () => {
    const story = storyEvent({ ...FIRST, outlet: 'B', url: 'https://b.example/1' });
    const state = given(detected(), ...decideReport(story, given(detected()), evidence, NOW));
    expect(decideReport(story, state, evidence, NOW)).toEqual([]);
  });
});

describe('an item that a signal holds', () => {
  it('unchanged gives nothing', () => expect(decideKnownItem(storyEvent(FIRST), given(detected()), NOW)).toEqual([]));

  it('edited revises the text that it is', () => {
    const edited = storyEvent({ ...FIRST, title: 'Mitti opens in Nagpur', item_key: 'https://a.example/1' });
    const events = decideKnownItem(edited, given(detected()), NOW);
    expect(events).toMatchObject([
      { type: 'SignalReported', data: { report: { title: 'Mitti opens in Nagpur' } } },
      { type: 'SignalRevised', data: { revision: 1, reason: 'edited' } },
    ]);
    expect(decideKnownItem(edited, given(detected(), ...events), NOW)).toEqual([]);
  });

  it('edited is kept as a report, and revises nothing, where another report is the text', () => {
    const other = { ...FIRST, outlet: 'B', url: 'https://b.example/1', authority: 0.1 };
    const state = given(detected(), ...decideReport(storyEvent(other), given(detected()), evidence, NOW));
    const edited = storyEvent({ ...other, title: 'Mitti in Nagpur', item_key: other.url });
    const events = decideKnownItem(edited, state, NOW);
    expect(events).toMatchObject([
      { type: 'SignalReported', data: { report: { title: 'Mitti in Nagpur' }, resurfaced: false } },
    ]);
    expect(decideKnownItem(edited, events.reduce(evolveSignal, state) as SignalState, NOW)).toEqual([]);
  });

  it('edited to and fro ends with its last wording, however often', () => {
    const url = FIRST.url ?? '';
    const wording = (title: string, edits: number): TestStory => ({
      ...FIRST,
      title,
      item_key: url,
      edits,
      found_at: `2026-07-06T0${8 + edits}:00:00.000Z`,
    });
    const reports = ['A', 'B', 'A', 'B', 'A'].map((letter, edits) => wording(`Mitti opens in Pune ${letter}`, edits));
    const stories = reports.map(storyEvent);
    let state = given(detected(reports[0]));
    for (const [index, story] of stories.entries()) {
      if (index > 0) state = withEvents(state, decideKnownItem(story, state, NOW));
      expect(state.understanding.headline).toBe(reports[index]?.title);
      // What a consumer gets again after a kill changes nothing.
      for (const again of stories.slice(0, index + 1)) expect(decideKnownItem(again, state, NOW)).toEqual([]);
    }
    expect(state.reports).toMatchObject([{ title: 'Mitti opens in Pune A', edits: 4 }]);
    expect(state.revisions).toBe(4);
  });

  it('edited while the clock was set back is known to be later by its number', () => {
    const edited = { ...FIRST, title: 'Mitti opens in Nagpur', item_key: FIRST.url ?? '', edits: 1 };
    const story = storyEvent({ ...edited, found_at: '2026-07-05T08:00:00.000Z' });
    expect(types(decideKnownItem(story, given(detected()), NOW))).toEqual(['SignalReported', 'SignalRevised']);
  });

  it('edited to have a date is released', () => {
    const held = given(detected({ ...FIRST, published_at: null }));
    const dated = storyEvent({ ...FIRST, item_key: FIRST.url ?? '', edits: 1, found_at: '2026-07-06T09:00:00.000Z' });
    expect(types(decideKnownItem(dated, held, NOW))).toEqual(['SignalReported', 'SignalReleased']);
    const old = storyEvent({ ...FIRST, published_at: '2026-01-01T00:00:00.000Z', item_key: FIRST.url ?? '', edits: 1 });
    expect(types(decideKnownItem(old, held, NOW))).toEqual(['SignalReported']);
  });

  it('is told from another with its key in another source', () => {
    const shared = { item_key: '4711' };
    const one = { ...FIRST, ...shared, outlet: 'A', authority: 0.9, understanding: { cities: ['Pune'] } };
    const other = { ...FIRST, ...shared, outlet: 'B', authority: 0.1, url: 'https://b.example/1' };
    const state = given(detected(one), ...decideReport(storyEvent(other), given(detected(one)), evidence, NOW));
    expect(state.text.outlet).toBe('A');
    const again = storyEvent({ ...one, understood_by: 'rules-2', understanding: { cities: ['Nagpur'] } });
    const next = withEvents(state, decideKnownItem(again, state, NOW));
    expect(next.text.outlet).toBe('A');
    expect(next.reports.map(({ outlet }) => outlet)).toEqual(['A', 'B']);
  });

  it('is told from another with its key where version 1.0 stored the key alone', () => {
    const one = detected({ ...FIRST, item_key: '4711', outlet: 'A' });
    const other = storyEvent({ ...FIRST, item_key: '4711', outlet: 'B', url: 'https://b.example/1' });
    const [reported] = decideReport(other, given(one), evidence, NOW);
    const again = storyEvent({ ...FIRST, item_key: '4711', outlet: 'A', understood_by: 'rules-2', summary: 'New.' });
    const [revised] = decideKnownItem(
      { ...again, data: { ...again.data, item: one.data.report as never } },
      given(one),
      NOW,
    ).filter(({ type }) => type === 'SignalRevised');
    if (revised?.type !== 'SignalRevised' || !reported) throw new Error('nothing was revised');
    const { source_id: _, ...stored } = revised.data;
    expect(given(one, reported, { ...revised, data: stored }).text.outlet).toBe('A');
    const better = { ...stored, reason: 'better_report' as const };
    expect(given(one, reported, { ...revised, data: better }).text.outlet).toBe('B');
  });

  it('understood by newer rules revises the text', () => {
    const again = storyEvent({ ...FIRST, understood_by: 'rules-2', understanding: { cities: ['Pune'] } });
    expect(decideKnownItem(again, given(detected()), NOW)).toMatchObject([{ data: { reason: 'understood_again' } }]);
  });
});

describe('a page that another source lists', () => {
  const page = 'https://a.example/1';
  const own: TestStory = { ...FIRST, url: page, outlet: 'A', authority: 0.5, on_own_site: true };
  const lister: TestStory = {
    ...FIRST,
    title: 'Mitti closes in Pune',
    url: page,
    outlet: 'Lister',
    authority: 0.1,
    item_key: 'x',
    on_own_site: false,
    understanding: { cities: ['Pune', 'Patna'], delta: '9 stores', kind: 'Closure', mall: 'A mall' },
  };
  const next = (first: TestStory, second: TestStory): SignalState => {
    const state = given(detected(first));
    return withEvents(state, decideKnownItem(storyEvent(second), state, NOW));
  };

  it('is a report of that source, and leaves the text of the outlet whose page it is', () => {
    const state = next(own, { ...lister, authority: 0.9 });
    expect(state.reports.map(({ outlet }) => outlet)).toEqual(['A', 'Lister']);
    expect(state.understanding.headline).toBe('Mitti opens in Pune');
    expect(state.text).toMatchObject({ outlet: 'A', url: page });
  });

  it('given the lister came first, then the text is wholly that of the outlet whose page it is', () => {
    const state = next(lister, own);
    expect(state.text).toMatchObject({ outlet: 'A', url: page });
    expect(state.understanding).toEqual(storyEvent(own).data.understanding);
  });

  it('given neither is on its own site, then the one of more authority has the text', () => {
    const elsewhere = { ...own, on_own_site: false };
    expect(next(lister, elsewhere).text.outlet).toBe('A');
    expect(next(elsewhere, lister).text.outlet).toBe('A');
  });

  it('given the lister gives no date and the outlet does, then the signal is released and published then', () => {
    const state = next({ ...lister, published_at: null }, own);
    expect(state).toMatchObject({ status: 'public', published_at: NOW });
    expect(next({ ...own, published_at: null }, lister).status).toBe('public');
  });

  it('given the lister passes it off as old news and the outlet dates it today, then it is released', () => {
    const old = decideNewSignal(
      storyEvent({ ...lister, published_at: '2026-01-01T00:00:00.000Z' }),
      { slug: 'x', follows: null, resurfaced: true },
      NOW,
    );
    expect(given(old).status).toBe('resurfaced');
    const events = decideKnownItem(storyEvent(own), given(old), NOW);
    expect(types(events)).toEqual(['SignalReported', 'SignalRevised', 'SignalReleased']);
    expect(withEvents(given(old), events)).toMatchObject({ status: 'public', text: { outlet: 'A' } });
    const another = storyEvent({ ...own, on_own_site: false, authority: 0.1 });
    expect(types(decideKnownItem(another, given(old), NOW))).toEqual(['SignalReported']);
  });

  it('given what an operator holds, then a dated report releases nothing', () => {
    const held = { ...given(detected({ ...lister, published_at: null })), heldByRules: false };
    expect(types(decideKnownItem(storyEvent(own), held, NOW))).not.toContain('SignalReleased');
  });

  it('decided again gives nothing', () => {
    const state = next(lister, own);
    expect(decideKnownItem(storyEvent(own), state, NOW)).toEqual([]);
    expect(decideKnownItem(storyEvent(lister), state, NOW)).toEqual([]);
  });
});
