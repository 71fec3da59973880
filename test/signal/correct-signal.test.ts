import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type KnownEvent, readEvent } from '../../schemas/events.ts';
import { eventId, fingerprint, signalId } from '../../schemas/scalar.ts';
import type { Correction } from '../../schemas/signal.ts';
import type { Understanding } from '../../schemas/story.ts';
import { decideMerge } from '../../signal/merge-decisions.ts';
import { decideReplay, type Version } from '../../signal/replay-decisions.ts';
import { decideKnownItem, decideNewSignal, decideReport, type StoryEvent } from '../../signal/report-decisions.ts';
import {
  CannotReview,
  decideCorrection,
  decideOperatorMerge,
  decideReportFrom,
  decideRetract,
  decideSignalOfReport,
  decideSplit,
  type Review,
  reportToSplit,
  textAfterSplit,
} from '../../signal/review-decisions.ts';
import { afterEvents, foldSignal, type SignalState } from '../../signal/signal.ts';
import { specify } from '../harness/decider.ts';
import { storyEvent, type TestStory } from '../ingest/match/stories.ts';
import { appointment, brandRef, opening as openingOf } from '../projector/signal-events.ts';

const NOW = '2026-07-06T09:00:00.000Z';
const evidence = { score: 0.9, reasons: ['same brand'], resurfaced: false };
const review = (name: string): Review => ({ by: 'asha', why: 'the report says so', time: NOW, id: eventId(name) });

const opening = (city: string) => openingOf({ brand: 'Mitti', city });
const person = (name: string) => appointment({ person: name, company: 'Mitti' });
const FIRST: TestStory = {
  title: 'Mitti opens in Pune',
  brand: 'Mitti',
  outlet: 'Post',
  url: 'https://post.example/1',
  understanding: { cities: ['Pune'], delta: '3 stores', openings: [opening('Pune')], people: [person('Ravi Nair')] },
};
const FURTHER: TestStory = {
  title: 'Two stores of Mitti in Surat and Pune',
  brand: 'Mitti',
  outlet: 'Herald',
  authority: 0.9,
  url: 'https://herald.example/2',
  understanding: { cities: ['Surat'], openings: [opening('Surat')], people: [person('Ravi Nair')], move: 'launches' },
};

const detected = (story: TestStory = FIRST, slug = 'mitti-opens-in-pune'): KnownEvent =>
  decideNewSignal(storyEvent(story), { slug, follows: null, resurfaced: false }, NOW);
const stateOf = (...events: readonly KnownEvent[]): SignalState => foldSignal(events) as SignalState;
const signal = specify((events) => stateOf(...events));
const further = (state: SignalState): KnownEvent[] => decideReport(storyEvent(FURTHER), state, evidence, NOW);

