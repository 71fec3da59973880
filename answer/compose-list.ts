/**
 * Answers that are a list: the signal that answers best, and further evidence that says something different; and
 * answers that are a number, or numbers side by side, each with the signals that it was counted from.
 */
import type { BrandSlug } from '../schemas/scalar.ts';
import { type Basis, counted, type Draft, escapeMarkdown, listed, nothing, quotation, type Sentence } from './draft.ts';
import { RUPEES, type Tally, tally } from './figures.ts';
import { spoken } from './question/calendar.ts';
import { type Measure, NOUNS } from './question/question-intent.ts';
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

/** Maximum of bullets below a number; the other signals that were counted are cited without a quotation. */
const MAX_BULLETS = 12;
/** Brands of a question that names none. */
const MAX_BRANDS = 5;

const idsOf = (evidence: readonly Evidence[]): string[] => evidence.map(({ signal }) => signal.id);

/** `in Pune and Surat `, and the time. */
const scope = ({ cities, period }: Question): string =>
  [cities.length > 0 ? `in ${listed(cities.map(({ name }) => name))}` : '', period?.label ?? 'in the record so far']
    .filter(Boolean)
    .join(' ');

const things = (measure: Measure, question: Question, value: number): string => {
  if (measure.of === 'stores') return counted(value, 'store');
  const [move, ...others] = question.moves;
  const [one, many] = move && others.length === 0 ? NOUNS[move] : ['move', 'moves'];
  return counted(value, one, many);
};

const VERBS = { opened: 'opened', closed: 'closed', planned: 'announced or planned' } as const;

/** `opened 7 stores`, `raised ₹230 Cr`, `made 3 deals`. */
function did(measure: Measure, question: Question, value: number, figure: string): string {
  if (measure.of === 'stores') return `${VERBS[measure.status]} ${things(measure, question, value)}`;
  if (measure.of === 'moves') return `made ${things(measure, question, value)}`;
  return `${measure.of === 'raised' ? 'raised' : 'spent'} ${escapeMarkdown(figure)}`;
}

const atLeast = (measure: Measure): string => (measure.of === 'stores' ? 'at least ' : '');

const byName = (evidence: readonly Evidence[], slug: BrandSlug): string =>
  evidence.flatMap(({ signal }) => signal.brands).find((brand) => brand.slug === slug)?.name ?? slug;

const sentence = (markdown: string, evidence: readonly Evidence[]): Sentence => ({
  markdown,
  ids: idsOf(evidence),
  quotes: [],
});

function bulletsOf(evidence: readonly Evidence[]): Sentence[] {
  const bullets = evidence.slice(0, MAX_BULLETS).map(bullet);
  const others = evidence.slice(MAX_BULLETS);
  return others.length > 0
    ? [...bullets, sentence(`Also counted: ${counted(others.length, 'signal')}`, others)]
    : bullets;
}

const MIXED = `Amounts in several currencies are compared at ₹${RUPEES.USD} a dollar, ₹${RUPEES.EUR} a euro and ₹${RUPEES.GBP} a pound.`;
const ONE_EACH = 'A report without a number of stores counts as one store.';

const notesOf = (measure: Measure, tallies: readonly Tally[]): string[] => [
  ...(measure.of === 'stores' ? [ONE_EACH] : []),
  ...(tallies.length > 1 && new Set(tallies.flatMap(({ figure }) => figure.match(/[₹$€£]/g) ?? [])).size > 1
    ? [MIXED]
    : []),
];

