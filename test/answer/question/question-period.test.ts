import { describe, expect, it } from 'vitest';
import { periodOfDays, readPeriod, readPeriods } from '../../../answer/question/question-period.ts';

/** A Saturday, 12:00 in IST. */
const now = new Date('2026-11-21T06:30:00Z');
const day = (moment: Date): string => new Date(moment.getTime() + 5.5 * 3_600_000).toISOString().slice(0, 10);

describe('the period of a question', () => {
  it.each([
    ['What happened last week?', '2026-11-09', '2026-11-16'],
    ['this week', '2026-11-16', null],
    ['moves today', '2026-11-21', null],
    ['moves yesterday', '2026-11-20', '2026-11-21'],
    ['in the last 90 days', '2026-08-23', null],
    ['over the past two weeks', '2026-11-07', null],
    ['in June', '2026-06-01', '2026-07-01'],
    ['in December', '2025-12-01', '2026-01-01'],
    ['in March 2025', '2025-03-01', '2025-04-01'],
    ['since 1 October', '2026-10-01', null],
    ['since October 5, 2026', '2026-10-05', null],
    ['before 2026-09-01', '2000-01-01', '2026-09-01'],
    ['between 3 September and 10 September', '2026-09-03', '2026-09-11'],
    ['from July to September', '2026-07-01', '2026-10-01'],
    ['last month', '2026-10-01', '2026-11-01'],
    ['this year', '2026-01-01', null],
    ['since Diwali 2026', '2026-11-08', null],
    ['since last Diwali'.replace('last ', ''), '2026-11-08', null],
    ['since Onam', '2026-08-26', null],
    ['since Christmas', '2025-12-25', null],
    ['this fiscal year', '2026-04-01', null],
    ['last quarter', '2026-07-01', '2026-10-01'],
    ['in the week of 21 October', '2026-10-19', '2026-10-26'],
    ['week of October 21', '2026-10-19', '2026-10-26'],
    ['before Diwali', '2026-10-09', '2026-11-08'],
    ['mid June', '2026-06-11', '2026-06-21'],
    ['since mid-June', '2026-06-11', null],
    ['after early October', '2026-10-11', null],
    ['before late October', '2000-01-01', '2026-10-21'],
  ])('given %j, then it is read in IST', (text, since, until) => {
    const period = readPeriod(text, now);

    expect([period && day(period.since), period && (period.until >= now ? null : day(period.until))]).toEqual([
      since,
      until,
    ]);
  });

  it.each([
    ['Q2 FY27', 'Q2 FY27', '2026-07-01'],
    ['q1 fy2026-27', 'Q1 FY27', '2026-04-01'],
    ['FY26', 'FY26', '2025-04-01'],
    ['H1 FY27', 'H1 FY27', '2026-04-01'],
    ['the September quarter', 'Q2 FY27', '2026-07-01'],
    ['the March quarter', 'Q4 FY26', '2026-01-01'],
    ['Q4', 'Q4 FY26', '2026-01-01'],
    ['the December quarter of 2025', 'Q3 FY26', '2025-10-01'],
  ])('given %j, then it is a fiscal period', (text, name, since) => {
    const period = readPeriod(`profit in ${text}`, now);

    expect([period?.fiscal, period && day(period.since)]).toEqual([name, since]);
  });

  it('given what is to happen before a festival of this year, then it names no time that has passed', () => {
    expect(readPeriod('Who opens before Diwali?', new Date('2026-07-30T06:30:00Z'))).toBeNull();
  });

  it.each(['What may open in Pune?', 'Who leads Trent?', 'on the 45th', 'since Diwali 1999'])(
    'given %j, then there is no period',
    (text) => {
      expect(readPeriod(text, now)).toBeNull();
    },
  );
});

describe('the period of days', () => {
  it.each<[string | null, string | null, string, string]>([
    ['2026-06-01', '2026-06-30', 'in June 2026', '2026-07-01'],
    ['2026-02-01', '2026-02-28', 'in February 2026', '2026-03-01'],
    ['2026-11-05', '2026-11-05', 'on 5 November 2026', '2026-11-06'],
    ['2026-11-02', '2026-11-08', 'between 2 November 2026 and 8 November 2026', '2026-11-09'],
    ['2026-10-05', null, 'since 5 October 2026', '2026-11-21'],
    ['2026-10-05', '2027-01-01', 'since 5 October 2026', '2026-11-21'],
    [null, '2026-08-31', 'before 1 September 2026', '2026-09-01'],
  ])('given %s to %s, then it is %s', (first, last, label, until) => {
    const period = periodOfDays(first, last, now);

    expect([period?.label, period && day(new Date(period.until))]).toEqual([label, until]);
    expect(period && day(new Date(period.since))).toBe(first ?? '2000-01-01');
    expect(period && Date.parse(period.until)).toBeLessThanOrEqual(now.getTime());
  });

  it('given a quarter and its year apart, then they are one time; given the year before, then it is another', () => {
    const labels = (text: string) => readPeriods(text, now).map(({ label }) => label);

    expect(labels('q1 profit of Kiri Foods in 2019')).toEqual(['in Q1 FY20', 'in Q1 FY20']);
    expect(labels('q1 profit of Kiri Foods against last year')).toEqual(['in Q1 FY27', 'in 2025']);
  });

  it('given a time to come, then there is none; given days that are none, then it cannot be read', () => {
    expect(periodOfDays('2026-11-22', null, now)).toBeNull();
    for (const [first, last] of [
      ['2026-02-30', null],
      ['5 June', null],
      ['2026-06-01T00:00', null],
      ['2026-06-02', '2026-06-01'],
      ['', ''],
    ] as const)
      expect(periodOfDays(first, last, now)).toBeUndefined();
  });
});
