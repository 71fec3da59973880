import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold, readForModel } from '../../../projector/apply-page.ts';
import { signalTextOf } from '../../../projector/models/query-parts.ts';
import { type SignalRow, signalsModel } from '../../../projector/models/signals-read-model.ts';
import type { TableRecord } from '../../../projector/read-model.ts';
import type { KnownEvent } from '../../../schemas/events.ts';
import type { ItemKey } from '../../../schemas/poll.ts';
import { SignalItem, SignalText } from '../../../schemas/resources.ts';
import { sourceId } from '../../harness/ids.ts';
import { specification, storedEvent } from '../given-when-then.ts';
import { anyHistory } from '../histories.ts';
import {
  brandRef,
  detected,
  held,
  idOf,
  merged,
  opening,
  released,
  report,
  reported,
  revised,
  split,
  understanding,
} from '../signal-events.ts';

describe('evolve', () => {
  const { given } = specification(signalsModel({ baseUrl: 'https://clarity.test' }));
  const itemOf = (record?: TableRecord) => JSON.parse(String(record?.item_document));
  const second = report('second', { outlet: 'Second', source_id: sourceId('second') });

  describe('the row of a signal', () => {
    it('given nothing, when it is detected, is public with a document that the contract allows', () => {
      const outcome = given([]).when(detected('one'));

      const [record] = outcome.records('signals', idOf('one'));
      const item = SignalItem.parse(itemOf(record));
      expect(item).toMatchObject({
        slug: 'slug-one',
        theme: { slug: 'expansion', url: 'https://clarity.test/theme/expansion' },
        brands: [{ slug: 'kiri-foods', url: 'https://clarity.test/brand/kiri-foods', role: 'primary' }],
        source: { outlet: 'Daily Trade', url: 'https://outlet.test/one' },
        outlets: 1,
      });
    });

    it('given a signal, when it is detected again, stays as it was', () => {
      const outcome = given([detected('one')]).when(detected('one', { slug: 'another' }));

      expect(outcome.row(idOf('one'))?.slug).toBe('slug-one');
    });

    it.each([
      ['another outlet', reported('one', second), 2],
      ['the same outlet', reported('one', report('more')), 1],
      ['another outlet, resurfaced', reported('one', second, true), 1],
    ])('given a report, when %s reports, counts outlets', (_, event, outlets) => {
      const outcome = given([detected('one')]).when(event);

      expect(outcome.records('signals', idOf('one'))[0]?.outlets).toBe(outlets);
      expect(outcome.row(idOf('one'))?.reports).toHaveLength(2);
    });

    it.each([
      [
        'an earlier date',
        reported('one', report('old', { published_at: '2026-11-12T03:00:00Z' })),
        '2026-11-12T03:00:00Z',
      ],
      [
        'an earlier date, resurfaced',
        reported('one', report('old', { published_at: '2026-11-12T03:00:00Z' }), true),
        null,
      ],
      ['no date', reported('one', report('old', { published_at: null })), null],
    ])('given a report, when one with %s comes, then the date of the first that counts is shown', (_, event, date) => {
      const before = given([]).when(detected('one'));
      const outcome = given([detected('one')]).when(event);
      const shown = (records: readonly TableRecord[]) => itemOf(records[0]).reported_at;
      expect(shown(outcome.records('signals', idOf('one')))).toBe(
        date ?? shown(before.records('signals', idOf('one'))),
      );
    });

    it('given a report, when the same item is reported again, keeps one report in its newest words', () => {
      const outcome = given([detected('one')]).when(reported('one', report('one', { title: 'Edited' })));

      expect(outcome.row(idOf('one'))?.reports).toMatchObject([{ title: 'Edited' }]);
    });

    it('given two reports, when the text becomes that of the second, cites the second and remembers the first', () => {
      const outcome = given([detected('one'), reported('one', second)]).when(
        revised('one', 1, { headline: 'Kiri Foods opens 42 stores' }, 'key-second'),
      );

      const [record] = outcome.records('signals', idOf('one'));
      expect(itemOf(record)).toMatchObject({
        headline: 'Kiri Foods opens 42 stores',
        source: { outlet: 'Second' },
        outlets: 2,
      });
      expect(record?.slug).toBe('slug-one');
      expect(outcome.row(idOf('one'))?.revisions).toMatchObject([
        { revision: 1, reason: 'edited', headline: understanding().headline },
      ]);
    });

    it('given an analysis, has it only in the detail', () => {
      const analysed = storedEvent('SignalAnalysed', {
        signal_id: idOf('one'),
        why_it_matters: 'First stores in Pune',
        what_to_watch: null,
        by: 'rules',
      });

      const outcome = given([detected('one')]).when(analysed);
      const [record] = outcome.records('signals', idOf('one'));

      expect(outcome.row(idOf('one'))).toMatchObject({ why_it_matters: 'First stores in Pune' });
      expect(String(record?.item_document)).not.toContain('why_it_matters');
    });

    describe('summary', () => {
      const shown = (...events: KnownEvent[]) => {
        const outcome = given(events.slice(0, -1)).when(events.at(-1) as KnownEvent);
        return JSON.parse(String(outcome.records('signals', idOf('one'))[0]?.item_document)) as SignalItem;
      };
      const without = detected('one', { understanding: understanding({ summary: null, openings: [opening()] }) });
      const summary = 'Kiri Foods has opened 40 stores in Pune, its largest step yet.';
      const second = report('two', { title: 'Kiri Foods opens 40 stores', summary });

      it('given none in the text, then that of another report, until this says otherwise or is split off', () => {
        const lent = reported('one', second);
        expect(shown(without, lent)).toMatchObject({ summary });
        expect(shown(without, lent)).not.toHaveProperty('summary_by');
        expect(shown(without, reported('one', second, true)).summary).not.toBe(summary);
        expect(shown(without, lent, reported('one', { ...second, summary: null })).summary).not.toBe(summary);
        expect(shown(without, lent, split('one', second, 'three', [])).summary).not.toBe(summary);
      });

      it('given one that was cut short, then a whole one of another report is better', () => {
        const cut = detected('one', {
          understanding: understanding({ summary: 'Kiri Foods has opened 40 stores in…' }),
        });
        expect(shown(cut).summary).toContain('…');
        expect(shown(cut, reported('one', second)).summary).toBe(summary);
      });

      it('given one that an operator wrote, or none, then neither a report nor the facts replace it', () => {
        const before = understanding({ summary: 'Kiri Foods has opened 40 stores in…' });
        const written = (text: string | null) =>
          storedEvent('SignalCorrected', {
            signal_id: idOf('one'),
            revision: 1,
            corrected: { summary: text },
            before,
            after: { ...before, summary: text, openings: [opening()] },
            report: report('one'),
            by: 'olga',
            why: 'cut short',
          });
        const detection = detected('one', { understanding: before });
        expect(shown(detection, reported('one', second), written('It opened 40.')).summary).toBe('It opened 40.');
        expect(shown(detection, written('It opened 40.'), reported('one', second)).summary).toBe('It opened 40.');
        expect(shown(detection, reported('one', second), written(null)).summary).toBeNull();
      });

      it('given none in any report, then the sentence that states the facts, marked as ours', () => {
        expect(shown(without)).toMatchObject({ summary: 'Kiri Foods opened a store in Pune.', summary_by: 'clarity' });
        const bare = detected('one', { understanding: understanding({ summary: null }) });
        expect(shown(bare).summary).toBeNull();
      });
    });

    it('given another outlet and a standing, has a higher salience; a report that came too late adds none', () => {
      const salience = (event: KnownEvent) =>
        given([detected('one')])
          .when(event)
          .records('signals', idOf('one'))[0]?.salience;
      const second = report('two', { outlet: 'Market Gazette', authority: 0.9 });
      const analysed = storedEvent('SignalAnalysed', {
        signal_id: idOf('one'),
        why_it_matters: null,
        what_to_watch: null,
        by: 'rules',
        standing: { listed: true, first: false, sum_crore: 100, revenue_share: null, stores: null },
      });

      expect(salience(reported('one', second, true))).toBe(5);
      expect(salience(reported('one', second))).toBe(17);
      expect(salience(analysed)).toBe(18);
    });

    it.each([
      ['a public one held', [detected('one')], held('one'), 'held'],
      ['a held one released', [detected('one', { status: 'held' })], released('one'), 'public'],
      ['a resurfaced one released', [detected('one', { status: 'resurfaced' })], released('one'), 'public'],
      ['a merged one released', [detected('one'), detected('two'), merged('one', 'two')], released('one'), 'merged'],
    ])('given %s, has the status that follows', (_, before, event, status) => {
      const outcome = given(before).when(event);

      expect(outcome.row(idOf('one'))?.status).toBe(status);
      expect(outcome.records('signal_brands', idOf('one'))).toHaveLength(status === 'public' ? 1 : 0);
    });

    it('given a held one, when it is released, is published then', () => {
      const release = storedEvent(
        'SignalReleased',
        { signal_id: idOf('one'), by: 'asha', why: 'x' },
        '2026-11-25T10:00:00Z',
      );
      const outcome = given([detected('one', { status: 'held' })]).when(release);

      expect(outcome.row(idOf('one'))).toMatchObject({ status: 'public', published_at: release.time });
      expect(outcome.records('signals', idOf('one'))).toMatchObject([{ published_at: release.time }]);
      expect(outcome.records('signal_brands', idOf('one'))).toMatchObject([{ published_at: release.time }]);
      expect(itemOf(outcome.records('signals', idOf('one'))[0]).published_at).toBe(release.time);
    });

    it('given two sources that share a key, cites the one whose text it is, with its own address', () => {
      const one = report('one', { item_key: '4711' as ItemKey });
      const other = report('second', { outlet: 'Second', source_id: sourceId('second'), item_key: '4711' as ItemKey });
      const events = [detected('one', { report: one }), reported('one', other)];
      const revision = revised('one', 1, { headline: 'Edited' }, '4711');
      const bySecond = { ...revision, data: { ...revision.data, source_id: sourceId('second') } };

      expect(itemOf(given(events).when(bySecond).records('signals', idOf('one'))[0]).source).toEqual({
        outlet: 'Second',
        url: 'https://outlet.test/second',
      });
      // Version 1.0 stored the key alone.
      expect(itemOf(given(events).when(revision).records('signals', idOf('one'))[0]).source).toEqual({
        outlet: 'Daily Trade',
        url: 'https://outlet.test/one',
      });
    });

    it('given a report that came too late to count, when its signal is merged into this one, does not count it', () => {
      const events = [detected('one'), detected('two', { report: second }), reported('one', second, true)];
      const outcome = given(events).when(merged('two', 'one'));

      expect(outcome.records('signals', idOf('one'))[0]?.outlets).toBe(1);
    });

    it('given a chain of merges, counts every outlet for the last', () => {
      const outcome = given([
        detected('one', { report: report('one', { outlet: 'First' }) }),
        detected('two', { report: second }),
        detected('three', { report: report('three', { outlet: 'Third' }) }),
        merged('one', 'two'),
      ]).when(merged('two', 'three'));

      expect(outcome.records('signals', idOf('three'))[0]?.outlets).toBe(3);
      expect(outcome.row(idOf('one'))).toMatchObject({ status: 'merged', merged_into: idOf('two') });
    });

    it('given nothing, when a report comes, refuses it', () => {
      const outcome = given([]).when(reported('one', second));

      expect(outcome.refused).toEqual([expect.stringContaining('no SignalDetected before it')]);
      expect(outcome.row(idOf('one'))).toBeNull();
    });
  });
});

