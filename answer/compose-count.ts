/** Answers that are a number, or numbers side by side: each with the signals that it was counted from. */

import { bullet } from './compose-list.ts';
import { counted, type Draft, escapeMarkdown, listed, nothing, type Sentence } from './draft.ts';
import { RUPEES, type Tally, tally } from './figures.ts';
import { type Measure, NOUNS } from './question/question-intent.ts';
import type { Question } from './question/read-question.ts';
import type { Evidence } from './retrieve-evidence.ts';

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

const byName = (evidence: readonly Evidence[], slug: string): string =>
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
