/** Breaks text into lines that fit. */
import { neutralise } from '../text.ts';
import type { Typeface } from './typeface.ts';

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
