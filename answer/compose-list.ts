/** Answers that are a list: the signal that answers best, and further evidence that says something different. */

import { type Basis, type Draft, escapeMarkdown, listed, nothing, quotation, type Sentence } from './draft.ts';
import { spoken } from './question/calendar.ts';
import { type Question, stemsOf } from './question/read-question.ts';
import { coverage, type Evidence, leastCoverage, type Retrieved } from './retrieve-evidence.ts';

// Evidence that says different things: maximal marginal relevance over the words of headlines.

/** How much being relevant counts beside being different. */
const RELEVANCE = 0.7;

function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared === 0 ? 0 : shared / (one.size + other.size - shared);
}

/**
 * Chooses up to `most`, each the best of what is left when likeness to those chosen counts against it.
 * @param ranked the most relevant first
 */
export function diverse(ranked: readonly Evidence[], most: number): Evidence[] {
  const left = ranked.map((evidence, index) => ({
    evidence,
    words: stemsOf(evidence.signal.headline),
    relevance: 1 - index / Math.max(1, ranked.length),
    nearest: 0,
  }));
  const chosen: Evidence[] = [];
  while (chosen.length < most && left.length > 0) {
    const score = (one: (typeof left)[number]): number => RELEVANCE * one.relevance - (1 - RELEVANCE) * one.nearest;
    const best = left.reduce((first, next) => (score(next) > score(first) ? next : first));
    left.splice(left.indexOf(best), 1);
    chosen.push(best.evidence);
    for (const one of left) one.nearest = Math.max(one.nearest, likeness(one.words, best.words));
  }
  return chosen;
}

// Sentences that tell one signal in its own words.

/** The sentence that a signal adds to its headline: its summary, when that says more. */
const more = ({ signal: { headline, summary } }: Evidence): string | null =>
  summary !== null && !headline.includes(summary) && summary.length <= 400 ? summary : null;

const reported = ({ signal: { source, outlets } }: Evidence): string =>
  `${escapeMarkdown(source.outlet ?? 'a source')}${outlets > 1 ? ` and ${outlets - 1} more` : ''}`;

/** Ends a sentence that ends with a quotation, unless the quotation does. */
const ended = (text: string): string => (/[.!?…]”$/.test(text) ? text : `${text}.`);

/** `Mall Road reported on 9 November 2026: “…” — “…”.` */
function tell(evidence: Evidence): Sentence {
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

// Answers that are a list: the signal that answers best, and what belongs to it.

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
