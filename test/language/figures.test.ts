import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findFigures, parseFigure } from '../../language/figures.ts';

describe('figures of Indian business news', () => {
  test.each([
    ['raises Rs. 90 Cr in debt', 'money', 90e7, '₹90 Cr'],
    ['a ₹3,500–4,000 Cr issue', 'money', 3500e7, '₹3,500-4,000 Cr'],
    ['revenue of Rs 3.7 lakh crore', 'money', 3.7e12, '₹3.7 Lakh Cr'],
    ['nets $2.4 Mn', 'money', 2.4e6, '$2.4 Mn'],
    ['raises USD 1 million', 'money', 1e6, '$1 Mn'],
    ['loss narrows to 6.18cr', 'money', 6.18e7, '₹6.18 Cr'],
    ['a fine of ₹1 lakh', 'money', 1e5, '₹1 Lakh'],
    ['pays a fine of Rs 42 L in Surat', 'money', 4.2e6, '₹42 Lakh'],
    ['grows 38 Pc', 'percent', 38, '38%'],
    ['margin up 40 bps', 'bps', 40, '40 bps'],
    ['a 7x return', 'multiple', 7, '7x'],
    ['threefold growth', 'multiple', 3, '3x'],
    ['opens 50 new stores', 'count', 50, '50 stores'],
    ['opens its 125th jewellery store', 'ordinal', 125, '125th store'],
    ['plans a 60 store network', 'count', 60, '60 stores'],
    ['has one store in Surat', 'count', 1, '1 store'],
    ['hires 40 staff', 'count', 40, '40 staff'],
    ['eight stores opened', 'count', 8, '8 stores'],
    ['half a dozen outlets in Surat', 'count', 6, '6 outlets'],
    ['adds two dozen stores', 'count', 24, '24 stores'],
  ])('given "%s", then it finds one %s', (text, kind, value, shown) => {
    const [figure] = findFigures(text);
    expect(figure).toMatchObject({ kind, text: shown });
    expect(figure?.value).toBeCloseTo(value, 3);
  });

  test.each([
    'in 2026',
    'the race for Double Tusk',
    'the Galaxy S25',
    '24th of June',
    'Q1 FY27',
    'a 10-minute promise',
  ])('given "%s", then it finds none', (text) => {
    expect(findFigures(text)).toEqual([]);
  });

  test('given the text of an amount, then the same amount is read', () => {
    const unit = fc.constantFrom<[string, number]>(['Cr', 1e7], ['Lakh', 1e5], ['Mn', 1e6], ['Bn', 1e9]);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 99_999 }),
        unit,
        fc.constantFrom('₹', '$'),
        (number, [name, factor], sign) => {
          const figure = parseFigure(`${sign}${number.toLocaleString('en-IN')} ${name}`);
          expect(figure?.value).toBe(number * factor);
          expect(figure && parseFigure(figure.text)?.value).toBe(figure?.value);
        },
      ),
    );
  });

  test('given the same amount in other words, then value and unit are the same; another currency has another unit', () => {
    const [a, b, c] = ['₹230 Cr', 'Rs 230 crore', '$230 Mn'].map((text) => parseFigure(text));
    expect(b).toMatchObject({ value: a?.value, unit: a?.unit });
    expect(c?.unit).not.toBe(a?.unit);
  });
});
