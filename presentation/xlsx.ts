/**
 * Tables as workbooks (Office Open XML): a zip of XML parts. Text stays text, whatever it begins with; numbers are numbers,
 * and a day written YYYY-MM-DD is a date.
 */
import { crc32, deflateRawSync } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import type { CsvCell, CsvTable } from './csv.ts';
import { escapeXml } from './markup.ts';

export interface Sheet extends CsvTable {
  /** At most 31 letters, and none of `[]:*?/\`. */
  readonly name: string;
}

/** The media type of workbooks. */
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';

/** A longer text is refused by spreadsheets. */
const LONGEST = 32_767;
const DAY = /^\d{4}-\d\d-\d\d$/;
/** Styles, by their place in `STYLES`: plain, bold heads, dates. */
const [BOLD, DATE] = [1, 2];
const STYLES = `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf xfId="0"/><xf xfId="0" fontId="1" applyFont="1"/><xf xfId="0" numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>`;

/** `A`, `Z`, `AA`: the name of a column from its place. */
const columnName = (index: number): string =>
  (index >= 26 ? columnName(Math.floor(index / 26) - 1) : '') + String.fromCharCode(65 + (index % 26));

/** Days since 30 December 1899, as spreadsheets count them. */
const serialOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 86_400_000 + 25_569;

function cellOf(value: CsvCell, place: string, style?: number): string {
  if (value === null || value === '') return '';
  if (typeof value === 'number') return `<c r="${place}"><v>${value}</v></c>`;
  if (DAY.test(value) && style === undefined) return `<c r="${place}" s="${DATE}"><v>${serialOf(value)}</v></c>`;
  const text = escapeXml(value.slice(0, LONGEST));
  return `<c r="${place}" t="inlineStr"${style === undefined ? '' : ` s="${style}"`}><is><t xml:space="preserve">${text}</t></is></c>`;
}

const WIDEST = 60;

function sheetXml({ columns, rows }: Sheet): string {
  const widths = columns.map((column, at) =>
    Math.min(WIDEST, Math.max(column.length, ...rows.map((row) => String(row[at] ?? '').length)) + 2),
  );
  const line = (cells: readonly CsvCell[], number: number, style?: number): string =>
    `<row r="${number}">${cells.map((cell, at) => cellOf(cell, `${columnName(at)}${number}`, style)).join('')}</row>`;
  const last = `${columnName(Math.max(0, columns.length - 1))}${rows.length + 1}`;
  return `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${widths.map((width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`).join('')}</cols><sheetData>${line(columns, 1, BOLD)}${rows.map((row, at) => line(row, at + 2)).join('')}</sheetData><autoFilter ref="A1:${last}"/></worksheet>`;
}

function partsOf(sheets: readonly Sheet[]): readonly (readonly [path: string, text: string])[] {
  const numbered = sheets.map((sheet, at) => ({ sheet, number: at + 1 }));
  const type = (name: string): string => `application/vnd.openxmlformats-officedocument.spreadsheetml.${name}+xml`;
  return [
    [
      '[Content_Types].xml',
      `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${type('sheet.main')}"/><Override PartName="/xl/styles.xml" ContentType="${type('styles')}"/>${numbered.map(({ number }) => `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${type('worksheet')}"/>`).join('')}</Types>`,
    ],
    [
      '_rels/.rels',
      `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      'xl/workbook.xml',
      `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${numbered.map(({ sheet, number }) => `<sheet name="${escapeXml(sheet.name)}" sheetId="${number}" r:id="rId${number}"/>`).join('')}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${numbered.map(({ number }) => `<Relationship Id="rId${number}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${number}.xml"/>`).join('')}<Relationship Id="rId${sheets.length + 1}" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
    ],
    ['xl/styles.xml', STYLES],
    ...numbered.map(({ sheet, number }) => [`xl/worksheets/sheet${number}.xml`, sheetXml(sheet)] as const),
  ];
}

/** 1 January 1980, the first day of the format: the bytes depend on the content alone. */
const DOS_DAY = 0x21;

/** Files as a zip (PKWARE APPNOTE 4.3), each deflated. */
function zipOf(files: readonly (readonly [path: string, text: string])[]): Buffer {
  const written: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, text] of files) {
    const [name, content] = [Buffer.from(path), Buffer.from(text)];
    const packed = deflateRawSync(content);
    // Version, flags, method, time, day, check sum, sizes, length of the name, no extra field.
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(8, 4);
    shared.writeUInt16LE(DOS_DAY, 8);
    shared.writeUInt32LE(crc32(content), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(content.length, 18);
    shared.writeUInt16LE(name.length, 22);
    written.push(Buffer.from('PK\x03\x04', 'latin1'), shared, name, packed);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), shared, place, name);
    offset += 4 + shared.length + name.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...written, listed, end]);
}

/** A workbook of sheets, each with the names of its columns first. */
export const writeXlsx = (sheets: readonly Sheet[]): Buffer => zipOf(partsOf(sheets));

/** Answers with sheets as a workbook of that name. */
export const sendXlsx = (reply: FastifyReply, name: string, sheets: readonly Sheet[]): FastifyReply =>
  reply.type(XLSX).header('content-disposition', `attachment; filename="${name}.xlsx"`).send(writeXlsx(sheets));
