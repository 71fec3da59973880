import { describe, expect, it } from 'vitest';
import { type KnownEvent, newEvent } from '../../schemas/events.ts';
import { eventId, SignalId } from '../../schemas/scalar.ts';
import { decideMerge } from '../../signal/merge-decisions.ts';
import { decideReplay, type Version } from '../../signal/replay-decisions.ts';
import { decideKnownItem, decideLink, decideNewSignal, decideReport } from '../../signal/report-decisions.ts';
import {
  CannotReview,
  decideAnalysis,
  decideConfirm,
  decideCorrection,
  decideHold,
  decideOperatorMerge,
  decideRelease,
  decideRetract,
} from '../../signal/review-decisions.ts';
import { afterEvents, foldSignal, type SignalState } from '../../signal/signal.ts';
import { casesOf } from '../harness/cases.ts';
import { specify } from '../harness/decider.ts';
import { storyEvent, type TestStory } from '../ingest/match/stories.ts';

const NOW = '2026-07-06T09:00:00.000Z';
const STATUSES = ['public', 'held by rules', 'held by an operator', 'resurfaced', 'retracted', 'merged'] as const;
type Status = (typeof STATUSES)[number];

const FIRST: TestStory = {
  title: 'Mitti opens in Pune',
  brand: 'Mitti',
  outlet: 'Retail Post',
  url: 'https://a.example/1',
};
const OLD = '2026-01-01T00:00:00.000Z';

/** The first story of a signal that has this status. */
const firstStory = (status: Status) =>
  storyEvent({
    ...FIRST,
    ...(status === 'held by rules' && { published_at: null }),
    ...(status === 'resurfaced' && { published_at: OLD }),
  });

/** The events that lead to this status. */
function eventsTo(status: Status): KnownEvent[] {
  const given = { slug: 'mitti-opens-in-pune', follows: null, resurfaced: status === 'resurfaced' };
  const detected = decideNewSignal(firstStory(status), given, '2026-07-06T08:00:10.000Z');
  const signal_id = detected.data.signal_id;
  const about = { id: eventId('test', status), time: '2026-07-06T08:30:00.000Z' };
  if (status === 'held by an operator')
    return [detected, newEvent('SignalHeld', { signal_id, by: 'asha', why: 'in doubt' }, about)];
  if (status === 'retracted')
    return [detected, newEvent('SignalRetracted', { signal_id, by: 'asha', why: 'an opinion' }, about)];
  if (status === 'merged') {
    const into = { into: SignalId.parse('sig_0000000000000000'), into_slug: 'another', by: 'match', why: 'one event' };
    return [detected, newEvent('SignalMerged', { signal_id, ...into }, about)];
  }
  return [detected];
}

const signal = specify((events) => foldSignal(events) as SignalState);

/** Another signal, public, of another outlet. */
const OTHER = foldSignal([
  decideNewSignal(
    storyEvent({ title: 'Mitti is in Pune now', brand: 'Mitti', outlet: 'Daily', url: 'https://daily.example/7' }),
    { slug: 'mitti-is-in-pune-now', follows: null, resurfaced: false },
    NOW,
  ),
]) as SignalState;

const FURTHER = storyEvent({
  title: 'Mitti, Pune: open',
  brand: 'Mitti',
  outlet: 'Herald',
  url: 'https://herald.example/2',
});
const evidence = { score: 0.91, reasons: ['same brand'], resurfaced: false };
const review = { by: 'asha', why: 'checked', time: NOW, id: eventId('review') };
const cause = { id: FURTHER.id, time: NOW, correlation_id: FURTHER.correlation_id };
const analysis = { why_it_matters: 'Its first store in Pune.' as string | null, what_to_watch: null, by: 'rules' };
const edited = storyEvent({
  ...FIRST,
  title: 'Mitti opens two in Pune',
  found_at: '2026-07-06T08:45:00.000Z',
  edits: 1,
});
const samePage = storyEvent({ ...FIRST, outlet: 'Aggregator', source_id: 'aggregator', item_key: 'a-1' });

/** The stored wording of the first item, as a replay understands it now. */
const stored = (status: Status, story: Version['story']): Version => ({
  item_event: eventId('item'),
  time: '2026-07-06T08:00:00.000Z',
  fingerprint: firstStory(status).data.item.fingerprint,
  story,
});

type Decide = (state: SignalState, status: Status) => readonly KnownEvent[];
const COMMANDS = {
  'a further report': (state) => decideReport(FURTHER, state, evidence, NOW),
  'a further report that is old news': (state) => decideReport(FURTHER, state, { ...evidence, resurfaced: true }, NOW),
  'the same item again': (state, status) => decideKnownItem(firstStory(status), state, NOW),
  'an edit of its item': (state) => decideKnownItem(edited, state, NOW),
  'its page from another source': (state) => decideKnownItem(samePage, state, NOW),
  'a link to an earlier signal': (state) => decideLink(FURTHER, state, OTHER.id, NOW),
  'release by an operator': (state) => [decideRelease(state, review)],
  'hold by an operator': (state) => [decideHold(state, review)],
  'retraction by an operator': (state) => [decideRetract(state, review)],
  'correction by an operator': (state) => [decideCorrection(state, { cities: ['Pune'] }, review)],
  'confirmation by an operator': (state) => [decideConfirm(state, review)],
  'merge by an operator into a public signal': (state) => decideOperatorMerge(state, OTHER, review).events.merged,
  'a public signal is merged into it': (state) => decideMerge(cause, state, OTHER, 'attempt').survivor,
  analysis: (state) => [decideAnalysis(state, analysis, firstStory('public'))].filter((event) => event !== null),
  'replay: its item is no move': (_, status) =>
    decideReplay(eventsTo(status), () => [stored(status, null)], { time: NOW, correlation_id: eventId('replay') }),
  'replay: its item is dated and a move': (_, status) =>
    decideReplay(eventsTo(status), () => [stored(status, storyEvent(FIRST))], {
      time: NOW,
      correlation_id: eventId('replay'),
    }),
} satisfies Record<string, Decide>;

