import { describe, expect, it } from 'vitest';
import { readEvent } from '../../schemas/events.ts';
import { type SignalId, signalId } from '../../schemas/scalar.ts';
import { decideKnownItem, decideLink, decideNewSignal, decideReport } from '../../signal/report-decisions.ts';
import { afterEvents, evolveSignal, foldSignal, type SignalState } from '../../signal/signal.ts';
import { storyEvent, type TestStory } from '../ingest/match/stories.ts';
import { appointment } from '../projector/signal-events.ts';

const FIRST: TestStory = { title: 'Mitti opens in Pune', brand: 'Mitti', url: 'https://a.example/1' };
/** The time of the decision: some seconds after the poll that found the item. */
const NOW = '2026-07-06T08:00:07.000Z';
const fresh = { follows: null, resurfaced: false };
const detected = (report: TestStory = FIRST, slug = 'mitti-opens-in-pune') =>
  decideNewSignal(storyEvent(report), { slug, ...fresh }, NOW);
const given = (...events: Parameters<typeof foldSignal>[0]): SignalState => foldSignal(events) as SignalState;
/** The state after a report of a story, by another outlet or of an item that the signal has. */
const reported = (state: SignalState, story: TestStory): SignalState =>
  afterEvents(state, decideReport(storyEvent(story), state, evidence, NOW));
const again = (state: SignalState, story: TestStory): SignalState =>
  afterEvents(state, decideKnownItem(storyEvent(story), state, NOW));
const OTHER: TestStory = { ...FIRST, outlet: 'B', url: 'https://b.example/1' };
const evidence = { signal: 'sig_0000000000000000', score: 0.91, reasons: ['same brand'], resurfaced: false };
const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);

