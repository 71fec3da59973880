import { describe, expect, it } from 'vitest';
import { quarterOrder, readQuarter } from '../../schemas/moves-by-kind.ts';

describe('readQuarter', () => {
  it.each([
    ['Q2 FY27', 'Q2 FY27'],
    ['q2fy27', 'Q2 FY27'],
    ['Q2 FY2027', 'Q2 FY27'],
    ['Q2 FY2026-27', 'Q2 FY27'],
    ['q2 2026-27', 'Q2 FY27'],
    ['2QFY27', 'Q2 FY27'],
    ['Q2 2027', 'Q2 FY27'],
    ['Q2', 'Q2 FY27'],
    ['Q3', 'Q3 FY26'],
    ['September quarter', 'Q2 FY27'],
    ['Sep 2026', 'Q2 FY27'],
    ['March 2026 quarter', 'Q4 FY26'],
    ['FY26', null],
    ['H1 FY27', null],
    ['last quarter but one', null],
    ['', null],
  ])('given 10 November 2026 and %j, then the quarter is read', (text, quarter) => {
    expect(readQuarter(text, '2026-11-10')).toBe(quarter);
  });

  it('given several quarters, then they are ordered by time', () => {
    const quarters = ['Q4 FY26', 'Q1 FY27', 'Q4 FY27'].map(quarterOrder);
    expect(quarters).toEqual([...quarters].sort((one, other) => one - other));
  });
});
