/** Numbers that are written as words. */

const ONES =
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety hundred'.split(' ');

/** Numbers that are written as one word. */
export const NUMBER_WORDS: Readonly<Record<string, number>> = Object.fromEntries([
  ...ONES.map((word, index) => [word, index + 1]),
  ...TENS.map((word, index) => [word, (index + 2) * 10]),
]);

const SCALES: readonly (readonly [RegExp, number, string])[] = [
  [/^lakh\s*cr/i, 1e12, ' Lakh Cr'],
  [/^cr/i, 1e7, ' Cr'],
  [/^c$/i, 1e7, ' Cr'],
  [/^l(?:akh|$)/i, 1e5, ' Lakh'],
  [/^(?:thousand|k$)/i, 1e3, 'K'],
  [/^(?:trillion|tn)/i, 1e12, ' Tn'],
  [/^(?:billion|bn|b$)/i, 1e9, ' Bn'],
  [/^(?:million|mn|m$)/i, 1e6, ' Mn'],
];

/** The factor of a word after a number, such as `crore`, `Mn` or `k`, and how figures write it; 1 and nothing for another. */
export function scaleOf(word: string | undefined): readonly [factor: number, text: string] {
  const scale = word ? SCALES.find(([form]) => form.test(word.trim())) : undefined;
  return scale ? [scale[1], scale[2]] : [1, ''];
}

const DOZENS: readonly (readonly [RegExp, number])[] = [
  [/^half/i, 6],
  [/^(?:two|2)/i, 24],
  [/^(?:three|3)/i, 36],
  [/^(?:four|4)/i, 48],
];
/** The number that the words before `dozen` make it. */
export const dozensIn = (words: string): number => DOZENS.find(([form]) => form.test(words))?.[1] ?? 12;

/** `none`, `three`, `12`. */
export const numberInWords = (number: number): string =>
  number === 0 ? 'none' : number < 10 ? (ONES[number - 1] ?? String(number)) : String(number);

const ORDINALS = 'first second third fourth fifth sixth seventh eighth ninth'.split(' ');

/** `third`, `12th`. */
export function ordinalInWords(number: number): string {
  const ending = number % 100 >= 11 && number % 100 <= 13 ? 'th' : ({ 1: 'st', 2: 'nd', 3: 'rd' }[number % 10] ?? 'th');
  return ORDINALS[number - 1] ?? `${number}${ending}`;
}
