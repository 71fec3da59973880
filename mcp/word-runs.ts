/** Runs of words in a text: a name is rarely all that somebody writes. */
const MOST_WORDS = 12;
const LONGEST_NAME = 4;

/** All runs of up to four words, the longest first. */
export function runsOf(text: string): string[] {
  const words = text
    .split(/[^\p{L}\p{N}\p{M}&'’.-]+/u)
    .filter(Boolean)
    .slice(0, MOST_WORDS);
  return Array.from({ length: LONGEST_NAME }, (_, index) => LONGEST_NAME - index).flatMap((length) =>
    words.flatMap((_, at) => (at + length <= words.length ? [words.slice(at, at + length).join(' ')] : [])),
  );
}
