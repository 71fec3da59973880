import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyRoster, followSources, loadRoster } from '../../../ingest/roster/roster.ts';
import type { EventStore } from '../../../log/event-store.ts';
import { postgresEventStore } from '../../../log/postgres/postgres-event-store.ts';
import { newEvent } from '../../../schemas/events.ts';
import { eventId } from '../../../schemas/scalar.ts';
import { Source, sourceStream } from '../../../schemas/source.ts';
import { logDatabase, type TestDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import { sourceId } from '../../harness/ids.ts';

const source = (id: string, more: Partial<Source> = {}): Source =>
  Source.parse({ id, outlet: id.toUpperCase(), url: `https://${id}.example.in/rss`, ...more });
const roster = { by: 'roster.yaml', why: 'test' };

describe('applying a roster', () => {
  let server: TestDatabase;
  let store: EventStore;
  beforeAll(async () => {
    server = await logDatabase();
    store = postgresEventStore(server.database);
  });
  afterAll(async () => {
    await store.close();
    await server.close();
  });

  it('given added, changed and removed sources, then they are applied once, and a second run appends nothing', async () => {
    const first = await applyRoster(store, [source('a'), source('b')], roster);
    expect(first.map(({ change, source_id }) => `${change} ${source_id}`)).toEqual(['added a', 'added b']);
    const head = await store.head();
    expect(await applyRoster(store, [source('a'), source('b')], roster)).toEqual([]);
    expect(await store.head()).toBe(head);

    const second = await applyRoster(store, [source('b', { authority: 0.9 }), source('c')], roster);
    expect(second.map(({ change, source_id }) => `${change} ${source_id}`)).toEqual([
      'changed b',
      'added c',
      'retired a',
    ]);
    const { roster: entries } = await loadRoster(store);
    expect(entries.get(sourceId('a'))?.retired).toMatchObject({ by: 'roster.yaml' });
    expect(entries.get(sourceId('b'))?.source.authority).toBe(0.9);
  });

  it('given sources that others added or an operator changed, then they stay unchanged', async () => {
    await applyRoster(store, [source('mine')], { by: 'operator', why: 'by hand' });
    await applyRoster(store, [source('d')], roster);
    await applyRoster(store, [source('d', { paused: true }), source('mine')], { by: 'operator', why: 'too loud' });
    expect(await applyRoster(store, [source('d')], roster)).toEqual([]);
    const { roster: entries } = await loadRoster(store);
    expect(entries.get(sourceId('d'))?.source.paused).toBe(true);
    expect(entries.get(sourceId('mine'))?.retired).toBeNull();
  });

  it('given an address that a poller adopted, then it stays until the file itself changes', async () => {
    await applyRoster(store, [source('e')], roster);
    const moved = {
      source_id: sourceId('e'),
      from: source('e').url,
      to: 'https://new.example.in/rss',
      by: 'poller',
      why: 'moved',
    };
    const event = newEvent('SourceMoved', moved, { id: eventId('moved'), time: '2026-11-21T00:00:00Z' });
    await store.append(sourceStream(sourceId('e')), [event], 'any');
    expect(await applyRoster(store, [source('e')], roster)).toEqual([]);
    expect((await loadRoster(store)).roster.get(sourceId('e'))?.source.url).toBe('https://new.example.in/rss');
  });

  it('given a subscription, then it follows the roster live, without paused and retired sources', async () => {
    const stop = new AbortController();
    const live = await followSources(store, { signal: stop.signal, logger: pino({ level: 'silent' }) });
    await applyRoster(store, [source('e'), source('f'), source('g', { paused: true })], roster);
    await eventually(() => expect(live.active().map(({ id }) => id)).toContain('f'));
    expect(live.active().map(({ id }) => id)).not.toContain('g');
    await applyRoster(store, [source('e')], roster);
    await eventually(() => expect(live.active().map(({ id }) => id)).not.toContain('f'));
    stop.abort();
    await live.done;
  });

  it('given two concurrent runs, then each source is added once', async () => {
    const sources = Array.from({ length: 5 }, (_, number) => source(`twin-${number}`));
    const author = { by: 'twins.yaml', why: 'test' };
    await Promise.all([applyRoster(store, sources, author), applyRoster(store, sources, author)]);
    for (const { id } of sources) expect(await store.read(sourceStream(id))).toHaveLength(1);
  });
});
