import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDate, parseRelativeTime } from '../../../../ingest/poll/normalise/parse-date.ts';

const HALF_PAST_TEN = '2026-11-21T05:00:00.000Z';
const MIDNIGHT = '2026-11-20T18:30:00.000Z';

/** Months of Marathi, Bengali, Tamil, Telugu, Gujarati and Kannada, January first, as newspapers print them. */
const MONTHS = {
  mr: 'जानेवारी फेब्रुवारी मार्च एप्रिल मे जून जुलै ऑगस्ट सप्टेंबर ऑक्टोबर नोव्हेंबर डिसेंबर',
  bn: 'জানুয়ারি ফেব্রুয়ারি মার্চ এপ্রিল মে জুন জুলাই আগস্ট সেপ্টেম্বর অক্টোবর নভেম্বর ডিসেম্বর',
  ta: 'ஜனவரி பிப்ரவரி மார்ச் ஏப்ரல் மே ஜூன் ஜூலை ஆகஸ்ட் செப்டம்பர் அக்டோபர் நவம்பர் டிசம்பர்',
  te: 'జనవరి ఫిబ్రవరి మార్చి ఏప్రిల్ మే జూన్ జులై ఆగస్టు సెప్టెంబర్ అక్టోబర్ నవంబర్ డిసెంబర్',
  gu: 'જાન્યુઆરી ફેબ્રુઆરી માર્ચ એપ્રિલ મે જૂન જુલાઈ ઑગસ્ટ સપ્ટેમ્બર ઑક્ટોબર નવેમ્બર ડિસેમ્બર',
  kn: 'ಜನವರಿ ಫೆಬ್ರವರಿ ಮಾರ್ಚ್ ಏಪ್ರಿಲ್ ಮೇ ಜೂನ್ ಜುಲೈ ಆಗಸ್ಟ್ ಸೆಪ್ಟೆಂಬರ್ ಅಕ್ಟೋಬರ್ ನವೆಂಬರ್ ಡಿಸೆಂಬರ್',
};

describe('parseDate', () => {
  it.each(Object.entries(MONTHS))('given every month in the language %s, then it is read', (_language, names) => {
    const read = names.split(' ').map((name) => parseDate(`15 ${name} 2026, 12:00`)?.toISOString().slice(0, 10));
    expect(read).toEqual(names.split(' ').map((_, month) => `2026-${String(month + 1).padStart(2, '0')}-15`));
  });

  it.each([
    ['Sat, 21 Nov 2026 10:30:00 +0530', HALF_PAST_TEN],
    ['Sat, 21 Nov 2026 05:00:00 GMT', HALF_PAST_TEN],
    ['Sat, 21 Nov 2026 10:30:00 IST', HALF_PAST_TEN],
    ['21 Nov 26 00:00 EST', HALF_PAST_TEN],
    ['2026-11-21T05:00:00Z', HALF_PAST_TEN],
    ['2026-11-21T10:30:00', HALF_PAST_TEN],
    ['2026-11-21 10:30:00.000 +05:30', HALF_PAST_TEN],
    ['20261121T050000Z', HALF_PAST_TEN],
    ['November 21, 2026, 10:30 AM', HALF_PAST_TEN],
    ['Updated: Nov 21, 2026, 10.30 AM IST', HALF_PAST_TEN],
    ['10:30 AM | 21 Nov 2026', HALF_PAST_TEN],
    ['Sat Nov 21 10:30:00 IST 2026', HALF_PAST_TEN],
    ['21/11/2026 10:30', HALF_PAST_TEN],
    ['21-Nov-2026 10:30:00', HALF_PAST_TEN],
    ['1795237200', HALF_PAST_TEN],
    ['1795237200000', HALF_PAST_TEN],
    ['21st November, 2026', MIDNIGHT],
    ['21.11.2026', MIDNIGHT],
    ['11/21/2026', MIDNIGHT],
    ['2026-11-21', MIDNIGHT],
    ['२१ नवंबर २०२६', MIDNIGHT],
    ['21 November 2026, 10 pm', '2026-11-21T16:30:00.000Z'],
    ['08/09/2026', '2026-09-07T18:30:00.000Z'],
    ['20261121T103000+05:30', HALF_PAST_TEN],
    ['20261121T1030+05:30', HALF_PAST_TEN],
    ['20261121T103000.250+0530', '2026-11-21T05:00:00.250Z'],
    ['20261121103000', HALF_PAST_TEN],
    ['2026-11-21T10:30:00[Asia/Kolkata]', HALF_PAST_TEN],
    ['21 Nov 2026 00:00 America/New_York', HALF_PAST_TEN],
    ['21 Jul 2026 01:00 America/New_York', '2026-07-21T05:00:00.000Z'],
    ['25 Oct 2026 01:30 Europe/London', '2026-10-25T01:30:00.000Z'],
    ['21 Nov 2026 15:00 AEST', HALF_PAST_TEN],
    ['21 Nov 2026 10:45 NPT', HALF_PAST_TEN],
    ['21 Nov 2026 08:00 MSK', HALF_PAST_TEN],
    ['21 Nov 2026 10:30 Mars/Olympus', HALF_PAST_TEN],
    ['21 Nov 2026, 10:30 am at New Delhi', HALF_PAST_TEN],
    ['21 मई 2026', '2026-05-20T18:30:00.000Z'],
    ['२१ नोव्हेंबर २०२६', MIDNIGHT],
    ['২১ নভেম্বর ২০২৬, ১০:৩০', HALF_PAST_TEN],
    ['நவம்பர் 21, 2026', MIDNIGHT],
    ['21 நவ. 2026', MIDNIGHT],
    ['21 నవంబర్ 2026', MIDNIGHT],
    ['૨૧ નવેમ્બર ૨૦૨૬', MIDNIGHT],
    ['೨೧ ನವೆಂಬರ್ ೨೦೨೬', MIDNIGHT],
  ])('%s', (text, moment) => expect(parseDate(text)?.toISOString()).toBe(moment));

  it.each([
    '2 hours ago',
    'yesterday',
    'just now',
    '31 Nov 2026',
    '2026-13-01',
    '1 Jan 1970 00:00:00 GMT',
    '',
    'Q2 FY27',
    '25:61',
  ])('given %j, then there is no date', (text) => expect(parseDate(text)).toBeNull());

  const moment = fc.date({ min: new Date('1991-01-01'), max: new Date('2069-12-30'), noInvalidDate: true });
  const seconds = (date: Date): Date => new Date(Math.trunc(date.getTime() / 1000) * 1000);

  it('given any moment in ISO or RFC form, then the same moment is read', () => {
    fc.assert(
      fc.property(moment, (date) => {
        expect(parseDate(date.toISOString())).toEqual(date);
        expect(parseDate(date.toUTCString())).toEqual(seconds(date));
      }),
    );
  });

  it('given a date without a time zone, then IST is assumed', () => {
    fc.assert(
      fc.property(moment, (date) => {
        const digits = seconds(date).toISOString().slice(0, 19);
        expect(parseDate(digits)).toEqual(parseDate(`${digits}+05:30`));
        expect(parseDate(digits.replace('T', ' '))).toEqual(parseDate(`${digits} IST`));
      }),
    );
  });

  it('given any text, then it does not throw and returns no invalid date', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[\d:./, TZ+-]{1,30}$/)), (text) => {
        const date = parseDate(text);
        if (date) expect(Number.isNaN(date.getTime())).toBe(false);
      }),
    );
  });
});

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
