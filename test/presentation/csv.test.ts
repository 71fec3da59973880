import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { briefingTable, csvCell, prefersCsv, writeCsv } from '../../presentation/csv.ts';

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

describe('the tables of a briefing', () => {
  const report = [
    '# Kiri',
    '',
    '## Stores',
    '',
    '| Date | City | Signal |',
    '|---|---|---|',
    '| 3 June 2026 | A \\| B [\\[1\\]](http://a.test/signal/one) |',
    '',
    '- No \\| row',
    '',
    '## Deals',
    '',
    '| Date | Company | Amount | Signal |',
    '|---|---|---|---|',
    '| 4 June 2026 | =1+1 | – [\\[2\\]](http://a.test/signal/two) |',
  ].join('\n');

  it('given tables of several sections, then one with the columns of all, text as it was before escaping', () => {
    const { columns, rows } = briefingTable(report);
    const filled = rows.map((row) => columns.flatMap((column, index) => (row[index] ? [[column, row[index]]] : [])));
    expect(filled.map((row) => Object.fromEntries(row))).toEqual([
      { Section: 'Stores', Date: '3 June 2026', City: 'A | B', Signal: 'http://a.test/signal/one' },
      { Section: 'Deals', Date: '4 June 2026', Company: '=1+1', Signal: 'http://a.test/signal/two' },
    ]);
  });

  it('given a cell that a spreadsheet would run, then it is text', () => {
    const { columns, rows } = briefingTable(report);
    expect(writeCsv(columns, rows)).toContain(",'=1+1,");
  });

  it('given a report without a table, then no rows', () => {
    expect(briefingTable('# Kiri\n\nNo signal found.\n').rows).toEqual([]);
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