describe('a correction', () => {
  it('given a public signal, when fields are corrected, then one event has the fields, both texts, who and why', () => {
    signal
      .given(detected())
      .when((state) => [decideCorrection(state, { cities: ['Patna'], delta: '3 stores' }, review('one'))])
      .then({
        type: 'SignalCorrected',
        data: {
          revision: 1,
          corrected: { cities: ['Patna'] },
          by: 'asha',
          why: 'the report says so',
          before: expect.objectContaining({ cities: ['Pune'] }),
          after: expect.objectContaining({ cities: ['Patna'], delta: '3 stores' }),
        },
      });
  });

  it('given the event as it is read back from a log, then the state has the corrected fields', () => {
    const event = decideCorrection(stateOf(detected()), { openings: [], result: null, deal: null }, review('one'));
    const state = stateOf(detected(), readEvent(JSON.parse(JSON.stringify(event))));
    expect(state.understanding.openings).toEqual([]);
    expect(state.corrected).toEqual({ openings: [] });
    expect(state.reports[0]?.facts).toMatchObject({ openings: [], people: [{ person: 'Ravi Nair' }] });
  });

  it.each([
    ['the values that it has', { cities: ['Pune'] }],
    ['no field', {}],
  ])('given a correction to %s, then it is refused', (_, correction) =>
    signal
      .given(detected())
      .when((state) => [decideCorrection(state, correction, review('one'))])
      .thenRefuses(CannotReview),
  );

  it('given a corrected fact, when a further report states another, then no report of the signal states it', () => {
    const first = detected();
    const corrected = decideCorrection(stateOf(first), { people: [] }, review('one'));
    const state = afterEvents(stateOf(first, corrected), further(stateOf(first, corrected)));
    expect(state.reports.map(({ facts }) => facts?.people)).toEqual([[], []]);
    expect(state.reports.map(({ facts }) => facts?.openings.length)).toEqual([1, 1]);
  });

  it('given a corrected signal that is merged, then the survivor takes the correction over, and keeps its own', () => {
    const other = { ...FIRST, outlet: 'Daily', url: 'https://daily.example/9' };
    const survivor = stateOf(
      detected(),
      decideCorrection(stateOf(detected()), { cities: ['Patna'] }, review('survivor')),
    );
    const first = detected(other, 'another');
    const wrong = { cities: ['Nagpur'], delta: null };
    const merged = stateOf(first, decideCorrection(stateOf(first), wrong, review('merged')));
    const cause = { id: null, time: NOW, correlation_id: eventId('cause') };
    const { survivor: events } = decideMerge(cause, survivor, merged, 'attempt');
    expect(events).toMatchObject([
      { type: 'SignalReported' },
      { type: 'SignalCorrected', data: { corrected: { delta: null }, taken_from: merged.id, by: 'asha' } },
      { type: 'SignalJoined' },
    ]);
    expect(afterEvents(survivor, events).understanding).toMatchObject({ cities: ['Patna'], delta: null });
  });

  it('given a replay of its items, then the corrected fields stay, and a second replay writes nothing', () => {
    const first = detected();
    const events = [first, decideCorrection(stateOf(first), { cities: ['Patna'], people: [] }, review('one'))];
    const reported = [...events, ...further(stateOf(...events))];
    const again = (story: TestStory): readonly Version[] => {
      const next = storyEvent({
        ...story,
        understood_by: 'rules-2',
        understanding: { ...story.understanding, mall: 'A' },
      });
      const { fingerprint } = next.data.item;
      return [{ item_event: eventId(story.title), time: NOW, fingerprint, story: next }];
    };
    const versions = ({ source_id }: { source_id: string }) => again(source_id === 'post' ? FIRST : FURTHER);
    const run = { time: NOW, correlation_id: eventId('run') };
    const replayed = [...reported, ...decideReplay(reported, versions, run)];
    expect(replayed.length).toBeGreaterThan(reported.length);
    expect(stateOf(...replayed).understanding).toMatchObject({ cities: ['Patna'], people: [], mall: 'A' });
    expect(decideReplay(replayed, versions, run)).toEqual([]);
  });
});

/** The values that a correction can set, none of which any report says. */
const CORRECTION: Correction = {
  move: 'strategy',
  kind: 'Strategy',
  brands: [brandRef('sutra', 'Sutra')],
  cities: ['Patna'],
  delta: '₹7 Cr',
  people: [person('Asha Rao')],
  openings: [opening('Patna')],
  deal: { type: 'ipo', amount: null, target: 'Mitti', buyers: [] },
  result: { company: 'Mitti', period: null, metric: 'revenue', value: '₹7 Cr', growth_pct: null },
};
const PAIRS = { move: ['move', 'kind'], result: ['result', 'other_results'] } as Readonly<Record<string, string[]>>;

/** A story that comes later. */
interface Step {
  readonly outlet: string;
  readonly edits: number;
  readonly authority: number;
  readonly rules: string;
  /** Of the page of the first report. */
  readonly samePage: boolean;
  readonly city: string;
  readonly move: Understanding['move'];
}

