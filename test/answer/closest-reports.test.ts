/** The reports closest to a question by its words, and the reports of one signal as evidence of their own. */
import { describe, expect, it } from 'vitest';
import { rankReports } from '../../answer/closest-reports.ts';
import { list } from '../../answer/compose/list-answers.ts';
import { Verifier } from '../../answer/draft.ts';
import { evidenceOf } from '../../answer/evidence.ts';
import { evidence, foundOf, queryOf } from './evidence.ts';

const other = evidence('Tilak Shoes names a chief', 'tilak-shoes');
const far = evidence('Maya Stores raises money', 'maya-stores');
const raised = evidence('Kiri Foods raises ₹230 crore');
/** A signal of two reports, of which the second alone names the investor. */
const both = evidenceOf({
  ...raised,
  reports: [
    ...raised.reports,
    {
      outlet: 'Second Paper',
      url: 'https://second.test/1',
      title: 'Tea maker gets cash',
      summary: 'Banyan Partners led the round.',
      published_at: '2026-11-21T04:00:00Z',
    },
  ],
});

describe('the closest reports', () => {
  it('given a word that only the second report of a signal has, then that report is the closest', () => {
    const { reports, coverage } = rankReports(['banyan', 'round'], [other, both, far]);

    expect(reports[0]?.report.outlet).toBe('Second Paper');
    expect(reports.filter(({ evidence: one }) => one === both)).toHaveLength(1);
    expect(coverage).toBe(1);
  });

  it('given a report with more of the words than a shorter one of its signal, then it is the one that is shown', () => {
    const [first] = far.reports;
    const long = {
      ...first,
      title: 'Maya Stores raises money to keep its shops at both airports',
      url: 'https://outlet.test/2',
    };
    const signal = evidenceOf({ ...far, reports: [...far.reports, long as (typeof far.reports)[number]] });
    const { reports } = rankReports(['raises', 'airports'], [other, signal, both]);

    expect(reports[0]?.report.url).toBe('https://outlet.test/2');
  });

  it('given words that no report has, then they are named, and little is covered', () => {
    const { coverage, absent } = rankReports(['glacier', 'chief'], [other, both, far]);

    expect(absent).toEqual(['glacier']);
    expect(coverage).toBeLessThan(0.6);
  });
});

it('given a report that corrects the headline, then it is quoted with it', () => {
  const correction = { outlet: 'Third Paper', url: 'https://third.test/1', summary: null, published_at: null };
  const corrected = evidenceOf({
    ...raised,
    reports: [...raised.reports, { ...correction, title: 'Correction: Kiri Foods raised ₹23 crore, not ₹230 crore' }],
  });
  const [lead] = list(queryOf(), foundOf([corrected])).lead;

  expect(lead?.markdown).toContain('Third Paper');
  expect(lead?.quotes.map(({ text }) => text)).toContain('Correction: Kiri Foods raised ₹23 crore, not ₹230 crore');
});

it('given a sentence of another report than the headline, then each report is cited with its outlet, date and offsets', () => {
  const draft = list(queryOf({ words: ['banyan'] }), foundOf([both]));
  const citations = new Verifier([both]).citations(draft.lead);

  expect(draft.lead[0]?.markdown).toContain('Second Paper, 21 November 2026: “Banyan Partners led the round.”');
  expect(citations.map(({ outlet, source_url, quotes }) => [outlet, source_url, quotes[0]?.start])).toEqual([
    ['Daily Trade', raised.reports[0]?.url, 0],
    ['Second Paper', 'https://second.test/1', 'Tea maker gets cash\n'.length],
  ]);
});
