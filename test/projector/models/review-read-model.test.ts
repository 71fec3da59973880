import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openingsTable } from '../../../facts/openings/table.ts';
import { peopleTable } from '../../../facts/people/table.ts';
import { waitForPosition } from '../../../projector/model-progress.ts';
import { followsModel } from '../../../projector/models/follows-read-models.ts';
import { factModel } from '../../../projector/models/reported-parts.ts';
import {
  dailySamples,
  listCorrections,
  listDecided,
  reviewQueue,
  SAMPLE,
} from '../../../projector/models/review-queries.ts';
import { doubtOf, reviewModel } from '../../../projector/models/review-read-model.ts';
import { findSignal } from '../../../projector/models/signals-queries.ts';
import { signalsModel } from '../../../projector/models/signals-read-model.ts';
import { replay } from '../../../projector/rebuild/replay-model.ts';
import type { AccountId } from '../../../schemas/access.ts';
import { SignalDetail } from '../../../schemas/resources.ts';
import { signalStream } from '../../../schemas/signal.ts';
import { followsStream } from '../../../schemas/subscriptions.ts';
import { type Engine, testEngine } from '../engine.ts';
import { specification, storedEvent } from '../given-when-then.ts';
import {
  appointment,
  confirmed,
  corrected,
  detected,
  idOf,
  merged,
  opening,
  report,
  reported,
  retracted,
  revised,
  split,
  understanding,
} from '../signal-events.ts';

const sure = { relevance: 0.99, move: 0.98, agreed: true };
const doubtful = { relevance: 0.55, move: 0.9, agreed: false };
const other = report('other', { outlet: 'Gazette', title: 'Two stores in Surat' });

describe('how doubtful a signal is', () => {
  it.each([
    [sure, 0.02],
    [{ ...sure, agreed: false }, 0.32],
    [doubtful, 0.75],
    [undefined, 0.5],
  ])('given %j, then it is %d', (certainty, doubt) => expect(doubtOf(certainty)).toBeCloseTo(doubt));
});

describe('what an operator decided', () => {
  const review = specification(reviewModel());
  const first = detected('first', { report: report('first', { certainty: sure }) });

  it.each([
    [confirmed('first'), 'confirmed'],
    [corrected('first', 1, { cities: ['Patna'] }), 'corrected'],
    [retracted('first'), 'retracted'],
    [split('first', other, 'second', ['Daily Trade']), 'split'],
  ])('given a signal, when %#, then its row has the verdict', (event, verdict) =>
    expect(review.given([first]).when(event).records('review_signals', idOf('first'))).toMatchObject([
      { verdict, decided_at: event.time },
    ]),
  );

  it('given a report that is split off, then its outlet no longer counts', () => {
    const given = review.given([first, reported('first', other)]);
    const records = given
      .when(split('first', other, 'second', ['Daily Trade']))
      .records('review_signals', idOf('first'));
    expect(records).toMatchObject([{ outlets: 1 }]);
  });

  it('given what rules decided, then it is no verdict', () => {
    const held = {
      ...retracted('first'),
      type: 'SignalHeld' as const,
      data: { ...retracted('first').data, by: 'replay' },
    };
    expect(review.given([first]).when(held).records('review_signals', idOf('first'))).toMatchObject([
      { status: 'held', verdict: null },
    ]);
  });
});

describe('the log of corrections', () => {
  const log = specification(reviewModel());
  const first = detected('first');
  it('given a correction, then the log has what was wrong, and what is right, in words', () => {
    const event = corrected('first', 1, { move: 'people', kind: 'Exit', people: [appointment()], delta: null });
    expect(log.given([first]).when(event).row(idOf('first'))?.log).toMatchObject([
      {
        what: 'corrected',
        why: 'the report says so',
        fields: [
          { field: 'move', before: 'stores (Store opening)', after: 'people (Exit)' },
          { field: 'delta', before: '40 stores', after: null },
          { field: 'people', before: null, after: 'Asha Rao, joined, CFO, Kiri Foods' },
        ],
      },
    ]);
  });

  it('given a merge by the matcher, or a correction that a merge takes over, then the log has nothing', () => {
    const taken = corrected('first', 1, { delta: null });
    for (const event of [merged('first', 'second'), { ...taken, data: { ...taken.data, taken_from: idOf('second') } }])
      expect(
        log
          .given([first, detected('second')])
          .when(event)
          .records('corrections', idOf('first')),
      ).toEqual([]);
  });
});

