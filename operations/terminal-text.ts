/** Text for a terminal: tables, and text of sources without characters that control it. */

/** Control characters except line ends and tabs, and marks that change the direction of writing. */
const DANGEROUS = /(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Text from sources for a terminal: control characters, which could move the cursor, are shown as code points. */
export const harmless = (text: string): string =>
  text.replace(DANGEROUS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The same on one line. @param maximum length in characters */
export function oneLine(text: string, maximum: number): string {
  const line = harmless(text.replace(/\s+/g, ' ').trim());
  return line.length > maximum ? `${line.slice(0, maximum - 1)}…` : line;
}

/** Marks every line as quoted, so that it cannot be mistaken for output of this program. */
export const quotedLines = (text: string): string =>
  harmless(text)
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');

/** A table with aligned columns; cells are not truncated. */
export function tableText(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [header, ...rows].map(line).join('\n');
}

/** Bytes as megabytes, such as `1.5 MB`. */
export const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
