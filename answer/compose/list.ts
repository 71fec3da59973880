/** Answers that are a list: the signal that answers best, and what belongs to it. */
import type { Evidence } from '../evidence.ts';
import type { Question } from '../question/read.ts';
import { diverse } from '../retrieve/diverse.ts';
import type { Retrieved } from '../retrieve/retrieve.ts';
import { coverage, leastCoverage } from '../retrieve/retrieve.ts';
import { type Basis, type Draft, nothing } from '../sentence.ts';
import { escapeMarkdown, listed, quotation } from './markdown.ts';
import { bullet, tell } from './tell.ts';

const MOST_ITEMS = 8;

/** The words that nothing met, for people. */
const unmetWords = (unmet: readonly string[]): string => listed(unmet.slice(0, 5).map((word) => quotation(word)));

const nameOf = ({ brands, cities, themes, categories }: Question): string =>
  listed([...brands, ...themes, ...categories, ...cities].map(({ name }) => escapeMarkdown(name)));

const NOTHING =
  'I found nothing in the record that answers this. It holds dated moves in Indian retail: store openings, deals, people, results, launches, strategy and rules.';

/** What is told when nothing answers: what was looked for, and what is near it. */
export function refuse(
  question: Question,
  { evidence, unmet }: Retrieved,
  near: readonly Evidence[] = evidence,
): Draft {
  const about = nameOf(question);
  const time = question.period ? ` ${question.period.label}` : '';
  const { brands, themes, categories, rest } = question;
  // A city alone does not make a question one of this record.
  if (brands.length + themes.length + categories.length === 0 && rest.length > 0 && unmet.length === rest.length)
    return nothing(NOTHING);
  if (unmet.length > 0 && evidence.length > 0 && about)
    return nothing(
      `I found nothing in the record that answers this: no signal about ${about}${time} speaks of ${unmetWords(unmet)}.`,
      ['What stands near it in the record is listed.'],
      near.slice(0, 3).map(bullet),
    );
  return nothing(
    about ? `I found nothing in the record about ${about}${time} that answers this.` : NOTHING,
    near.length > 0 && about ? ['What stands near it in the record is listed.'] : [],
    about ? near.slice(0, 3).map(bullet) : [],
  );
}

/** How sure a list is: by names alone, by all the words of the question, or by most. */
const basisOf = (words: readonly string[], best: Evidence): Basis => {
  const met = coverage(words, best);
  if (words.length === 0) return 'named';
  return met === 1 ? 'worded' : 'partly';
};

/** The evidence, best first under a direct answer, then by date. */
export function list(question: Question, retrieved: Retrieved): Draft {
  const fits = retrieved.evidence.filter((one) => coverage(retrieved.words, one) >= leastCoverage(question));
  const [best] = fits;
  if (!best) return refuse(question, retrieved);
  // With words of its own a question is about what meets them all, where anything does.
  const whole = retrieved.words.length > 0 && coverage(retrieved.words, best) === 1;
  const chosen = diverse(whole ? fits.filter((one) => coverage(retrieved.words, one) === 1) : fits, MOST_ITEMS + 1);
  const others = chosen.filter((one) => one !== best).sort((one, other) => (one.day < other.day ? 1 : -1));
  return {
    lead: [tell(best)],
    items: others.slice(0, MOST_ITEMS).map(bullet),
    table: [],
    notes: [],
    basis: basisOf(retrieved.words, best),
  };
}