describe('documents', () => {
  const baseUrl = `https://clarity.test/it's"odd"\\`;
  const model = signalsModel({ baseUrl });
  const { given } = specification(model);

  /** The documents of a signal as they are stored. */
  function documentsOf(outcome: ReturnType<ReturnType<typeof given>['when']>, key: string) {
    const [record] = outcome.records('signals', key);
    const item_document = String(record?.item_document);
    const row = model.storage?.keep(outcome.row(key) as SignalRow) ?? '';
    return { item: JSON.parse(item_document), detail: signalTextOf({ item_document, row }) };
  }

  /** Texts with characters that mean something in JSON, SQL or addresses. */
  const hostile = fc
    .array(fc.constantFrom('"url":"/', '\\', '"', "'", '\u0001', '₹', '{', 'ok', '\n', '$1', '"summary":null'), {
      maxLength: 6,
    })
    .map((pieces) => `x${pieces.join('')}`);

  it('documents contain what was understood, whatever the texts, with addresses of the service in full', () => {
    fc.assert(
      fc.property(
        fc.record({ headline: hostile, summary: fc.option(hostile), name: hostile, outlet: hostile }),
        ({ headline, summary, name, outlet }) => {
          const key_facts = [headline, name];
          const theme = { slug: 'expansion', name };
          const brands = [brandRef('kiri', name)];
          const text = understanding({ headline, summary, deck: name, key_facts, theme, brands });
          const event = detected('one', { understanding: text, report: report('one', { outlet }) });

          const { item, detail } = documentsOf(given([]).when(event), idOf('one'));

          expect(SignalItem.parse(item)).toMatchObject({
            id: idOf('one'),
            slug: 'slug-one',
            url: `${baseUrl}/signal/slug-one`,
            headline,
            summary,
            theme: { slug: 'expansion', name, url: `${baseUrl}/theme/expansion` },
            brands: [{ slug: 'kiri', name, url: `${baseUrl}/brand/kiri`, role: 'primary' }],
            source: { outlet, url: 'https://outlet.test/one' },
          });
          expect(SignalText.parse(detail)).toMatchObject({
            ...item,
            deck: text.deck,
            key_facts,
            why_it_matters: null,
            reports: [{ outlet, url: 'https://outlet.test/one' }],
          });
        },
      ),
    );
  });

  it('reports are in the order of their dates, one without a date by when it was first seen; resurfaced ones are left out', () => {
    const at = (day: number): string => `2026-10-${String(day).padStart(2, '0')}T00:00:00.000Z`;
    const outcome = given([
      detected('one', { report: report('one', { published_at: at(5) }) }),
      reported('one', report('undated', { published_at: null, first_seen_at: at(3) })),
      reported('one', report('old', { published_at: at(1) }), true),
    ]).when(reported('one', report('early', { published_at: at(2) })));

    const { detail } = documentsOf(outcome, idOf('one'));

    expect(SignalText.parse(detail).reports.map(({ published_at }) => published_at)).toEqual([at(2), null, at(5)]);
  });
});

describe('storage', () => {
  const model = signalsModel({ baseUrl: 'https://clarity.test' });

  describe('the stored rows of signals', () => {
    it('given any history, when a row is read back from its columns, then it is as it was', () => {
      fc.assert(
        fc.property(anyHistory, (history) => {
          const rows = new Map<string, SignalRow | null>();
          fold(model, readForModel(model, history).taken, rows);
          for (const [key, row] of rows) {
            if (!row) continue;
            const record = model.tables[0]?.records(row, key)[0] as Readonly<Record<string, string | null>>;

            const restored = model.storage?.restore({ ...record, key, row: model.storage.keep(row) });

            expect(restored).toEqual(row);
          }
          expect(rows.size).toBeGreaterThan(0);
        }),
      );
    });
  });
});
