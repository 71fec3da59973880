import { describe, expect, it } from 'vitest';
import { searchModel } from '../../../projector/models/search-read-model.ts';
import type { KnownEvent } from '../../../schemas/events.ts';
import { sourceId } from '../../harness/ids.ts';
import { specification, storedEvent } from '../given-when-then.ts';
import { detected, held, idOf, merged, released, report, reported, revised, understanding } from '../signal-events.ts';

const { given } = specification(searchModel());

describe('the row of search', () => {
  it('given nothing, when a signal is detected, is found by its words, names and filters', () => {
    const accented = understanding({ headline: 'Café Kiri opens', people: [], mall: 'Lulu Mall' });

    const [record] = given([])
      .when(detected('one', { understanding: accented }))
      .records('search_signals', idOf('one'));

    expect(record).toMatchObject({
      is_public: true,
      moved_at: '2026-11-20T04:00:00Z',
      headline: 'Cafe Kiri opens',
      names: 'Kiri Foods . Pune . Lulu Mall',
      brands: ['kiri-foods'],
      about: ['kiri-foods'],
      cities: ['Pune'],
      theme: 'expansion',
    });
    expect(record?.body).toContain('40 stores');
  });

  it('given a date to come, moved when it was published', () => {
    const event = detected('one', { understanding: understanding({ event_at: '2027-01-01T00:00:00Z' }) });

    expect(given([]).when(event).records('search_signals', idOf('one'))[0]?.moved_at).toBe('2026-11-20T04:30:00Z');
  });

  it('given a signal of no date that is released later, moved when it was first seen', () => {
    const undated = understanding({ event_at: null });
    const events = [detected('one', { understanding: undated, status: 'held', published_at: '2026-11-20T05:00:00Z' })];
    const outcome = given(events).when({ ...released('one'), time: '2026-11-25T10:00:00Z' });

    expect(outcome.records('search_signals', idOf('one'))[0]).toMatchObject({
      is_public: true,
      moved_at: '2026-11-20T04:30:00Z',
    });
  });

  it('given an edit, is found by the newest words alone', () => {
    const [record] = given([detected('one')])
      .when(revised('one', 1, { headline: 'Kiri Foods shuts 3 stores', cities: ['Surat'] }))
      .records('search_signals', idOf('one'));

    expect(record).toMatchObject({ headline: 'Kiri Foods shuts 3 stores', cities: ['Surat'] });
  });

  it.each([
    ['held', [detected('one')], held('one'), false],
    ['released', [detected('one'), held('one')], released('one'), true],
    ['resurfaced', [], detected('one', { status: 'resurfaced' }), false],
    ['merged', [detected('one'), detected('two')], merged('one', 'two'), false],
  ])('given one that is %s, is public or not accordingly', (_, before, event, isPublic) => {
    expect(given(before).when(event).records('search_signals', idOf('one'))[0]?.is_public).toBe(isPublic);
  });

  it('given a signal that another was merged into, keeps its own text', () => {
    const outcome = given([detected('one'), detected('two')]).when(merged('one', 'two'));

    expect(outcome.records('search_signals', idOf('two'))[0]).toMatchObject({ is_public: true });
  });

  it('given nothing, when an analysis comes, refuses it', () => {
    const analysed = storedEvent('SignalAnalysed', {
      signal_id: idOf('one'),
      why_it_matters: null,
      what_to_watch: null,
      by: 'rules',
    });

    expect(given([]).when(analysed).refused).toEqual([expect.stringContaining('no SignalDetected before it')]);
  });
});

describe('the words of reports', () => {
  const other = report('two', {
    outlet: 'Second',
    source_id: sourceId('second'),
    title: 'Kiri lands in Pune',
    summary: 'It is large.',
  });

  it('given another report, is found by its title and summary too; one that resurfaced adds nothing', () => {
    const words = (event: KnownEvent) =>
      given([detected('one')])
        .when(event)
        .records('search_signals', idOf('one'))[0]?.reports;

    expect(words(reported('one', other))).toBe('Title of one . Kiri lands in Pune . It is large.');
    expect(words(reported('one', other, true))).toBe('Title of one');
  });

  it('given one that was merged into it, is found by the words of both', () => {
    const outcome = given([detected('one'), detected('two')]).when(merged('one', 'two'));

    expect(outcome.row(idOf('two'))?.reports.map(({ title }) => title)).toEqual(['Title of two', 'Title of one']);
  });
});