/** The number of one subject: a brand, a kind of shop, a city, or all. */
export function count(question: Question, measure: Measure, evidence: readonly Evidence[]): Draft {
  const named = question.brands;
  const tallies = tally(
    evidence,
    measure,
    question.cities.map(({ name }) => name),
  ).filter(({ brand }) => named.length === 0 || named.some(({ slug }) => slug === brand));
  const [first] = tallies;
  if (!first) return nothingCounted(question, measure, evidence);
  const who = named.length > 0 ? listed(named.map(({ name }) => escapeMarkdown(name))) : null;
  const from = [...new Set(tallies.flatMap((one) => one.evidence))];
  if (measure.of === 'moves' || measure.of === 'stores') {
    const value = measure.of === 'moves' ? from.length : tallies.reduce((sum, one) => sum + one.value, 0);
    const claim = who
      ? `${who} ${did(measure, question, value, '').replace(' ', ` ${atLeast(measure)}`)}`
      : `The record mentions ${atLeast(measure)}${things(measure, question, value)}${measure.of === 'stores' ? ` ${VERBS[measure.status]}` : ''}`;
    const lead = sentence(`${claim} ${scope(question)}, by ${counted(from.length, 'signal')}.`, from);
    return { lead: [lead], items: bulletsOf(from), table: [], notes: notesOf(measure, tallies), basis: 'counted' };
  }
  if (tallies.length > 1 && named.length === 0) return compare(question, measure, evidence);
  const lead = tallies.map((one) =>
    sentence(
      `${escapeMarkdown(byName(one.evidence, one.brand))} ${did(measure, question, one.value, one.figure)} ${scope(question)}, by ${counted(one.evidence.length, 'signal')}.`,
      one.evidence,
    ),
  );
  return { lead, items: bulletsOf(from), table: [], notes: notesOf(measure, tallies), basis: 'counted' };
}

function nothingCounted(question: Question, measure: Measure, evidence: readonly Evidence[]): Draft {
  const who = listed(question.brands.map(({ name }) => escapeMarkdown(name)));
  const verb = measure.of === 'stores' ? VERBS[measure.status] : measure.of === 'moves' ? 'made' : measure.of;
  const what = measure.of === 'stores' ? 'stores' : measure.of === 'moves' ? 'moves' : 'amounts';
  const near = evidence.slice(0, 3).map(bullet);
  return nothing(
    `No ${what} found that ${who ? `${who} ${verb}` : `were ${verb}`} ${scope(question)}.`,
    near.length > 0 ? ['The nearest signals are listed.'] : [],
    near,
  );
}

/** Brands side by side by one measure. */
export function compare(question: Question, measure: Measure, evidence: readonly Evidence[]): Draft {
  const all = tally(
    evidence,
    measure,
    question.cities.map(({ name }) => name),
  );
  const named = question.brands;
  const rows =
    named.length > 0
      ? named.map(({ slug, name }) => ({ name, found: all.find(({ brand }) => brand === slug) }))
      : all.slice(0, MAX_BRANDS).map((found) => ({ name: byName(found.evidence, found.brand), found }));
  const present = rows.flatMap(({ name, found }) => (found ? [{ name: escapeMarkdown(name), found }] : []));
  if (present.length === 0) return nothingCounted(question, measure, evidence);
  present.sort((one, other) => other.found.value - one.found.value);
  const [best, ...others] = present;
  if (!best) return nothingCounted(question, measure, evidence);
  const tied = present.filter(({ found }) => found.value === best.found.value);
  const absent = rows.filter(({ found }) => !found).map(({ name }) => escapeMarkdown(name));
  const figure = (one: Tally): string => did(measure, question, one.value, one.figure);
  const lead: Sentence[] =
    tied.length > 1
      ? [
          sentence(
            `${listed(tied.map(({ name }) => name))} each ${figure(best.found)} ${scope(question)}${others.length >= tied.length ? ', which is the most' : ''}.`,
            tied.flatMap(({ found }) => found.evidence),
          ),
        ]
      : [
          sentence(
            `${best.name} ${figure(best.found)} ${scope(question)}${rows.length > 1 ? ', the most' : ''}.`,
            best.found.evidence,
          ),
        ];
  for (const { name, found } of present.filter((one) => !tied.includes(one) && (tied.length > 1 || one !== best)))
    lead.push(sentence(`${name} ${figure(found)}.`, found.evidence));
  const from = [...new Set(present.flatMap(({ found }) => found.evidence))];
  return {
    lead,
    items: bulletsOf(from),
    table: [],
    notes: [
      ...(absent.length > 0 ? [`Nothing of the kind found for ${listed(absent)} ${scope(question)}.`] : []),
      ...notesOf(
        measure,
        present.map(({ found }) => found),
      ),
    ],
    basis: 'counted',
  };
}