describe('what comes after a correction', () => {
  const fields = fc.uniqueArray(
    fc.constantFrom('move', 'brands', 'cities', 'delta', 'people', 'openings', 'deal', 'result'),
    { minLength: 1 },
  );
  const step: fc.Arbitrary<Step> = fc.record({
    outlet: fc.constantFrom('Post', 'Herald', 'Daily', 'Lister'),
    edits: fc.nat({ max: 3 }),
    authority: fc.constantFrom(0.1, 0.5, 0.95),
    rules: fc.constantFrom('rules-1', 'rules-2'),
    samePage: fc.boolean(),
    city: fc.constantFrom('Pune', 'Surat', 'Nagpur'),
    move: fc.constantFrom('stores', 'launches', 'people'),
  });

  const storyFor = ({ outlet, edits, authority, rules, samePage, city, move }: Step): StoryEvent =>
    storyEvent({
      title: `Mitti in ${city} ${edits}`,
      brand: 'Mitti',
      outlet,
      authority,
      edits,
      understood_by: rules,
      url: samePage ? 'https://post.example/1' : `https://${outlet.toLowerCase()}.example/1`,
      item_key: `https://${outlet.toLowerCase()}.example/1`,
      found_at: `2026-07-06T0${8 + edits}:30:00.000Z`,
      understanding: {
        move,
        cities: [city],
        openings: [opening(city)],
        people: [person(city)],
        delta: `${edits} stores`,
        result: { company: 'Mitti', period: null, metric: 'profit', value: city, growth_pct: null },
      },
    });

  it('property: no order of reports, edits, listings and newer rules changes a corrected field', () => {
    fc.assert(
      fc.property(
        fields,
        fc.array(step, { maxLength: 8 }),
        fc.array(step, { maxLength: 8 }),
        (names, before, later) => {
          const reported = (state: SignalState, story: StoryEvent): SignalState =>
            afterEvents(state, decideReport(story, state, evidence, NOW));
          const start = before.map(storyFor).reduce(reported, stateOf(detected()));
          const own = names.flatMap((name) => PAIRS[name] ?? [name]);
          const wanted = Object.fromEntries(Object.entries(CORRECTION).filter(([name]) => own.includes(name)));
          const corrected = afterEvents(start, [decideCorrection(start, wanted, review('property'))]);
          let state = corrected;
          for (const story of later.map(storyFor)) {
            state = reported(state, story);
            state = afterEvents(state, decideKnownItem(story, state, NOW));
            expect(state.understanding).toMatchObject(wanted);
            for (const { facts } of state.reports.filter((report) => report.item_key !== state.text.item_key))
              for (const name of ['people', 'openings'] as const)
                if (own.includes(name)) expect(facts?.[name] ?? []).toEqual([]);
          }
          // What is not corrected goes on changing: the text is not frozen.
          expect(state.revision).toBeGreaterThanOrEqual(corrected.revision);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('a report that is split off', () => {
  const first = detected();
  const both = [first, ...decideReport(storyEvent({ ...FURTHER, authority: 0.1 }), stateOf(first), evidence, NOW)];
  const herald = {
    item_key: storyEvent(FURTHER).data.item.item_key,
    source_id: storyEvent(FURTHER).data.item.source_id,
  };
  const into = { id: signalId('https://herald.example/2'), slug: 'two-stores' };
  const split = (state: SignalState): KnownEvent[] =>
    decideSplit(state, reportToSplit(state, herald), into, null, review('split'));

  it('given a signal with two reports, then the report is gone, and where it went to is stored', () => {
    signal
      .given(...both)
      .when(split)
      .then({ type: 'SignalSplit', data: { into: into.id, into_slug: 'two-stores', outlets: ['Post'], by: 'asha' } });
    expect(stateOf(...both, ...split(stateOf(...both))).reports.map(({ outlet }) => outlet)).toEqual(['Post']);
  });

  it('given it had the text, then the text is that of the report that stays', () => {
    const state = stateOf(first, ...further(stateOf(first)));
    expect(state.text.outlet).toBe('Herald');
    const report = textAfterSplit(state, herald);
    if (!report) throw new Error('no report is left');
    const text = { report, understanding: storyEvent(FIRST).data.understanding, understood_by: 'rules-1' };
    const events = decideSplit(state, reportToSplit(state, herald), into, text, review('split'));
    expect(afterEvents(state, events)).toMatchObject({
      text: { outlet: 'Post' },
      understanding: { headline: 'Mitti opens in Pune', cities: ['Pune'] },
    });
  });

  it('given its story comes again, edited or not, then it does not return', () => {
    const state = stateOf(...both, ...split(stateOf(...both)));
    const edited = storyEvent({ ...FURTHER, title: 'Two stores', edits: 1, found_at: '2026-07-06T09:30:00.000Z' });
    for (const story of [storyEvent(FURTHER), edited]) {
      expect(decideReport(story, state, evidence, NOW)).toEqual([]);
      expect(decideKnownItem(story, state, NOW)).toEqual([]);
    }
  });

  it('given it is a signal of its own, then matching never merges the two again, and an operator can', () => {
    const state = stateOf(...both);
    const report = reportToSplit(state, herald);
    const text = { report, understanding: storyEvent(FURTHER).data.understanding, understood_by: 'rules-1' };
    const own = stateOf(decideSignalOfReport(text, into, review('own')));
    expect(own).toMatchObject({ status: 'public', slug: 'two-stores', reports: [{ outlet: 'Herald' }] });
    const left = stateOf(...both, ...split(state));
    const cause = { id: null, time: NOW, correlation_id: eventId('cause') };
    const nothing = { survivor: [], merged: [] };
    expect(decideMerge(cause, left, own, 'one')).toEqual(nothing);
    expect(decideMerge(cause, own, left, 'two')).toEqual(nothing);
    const { events } = decideOperatorMerge(own, left, review('merge'));
    const again = afterEvents(left, events.survivor);
    expect(again.reports.map(({ outlet }) => outlet)).toEqual(['Post', 'Herald']);
    expect(decideKnownItem(storyEvent(FURTHER), again, NOW)).toEqual([]);
  });

  it('given it joins another signal, then that one has it with its facts, once', () => {
    const state = stateOf(...both);
    const target = stateOf(detected({ ...FIRST, outlet: 'Daily', url: 'https://daily.example/3' }, 'daily'));
    const report = reportToSplit(state, herald);
    const events = decideReportFrom(state, { report, text: null }, target, review('join'));
    expect(events).toMatchObject([
      { type: 'SignalReported', data: { match: { reasons: [`split off from ${state.id} by an operator`] } } },
    ]);
    expect(decideReportFrom(state, { report, text: null }, afterEvents(target, events), review('join'))).toEqual([]);
  });

  it('given it was edited while it was split off, then the signal that has it gets its last words and their text', () => {
    const state = stateOf(...both);
    const report = reportToSplit(state, herald);
    const own = { id: signalId('own'), slug: 'own' };
    const textOf = (headline: string, of = report) => ({
      report: of,
      understanding: { ...state.understanding, headline },
      understood_by: 'rules',
    });
    const target = stateOf(decideSignalOfReport(textOf(report.title), own, review('split')));
    const edited = { ...report, title: 'Edited', fingerprint: fingerprint('Edited', null, null), edits: 1 };
    const events = decideReportFrom(state, { report: edited, text: textOf('Edited', edited) }, target, review('split'));
    expect(events.map(({ type }) => type)).toEqual(['SignalReported', 'SignalRevised']);
    expect(afterEvents(target, events)).toMatchObject({
      text: { title: 'Edited' },
      understanding: { headline: 'Edited' },
      reports: [{ title: 'Edited' }],
    });
  });

  it.each([
    ['the only report', [first], { ...herald, item_key: 'https://post.example/1', source_id: 'post' }],
    ['a report that it does not have', both, { ...herald, item_key: 'x' }],
  ])('given %s, then it is refused', (_, events, item) => {
    expect(() => reportToSplit(stateOf(...events), item as typeof herald)).toThrow(CannotReview);
  });
});

it('given a retracted signal, then matching merges nothing with it, and it stays out of sight', () => {
  const retracted = stateOf(detected(), decideRetract(stateOf(detected()), review('retract')));
  const other = stateOf(detected({ ...FIRST, outlet: 'Daily', url: 'https://daily.example/3' }, 'daily'));
  const cause = { id: null, time: NOW, correlation_id: eventId('cause') };
  expect(decideMerge(cause, other, retracted, 'one')).toEqual({ survivor: [], merged: [] });
  expect(afterEvents(retracted, further(retracted)).status).toBe('retracted');
});
