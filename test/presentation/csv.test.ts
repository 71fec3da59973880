import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvCell, prefersCsv, writeCsv } from '../../presentation/csv.ts';

/** Reads CSV as RFC 4180 has it. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    rows.at(-1)?.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
    if (end === '\r\n') rows.push([]);
    else if (end === '') break;
  }
  return rows.slice(0, -1);
}

describe('CSV', () => {
  it('given any text, then it reads back as it was, but for the apostrophe before a formula', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 4 }), (cells) => {
        const [, row] = readCsv(
          writeCsv(
            cells.map(() => 'column'),
            [cells],
          ),
        );
        expect(row?.map((cell, index) => (cell === `'${cells[index]}` ? cells[index] : cell))).toEqual(cells);
      }),
    );
  });

  it.each([
    '=1+1',
    '+91',
    '-2',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    ' =1',
    '\u0000=1',
    '＝1',
    '\u200b=1',
    '=cmd|" /C calc"!A0',
  ])('given %j, then no spreadsheet reads it as a formula', (text) => {
    expect(csvCell(text).replace(/^"/, '')[0]).toBe("'");
  });

  it.each([
    ['plain', 'plain'],
    [-5, '-5'],
    [null, ''],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['₹5 Cr', '₹5 Cr'],
  ])('given %j, then the cell is %s', (value, cell) => {
    expect(csvCell(value)).toBe(cell);
  });
});

describe('prefersCsv', () => {
  it.each([
    [undefined, false],
    ['*/*', false],
    ['text/csv', true],
    ['TEXT/CSV', true],
    ['text/csv, application/json;q=0.5', true],
    ['application/json, text/csv;q=0.9', false],
    ['text/csv;q=0', false],
    ['text/csv;q=x', false],
    ['text/csvx', false],
  ])('given Accept %s, then %s', (accept, expected) => {
    expect(prefersCsv(accept)).toBe(expected);
  });
});
