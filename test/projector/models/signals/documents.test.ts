import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { query } from '../../../../log/postgres/database.ts';
import {
  documentsSql,
  evolveSignal,
  keptBeside,
  type SignalRow,
  signalsModel,
} from '../../../../projector/models/signals-read-model.ts';
import { SignalDetail, SignalItem } from '../../../../schemas/resources.ts';
import { testDatabase } from '../../../harness/database.ts';
import { specification } from '../../given-when-then.ts';
import { detected, idOf, report, understanding } from '../../signal-events.ts';

let made: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  made = await testDatabase();
});
afterAll(() => made.close());

const baseUrl = `https://clarity.test/it's"odd"\\`;
const { given } = specification(signalsModel({ baseUrl }));
const Documents = z.object({ item_document: z.string(), detail_parts: z.string() });

/** The documents as the readers' view puts them together. */
async function documentsOf(event: ReturnType<typeof detected>) {
  const key = event.data.signal_id;
  const outcome = given([]).when(event);
  const [record] = outcome.records('signals', key);
  const row = keptBeside(evolveSignal(null, event, key, () => null) as SignalRow);
  const { slug, item_parts, detail } = record ?? {};
  const columns = `(SELECT $1::text AS key, $2::text AS slug, $3::text AS item_parts, $4::text AS detail, $5::text AS "row") one`;
  const text = `SELECT ${documentsSql(baseUrl)} FROM ${columns}`;
  const [found] = await query(made.database, text, [key, slug, item_parts, detail, row], Documents);
  const item = JSON.parse(found?.item_document ?? '');
  return { item, detail: { ...item, ...JSON.parse(found?.detail_parts ?? '') } };
}

/** Texts with all that could be taken for something else. */
const hostile = fc
  .array(fc.constantFrom('"url":"/', '\\', '"', "'", '\u0001', '₹', '{', 'ok', '\n', '$1', '"summary":null'), {
    maxLength: 6,
  })
  .map((pieces) => `x${pieces.join('')}`);

it('documents say what was understood, whatever the texts, with addresses of the service in full', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({ headline: hostile, summary: fc.option(hostile), name: hostile, outlet: hostile }),
      fc.boolean(),
      async ({ headline, summary, name, outlet }, usual) => {
        const key_facts = usual ? [summary].filter((fact) => fact !== null) : [headline, name];
        const theme = { slug: 'expansion', name };
        const brands = [{ slug: 'kiri', name, role: 'primary' as const, provisional: false }];
        const text = understanding({ headline, summary, deck: usual ? summary : name, key_facts, theme, brands });

        const { item, detail } = await documentsOf(
          detected('one', { understanding: text, report: report('one', { outlet }) }),
        );

        expect(SignalItem.parse(item)).toMatchObject({
          ...{ id: idOf('one'), slug: 'slug-one', url: `${baseUrl}/signal/slug-one`, headline, summary },
          theme: { slug: 'expansion', name, url: `${baseUrl}/theme/expansion` },
          brands: [{ slug: 'kiri', name, url: `${baseUrl}/brand/kiri`, role: 'primary' }],
          source: { outlet, url: 'https://outlet.test/one' },
        });
        expect(SignalDetail.parse(detail)).toMatchObject({
          ...{ deck: text.deck, key_facts, why_it_matters: null },
          reports: [{ outlet, url: 'https://outlet.test/one' }],
        });
      },
    ),
    { numRuns: 40 },
  );
});
