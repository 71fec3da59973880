/**
 * What a question wants, as a model reads it that learned from questions of many authors: a linear model over the words of the
 * question, with placeholders for its names and times, and over the meaning that the encoder gives it. `eval/ask/train-reading.ts`
 * trains it. Without the encoder, words decide alone. Pure but for the call of the encoder.
 */
import { MOVES, type Move } from '../../schemas/scalar.ts';
import type { MeaningOf } from '../../schemas/story.ts';
import { bytesOf, MEANING_LENGTH } from '../../signal/meaning.ts';
import weights from './learned-reading.json' with { type: 'json' };
import type { Marked } from './marked-question.ts';
import { ACTIONS, INTENTS, METRICS, TypedQuery } from './typed-query.ts';

const { deal, person, condition, measure, by, store_status } = TypedQuery.shape;
const { types, role, status } = deal.unwrap().shape;
const { direction, asks } = person.unwrap().shape;

/**
 * Classes in groups, those of the fields of a query; an empty class is none of the others. Weights are stored in this order: another
 * class needs another training.
 */
export const GROUPS = {
  intent: [...INTENTS.filter((intent) => intent !== 'unreadable'), 'amount'],
  kind: MOVES,
  store_status: ['', ...store_status.unwrap().options],
  deal: types.element.options,
  deal_role: ['', ...role.unwrap().options],
  deal_status: ['', ...status.unwrap().options],
  person_move: ['', ...direction.unwrap().options],
  person_asks: ['', ...asks.unwrap().options],
  metric: ['', ...METRICS],
  action: ['', ...(Object.keys(ACTIONS) as (keyof typeof ACTIONS)[])],
  condition: ['', ...condition.unwrap().shape.is.options],
  condition_of: ['', ...condition.unwrap().shape.metric.options],
  measure: ['', ...measure.unwrap().options],
  by: ['', ...by.unwrap().options],
  order: ['', 'newest', 'oldest', 'largest', 'smallest'],
  rest: ['rest'],
} as const;
export type Group = keyof typeof GROUPS;
/** Groups of which each class may hold. */
export const EACH: ReadonlySet<Group> = new Set(['kind', 'deal', 'rest']);

const NAMES = Object.keys(GROUPS) as Group[];
/** Where the columns of each group begin. */
const STARTS = Object.fromEntries(
  NAMES.map((group, index) => [group, NAMES.slice(0, index).reduce((sum, one) => sum + GROUPS[one].length, 0)]),
) as Record<Group, number>;
/** Columns of all groups. */
export const COLUMNS = NAMES.reduce((sum, group) => sum + GROUPS[group].length, 0);

/** Placeholders of a question by what they stand for, and a word for each: mentions are regulators, investors, malls and outlets. */
const PLACEHOLDERS = {
  b: 'Brand',
  p: 'Pune',
  k: 'shops',
  t: 'topic',
  r: 'Regulator',
  i: 'Fund',
  m: 'Mall',
  o: 'Outlet',
  u: 'Name',
  d: 'July',
} as const;
const MENTIONS = { regulator: 'r', investor: 'i', mall: 'm', outlet: 'o' } as const;
type Letter = keyof typeof PLACEHOLDERS;

/** A question with placeholders that say what sort of name each is, without numbers. */
export const withSorts = ({ masked, spans }: Pick<Marked, 'masked' | 'spans'>): string =>
  masked.replace(/@(([bpktmud])\d+)/g, (_, name: string, letter: string) => {
    const meaning = spans.get(name)?.meaning;
    return `@${meaning?.type === 'mention' ? MENTIONS[meaning.mention.type] : letter}`;
  });

/** A question with words in place of its placeholders, of which the encoder gives the meaning. */
export const inWords = (sorted: string): string =>
  sorted.replace(/@([a-z])(?![a-z])/g, (_, letter: Letter) => PLACEHOLDERS[letter]);

/** The begin of a word says what it says in other forms. */
const STEM = 5;

/** The features of a question with placeholders, each with the words that it is of, by their place. */
export function featuresOf(sorted: string): ReadonlyMap<string, readonly number[]> {
  const tokens = sorted.split(' ').filter(Boolean);
  const words = ['<', ...tokens, '>'];
  const features = new Map<string, readonly number[]>();
  for (const [index, word] of words.entries()) {
    features.set(word, [index]);
    if (word.length >= STEM) features.set(`${word.slice(0, STEM)}*`, [index]);
    const [next, second] = [words[index + 1], words[index + 2]];
    if (next !== undefined) features.set(`${word} ${next}`, [index, index + 1]);
    if (second !== undefined) features.set(`${word} _ ${second}`, [index, index + 2]);
  }
  for (const letter of Object.keys(PLACEHOLDERS)) {
    const count = tokens.filter((token) => token === `@${letter}`).length;
    if (count !== 1) features.set(`${count > 1 ? 'many' : 'no'} @${letter}`, []);
  }
  return features;
}

/** What each feature of a question weighs: long questions weigh as much as short ones. */
export const strengthOf = (features: ReadonlyMap<string, unknown>, known: (feature: string) => boolean): number =>
  3 / Math.sqrt(Math.max(1, [...features.keys()].filter(known).length));

/** A meaning as numbers, all as long as those that were trained on. @returns none without a meaning */
export function numbersOf(meaning: Awaited<ReturnType<MeaningOf>>): readonly number[] {
  const numbers = meaning ? [...bytesOf(meaning.values)] : [];
  const length = Math.hypot(...numbers);
  return length > 0 ? numbers.map((value) => (6 * value) / length) : [];
}

const rows = new Map(weights.features.map((feature, index) => [feature, index] as const));
const table = bytesOf(weights.rows);
/** After the rows of the features come those of the numbers of a meaning, and of what every question has. */
const MEANING_ROW = weights.features.length;
const weight = (row: number, column: number): number =>
  (table[row * COLUMNS + column] as number) * (weights.scales[column] as number);

