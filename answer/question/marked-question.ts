/** The text of a question in English, with placeholders in place of the names and times that it contains. Pure. */
import type { PreparedCatalogue } from '../../facts/text/catalogue.ts';
import { fold, tokenise } from '../../language/tokens.ts';
import { GIVEN_NAMES, isCommon } from '../../language/words.ts';
import { LONGEST_QUESTION } from '../../schemas/ask.ts';
import { fromHindi, rephrased } from './query-languages.ts';
import { findNamesIn, isLikeName, type KnownName, type Meaning, type Span, STOP } from './query-names.ts';
import { COMPARE, isUnderstood, wordMeant } from './query-words.ts';
import { MONTH, type Period, readPeriods } from './question-period.ts';

/** A quarter by its months: "April to June quarter", "sept quarter". */
const QUARTER_OF_MONTHS = /\b(?:(?:jan|apr|jul|oct)[a-z]* (?:to |- )?)?(mar|jun|sep|dec)[a-z]* quarter\b/g;
const LAST_MONTHS: Readonly<Record<string, string>> = { mar: 'march', jun: 'june', sep: 'september', dec: 'december' };

/** Lower case, without accents and punctuation, figures and their signs kept: how a question is written says nothing of what it asks. */
export function normalise(text: string): string {
  const plain = [...text].slice(0, LONGEST_QUESTION).join('').normalize('NFKC').toLowerCase();
  return fold(plain)
    .normalize('NFC')
    .replace(/[\u200b-\u200f\u2028-\u202e\u2060\ufeff\u00ad]/g, '')
    .replace(/\bstart[- ]up(s?)\b/g, 'startup$1')
    .replace(/\b(s?he)s\b/g, '$1 s')
    .replace(/\bqtr(s?)\b/g, 'quarter$1')
    .replace(/\b(?:as of (?:today|now|date)|right now)\b/g, ' ')
    .replace(/\bhow many ((?:\S+ ){1,4}?)today\b/g, 'how many $1now')
    .replace(/\b(own(?:s|ed)?|runs?|heads?|leads?|stands?) ((?:\S+ ){0,3}?)today\b/g, '$1 $2now')
    .replace(/(\d),(?=\d{2,3})/g, '$1')
    .replace(/(\d|\bcr|\bcrore)\+(?![\p{L}\p{N}])/gu, '$1 plus ')
    .replace(/:(?=\s)/g, ' show ')
    .replace(/%/g, ' percent ')
    .replace(/₹/g, ' rs ')
    .replace(/\$/g, ' usd ')
    .replace(/>\s?=?/g, ' more than ')
    .replace(/<\s?=?/g, ' less than ')
    .replace(/[^\p{L}\p{N}\p{M}&./-]+/gu, ' ')
    .replace(/(?<!\d)[./-]|[./-](?!\d)/g, ' ')
    .replace(/(?<![\p{L}\p{N}])&(?=\s)/gu, ' and ')
    .replace(QUARTER_OF_MONTHS, (_, month: string) => `${LAST_MONTHS[month]} quarter`)
    .replace(/ +/g, ' ')
    .trim();
}

/** Words that are misspelled, as they are meant. */
function corrected(text: string, catalogue: PreparedCatalogue, known: readonly KnownName[]): string {
  const ofNames = new Set(known.flatMap(({ name }) => name.toLowerCase().split(' ')));
  return text.replace(/[a-z]{5,}/g, (word) => {
    if (isUnderstood(word) || STOP.has(word) || isCommon(word) || GIVEN_NAMES.has(word)) return word;
    if (catalogue.names.has(` ${word} `) || ofNames.has(word)) return word;
    // `dmarts new ceo`: a possessive without its apostrophe.
    const owner = word.endsWith('s') ? word.slice(0, -1) : '';
    if (owner && catalogue.names.get(` ${owner} `)?.brand) return `${owner} s`;
    return isLikeName(word, catalogue) ? word : (wordMeant(word) ?? word);
  });
}

const LETTER: Readonly<Record<Meaning['type'], string>> = {
  brand: 'b',
  place: 'p',
  category: 'k',
  theme: 't',
  mention: 'm',
  unknown: 'u',
};

interface Masked {
  readonly text: string;
  /** By placeholder, such as `b0`. */
  readonly spans: ReadonlyMap<string, Span>;
}