describe('a story of a new event', () => {
  it('given a dated story, then a public signal is created, published at the time of the decision', () => {
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

  it('given a story understood long after its item was found, then the signal is published at the time of the decision', () => {
    const late = decideNewSignal(storyEvent(FIRST), { slug: 'x', ...fresh }, '2026-08-01T00:00:00.000Z');
    expect(late.data.published_at).toBe('2026-08-01T00:00:00.000Z');
  });

  it.each<[string, Partial<TestStory>, object]>([
    ['no date', { published_at: null }, { status: 'held', status_reason: 'it has no date' }],
    ['no source', { outlet: ' ', url: 'https://a.example/9' }, { status: 'held' }],
    [
      'the date of its event alone',
      { published_at: null, understanding: { event_at: '2026-07-05T18:30:00.000Z' } },
      { status: 'public' },
    ],
  ])('given a story with %s, then it is held or public', (_, changes, expected) => {
    expect(detected({ ...FIRST, ...changes }).data).toMatchObject(expected);
  });
});

describe('a further report', () => {
  const QUESTION = 'Is Mitti opening 3 shops in Pune?';
  it.each([
    ['Why is Mitti opening in Pune?', 'mitti', 'Mitti opens first shop in Pune', true],
    [QUESTION, 'is-mitti-opening-3-shops-in-pune', 'Bakery chain opens its first shop', false],
    [QUESTION, 'is-mitti-opening-3-shops-in-pune', 'Mitti opens shops', true],
    [QUESTION, 'is-mitti-opening-3-shops-in-pune', 'Bakery chain opens 3 shops', true],
  ])(
    'given "%s" at "%s", then a plainer headline of its brand or figure, "%s", replaces it',
    (title, slug, plain, isTaken) => {
      const first = given(detected({ ...FIRST, title, authority: 0.9 }, slug));
      const plainer = reported(first, { ...FIRST, title: plain, url: 'https://b.example/2' });
      expect(plainer).toMatchObject({ understanding: { headline: isTaken ? plain : title }, slug });
      // An outlet of more authority that asks does not take it back.
      const asks = reported(plainer, { ...FIRST, title, authority: 0.9, url: 'https://c.example/3' });
      expect(asks.understanding.headline).toBe(isTaken ? plain : title);
    },
  );

  it('given a report with or without facts, then the event has the same facts or none, and its evidence', () => {
    const factsOf = (story: TestStory) => {
      const event = storyEvent(story);
      const events = decideReport(event, given(detected()), evidence, NOW);
      const data = { resurfaced: false, match: { score: 0.91 } };
      expect(events[0]).toMatchObject({ type: 'SignalReported', data, causation_id: event.id });
      return events.flatMap((one) => (one.type === 'SignalReported' ? [one.data.facts] : []));
    };
    const people = [appointment({ company: 'Mitti' })];

    expect(factsOf({ ...OTHER, understanding: { people } })).toMatchObject([{ people, brands: [{ name: 'Mitti' }] }]);
    expect(factsOf(OTHER)).toEqual([undefined]);
  });

  it('given a report of higher authority, then it improves the text, keeps facts that only the old one has, and keeps the slug', () => {
    const before = detected({ ...FIRST, understanding: { cities: ['Pune'], delta: '3 stores' } });
    const title = 'Mitti opens three stores in Pune';
    const better = { title, brand: 'Mitti', authority: 0.9, outlet: 'B', summary: 'Three stores opened.' };
    expect(reported(given(before), better)).toMatchObject({
      understanding: { headline: title, cities: ['Pune'], delta: '3 stores' },
      slug: 'mitti-opens-in-pune',
      text: { outlet: 'B' },
      revisions: 1,
    });
  });

  it('given a report of lower authority, then the text is unchanged', () => {
    const understanding = { delta: '3 stores', cities: ['Pune'] };
    const worse = { title: 'Stores opened', authority: 0.1, outlet: 'B', summary: 'Long.', understanding };
    expect(types(decideReport(storyEvent(worse), given(detected()), evidence, NOW))).toEqual(['SignalReported']);
  });

  it('given the same story again, then there are no events', () => {
    const state = reported(given(detected()), OTHER);
    expect(decideReport(storyEvent(OTHER), state, evidence, NOW)).toEqual([]);
  });
});

describe('an item that a signal already contains', () => {
  it('given an edit of the item with the text, then the text is revised', () => {
    const edited = storyEvent({ ...FIRST, title: 'Mitti opens in Nagpur', item_key: 'https://a.example/1' });
    const events = decideKnownItem(edited, given(detected()), NOW);
    expect(events).toMatchObject([
      { type: 'SignalReported', data: { report: { title: 'Mitti opens in Nagpur' } } },
      { type: 'SignalRevised', data: { revision: 1, reason: 'edited' } },
    ]);
    expect(decideKnownItem(edited, given(detected(), ...events), NOW)).toEqual([]);
  });

  it('given an edit of another report, then it is stored and the text is not revised', () => {
    const other = { ...OTHER, authority: 0.1 };
    const state = reported(given(detected()), other);
    const edited = storyEvent({ ...other, title: 'Mitti in Nagpur', item_key: 'https://b.example/1' });
    const events = decideKnownItem(edited, state, NOW);
    expect(events).toMatchObject([
      { type: 'SignalReported', data: { report: { title: 'Mitti in Nagpur' }, resurfaced: false } },
    ]);
    expect(decideKnownItem(edited, events.reduce(evolveSignal, state) as SignalState, NOW)).toEqual([]);
  });

  it('given repeated edits, then the last wording is stored', () => {
    const url = FIRST.url ?? '';
    const reports = ['A', 'B', 'A', 'B', 'A'].map((letter, edits) => {
      const found_at = `2026-07-06T0${8 + edits}:00:00.000Z`;
      return { ...FIRST, title: `Mitti opens in Pune ${letter}`, item_key: url, edits, found_at };
    });
    const stories = reports.map(storyEvent);
    let state = given(detected(reports[0]));
    for (const [index, story] of stories.entries()) {
      if (index > 0) state = afterEvents(state, decideKnownItem(story, state, NOW));
      expect(state.understanding.headline).toBe(reports[index]?.title);
      // A redelivery after a kill changes nothing.
      for (const one of stories.slice(0, index + 1)) expect(decideKnownItem(one, state, NOW)).toEqual([]);
    }
    expect(state.reports).toMatchObject([{ title: 'Mitti opens in Pune A', edits: 4 }]);
    expect(state.revisions).toBe(4);
  });

  it('given an edit while the clock was set back, then its number shows that it is later', () => {
    const edited = { ...FIRST, title: 'Mitti opens in Nagpur', item_key: FIRST.url ?? '', edits: 1 };
    const story = storyEvent({ ...edited, found_at: '2026-07-05T08:00:00.000Z' });
    expect(types(decideKnownItem(story, given(detected()), NOW))).toEqual(['SignalReported', 'SignalRevised']);
  });

  it('given an edit that adds a date, then the signal is released', () => {
    const held = given(detected({ ...FIRST, published_at: null }));
    const dated = storyEvent({ ...FIRST, item_key: FIRST.url ?? '', edits: 1, found_at: '2026-07-06T09:00:00.000Z' });
    expect(types(decideKnownItem(dated, held, NOW))).toEqual(['SignalReported', 'SignalReleased']);
    const old = storyEvent({ ...FIRST, published_at: '2026-01-01T00:00:00.000Z', item_key: FIRST.url ?? '', edits: 1 });
    expect(types(decideKnownItem(old, held, NOW))).toEqual(['SignalReported']);
  });

  it('given an item with the same key in another source, then it is a different item', () => {
    const shared = { item_key: '4711' };
    const one = { ...FIRST, ...shared, outlet: 'A', authority: 0.9, understanding: { cities: ['Pune'] } };
    const state = reported(given(detected(one)), { ...OTHER, ...shared, authority: 0.1 });
    expect(state.text.outlet).toBe('A');
    const next = again(state, { ...one, understood_by: 'rules-2', understanding: { cities: ['Nagpur'] } });
    expect(next.text.outlet).toBe('A');
    expect(next.reports.map(({ outlet }) => outlet)).toEqual(['A', 'B']);
  });

  it('given events of version 1.0 without a source, then an item with the same key in another source is a different item', () => {
    const one = detected({ ...FIRST, item_key: '4711', outlet: 'A' });
    const other = storyEvent({ ...FIRST, item_key: '4711', outlet: 'B', url: 'https://b.example/1' });
    const [reported] = decideReport(other, given(one), evidence, NOW);
    const newer = storyEvent({ ...FIRST, item_key: '4711', outlet: 'A', understood_by: 'rules-2', summary: 'New.' });
    const [revised] = decideKnownItem(
      { ...newer, data: { ...newer.data, item: one.data.report as never } },
      given(one),
      NOW,
    ).filter(({ type }) => type === 'SignalRevised');
    if (revised?.type !== 'SignalRevised' || !reported) throw new Error('nothing was revised');
    const { source_id: _, ...stored } = revised.data;
    expect(given(one, reported, { ...revised, data: stored }).text.outlet).toBe('A');
    const better = { ...stored, reason: 'better_report' as const };
    expect(given(one, reported, { ...revised, data: better }).text.outlet).toBe('B');
  });

  it('given other words under another id at one address of one source, then they are one report, edited', () => {
    const known = given(detected({ ...FIRST, item_key: 'id-1' }));
    const changed = {
      ...FIRST,
      item_key: 'id-2',
      url: `${FIRST.url}/`,
      title: 'Mitti opens in Nagpur',
      found_at: '2026-07-06T09:00:00.000Z',
    };
    const state = afterEvents(known, decideKnownItem(storyEvent(changed), known, NOW));
    expect(state.reports).toMatchObject([{ item_key: 'id-1', title: 'Mitti opens in Nagpur' }]);
    expect(state.understanding.headline).toBe('Mitti opens in Nagpur');
    expect(state.text.item_key).toBe('id-1');
    expect(decideReport(storyEvent(changed), known, evidence, NOW)).toEqual(
      decideKnownItem(storyEvent(changed), known, NOW),
    );
    // A redelivery, the earlier wording and the same words under a third id change nothing.
    for (const one of [changed, { ...FIRST, item_key: 'id-1' }, { ...changed, item_key: 'id-3' }])
      expect(decideKnownItem(storyEvent(one), state, NOW)).toEqual([]);
  });

  it('given newer rules, then the text is revised', () => {
    const newer = storyEvent({ ...FIRST, understood_by: 'rules-2', understanding: { cities: ['Pune'] } });
    expect(decideKnownItem(newer, given(detected()), NOW)).toMatchObject([{ data: { reason: 'understood_again' } }]);
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
  const next = (first: TestStory, second: TestStory): SignalState => again(given(detected(first)), second);

  it('given the outlet came first, then the listing is a report, and the text of the outlet stays', () => {
    const state = next(own, { ...lister, authority: 0.9 });
    expect(state.reports.map(({ outlet }) => outlet)).toEqual(['A', 'Lister']);
    expect(state.understanding.headline).toBe('Mitti opens in Pune');
    expect(state.text).toMatchObject({ outlet: 'A', url: page });
  });

  it('given the listing came first, then the text is replaced by that of the outlet', () => {
    const state = next(lister, own);
    expect(state.text).toMatchObject({ outlet: 'A', url: page });
    expect(state.understanding).toEqual(storyEvent(own).data.understanding);
  });

  it('given neither is on its own site, then the report of higher authority has the text', () => {
    const elsewhere = { ...own, on_own_site: false };
    expect(next(lister, elsewhere).text.outlet).toBe('A');
    expect(next(elsewhere, lister).text.outlet).toBe('A');
  });

  it('given an undated listing and a dated page of the outlet, then the signal is released', () => {
    const state = next({ ...lister, published_at: null }, own);
    expect(state).toMatchObject({ status: 'public', published_at: NOW });
    expect(next({ ...own, published_at: null }, lister).status).toBe('public');
  });

  it('given a listing with an old date and a page of the outlet dated today, then the signal is released', () => {
    const old = decideNewSignal(
      storyEvent({ ...lister, published_at: '2026-01-01T00:00:00.000Z' }),
      { slug: 'x', follows: null, resurfaced: true },
      NOW,
    );
    expect(given(old).status).toBe('resurfaced');
    const events = decideKnownItem(storyEvent(own), given(old), NOW);
    expect(types(events)).toEqual(['SignalReported', 'SignalRevised', 'SignalReleased']);
    expect(afterEvents(given(old), events)).toMatchObject({ status: 'public', text: { outlet: 'A' } });
    const another = storyEvent({ ...own, on_own_site: false, authority: 0.1 });
    expect(types(decideKnownItem(another, given(old), NOW))).toEqual(['SignalReported']);
  });

  it('given the same story again, then there are no events', () => {
    const state = next(lister, own);
    expect(decideKnownItem(storyEvent(own), state, NOW)).toEqual([]);
    expect(decideKnownItem(storyEvent(lister), state, NOW)).toEqual([]);
  });
});

describe('decideLink', () => {
  const [rumour, agreement] = ['https://a.example/rumour', 'https://a.example/agreement'].map((url) =>
    signalId(url),
  ) as [SignalId, SignalId];
  const story = storyEvent({ ...FIRST, title: 'Mitti is to open in Pune', url: 'https://a.example/agreement' });

  it('given an earlier signal that is found late, then a link to it, caused by its report, which is not decided again', () => {
    const events = decideLink(story, given(detected()), rumour, NOW);
    expect(events).toMatchObject([
      { type: 'SignalLinked', data: { follows: rumour }, causation_id: story.id, time: NOW },
    ]);
    const state = given(detected(), ...events);
    expect(state.follows).toBe(rumour);
    expect(decideLink(story, state, rumour, NOW)).toEqual([]);
  });

  it('given a nearer one, then the link to it replaces the first, and the first can come back', () => {
    const first = decideLink(story, given(detected()), rumour, NOW);
    const second = decideLink(story, given(detected(), ...first), agreement, NOW);
    const state = given(detected(), ...first, ...second);
    expect(state.follows).toBe(agreement);
    expect(given(detected(), ...first, ...second, ...decideLink(story, state, rumour, NOW)).follows).toBe(rumour);
  });

  it('given itself, then nothing', () => {
    const state = given(detected());
    expect(decideLink(story, state, state.id, NOW)).toEqual([]);
  });
});
