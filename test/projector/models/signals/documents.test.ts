import fc from 'fast-check';
import { expect, it } from 'vitest';
import { detailOf } from '../../../../projector/models/query-parts.ts';
import { type SignalRow, signalsModel } from '../../../../projector/models/signals-read-model.ts';
import { SignalDetail, SignalItem } from '../../../../schemas/resources.ts';
import { specification } from '../../given-when-then.ts';
import { detected, idOf, report, reported, understanding } from '../../signal-events.ts';

const baseUrl = `https://clarity.test/it's"odd"\\`;
const model = signalsModel({ baseUrl });
const { given } = specification(model);

/** The documents of a signal as they are stored. */
function documentsOf(outcome: ReturnType<ReturnType<typeof given>['when']>, key: string) {
  const [record] = outcome.records('signals', key);
  const item_document = String(record?.item_document);
  const row = model.storage?.keep(outcome.row(key) as SignalRow) ?? '';
  return { item: JSON.parse(item_document), detail: detailOf({ item_document, row }) };
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
        const brands = [{ slug: 'kiri', name, role: 'primary' as const, provisional: false }];
        const text = understanding({ headline, summary, deck: name, key_facts, theme, brands });
        const event = detected('one', { understanding: text, report: report('one', { outlet }) });

        const { item, detail } = documentsOf(given([]).when(event), idOf('one'));

        expect(SignalItem.parse(item)).toMatchObject({
          ...{ id: idOf('one'), slug: 'slug-one', url: `${baseUrl}/signal/slug-one`, headline, summary },
          theme: { slug: 'expansion', name, url: `${baseUrl}/theme/expansion` },
          brands: [{ slug: 'kiri', name, url: `${baseUrl}/brand/kiri`, role: 'primary' }],
          source: { outlet, url: 'https://outlet.test/one' },
        });
        expect(SignalDetail.parse(detail)).toMatchObject({
          ...item,
          ...{ deck: text.deck, key_facts, why_it_matters: null },
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

  expect(SignalDetail.parse(detail).reports.map(({ published_at }) => published_at)).toEqual([at(2), null, at(5)]);
});
