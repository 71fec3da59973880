import { describe, expect, it } from 'vitest';
import type { Result } from '../../../facts/results/fields.ts';
import { resultsTable } from '../../../facts/results/table.ts';
import { factModel } from '../../../projector/models/reported-parts.ts';
import { specification } from '../given-when-then.ts';
import { detected, idOf, report, reported, result, understanding } from '../signal-events.ts';

const { given } = specification(factModel(resultsTable, 'result'));

const withResult = (reported: Result | null) => ({
  understanding: understanding({ move: 'results', result: reported }),
});

describe('results', () => {
  it('given nothing, when a signal reports a result, has it with the slug of its company', () => {
    const outcome = given([]).when(detected('one', withResult(result())));

    expect(outcome.records('results', idOf('one'))).toEqual([
      {
        number: 0,
        slug: 'slug-one',
        headline: 'Kiri Foods opens 40 stores',
        published_at: '2026-11-20T04:30:00Z',
        reported_at: '2026-11-20T04:00:00Z',
        ...result(),
        company_slug: 'kiri-foods',
        outlet: 'Daily Trade',
        source_url: 'https://outlet.test/one',
      },
    ]);
  });

  it('given a signal that reports several metrics, has each of them', () => {
    const profit = result({ metric: 'profit', value: '₹12 Cr', growth_pct: -4 });
    const reported = { understanding: understanding({ move: 'results', result: result(), other_results: [profit] }) };

    expect(given([]).when(detected('one', reported)).records('results', idOf('one'))).toMatchObject([
      { number: 0, metric: 'revenue', value: '₹230 Cr' },
      { number: 1, metric: 'profit', value: '₹12 Cr', growth_pct: -4, company_slug: 'kiri-foods' },
    ]);
  });

  it('given a metric without its value, when another report states it, has both, and that report is cited', () => {
    const facts = understanding({
      result: result({ growth_pct: null }),
      other_results: [result({ metric: 'profit' })],
    });
    const outcome = given([detected('one', withResult(result({ value: null, period: null })))]).when(
      reported('one', report('more', { outlet: 'Second' }), false, facts),
    );

    expect(outcome.records('results', idOf('one'))).toMatchObject([
      { metric: 'revenue', period: 'Q2 FY27', value: '₹230 Cr', growth_pct: 18, outlet: 'Second' },
      { metric: 'profit', outlet: 'Second' },
    ]);
  });
});
