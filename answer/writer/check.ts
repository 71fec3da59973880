/** Whether a model's sentence stands in the signals that it cites: every number, name and date. Pure. */
import { isCommon } from '../../ingest/understand/model/common.ts';
import { tokenise } from '../../ingest/understand/tokens.ts';
import type { GivenSignal, WrittenSentence } from './writer.ts';

const MOST_CITED = 8;
const LONGEST_SENTENCE = 600;
/** Numbers with their signs and points, months, and times. */
const NUMBER = /\d+(?:[.,]\d+)*/g;
const SCALES: readonly RegExp[] = [
  /\bcrores?\b|\bcr\b/i,
  /\blakhs?\b/i,
  /\bmillion\b|\bmn\b/i,
  /\bbillion\b|\bbn\b/i,
  /%|\bper ?cent\b|\bpc\b/i,
];
const NUMBER_WORDS =
  /\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|fifteen|twenty|thirty|forty|fifty|hundred|thousand|half|double[ds]?|triple[ds]?|twice)\b/gi;
const MONTHS =
  /\b(?:january|february|march|april|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/gi;
/** Words that turn a claim round; a sentence has one only where its signal has one too. */
const NOT = /\b(?:not|never|no longer|denie[ds]|without|n't|except|failed|refuse[ds]?)\b/i;

const plain = (text: string): string => text.replace(/(\d),(?=\d)/g, '$1').toLowerCase();
const all = (text: string, form: RegExp): string[] => [...plain(text).matchAll(form)].map(([found]) => found);

/** Words with a capital letter that are no ordinary words: names of people, brands, places. */
function namesIn(text: string): string[] {
  const { tokens } = tokenise(text);
  return tokens
    .filter(
      ({ text: word, capital, fold, index }) =>
        capital && /\p{L}/u.test(word) && fold.length > 1 && !(index === 0 && isCommon(fold)),
    )
    .map(({ fold }) => fold);
}

/**
 * True when the ids were given and everything in the sentence that could be made up stands in the text cited: its
 * numbers with their scale, names, months, and whether it says that something was not so.
 */
export function standsIn({ text, ids }: WrittenSentence, given: readonly GivenSignal[]): boolean {
  if (ids.length === 0 || ids.length > MOST_CITED || text.trim() === '' || text.length > LONGEST_SENTENCE) return false;
  if (/\bsig_|https?:|[[\]<>]/i.test(text)) return false;
  const cited = ids.map((id) => given.find((one) => one.id === id));
  if (cited.some((one) => one === undefined)) return false;
  const source = cited.flatMap((one) => (one ? [one.text, one.day, one.outlet ?? ''] : [])).join('\n');
  const numbers = new Set(all(source, NUMBER));
  if (!all(text, NUMBER).every((number) => numbers.has(number))) return false;
  if (!SCALES.every((scale) => !scale.test(text) || scale.test(source))) return false;
  const words = new Set([...all(source, NUMBER_WORDS), ...all(source, MONTHS)]);
  if (![...all(text, NUMBER_WORDS), ...all(text, MONTHS)].every((word) => words.has(word))) return false;
  if (NOT.test(text) && !NOT.test(source)) return false;
  const known = new Set(tokenise(source).tokens.map(({ fold }) => fold));
  return namesIn(text).every((name) => known.has(name));
}
