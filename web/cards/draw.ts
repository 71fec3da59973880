/** Draws a card as SVG: kicker, heading, figure, note and sources, in lines that fit by the widths of letters. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create } from 'fontkitten';
import { escapeXml } from '../../presentation/markup.ts';
import { neutralise } from '../../presentation/text.ts';

const FOLDER = '@expo-google-fonts/source-serif-4';

interface Typeface {
  /** Whether the font has the letter. */
  has(letter: string): boolean;
  /** Width of a line in ems, without kerning, which makes lines slightly narrower. */
  width(text: string): number;
}

/**
 * Reads a font.
 * @throws Error when the bytes are not a font
 */
export function typefaceOf(bytes: Uint8Array): Typeface {
  const font = create(Buffer.from(bytes));
  if (font.isCollection) throw new Error('one font is needed, not a collection');
  const widths = new Map<number, number>();
  const widthOf = (letter: string): number => {
    const code = letter.codePointAt(0) ?? 0;
    const width = widths.get(code) ?? font.glyphForCodePoint(code).advanceWidth / font.unitsPerEm;
    widths.set(code, width);
    return width;
  };
  return {
    has: (letter) => font.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0),
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

/** The size in pixels that sites with link previews expect. */
export const CARD_SIZE = { width: 1_200, height: 630 } as const;

/** Text as the typeface can draw it: missing letters are removed, runs of blanks become one. */
export const drawable = (text: string, face: Typeface): string =>
  [...neutralise(text).normalize('NFC')]
    .map((letter) => (/\s/.test(letter) ? ' ' : letter))
    .filter((letter) => letter === ' ' || face.has(letter))
    .join('')
    .replace(/ +/g, ' ')
    .trim();

/** Cuts a text to a width in ems and ends it with an ellipsis; at a word where that loses little. */
export function cut(text: string, width: number, face: Typeface): string {
  if (face.width(text) <= width) return text;
  const letters = [...text];
  let kept = 0;
  let used = face.width('…');
  while (kept < letters.length && used + face.width(letters[kept] ?? '') <= width) {
    used += face.width(letters[kept] ?? '');
    kept += 1;
  }
  const part = letters.slice(0, kept).join('');
  const atWord = letters[kept] === ' ' ? part : part.replace(/\s+\S*$/, '');
  return `${(atWord.length > part.length * 0.6 ? atWord : part).trimEnd()}…`;
}

/**
 * Breaks a text into lines.
 * @param width of a line, in ems
 * @param maximum number of lines; the rest is cut with an ellipsis
 */
export function linesOf(
  text: string,
  { width, maximum, face }: { width: number; maximum: number; face: Typeface },
): string[] {
  const lines: string[] = [];
  let line = '';
  const words = text.split(' ').filter(Boolean);
  for (const [n, word] of words.entries()) {
    const longer = line ? `${line} ${word}` : word;
    if (face.width(longer) <= width) {
      line = longer;
      continue;
    }
    if (line && lines.length < maximum - 1) {
      lines.push(line);
      line = cut(word, width, face);
      continue;
    }
    return [...lines, cut([line, ...words.slice(n)].filter(Boolean).join(' '), width, face)];
  }
  return line ? [...lines, line] : lines;
}

/** The content of a card. Any text may come from a source. */
export interface Card {
  /** What the card is about, such as the kind of move; at most three parts are shown. */
  readonly kicker: readonly string[];
  /** A day, if any. */
  readonly day?: string;
  readonly heading: string;
  /** The amount or count of the move. */
  readonly figure?: string | null;
  readonly note?: string | null;
  /** The last line: outlets and brands. */
  readonly foot: readonly string[];
}

/** The light colours of the site: a shared picture has no theme. */
export const INK = {
  paper: '#fdfcf9',
  ink: '#17171c',
  faded: '#5c5a60',
  cloth: '#7c1618',
  stitch: '#f3dcc0',
  vermilion: '#a3201d',
};
const LEFT = 72;
const WIDTH = CARD_SIZE.width - 2 * LEFT;
/** Sizes of a heading; the largest that fits without cutting is used. */
const HEADINGS = [
  { size: 92, maximum: 1 },
  { size: 68, maximum: 2 },
  { size: 58, maximum: 3 },
  { size: 50, maximum: 4 },
] as const;
/** A heading of which less than this share can be drawn is replaced: the typefaces lack its script. */
const LEGIBLE = 0.5;

const files = faceFiles();
const text = typefaceOf(files.text);
export const heading = typefaceOf(files.heading);

interface Line {
  readonly x?: number;
  readonly y: number;
  readonly size: number;
  readonly fill: string;
  readonly face?: Typeface;
  readonly anchor?: 'start' | 'end';
}

/** A line of text. */
export function line(value: string, { x = LEFT, y, size, fill, face = text, anchor = 'start' }: Line): string {
  const weight = face === heading ? 600 : 400;
  return `<text x="${x}" y="${y}" font-family="${FAMILY}" font-weight="${weight}" font-size="${size}" fill="${fill}" text-anchor="${anchor}" xml:space="preserve">${escapeXml(value)}</text>`;
}

const joined = (parts: readonly string[]): string =>
  parts
    .map((part) => drawable(part, text))
    .filter(Boolean)
    .join('  ·  ');

/** The lines of a heading in the largest size that fits. */
function headingLines(text: string): { lines: string[]; size: number } {
  const sizes = HEADINGS.map(({ size, maximum }) => ({
    size,
    lines: linesOf(text, { width: WIDTH / size, maximum, face: heading }),
  }));
  const whole = sizes.find(({ lines }) => !lines.at(-1)?.endsWith('…'));
  return whole ?? sizes.at(-1) ?? { lines: [], size: 0 };
}

const cover = (
  motto: string,
): string => `<rect width="1200" height="630" fill="${INK.paper}"/><rect width="1200" height="104" fill="${INK.cloth}"/>
<path d="M0 94h1200" stroke="${INK.stitch}" stroke-width="2.5" stroke-dasharray="14 8"/>
${line('Clarity', { y: 68, size: 52, fill: '#ffffff', face: heading })}
${line(motto, { x: LEFT + WIDTH, y: 64, size: 28, fill: INK.stitch, anchor: 'end' })}
<path d="M${LEFT} 548h${WIDTH}" stroke="#dcd7cc" stroke-width="2"/>`;

/**
 * Draws a card.
 * @param demo true where every report is invented: the card says so, because it is seen apart from the site
 * @returns SVG with escaped text and no external reference
 */
export function drawCard(card: Card, demo: boolean): string {
  const headingText = drawable(card.heading, heading);
  const isLegible = headingText.length >= card.heading.trim().length * LEGIBLE;
  const day = card.day ?? '';
  const kickerWidth = WIDTH - (text.width(day) + 1) * 30;
  const { lines, size } = headingLines(isLegible ? headingText : 'An entry of the record');
  const figure = drawable(card.figure ?? '', heading);
  const room = WIDTH / 30 - (figure ? Math.min(heading.width(figure) * 2 + 1, WIDTH / 60) : 0);
  const note = isLegible ? linesOf(drawable(card.note ?? '', text), { width: room, maximum: 2, face: text }) : [];
  const motto = demo ? 'Demonstration: the reports are invented' : 'Indian retail, on the record';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${CARD_SIZE.width}" height="${CARD_SIZE.height}">${cover(motto)}
${line(cut(joined(card.kicker.slice(0, 3)), kickerWidth / 30, text), { y: 166, size: 30, fill: INK.vermilion })}
${line(day, { x: LEFT + WIDTH, y: 166, size: 30, fill: INK.faded, anchor: 'end' })}
${lines.map((one, n) => line(one, { y: 186 + Math.round(size * (0.96 + n * 1.16)), size, fill: INK.ink, face: heading })).join('\n')}
${note.map((one, n) => line(one, { y: 516 - (note.length - 1 - n) * 38, size: 30, fill: INK.faded })).join('\n')}
${figure ? line(cut(figure, WIDTH / 120, heading), { x: LEFT + WIDTH, y: 516, size: 60, fill: INK.vermilion, face: heading, anchor: 'end' }) : ''}
${line(cut(joined(card.foot), WIDTH / 28, text), { y: 594, size: 28, fill: INK.faded })}
</svg>`;
}