/** By status in the order of STATUSES: the types of the events, and an arrow where the status changes. */
const EXPECTED = casesOf(`
a further report → Reported | Reported Released > public | Reported | Reported | Reported | refused
a further report that is old news → Reported | Reported | Reported | Reported | Reported | refused
the same item again → none | none | none | none | none | none
an edit of its item →
  Reported Revised | Reported Revised Released > public | Reported Revised | Reported Revised | Reported Revised | none
its page from another source → Reported | Reported Released > public | Reported | Reported | Reported | none
a link to an earlier signal → Linked | Linked | Linked | Linked | Linked | none
release by an operator → refused | Released > public | Released > public | refused | Released > public | refused
hold by an operator → Held > held | refused | refused | refused | refused | refused
retraction by an operator →
  Retracted > retracted | Retracted > retracted | Retracted > retracted | Retracted > retracted | refused | refused
correction by an operator → Corrected | Corrected | Corrected | Corrected | Corrected | refused
confirmation by an operator → Confirmed | refused | refused | refused | refused | refused
merge by an operator into a public signal →
  Merged > merged | Merged > merged | Merged > merged | Merged > merged | Merged > merged | refused
a public signal is merged into it →
  Reported Joined | Reported Released Joined > public | Reported Joined | Reported Joined | none | none
analysis → Analysed | none | none | none | none | none
replay: its item is no move → Held > held | none | none | none | none | none
replay: its item is dated and a move → none | Released > public | none | none | none | none
`);

describe('commands by status', () => {
  const cases = EXPECTED.flatMap(([command, ...row]) =>
    STATUSES.map((status, index) => ({ command, status, expected: row[index] ?? '' })),
  );

  it('given the commands, then each is in the table', () => {
    expect(EXPECTED.map(([command]) => command)).toEqual(Object.keys(COMMANDS));
  });

  it.each(cases)('given a signal that is $status, when $command, then "$expected"', ({ command, status, expected }) => {
    const decide: Decide = COMMANDS[command as keyof typeof COMMANDS];
    const specification = signal.given(...eventsTo(status)).when((state) => decide(state, status));
    if (expected === 'refused') return specification.thenRefuses(/ is (public|held|resurfaced|retracted|merged)/);
    const [types = '', next] = expected.split(' > ');
    const events = types.split(' ').filter((type) => type !== 'none');
    const decided = specification.then(...events.map((type) => ({ type: `Signal${type}` as KnownEvent['type'] })));
    const before = foldSignal(eventsTo(status)) as SignalState;
    expect(afterEvents(before, decided).status).toBe(next ?? before.status);
  });

  it('given an event of another stream type, then the state is unchanged', () => {
    const events = eventsTo('public');
    const slug = newEvent('SlugReserved', { slug: 'x', signal_id: OTHER.id }, { id: eventId('slug'), time: NOW });
    expect(foldSignal([slug])).toBeNull();
    expect(foldSignal([...events, slug])).toMatchObject({ status: 'public', revisions: 0 });
  });
});

describe('the invariants of merged signals', () => {
  const merged = eventsTo('merged');
  const about = { id: eventId('late'), time: NOW };

  it.each(['SignalHeld', 'SignalReleased'] as const)(
    'given a merged signal, when %s is applied, then it stays merged',
    (type) => {
      const event = newEvent(type, { signal_id: OTHER.id, by: 'asha', why: 'too late' }, about);
      expect(foldSignal([...merged, event])).toMatchObject({ status: 'merged', mergedInto: 'sig_0000000000000000' });
    },
  );

  it('given a merged signal, when it gets a story, then the decision throws a defect and nothing is written', () => {
    signal
      .given(...merged)
      .when((state) => decideReport(FURTHER, state, evidence, NOW))
      .thenRefuses('is merged into sig_0000000000000000');
  });

  it('given a public signal and itself, when an operator merges them, then it is refused', () => {
    signal
      .given(...eventsTo('public'))
      .when((state) => decideOperatorMerge(state, state, review).events.merged)
      .thenRefuses(CannotReview);
  });
});

describe('the events of a decision', () => {
  it('given a held signal, when a report has the date, then the event names that report', () => {
    signal
      .given(...eventsTo('held by rules'))
      .when((state) => decideReport(FURTHER, state, evidence, NOW))
      .then(
        { type: 'SignalReported', data: { resurfaced: false, match: { score: 0.91, reasons: ['same brand'] } } },
        { type: 'SignalReleased', data: { by: 'match', why: 'Herald reports it with what was missing' } },
      );
  });

  it('given a stored analysis, when it is written again, then nothing is stored; another one replaces it', () => {
    const stored = (state: SignalState, one = analysis) =>
      [decideAnalysis(state, one, firstStory('public'))].filter((event) => event !== null);
    const events = eventsTo('public');
    const first = stored(foldSignal(events) as SignalState);
    const given = signal.given(...events, ...first);
    given.when((state) => stored(state)).thenNothing();
    const withdrawn = { ...analysis, why_it_matters: null, sentences: [] };
    given
      .when((state) => stored(state, withdrawn))
      .then({ type: 'SignalAnalysed', data: { why_it_matters: null, sentences: [] } });
    const [again] = stored(
      foldSignal([
        ...events,
        ...first,
        ...stored(foldSignal([...events, ...first]) as SignalState, withdrawn),
      ]) as SignalState,
    );
    expect(again?.id).not.toBe(first[0]?.id);
  });
});
