/** Workbooks as spreadsheets read them. */
import { describe, expect, it } from 'vitest';
import { writeXlsx } from '../../presentation/xlsx.ts';
import { readWorkbook, unzip } from '../harness/workbook.ts';

describe('a workbook', () => {
  it('given text, numbers, days and gaps in two sheets, then they are read back as they are', () => {
    const columns = ['Brand', 'Stores', 'Day', ...Array.from({ length: 30 }, (_, at) => `Month ${at}`)];
    const rows = [
      ['=HYPERLINK("x") & <Kiri>', 12.5, '2026-11-21', ...Array.from({ length: 30 }, (_, at) => at)],
      ['₹230 Cr\u0007', null, 'about 2026-11-21'],
    ];
    const bytes = writeXlsx([
      { name: 'Rows & more', columns, rows },
      { name: 'Empty', columns: ['A'], rows: [] },
    ]);

    expect(readWorkbook(bytes)).toEqual([
      {
        name: 'Rows & more',
        rows: [
          columns,
          ['=HYPERLINK("x") & <Kiri>', 12.5, 46_347, ...(rows[0]?.slice(3) ?? [])],
          ['₹230 Cr\uFFFD', null, 'about 2026-11-21'],
        ],
      },
      { name: 'Empty', rows: [['A']] },
    ]);
    expect(unzip(bytes).get('xl/worksheets/sheet1.xml')).toContain('<autoFilter ref="A1:AG3"/>');
  });

  it('given the same sheets, then the bytes are the same', () => {
    const sheets = [{ name: 'Rows', columns: ['A'], rows: [['x']] }];
    expect(writeXlsx(sheets).equals(writeXlsx(sheets))).toBe(true);
  });
});
