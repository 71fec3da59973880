/** Answers that are a list: the signal that answers best, and further evidence that says something different. */

import { type Basis, type Draft, escapeMarkdown, listed, nothing, quotation, type Sentence } from './draft.ts';
import { spoken } from './question/calendar.ts';
import { type Question, stemsOf } from './question/read-question.ts';
import { coverage, type Evidence, minimumCoverage, type Retrieved } from './retrieve-evidence.ts';

/** Weight of relevance; the rest is the weight of being different. */
const RELEVANCE = 0.7;

function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared === 0 ? 0 : shared / (one.size + other.size - shared);
}

/**
 * Chooses evidence that says different things, by maximal marginal relevance over the words of headlines: each choice is
 * the best of what is left, and likeness to those already chosen counts against it.
 * @param ranked the most relevant first
 */
export function chooseDiverse(ranked: readonly Evidence[], maximum: number): Evidence[] {
  const left = ranked.map((evidence, index) => ({
    evidence,
    words: stemsOf(evidence.signal.headline),
    relevance: 1 - index / Math.max(1, ranked.length),
    nearest: 0,
  }));
  const chosen: Evidence[] = [];
  while (chosen.length < maximum && left.length > 0) {
    const score = (one: (typeof left)[number]): number => RELEVANCE * one.relevance - (1 - RELEVANCE) * one.nearest;
    const best = left.reduce((first, next) => (score(next) > score(first) ? next : first));
    left.splice(left.indexOf(best), 1);
    chosen.push(best.evidence);
    for (const one of left) one.nearest = Math.max(one.nearest, likeness(one.words, best.words));
  }
  return chosen;
}

/** The sentence that a signal adds to its headline: its summary, when that says more. */
const more = ({ signal: { headline, summary } }: Evidence): string | null =>
  summary !== null && !headline.includes(summary) && summary.length <= 400 ? summary : null;

const reported = ({ signal: { source, outlets } }: Evidence): string =>
  `${escapeMarkdown(source.outlet ?? 'a source')}${outlets > 1 ? ` and ${outlets - 1} more` : ''}`;

/** Ends a sentence that ends with a quotation, unless the quotation does. */
const ended = (text: string): string => (/[.!?…]”$/.test(text) ? text : `${text}.`);

/** `Mall Road reported on 9 November 2026: “…” — “…”.` */
function leadSentence(evidence: Evidence): Sentence {
  const { id, headline } = evidence.signal;
  const added = more(evidence);
  const texts = added ? [headline, added] : [headline];
  return {
    markdown: ended(`${reported(evidence)} reported on ${spoken(evidence.day)}: ${texts.map(quotation).join(' — ')}`),
    ids: [id],
    quotes: texts.map((text) => ({ id, text })),
  };
}

/** A bullet: date, outlet, quotation. */
export function bullet(evidence: Evidence): Sentence {
  const { id, headline } = evidence.signal;
  const added = more(evidence);
  const texts = added ? [headline, added] : [headline];
  return {
    markdown: `**${spoken(evidence.day)}** (${reported(evidence)}): ${texts.map(quotation).join(' — ')}`,
    ids: [id],
    quotes: texts.map((text) => ({ id, text })),
  };
}

const MAX_ITEMS = 8;

/** The words that no evidence contains, as readers see them. */
const unmetWords = (unmet: readonly string[]): string => listed(unmet.slice(0, 5).map((word) => quotation(word)));

const nameOf = ({ brands, cities, themes, categories }: Question): string =>
  listed([...brands, ...themes, ...categories, ...cities].map(({ name }) => escapeMarkdown(name)));

const NOTHING =
  'No signal found that answers this. The record contains dated moves in Indian retail: store openings, deals, people, results, launches, strategy and rules.';

/** The draft when nothing answers: what was searched for, and the nearest signals. */
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
      `No signal found that answers this: no signal about ${about}${time} mentions ${unmetWords(unmet)}.`,
      ['The nearest signals are listed.'],
      near.slice(0, 3).map(bullet),
    );
  return nothing(
    about ? `No signal found about ${about}${time} that answers this.` : NOTHING,
    near.length > 0 && about ? ['The nearest signals are listed.'] : [],
    about ? near.slice(0, 3).map(bullet) : [],
  );
}

/** The basis of a list: names only, all words of the question, or some of them. */
const basisOf = (words: readonly string[], best: Evidence): Basis => {
  const met = coverage(words, best);
  if (words.length === 0) return 'named';
  return met === 1 ? 'worded' : 'partly';
};

/** The evidence, best first under a direct answer, then by date. */
export function list(question: Question, retrieved: Retrieved): Draft {
  const fits = retrieved.evidence.filter((one) => coverage(retrieved.words, one) >= minimumCoverage(question));
  const [best] = fits;
  if (!best) return refuse(question, retrieved);
  // Where evidence contains all the words of the question, only such evidence answers it.
  const whole = retrieved.words.length > 0 && coverage(retrieved.words, best) === 1;
  const chosen = chooseDiverse(
    whole ? fits.filter((one) => coverage(retrieved.words, one) === 1) : fits,
    MAX_ITEMS + 1,
  );
  const others = chosen.filter((one) => one !== best).sort((one, other) => (one.day < other.day ? 1 : -1));
  return {
    lead: [leadSentence(best)],
    items: others.slice(0, MAX_ITEMS).map(bullet),
    table: [],
    notes: [],
    basis: basisOf(retrieved.words, best),
  };
}
