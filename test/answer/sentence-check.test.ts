import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Doubt, doubtOf, isVerbatim, type Support, wordsOf } from '../../answer/sentence-check.ts';

const support = (text: string): Support[] => {
  const [title = ''] = text.split('\n');
  return [{ words: text, title, day: '2026-11-20', outlet: 'Daily Trade' }];
};

const OPENS = 'Kiri Foods opens 40 stores in Pune\nThe company raised ₹230 crore from Pallu Capital in June.';
const RESULT = 'Maya Retail Q1 profit rises 12% to ₹48 crore; revenue falls 3% to ₹610 crore';
const PLANS = 'Tilak Shoes plans to open 25 stores in Lucknow and Jaipur by 2028';
const TALKS = 'Zolo Mart in talks to buy Lotus Optics for ₹500 crore, say people familiar with the matter';
const SEAT =
  'Hema Jewels appoints Asha Mehta as chief financial officer\nShe succeeds Ravi Kulkarni, who resigned in May.';
const DENIES = 'Tilak Shoes denies it will close its Nagpur factory';
const DONE = 'Garuda Partners completes purchase of 60% of Noor Watches for $40 million';
const MARGIN = "Hema Jewels' gross margin widens 120 basis points to 31% in Q3 FY26";

describe('what code can say of a sentence', () => {
  it.each([
    ['Kiri Foods has opened forty outlets in Pune.', OPENS],
    ['In June, Kiri Foods raised Rs 2.3 billion from Pallu Capital.', OPENS],
    ['On 20 November 2026, Daily Trade reported that Kiri Foods opened 40 stores in Pune.', OPENS],
    ["Maya Retail's profit increased by 12 per cent to Rs 48 crore in the first quarter of FY27.", RESULT],
    ['In the June quarter, revenue of Maya Retail declined 3%.', RESULT],
    ['Tilak Shoes will open 25 stores in Lucknow and Jaipur.', PLANS],
    ['In April-June 2026, profit of Maya Retail rose 12% to Rs 48 crore.', RESULT],
    ['Kiri Foods took in Rs 900 million in the year to March 2026.', 'Kiri Foods Reports Rs 90 Cr Revenue in FY26'],
    ['Profit of Kiri Foods rose in the June quarter.', 'Kiri Foods profit rises in Q2 CY2026'],
    ['The deadline was put off by twelve months.', 'Government puts off deadline by 1 year'],
    ['Orders at night are reportedly up 12%.', 'Orders at night see a reported surge of 12%'],
    ['Wow! Kulfi is to raise Rs 18 crore.', 'Wow! Kulfi to Raise Rs 18 Cr in Debt'],
    ['Tilak Shoes aims for 25 new outlets by 2028.', PLANS],
    ['Zolo Mart is negotiating to acquire Lotus Optics for Rs 500 Cr.', TALKS],
    ['Zolo Mart is reportedly buying Lotus Optics.', TALKS],
    ['Asha Mehta is the new CFO of Hema Jewels.', SEAT],
    ['Hema Jewels has a new finance chief, Asha Mehta, in place of Ravi Kulkarni.', SEAT],
    ['Tilak Shoes said that it will not close its Nagpur factory.', DENIES],
    ['Tilak Shoes has not opened its 25 stores in Lucknow and Jaipur yet.', PLANS],
    ['Yes: Garuda Partners has completed its purchase.', DONE],
    ['Garuda Partners bought 60 per cent of Noor Watches for 40 million dollars.', DONE],
    ['The gross margin of Hema Jewels rose by 1.2 percentage points to 31%.', MARGIN],
  ])('given %j, which follows, then it has no doubt', (sentence, text) => {
    expect(doubtOf(sentence, support(text))).toBeNull();
  });

  it.each<[Doubt, string, string]>([
    ['number', 'Kiri Foods opened 41 stores in Pune.', OPENS],
    ['number', 'Kiri Foods opened fifty stores in Pune.', OPENS],
    ['number', 'Kiri Foods raised ₹230 million from Pallu Capital.', OPENS],
    ['number', 'Kiri Foods raised $230 crore from Pallu Capital.', OPENS],
    ['number', 'Kiri Foods opened its second store in Pune.', OPENS],
    ['number', 'Kiri Foods opened stores in 40 cities.', OPENS],
    ['date', 'Kiri Foods raised ₹230 crore in July.', OPENS],
    ['date', 'On 21 November 2026, Kiri Foods opened 40 stores in Pune.', OPENS],
    ['date', 'Profit of Maya Retail rose 12% in Q2.', RESULT],
    ['date', 'Tilak Shoes plans to open 25 stores by 2029.', PLANS],
    ['name', 'Maya Foods opened 40 stores in Pune.', OPENS],
    ['name', 'Kiri Foods opened 40 stores in Surat.', OPENS],
    ['name', 'Asha Mehta is the new CEO of Hema Jewels.', SEAT],
    ['measure', 'EBITDA of Maya Retail rose 12%.', RESULT],
    ['direction', 'Kiri Foods closed 40 stores in Pune.', OPENS],
    ['direction', 'Kiri Foods opened and closed 40 stores in Pune.', OPENS],
    ['direction', 'The gross margin of Hema Jewels narrowed to 31%.', MARGIN],
    ['negation', 'Kiri Foods did not open 40 stores in Pune.', OPENS],
    ['negation', "Kiri Foods hasn't opened 40 stores in Pune.", OPENS],
    ['negation', 'Tilak Shoes will close its Nagpur factory.', DENIES],
    ['stage', 'Tilak Shoes opened 25 stores in Lucknow and Jaipur.', PLANS],
    ['stage', 'Kiri Foods will open 40 stores in Pune.', 'Kiri Foods opens 40 stores in Pune'],
    ['stage', 'Zolo Mart bought Lotus Optics for ₹500 crore.', TALKS],
    ['stage', 'Zolo Mart has completed its purchase of Lotus Optics.', TALKS],
    ['stage', 'Garuda Partners may buy 60% of Noor Watches.', DONE],
    ['addition', 'Kiri Foods opened 40 stores in Pune, its largest expansion.', OPENS],
    ['addition', 'Kiri Foods opened all of its 40 stores in Pune.', OPENS],
    ['form', 'Kiri Foods should open 40 stores in Pune.', OPENS],
    ['form', 'It opened 40 stores in Pune.', OPENS],
    ['form', 'See https://evil.test for Kiri Foods.', OPENS],
    ['form', '**Kiri Foods** opened 40 stores in Pune.', OPENS],
    ['form', 'Kiri Foods opened 40 stores in Pune [sig_0123456789abcdef].', OPENS],
    ['form', ' ', OPENS],
    ['form', 'Kiri Foods opened 40 stores in Pune!', OPENS],
    ['form', 'Kiri! Foods opened 40 stores in Pune.', OPENS],
  ])('given another %s in %j, then it says so', (doubt, sentence, text) => {
    expect(doubtOf(sentence, support(text))).toBe(doubt);
  });

  it('given any number that the words do not have, then it is refused', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (number) => {
        fc.pre(number !== 40 && number !== 230);
        expect(doubtOf(`Kiri Foods opened ${number} stores in Pune.`, support(OPENS))).not.toBeNull();
      }),
    );
  });

  it('given words without the name that only the title has, then the name is no doubt', () => {
    const [of] = support(OPENS);
    const words = 'The company raised ₹230 crore from Pallu Capital in June.';
    expect(of && doubtOf('Kiri Foods raised ₹230 crore.', [{ ...of, words }])).toBeNull();
  });
});

describe('words of a report', () => {
  it('given a whole sentence of it, then that is word for word what it says; a part, or one with a word more, is not', () => {
    const lines = OPENS.split('\n');
    expect(isVerbatim('Kiri Foods opens 40 stores in Pune.', lines)).toBe(true);
    expect(isVerbatim('Kiri Foods opens 40 stores', lines)).toBe(false);
    expect(isVerbatim('Kiri Foods opens 41 stores in Pune', lines)).toBe(false);
    expect(isVerbatim('Pune opens 40 stores in Kiri Foods', lines)).toBe(false);
  });

  it('given quotation marks, dashes and spaces in another form, then they are those of the text', () => {
    const text = 'Kiri’s “best” year – ₹230\u00a0crore';
    expect(wordsOf(text, 'Kiri\'s "best" year - ₹230 crore')).toBe(text);
    expect(wordsOf(text, 'Kiri’s best year')).toBeNull();
  });
});
