import { describe, expect, it } from 'vitest';
import { parseRelativeTime } from '../../../../ingest/poll/normalise/relative-time.ts';

const NOW = new Date('2026-11-21T06:00:00Z');
const TWO_HOURS_AGO = '2026-11-21T04:00:00.000Z';
const TODAY = '2026-11-20T18:30:00.000Z';
const YESTERDAY = '2026-11-19T18:30:00.000Z';

describe('times relative to the reading of a page', () => {
  it.each([
    ['2 hours ago', TWO_HOURS_AGO],
    ['Updated: 2 hrs ago', TWO_HOURS_AGO],
    ['2h ago', TWO_HOURS_AGO],
    ['2 hours, 5 mins ago', TWO_HOURS_AGO],
    ['2 hours ago | Mumbai', TWO_HOURS_AGO],
    ['an hour ago', '2026-11-21T05:00:00.000Z'],
    ['5 min ago', '2026-11-21T05:55:00.000Z'],
    ['just now', '2026-11-21T06:00:00.000Z'],
    ['today', TODAY],
    ['Yesterday', YESTERDAY],
    ['Yesterday, 4:15 PM', '2026-11-20T10:45:00.000Z'],
    ['Today at 10.30 am', '2026-11-21T05:00:00.000Z'],
    ['1 day ago', YESTERDAY],
    ['3 weeks ago', '2026-10-30T18:30:00.000Z'],
    ['2 घंटे पहले', TWO_HOURS_AGO],
    ['२ तासांपूर्वी', TWO_HOURS_AGO],
    ['2 ঘণ্টা আগে', TWO_HOURS_AGO],
    ['2 மணிநேரம் முன்', TWO_HOURS_AGO],
    ['2 గంటల క్రితం', TWO_HOURS_AGO],
    ['2 કલાક પહેલાં', TWO_HOURS_AGO],
    ['2 ಗಂಟೆಗಳ ಹಿಂದೆ', TWO_HOURS_AGO],
    ['आज', TODAY],
    ['कल', YESTERDAY],
  ])('%s', (text, moment) => expect(parseRelativeTime(text, NOW)?.toISOString()).toBe(moment));

  it.each([
    'in 2 hours',
    'tomorrow',
    'Today 11 pm',
    'Zudio opened 2 hours ago',
    'Today in Pune',
    '21 Nov 2026',
    'Q2',
    '',
  ])('given %j, then there is no time', (text) => expect(parseRelativeTime(text, NOW)).toBeNull());
});