type Of<Name extends Group> = (typeof GROUPS)[Name][number];
type One<Name extends Group> = Exclude<Of<Name>, ''> | null;

/** What a question wants. */
export interface LearnedReading {
  readonly intent: Of<'intent'>;
  /** How likely each intent is. */
  readonly intents: Readonly<Record<Of<'intent'>, number>>;
  readonly kinds: readonly Move[];
  readonly store_status: One<'store_status'>;
  readonly deal: { readonly types: Of<'deal'>[]; readonly role: One<'deal_role'>; readonly status: One<'deal_status'> };
  readonly direction: One<'person_move'>;
  readonly asks: One<'person_asks'>;
  readonly metric: One<'metric'>;
  readonly action: TypedQuery['action'];
  /** Of what (`any` where that is not said), and how it is. */
  readonly condition: {
    readonly of: Exclude<Of<'condition_of'>, ''>;
    readonly is: Exclude<Of<'condition'>, ''>;
  } | null;
  readonly measure: TypedQuery['measure'];
  readonly by: TypedQuery['by'];
  readonly order: One<'order'>;
  /** How likely it is that the question asks for something that no field says, from 0 to 1. */
  readonly rest: number;
  /** Words by which it was read, as they are in the question: they say what the fields say. */
  readonly words: ReadonlySet<string>;
}

/** A word that moves a class that was chosen by so much was read. In logits. */
const READ = 0.8;

/** The score of each class, as a logit. */
function sumsOf(
  features: ReadonlyMap<string, unknown>,
  strength: number,
  numbers: readonly number[],
): Float64Array<ArrayBuffer> {
  const sums = new Float64Array(COLUMNS);
  const add = (row: number | undefined, times: number): void => {
    if (row === undefined) return;
    for (let column = 0; column < COLUMNS; column++)
      sums[column] = (sums[column] as number) + times * weight(row, column);
  };
  for (const feature of features.keys()) add(rows.get(feature), strength);
  for (const [index, value] of numbers.entries()) add(MEANING_ROW + index, value);
  add(MEANING_ROW + MEANING_LENGTH, 1);
  return sums;
}

/** The share of each of some classes of which one holds, by their logits. */
function softmax(logits: readonly number[]): number[] {
  const powers = logits.map((logit) => Math.exp(logit - Math.max(...logits)));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

/** Reads a question with placeholders in place of its names and times. */
export function readWant(sorted: string, meaning: Awaited<ReturnType<MeaningOf>>): LearnedReading {
  const features = featuresOf(sorted);
  const strength = strengthOf(features, (feature) => rows.has(feature));
  const sums = sumsOf(features, strength, numbersOf(meaning));
  const logits = (group: Group): number[] => GROUPS[group].map((_, index) => sums[STARTS[group] + index] as number);
  const columns: number[] = [];
  /** The most likely class of a group. */
  const one = <Name extends Group>(group: Name): Of<Name> => {
    const scores = logits(group);
    const best = scores.indexOf(Math.max(...scores));
    const name = GROUPS[group][best] as Of<Name>;
    if (name !== '') columns.push(STARTS[group] + best);
    return name;
  };
  const each = <Name extends Group>(group: Name): Of<Name>[] =>
    logits(group).flatMap((score, index) => {
      if (score <= 0) return [];
      columns.push(STARTS[group] + index);
      return [GROUPS[group][index] as Of<Name>];
    });
  const orNull = <Name extends Group>(group: Name): One<Name> => (one(group) || null) as One<Name>;
  const chances = softmax(logits('intent'));
  const intents = Object.fromEntries(
    GROUPS.intent.map((intent, index) => [intent, chances[index]]),
  ) as LearnedReading['intents'];
  const [is, of] = [orNull('condition'), orNull('condition_of')];
  const reading = {
    intent: one('intent'),
    intents,
    kinds: each('kind'),
    store_status: orNull('store_status'),
    deal: { types: each('deal'), role: orNull('deal_role'), status: orNull('deal_status') },
    direction: orNull('person_move'),
    asks: orNull('person_asks'),
    metric: orNull('metric'),
    action: orNull('action'),
    condition: is && { of: of ?? 'any', is },
    measure: orNull('measure'),
    by: orNull('by'),
    order: orNull('order'),
    rest: 1 / (1 + Math.exp(-(logits('rest')[0] as number))),
  };
  return { ...reading, words: wordsRead(sorted, features, strength, columns) };
}

/** The words that moved a class that was chosen. */
function wordsRead(
  sorted: string,
  features: ReadonlyMap<string, readonly number[]>,
  strength: number,
  columns: readonly number[],
): ReadonlySet<string> {
  const words = ['', ...sorted.split(' ').filter(Boolean)];
  const moved = words.map(() => new Float64Array(columns.length));
  for (const [feature, places] of features) {
    const row = rows.get(feature);
    if (row === undefined) continue;
    for (const place of places)
      columns.forEach((column, index) => {
        const of = moved[place];
        if (of) of[index] = (of[index] as number) + (strength * weight(row, column)) / places.length;
      });
  }
  return new Set(words.filter((_, place) => Math.max(...(moved[place] ?? [])) >= READ));
}

/** Reads what questions want. */
export type WantReader = (question: Pick<Marked, 'masked' | 'spans'>) => Promise<LearnedReading>;

/** @param meaningOf null to read by words alone */
export const wantReader =
  (meaningOf: MeaningOf | null | undefined): WantReader =>
  async (question) => {
    const sorted = withSorts(question);
    return readWant(sorted, meaningOf ? await meaningOf(inWords(sorted)) : null);
  };
