/** The widths of letters, read from a font file, so that text can be broken into lines before it is drawn. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const FOLDER = '@expo-google-fonts/source-serif-4';
/** The fonts of the cards have only letters of the Basic Multilingual Plane. */
const UNICODE_PLANE = 3 * 65_536 + 1;

export interface Typeface {
  /** Whether the font has the letter. */
  has(letter: string): boolean;
  /** Width of a line in ems, without kerning, which makes lines slightly narrower. */
  width(text: string): number;
}

/** The offset of each table of a font (OpenType, "Table Directory"). */
function tablesOf(font: DataView): ReadonlyMap<string, number> {
  const count = font.getUint16(4);
  const tagOf = (at: number): string => String.fromCharCode(...[0, 1, 2, 3].map((step) => font.getUint8(at + step)));
  return new Map(Array.from({ length: count }, (_, n) => 12 + 16 * n).map((at) => [tagOf(at), font.getUint32(at + 8)]));
}

/** The offset of the letters of the Basic Multilingual Plane: the subtable of platform 3, encoding 1, in format 4. */
function letterTable(font: DataView, cmap: number): number {
  for (let n = 0; n < font.getUint16(cmap + 2); n += 1) {
    const record = cmap + 4 + 8 * n;
    const at = cmap + font.getUint32(record + 4);
    if (font.getUint16(record) * 65_536 + font.getUint16(record + 2) === UNICODE_PLANE && font.getUint16(at) === 4)
      return at;
  }
  throw new Error('The font has no table of letters in format 4');
}

/** Glyph of each letter (OpenType, "cmap" format 4). */
function glyphsOf(font: DataView, at: number): ReadonlyMap<number, number> {
  const doubled = font.getUint16(at + 6);
  const glyphs = new Map<number, number>();
  for (let segment = 0; segment < doubled; segment += 2) {
    const last = font.getUint16(at + 14 + segment);
    const first = font.getUint16(at + 16 + doubled + segment);
    const shift = font.getUint16(at + 16 + 2 * doubled + segment);
    const place = at + 16 + 3 * doubled + segment;
    const offset = font.getUint16(place);
    for (let letter = first; letter <= last && letter < 0xffff; letter += 1) {
      const listed = offset === 0 ? letter : font.getUint16(place + offset + 2 * (letter - first));
      if (listed !== 0) glyphs.set(letter, (listed + shift) & 0xffff);
    }
  }
  return glyphs;
}

/**
 * Reads a TrueType font.
 * @throws Error when the bytes are not a font, or lack a required table
 */
export function typefaceOf(bytes: Uint8Array): Typeface {
  const font = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tables = tablesOf(font);
  const table = (tag: string): number => {
    const at = tables.get(tag);
    if (at === undefined) throw new Error(`The font has no table ${tag}`);
    return at;
  };
  const glyphs = glyphsOf(font, letterTable(font, table('cmap')));
  const unitsPerEm = font.getUint16(table('head') + 18);
  const metrics = font.getUint16(table('hhea') + 34);
  const widths = table('hmtx');
  const widthOf = (letter: string): number => {
    const glyph = glyphs.get(letter.codePointAt(0) ?? 0) ?? 0;
    return font.getUint16(widths + 4 * Math.min(glyph, metrics - 1)) / unitsPerEm;
  };
  return {
    has: (letter) => glyphs.has(letter.codePointAt(0) ?? 0),
    width: (text) => [...text].reduce((sum, letter) => sum + widthOf(letter), 0),
  };
}

/** The name of the family, as in the fonts. */
export const FAMILY = 'Source Serif 4';

const packaged = (file: string): Uint8Array =>
  readFileSync(createRequire(import.meta.url).resolve(`${FOLDER}/${file}`));

/** The font files of the cards: Source Serif 4, under the SIL Open Font License. */
export const faceFiles = (): { readonly text: Uint8Array; readonly heading: Uint8Array } => ({
  text: packaged('400Regular/SourceSerif4_400Regular.ttf'),
  heading: packaged('600SemiBold/SourceSerif4_600SemiBold.ttf'),
});
