/** Figures as a table for people. */
import type { Figure } from './figure.ts';

const number = (value: number): string =>
  value.toLocaleString('en-GB', { maximumFractionDigits: value >= 100 ? 0 : value >= 10 ? 1 : 2 });

const limitOf = ({ limit, unit }: Figure): string => {
  if (!limit) return '';
  const sign = limit.at === 'least' ? '>=' : '<=';
  return limit.of === 'ratio' ? `${sign} ${number(limit.value)} x baseline` : `${sign} ${number(limit.value)} ${unit}`;
};

const cells = (figure: Figure): string[] => [
  figure.figure,
  limitOf(figure),
  `${number(figure.measured)} ${figure.unit}`,
  figure.baseline ? `${number(figure.baseline.measured)} ${figure.unit} (${figure.baseline.what})` : '',
  figure.ratio === null ? '' : number(figure.ratio),
  figure.limit ? (figure.ok ? 'ok' : 'MISSED') : '',
];

/** Columns padded to their widest cell. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = [['figure', 'limit', 'measured', 'baseline', 'ratio', 'ok'], ...figures.map(cells)];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
