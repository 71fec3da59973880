import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Queryable, query } from '../../../log/postgres/database.ts';
import { waitForPosition } from '../../../projector/model-progress.ts';
import { findDocuments, findSignal, listSignals } from '../../../projector/models/signals-queries.ts';
import { signalsModel } from '../../../projector/models/signals-read-model.ts';
import { SignalDetail } from '../../../schemas/resources.ts';
import { signalStream } from '../../../schemas/signal.ts';
import { type Engine, testEngine } from '../engine.ts';
import { detected, held, idOf, linked, merged, report, retracted, understanding } from '../signal-events.ts';

let engine: Engine;
const day = (number: number): string => new Date(Date.UTC(2026, 10, number, 4)).toISOString();

/** A signal whose report is of a day of November; it follows another, and was published on that day or later. */
const step = (name: string, on: number, follows: string | null, publishedOn = on) =>
  detected(name, {
    published_at: day(publishedOn),
    follows: follows === null ? null : idOf(follows),
    understanding: understanding({ headline: `Headline of ${name}`, move: 'deals' }),
    report: report(name, { published_at: day(on), first_seen_at: day(on) }),
  });

beforeAll(async () => {
  engine = await testEngine();
  engine.run([signalsModel({ baseUrl: 'https://clarity.test' })]);
  const events = [
    // One matter: a rumour, an agreement that was found late, its approval and an appeal against that.
    step('rumour', 1, null),
    step('approved', 5, 'agreed'),
    step('agreed', 3, 'rumour', 9),
    step('appeal', 7, 'approved'),
    // Both are taken another step further; one of the two steps is not to be seen.
    step('plan', 1, null),
    step('doubted', 2, 'plan'),
    held('doubted'),
    step('opening', 3, 'doubted'),
    step('opinion', 4, 'opening'),
    retracted('opinion'),
    // The signal that was followed, and one that follows, were merged into others.
    step('first', 1, null),
    step('twin', 2, null),
    merged('first', 'twin'),
    step('next', 3, 'first'),
    step('last', 4, null),
    step('same', 5, 'next'),
    merged('same', 'last'),
    // The middle was found last; the link to it replaces the one past it.
    step('talks', 1, null),
    step('deal', 8, 'talks'),
    step('nod', 5, 'talks'),
    linked('deal', 'nod'),
    step('alone', 1, null),
    // Longer than what is shown.
    ...Array.from({ length: 25 }, (_, number) =>
      step(`long${number}`, 1 + number, number === 0 ? null : `long${number - 1}`),
    ),
    // Two that follow each other, which only a wrong decision could write.
    step('circle', 1, 'round'),
    step('round', 2, 'circle'),
  ];
  let position = 0n;
  for (const event of events) position = await engine.add(signalStream(event.data.signal_id), event);
  await waitForPosition(engine.database, 'signals', position, 10_000);
});
afterAll(() => engine.close());

/** What a signal names before and after it. */
async function threadOf(name: string): Promise<[before: string[], after: string[]]> {
  const found = await findSignal(engine.database, `slug-${name}`);
  if (!found || 'redirect' in found) throw new Error(`${name} was not found`);
  const { before, after } = SignalDetail.parse(JSON.parse(found.document));
  const names = (steps: typeof before) => steps.map(({ slug }) => slug.slice('slug-'.length));
  return [names(before), names(after)];
}

describe('the thread of a signal', () => {
  it.each([
    ['the first of all', 'rumour', [], ['agreed', 'approved', 'appeal']],
    ['one that was found late, by its own date', 'agreed', ['rumour'], ['approved', 'appeal']],
    ['one in the middle', 'approved', ['rumour', 'agreed'], ['appeal']],
    ['the last', 'appeal', ['rumour', 'agreed', 'approved'], []],
    ['one before a held signal', 'plan', [], ['opening']],
    ['one after a held signal and before a retracted one', 'opening', ['plan'], []],
    ['what others were merged into', 'twin', [], ['next', 'last']],
    ['one between merged signals', 'next', ['twin'], ['last']],
    ['what a follower was merged into', 'last', ['twin', 'next'], []],
    ['one that was linked later', 'deal', ['talks', 'nod'], []],
    ['one that was found last', 'nod', ['talks'], ['deal']],
    ['one without a thread', 'alone', [], []],
    ['one of two that follow each other', 'circle', [], ['round']],
  ])('names what came before and after: %s', async (_, name, before, after) => {
    expect(await threadOf(name)).toEqual([before, after]);
  });

  it('names the nearest ten on either side of a long thread', async () => {
    const [before, after] = await threadOf('long12');
    expect(before).toEqual(Array.from({ length: 10 }, (_, number) => `long${2 + number}`));
    expect(after).toEqual(Array.from({ length: 10 }, (_, number) => `long${13 + number}`));
  });

  it('names each step with what it is cited by', async () => {
    const found = await findSignal(engine.database, 'slug-approved');
    expect(found && 'document' in found && JSON.parse(found.document).before[1]).toEqual({
      id: idOf('agreed'),
      slug: 'slug-agreed',
      url: 'https://clarity.test/signal/slug-agreed',
      headline: 'Headline of agreed',
      published_at: day(9),
      reported_at: day(3),
      move: 'deals',
    });
  });

  it('is the same in a list, which needs one query for the threads of all its signals and none without details', async () => {
    let queries = 0;
    const counting = {
      query: (...given: Parameters<Queryable['query']>) => {
        queries += 1;
        return engine.database.query(...given);
      },
    } as Queryable;
    const list = await listSignals(counting, { limit: 50, detail: true });
    expect(queries).toBe(2);
    expect(list.documents).toHaveLength(40);
    for (const document of list.documents) {
      const found = await findSignal(engine.database, JSON.parse(document).slug);
      expect(found && 'document' in found && found.document).toBe(document);
    }
    await listSignals(counting, { limit: 50 });
    expect(queries).toBe(3);
    const slugs = list.documents.map((document) => String(JSON.parse(document).slug));
    // Also for signals that were merged, held or retracted, which have no document.
    const absent = ['slug-nobody', 'slug-held', 'slug-double'];
    expect(await findDocuments(counting, [...slugs, ...absent])).toEqual([...list.documents, null, null, null]);
    expect(queries).toBe(4);
  });

  it('has an index for each direction of a link that no primary key has', async () => {
    const rows = await query(
      engine.database,
      `SELECT pg_get_indexdef(i.indexrelid) AS index FROM pg_index i
       WHERE i.indpred IS NOT NULL AND pg_get_indexdef(i.indexrelid) ~ 'USING btree \\((follows|merged_into)\\)'`,
      [],
      z.object({ index: z.string() }),
    );
    expect(rows).toHaveLength(2);
  });
});

describe('a build of an earlier release, which lacks the links', () => {
  it('answers without threads', async () => {
    const older = {
      query: (...[asked, ...given]: Parameters<Queryable['query']>) => {
        const lacking = (text: unknown) => String(text).replaceAll('follows', 'not_there_yet');
        const { text, values } = asked as { readonly text?: string; readonly values?: unknown[] };
        return text === undefined
          ? engine.database.query(lacking(asked), ...given)
          : engine.database.query(lacking(text), values);
      },
    } as Queryable;
    const found = await findSignal(older, 'slug-approved');
    expect(found && 'document' in found && JSON.parse(found.document)).toMatchObject({ before: [], after: [] });
    expect(await findDocuments(older, ['slug-approved', 'slug-nobody'])).toEqual([
      found && 'document' in found && found.document,
      null,
    ]);
  });
});
