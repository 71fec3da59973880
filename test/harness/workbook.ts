/** Reads workbooks back: a zip by its directory, and the cells of its sheets. */
import { crc32, inflateRawSync } from 'node:zlib';
import { load } from 'cheerio';

/** The files of a zip by path. @throws Error for a check sum that is wrong */
export function unzip(zip: Buffer): ReadonlyMap<string, string> {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  const files = new Map<string, string>();
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [sum, packed, length, extra] = [16, 20, 28, 30].map((offset, index) =>
      index < 2 ? zip.readUInt32LE(at + offset) : zip.readUInt16LE(at + offset),
    ) as [number, number, number, number];
    const path = zip.toString('utf8', at + 46, at + 46 + length);
    const local = zip.readUInt32LE(at + 42);
    const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const content = inflateRawSync(zip.subarray(begin, begin + packed));
    if (crc32(content) !== sum) throw new Error(`the check sum of ${path} is wrong`);
    files.set(path, content.toString('utf8'));
    at += 46 + length + extra + zip.readUInt16LE(at + 32);
  }
  return files;
}

export interface ReadSheet {
  readonly name: string;
  /** The columns first; a number stays one, an empty cell is null. */
  readonly rows: readonly (readonly (string | number | null)[])[];
}

/** The sheets of a workbook. */
export function readWorkbook(bytes: Buffer): ReadSheet[] {
  const files = unzip(bytes);
  const workbook = load(files.get('xl/workbook.xml') ?? '', { xml: true });
  return workbook('sheet')
    .toArray()
    .map((sheet, index) => {
      const $ = load(files.get(`xl/worksheets/sheet${index + 1}.xml`) ?? '', { xml: true });
      const rows = $('row')
        .toArray()
        .map((row) => {
          const cells: (string | number | null)[] = [];
          for (const cell of $(row).find('c').toArray()) {
            const letters = $(cell).attr('r')?.replace(/\d/g, '') ?? 'A';
            const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
            while (cells.length < column) cells.push(null);
            cells.push($(cell).attr('t') === 'inlineStr' ? $(cell).find('t').text() : Number($(cell).find('v').text()));
          }
          return cells;
        });
      return { name: workbook(sheet).attr('name') ?? '', rows };
    });
}
