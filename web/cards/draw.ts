/** Draws a card as SVG: kicker, heading, figure, note and sources, in lines that fit. */
import { neutralise } from '../../presentation/text.ts';
import { escapeXml } from '../../presentation/xml.ts';
import { FAMILY, faceFiles, type Typeface, typefaceOf } from './typeface.ts';

/** The size that the places where addresses are shared ask for, in pixels. */
export const CARD_SIZE = { width: 1_200, height: 630 } as const;

// Breaks text into lines that fit.

/** Text as the face can draw it: letters that it lacks are left out, blanks become one. */
export const drawable = (text: string, face: Typeface): string =>
  [...neutralise(text).normalize('NFC')]
    .map((letter) => (/\s/.test(letter) ? ' ' : letter))
    .filter((letter) => letter === ' ' || face.has(letter))
    .join('')
    .replace(/ +/g, ' ')
    .trim();

/** As much of the text as fits, with an ellipsis where something is cut; at a word where that loses little. */
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
 * @param width of a line, in ems
 * @param most lines; what is over is cut with an ellipsis
 */
export function linesOf(
  text: string,
  { width, most, face }: { width: number; most: number; face: Typeface },
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
    if (line && lines.length < most - 1) {
      lines.push(line);
      line = cut(word, width, face);
      continue;
    }
    return [...lines, cut([line, ...words.slice(n)].filter(Boolean).join(' '), width, face)];
  }
  return line ? [...lines, line] : lines;
}

// Draws a card as SVG: the cover of the ledger, what moved, by how much, and who says so.

/** What stands on a card. Any text may come from a source. */
export interface Card {
  /** What it is, such as the kind of move; at most three are shown. */
  readonly kicker: readonly string[];
  /** A day; nothing when unset. */
  readonly day?: string;
  readonly heading: string;
  /** The move in one figure. */
  readonly figure?: string | null;
  readonly note?: string | null;
  /** Who and where, the last line. */
  readonly foot: readonly string[];
}

/** Colours of the site's tokens, in light: a shared picture knows no theme. */
const INK = {
  paper: '#fdfcf9',
  ink: '#17171c',
  faded: '#5c5a60',
  cloth: '#7c1618',
  stitch: '#f3dcc0',
  vermilion: '#a3201d',
};
const LEFT = 72;
const WIDTH = CARD_SIZE.width - 2 * LEFT;
/** Sizes that a heading is tried in, the largest that needs no cutting is taken. */
const HEADINGS = [
  { size: 92, most: 1 },
  { size: 68, most: 2 },
  { size: 58, most: 3 },
  { size: 50, most: 4 },
] as const;
/** A heading of which the faces can draw less than this is none: a script that they lack. */
const LEGIBLE = 0.5;

const files = faceFiles();
const [text, heading] = [typefaceOf(files.text), typefaceOf(files.heading)];

interface Line {
  readonly x?: number;
  readonly y: number;
  readonly size: number;
  readonly fill: string;
  readonly face?: Typeface;
  readonly anchor?: 'start' | 'end';
}

function line(value: string, { x = LEFT, y, size, fill, face = text, anchor = 'start' }: Line): string {
  const weight = face === heading ? 600 : 400;
  return `<text x="${x}" y="${y}" font-family="${FAMILY}" font-weight="${weight}" font-size="${size}" fill="${fill}" text-anchor="${anchor}" xml:space="preserve">${escapeXml(value)}</text>`;
}

const joined = (parts: readonly string[]): string =>
  parts
    .map((part) => drawable(part, text))
    .filter(Boolean)
    .join('  ·  ');

/** The heading in the largest size in which all of it stands. */
function headingLines(told: string): { lines: string[]; size: number } {
  const tried = HEADINGS.map(({ size, most }) => ({
    size,
    lines: linesOf(told, { width: WIDTH / size, most, face: heading }),
  }));
  const whole = tried.find(({ lines }) => !lines.at(-1)?.endsWith('…'));
  return whole ?? tried.at(-1) ?? { lines: [], size: 0 };
}

const cover = (
  motto: string,
): string => `<rect width="1200" height="630" fill="${INK.paper}"/><rect width="1200" height="104" fill="${INK.cloth}"/>
<path d="M0 94h1200" stroke="${INK.stitch}" stroke-width="2.5" stroke-dasharray="14 8"/>
${line('Clarity', { y: 68, size: 52, fill: '#ffffff', face: heading })}
${line(motto, { x: LEFT + WIDTH, y: 64, size: 28, fill: INK.stitch, anchor: 'end' })}
<path d="M${LEFT} 548h${WIDTH}" stroke="#dcd7cc" stroke-width="2"/>`;

/**
 * @param card what stands on it
 * @param demo true where every report is made up: the card says so, because it is seen apart from the site
 * @returns SVG whose only free text is escaped, with no reference to anything outside it
 */
export function drawCard(card: Card, demo: boolean): string {
  const told = drawable(card.heading, heading);
  const isLegible = told.length >= card.heading.trim().length * LEGIBLE;
  const day = card.day ?? '';
  const beside = WIDTH - (text.width(day) + 1) * 30;
  const { lines, size } = headingLines(isLegible ? told : 'An entry of the record');
  const figure = drawable(card.figure ?? '', heading);
  const room = WIDTH / 30 - (figure ? Math.min(heading.width(figure) * 2 + 1, WIDTH / 60) : 0);
  const note = isLegible ? linesOf(drawable(card.note ?? '', text), { width: room, most: 2, face: text }) : [];
  const motto = demo ? 'Demonstration: the reports are made up' : 'Indian retail, on the record';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${CARD_SIZE.width}" height="${CARD_SIZE.height}">${cover(motto)}
${line(cut(joined(card.kicker.slice(0, 3)), beside / 30, text), { y: 166, size: 30, fill: INK.vermilion })}
${line(day, { x: LEFT + WIDTH, y: 166, size: 30, fill: INK.faded, anchor: 'end' })}
${lines.map((one, n) => line(one, { y: 186 + Math.round(size * (0.96 + n * 1.16)), size, fill: INK.ink, face: heading })).join('\n')}
${note.map((one, n) => line(one, { y: 516 - (note.length - 1 - n) * 38, size: 30, fill: INK.faded })).join('\n')}
${figure ? line(cut(figure, WIDTH / 120, heading), { x: LEFT + WIDTH, y: 516, size: 60, fill: INK.vermilion, face: heading, anchor: 'end' }) : ''}
${line(cut(joined(card.foot), WIDTH / 28, text), { y: 594, size: 28, fill: INK.faded })}
</svg>`;
}