/** Runs of words with capitals in a question that has lower case too, as keys of names: `More Retail`, `Best Buy`. */
function capitalRuns(text: string): ReadonlySet<string> {
  const { tokens } = tokenise(text);
  const lower = tokens.filter(({ text: word }) => /^\p{Ll}{2,}$/u.test(word)).length;
  const runs = new Set<string>();
  if (lower < 2) return runs;
  const isCapital = (index: number): boolean => /^\p{Lu}\p{Ll}/u.test(tokens[index]?.text ?? '');
  // Of a list, "Trent, Shoppers Stop", each is a name of its own.
  const goesOn = (index: number): boolean =>
    isCapital(index) && !/[,;:]/.test(text.slice(tokens[index - 1]?.end, tokens[index]?.start));
  // The first word of a sentence has a capital whatever it is.
  for (let first = 1; first < tokens.length; first++)
    for (let last = first + 1; last < first + 4 && isCapital(first) && goesOn(last); last++)
      runs.add(
        ` ${tokens
          .slice(first, last + 1)
          .map(({ fold: word }) => word)
          .join(' ')} `,
      );
  return runs;
}

function mask(
  text: string,
  catalogue: PreparedCatalogue,
  known: readonly KnownName[],
  capitals: ReadonlySet<string>,
): Masked {
  const words = tokenise(text);
  const found = findNamesIn(words, catalogue, known, isUnderstood, capitals);
  const spans = new Map<string, Span>();
  let masked = '';
  let at = 0;
  for (const [index, span] of found.entries()) {
    const name = `${LETTER[span.meaning.type]}${index}`;
    spans.set(name, span);
    masked += `${text.slice(at, words.tokens[span.first]?.start)}@${name}`;
    at = words.tokens[span.last]?.end ?? at;
  }
  return { text: masked + text.slice(at), spans };
}

/** Months to compare, not a span of time: `compare June and July`. */
const TWO_MONTHS = new RegExp(`\\b((?:${MONTH})(?: 20\\d\\d)?) and (${MONTH})\\b`, 'i');
/** Whether outlets agree shows in their reports: the rest of the question says about what. */
const AGREEMENT =
  /\b(?:(?:do|did) )?(?:the )?(?:outlets|sources|reports|papers|newspapers) (?:agree|disagree|differ)(?: (?:on|about|over))?\b/;
/** `us` alone is a pronoun. */
const THE_US = /\bthe u ?s\b(?! (?:dollars?|fda|tariffs?))/;
/** A company that comes to the country. */
const ENTERS_INDIA =
  /\b(?:enter(?:s|ed|ing)?|com(?:e|es|ing) to|came to|debut(?:s|ed|ing)? in|launch(?:es|ed|ing)? in|entr(?:y|ies) (?:in)?to|new to) (?:the )?india(?:n market)?\b|\b(?:new )?entrants?(?: (?:in)?to (?:the )?india(?:n market)?)?\b/;
/** The text of a question in English, its times and names as placeholders. */
export interface Marked {
  /** With placeholders for times alone. */
  readonly timed: string;
  readonly masked: string;
  readonly spans: ReadonlyMap<string, Span>;
  readonly periods: readonly Period[];
  readonly notes: readonly string[];
}

/** Reads the names and times of a question. @param known names of the record that may be in it */
export function marked(text: string, catalogue: PreparedCatalogue, now: Date, known: readonly KnownName[]): Marked {
  const spelled = rephrased(corrected(fromHindi(normalise(text)), catalogue, known));
  const english = COMPARE.test(spelled) ? spelled.replace(TWO_MONTHS, '$1 versus $2') : spelled;
  const times = readPeriods(english, now);
  // A time that is named twice is one, and no comparison: "sales of @b0 in Q1 and of @b1 in Q1".
  const periods = times.filter(({ label }, index) => times.findIndex((one) => one.label === label) === index);
  let timed = english;
  for (const { label, start, end } of times.toReversed()) {
    const index = periods.findIndex((one) => one.label === label);
    timed = `${timed.slice(0, start)} @d${index} ${timed.slice(end)}`;
  }
  timed = timed.replace(THE_US, 'usa').replace(AGREEMENT, ' ').replace(/ +/g, ' ').trim();
  const capitals = capitalRuns(text.normalize('NFKC'));
  const masking = (one: string): Masked => mask(one, catalogue, known, capitals);
  const first = masking(timed);
  const { text: masked, spans } = /@b\d/.test(first.text) ? first : masking(timed.replace(ENTERS_INDIA, 'india entry'));
  const notes = [...spans.values()].flatMap(({ spelled: written, meaning }) => {
    const name = meaning.type === 'brand' ? meaning.brand.name : meaning.type === 'place' ? meaning.place.name : null;
    return written && name ? [`“${written}” was read as ${name}.`] : [];
  });
  if (/\b(?:this|current) week\b/.test(english) && periods[0]?.label === 'in the last 7 days')
    notes.push('The week has just begun: the last seven days are shown.');
  return { timed, masked, spans, periods, notes: notes.slice(0, 10) };
}