describe('facts of a corrected signal', () => {
  const facts = {
    brands: understanding().brands,
    people: [appointment()],
    openings: [opening()],
    deal: null,
    result: null,
  };
  const openings = (...events: Parameters<ReturnType<typeof specification>['given']>[0]) =>
    specification(factModel(openingsTable, 'openings'))
      .given([detected('first', { understanding: understanding({ openings: [opening()] }) }), ...events.slice(0, -1)])
      .when(events.at(-1) as (typeof events)[number])
      .records('openings', idOf('first'));

  it('given openings that an operator removed, then no report brings any back, before or after', () => {
    const removed = corrected('first', 1, { openings: [] }, { openings: [opening()] });
    expect(openings(reported('first', other, false, facts), removed)).toEqual([]);
    expect(openings(removed, reported('first', other, false, facts))).toEqual([]);
    expect(openings(removed, revised('first', 2, { headline: 'Other words' }))).toEqual([]);
  });

  it('given a corrected opening, then it is cited by the report whose text the signal has', () => {
    const city = corrected('first', 1, { openings: [opening({ city: 'Patna' })] }, { openings: [] });
    expect(openings(city, reported('first', other, false, facts))).toMatchObject([
      { city: 'Patna', outlet: 'Daily Trade', source_url: 'https://outlet.test/first' },
    ]);
  });

  it('given another field that was corrected, then reports go on stating theirs', () => {
    const appointments = specification(factModel(peopleTable, 'people'))
      .given([detected('first'), corrected('first', 1, { openings: [] })])
      .when(reported('first', other, false, facts));
    expect(appointments.records('appointments', idOf('first'))).toHaveLength(1);
  });
});

const ASHA = 'acc_1' as AccountId;
const follow = storedEvent('FollowAdded', {
  account: ASHA,
  follow_id: 'fol_0000000000000001',
  type: 'brand',
  slug: 'zudio',
  name: 'Zudio',
  signal_id: null,
});

describe('on PostgreSQL', () => {
  const models = () => [signalsModel({ baseUrl: 'https://clarity.test' }), reviewModel(), followsModel()];
  let engine: Engine;
  beforeAll(async () => {
    engine = await testEngine();
    engine.run(models());
    let last = 0n;
    const add = async (name: string, ...events: Parameters<Engine['add']>[1][]) => {
      last = await engine.add(signalStream(idOf(name)), ...events);
    };
    await add('sure', detected('sure', { report: report('sure', { certainty: sure }) }));
    await add(
      'followed',
      detected('followed', {
        report: report('followed', { certainty: sure }),
        understanding: understanding({
          brands: [{ ...understanding().brands[0], slug: 'zudio', name: 'Zudio' }] as never,
        }),
      }),
    );
    await add('doubtful', detected('doubtful', { report: report('doubtful', { certainty: doubtful }) }));
    await add('right', detected('right'), confirmed('right'));
    await add('wrong', detected('wrong'), corrected('wrong', 1, { cities: ['Patna'] }));
    await add('noise', detected('noise'), retracted('noise'));
    for (let number = 0; number < 25; number++)
      await add(`many-${number}`, {
        ...detected(`many-${number}`, { published_at: '2026-10-01T00:00:00Z' }),
        time: '2026-10-01T00:00:00Z',
      });
    last = await engine.add(followsStream(ASHA), follow);
    for (const { name } of models()) expect(await waitForPosition(engine.database, name, last, 20_000)).toBe(true);
  });
  afterAll(() => engine.close());

  it('then the queue has what nobody decided about: doubtful first, then what is followed', async () => {
    const queue = await reviewQueue(engine.database, new Date('2026-11-21T04:30:00Z'), 10);
    expect(queue.map(({ id }) => id)).toEqual(['doubtful', 'followed', 'sure'].map(idOf));
    expect(queue[1]).toMatchObject({ followers: 1, outlets: 1 });
  });

  it('then the sample of a day is 20, the same each time, whatever was decided', async () => {
    const day = '2026-10-01';
    const drawn = await dailySamples(engine.database, [day]);
    expect(drawn).toHaveLength(SAMPLE);
    expect(drawn.every((one) => one.day === day)).toBe(true);
    const again = await dailySamples(engine.database, [day, '2026-09-30']);
    expect(again).toEqual(drawn);
  });

  it('then decided signals are listed page by page', async () => {
    const [first] = await listDecided(engine.database, 1);
    expect(first).toMatchObject({ id: idOf('right'), verdict: 'confirmed' });
    expect(await listDecided(engine.database, 10, first)).toMatchObject([
      { verdict: 'corrected' },
      { verdict: 'retracted' },
    ]);
  });

  it('then the log has the corrections with their signals, the newest first', async () => {
    expect(await listCorrections(engine.database, 10)).toMatchObject([
      { entry: { what: 'retracted' }, status: 'retracted' },
      { entry: { what: 'corrected', fields: [{ before: 'Pune', after: 'Patna' }] }, slug: 'slug-wrong' },
    ]);
  });

  it('then the detail has the correction, without the name of the operator, and a retracted signal is gone', async () => {
    const found = await findSignal(engine.database, 'slug-wrong');
    const detail = SignalDetail.parse(JSON.parse(found && 'document' in found ? found.document : '{}'));
    expect(detail.cities).toEqual(['Patna']);
    expect(detail.corrections).toMatchObject([{ fields: ['cities'], by: 'operator', why: 'the report says so' }]);
    expect(await findSignal(engine.database, 'slug-noise')).toBeNull();
  });

  it('then a replay of each model gives the same rows', async () => {
    for (const model of models()) {
      const { verification } = await replay({
        ...engine,
        model,
        verify: true,
        swap: false,
        signal: AbortSignal.timeout(60_000),
      });
      expect([model.name, verification?.differences]).toEqual([model.name, 0]);
    }
  });
});
