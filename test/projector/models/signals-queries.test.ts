import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitForPosition } from '../../../projector/model-progress.ts';
import {
  CursorError,
  countRecent,
  findSignal,
  type ListFilter,
  listSignals,
  recentCounts,
} from '../../../projector/models/signals-queries.ts';
import { signalsModel } from '../../../projector/models/signals-read-model.ts';
import { SignalDetail, SignalItem } from '../../../schemas/resources.ts';
import { signalStream } from '../../../schemas/signal.ts';
import { brandSlug } from '../../harness/ids.ts';
import { type Engine, testEngine } from '../engine.ts';
import { brandRef, detected, idOf, merged, report, reported, understanding } from '../signal-events.ts';

let engine: Engine;
const mention = brandRef('maya-stores', 'Maya Stores', 'secondary');
const at = (minute: number): string => new Date(Date.UTC(2026, 10, 20, 4, minute)).toISOString();
const add = (name: string, ...events: Parameters<Engine['add']>[1][]): Promise<bigint> =>
  engine.add(signalStream(idOf(name)), ...events);
const shown = (position: bigint) => waitForPosition(engine.database, 'signals', position, 10_000);

beforeAll(async () => {
  engine = await testEngine();
  engine.run([signalsModel({ baseUrl: 'https://clarity.test' })]);
  // Thirty signals, three to a minute, so that ids have to break ties.
  for (let number = 0; number < 30; number++)
    await add(
      `n${number}`,
      detected(`n${number}`, {
        published_at: at(Math.floor(number / 3)),
        understanding: understanding({
          move: number % 2 ? 'deals' : 'stores',
          theme: number % 5 ? null : { slug: 'expansion', name: 'Expansion' },
          brands: number % 3 ? understanding().brands : [...understanding().brands, mention],
          cities: number % 2 ? ['Pune'] : ['Delhi'],
        }),
      }),
    );
  await add('held', detected('held', { status: 'held', published_at: at(59) }));
  await add('old', detected('old', { status: 'resurfaced', published_at: at(59) }));
  for (const [from, into] of [
    ['x1', 'x2'],
    ['x2', 'n0'],
    ['y', 'held'],
  ] as const) {
    await add(from, detected(from, { published_at: at(59) }));
    if (into === 'x2') await add(into, detected(into, { published_at: at(59) }));
    await add(from, merged(from, into));
  }
  await shown(await add('n1', reported('n1', report('second', { outlet: 'Second' }))));
});
afterAll(() => engine.close());

async function walk(filter: Omit<ListFilter, 'cursor'>, between: () => Promise<void> = async () => undefined) {
  const items: SignalItem[] = [];
  let cursor: string | undefined;
  do {
    const page = await listSignals(engine.database, { ...filter, cursor });
    expect(page.documents.length).toBeLessThanOrEqual(filter.limit);
    items.push(...page.documents.map((document) => SignalItem.parse(JSON.parse(document))));
    cursor = page.next_cursor ?? undefined;
    await between();
  } while (cursor);
  return items;
}

describe('listSignals', () => {
  it.each([
    '',
    'nonsense',
    'WyJhIiwiYiJd',
    Buffer.from('["2026-13-45 00:00:00Z","sig_0123456789abcdef"]').toString('base64url'),
  ])('refuses the cursor %j', async (cursor) => {
    await expect(listSignals(engine.database, { limit: 5, cursor })).rejects.toThrow(CursorError);
  });
});

describe('findSignal', () => {
  it('answers with a detail that the contract allows, the reports and the revisions', async () => {
    const found = await findSignal(engine.database, 'slug-n1');

    if (!found || 'redirect' in found) throw new Error('n1 was not found');
    expect(SignalDetail.parse(JSON.parse(found.document))).toMatchObject({ id: idOf('n1'), outlets: 2 });
    expect(found.reports.map(({ outlet }) => outlet)).toEqual(['Daily Trade', 'Second']);
    expect(found.revisions).toEqual([]);
    expect(await findSignal(engine.database, idOf('n1'))).toEqual(found);
  });

  it.each([
    ['a merged signal with the end of its chain', 'slug-x1', { redirect: 'slug-n0' }],
    ['a held signal with nothing', 'slug-held', null],
    ['a resurfaced signal with nothing', 'slug-old', null],
    ['a signal merged into a held one with nothing', 'slug-y', null],
    ['an unknown slug with nothing', 'slug-nobody', null],
  ])('answers %s', async (_, slug, expected) => {
    expect(await findSignal(engine.database, slug)).toEqual(expected);
  });
});

describe('countRecent', () => {
  it('counts public signals since a moment', async () => {
    expect(await countRecent(engine.database, new Date(at(9)))).toBe(3);
  });
});

describe('a walk while signals arrive', () => {
  it('sees every signal that was there once and in order', async () => {
    let number = 0;
    const arrive = async (): Promise<void> => {
      number += 1;
      await shown(await add(`new${number}`, detected(`new${number}`, { published_at: at(20 + number) })));
    };

    const items = await walk({ limit: 7 }, arrive);

    expect(items).toHaveLength(30);
    expect(new Set(items.map(({ id }) => id)).size).toBe(30);
  });
});

describe('the brands of recent counts', () => {
  it('given names outside the catalogue, then they count after a second story of another day or outlet', async () => {
    const about = (slug: string, time: string, outlet = 'Daily Trade') => ({
      published_at: `2027-03-${time}:00:00Z`,
      report: report(slug, { outlet }),
      understanding: understanding({ brands: [{ ...mention, slug: brandSlug(slug), role: 'primary' as const }] }),
    });
    for (const [name, changes] of Object.entries({
      once: about('once', '02T05'),
      same1: about('same-day', '02T05'),
      same2: about('same-day', '02T06'),
      day1: about('other-day', '02T05'),
      day2: about('other-day', '03T05'),
      outlet1: about('other-outlet', '02T05'),
      outlet2: about('other-outlet', '02T06', 'Second'),
    }))
      await add(name, detected(name, changes));
    await shown(await add('listed', detected('listed', about('listed', '02T05'))));

    const since = new Date('2027-03-01T00:00:00Z');
    const counted = async (known?: Parameters<typeof recentCounts>[3]) =>
      (await recentCounts(engine.database, since, 10, known)).brands.map(({ key }) => key).toSorted();
    expect(await counted([brandSlug('listed')])).toEqual(['listed', 'other-day', 'other-outlet']);
    expect(await counted()).toHaveLength(5);
  });
});
