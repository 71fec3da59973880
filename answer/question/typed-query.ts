/**
 * A question as a typed query: what is wanted, and what it is about. Reading a question makes one, by rules or with a model;
 * finding and answering need nothing else of the question. What a reader sees as chips, and what a follow-up changes, are
 * fields of it.
 */
import { z } from 'zod';
import { Category } from '../../schemas/catalogue.ts';
import { Instant, Move, StoredBrandSlug } from '../../schemas/scalar.ts';

/** What an answer has to be. */
export const INTENTS = [
  /** Signals that fit, the best first. */
  'list',
  /** One event or the events of one brand, told in the order of weight. */
  'happened',
  /** A number of stores, signals, people or deals. */
  'count',
  /** A sum of money. */
  'sum',
  /** Groups by a measure, the highest or lowest first. */
  'rank',
  /** Two or more brands, cities or periods side by side. */
  'compare',
  /** A figure of a company's results. */
  'result',
  /** Who holds, took or left a seat. */
  'person',
  /** The reason of an event, or what led to it. */
  'why',
  /** When it happened or began. */
  'when',
  /** The reports behind the answer before. */
  'sources',
  /** Advice, forecasts, other texts: nothing that a record of moves can answer. */
  'outside',
  /** Written in a language that cannot be read further than its names. */
  'unreadable',
] as const;
export const Intent = z.enum(INTENTS);
export type Intent = z.infer<typeof Intent>;

export const METRICS = ['revenue', 'profit', 'loss', 'ebitda', 'margin', 'same-store sales', 'gmv', 'any'] as const;

const NamedRef = z.strictObject({ slug: StoredBrandSlug, name: z.string() });
const ThemeRef = z.strictObject({ slug: z.string(), name: z.string() });

/** A place as it was named, and the cities of the catalogue that it stands for: itself, or those of a state or region. */
const Place = z.strictObject({ name: z.string(), cities: z.array(z.string()) });

/** What signals are about. Values of one field are alternatives; fields narrow each other. */
const Filters = z.strictObject({
  brands: z.array(NamedRef),
  /** Names that neither the catalogue nor the record knows, as they were written. */
  unknown_names: z.array(z.string()),
  categories: z.array(Category),
  themes: z.array(ThemeRef),
  places: z.array(Place),
  kinds: z.array(Move),
});

export const TypedQuery = z.strictObject({
  intent: Intent,
  ...Filters.shape,
  /** What is excluded: "other than Reliance", "not in Mumbai". */
  except: Filters,
  /** Half open, in UTC; `label` reads in a sentence (`in June 2026`), `fiscal` is set for a quarter or fiscal year (`Q1 FY27`). */
  period: z
    .strictObject({ since: Instant, until: Instant, label: z.string(), fiscal: z.string().nullable() })
    .nullable(),
  /** For openings: only these. Null: opened ones where stores are counted, else all. */
  store_status: z.enum(['opened', 'planned', 'closed']).nullable(),
  deal: z
    .strictObject({
      type: z.enum(['funding', 'acquisition', 'stake_sale', 'ipo', 'jv', 'merger']).nullable(),
      /** What the brands of the query are in the deal. */
      role: z.enum(['target', 'buyer', 'seller']).nullable(),
      status: z.enum(['rumoured', 'agreed', 'completed']).nullable(),
    })
    .nullable(),
  person: z
    .strictObject({
      /** The seat as it was written, such as `CFO`; null for any. */
      role: z.string().nullable(),
      direction: z.enum(['joined', 'left', 'promoted']).nullable(),
      name: z.string().nullable(),
    })
    .nullable(),
  metric: z.enum(METRICS).nullable(),
  /** A condition on results: "posted losses", "grew above 20 %". */
  condition: z
    .strictObject({
      metric: z.enum(METRICS),
      is: z.enum(['loss', 'profit', 'up', 'down', 'above', 'below']),
      /** Percent for a growth, rupees for an amount; null for the bare direction. */
      value: z.number().nullable(),
      unit: z.enum(['percent', 'rupees']).nullable(),
    })
    .nullable(),
  /** What `count`, `sum`, `rank` and `compare` measure. */
  measure: z.enum(['stores', 'signals', 'raised', 'spent', 'people', 'metric']).nullable(),
  /** What `rank` and `compare` group by. */
  by: z.enum(['brand', 'city', 'category', 'kind', 'outlet', 'theme', 'period']).nullable(),
  order: z.enum(['relevance', 'newest', 'oldest', 'largest', 'smallest', 'salience']),
  /** How many are asked for ("top 5"); null where the question does not say. */
  limit: z.int().positive().max(100).nullable(),
  /** Only signals that so many outlets reported. */
  minimum_outlets: z.int().positive().nullable(),
  /** Words that nothing above has understood, folded. They weigh in ranking; evidence need not contain them. */
  words: z.array(z.string()),
  /** What the question takes for a fact, when it names both sides: "the acquisition of Lenskart by Reliance". */
  premise: z.strictObject({ kind: Move, subject: NamedRef, object: NamedRef, text: z.string() }).nullable(),
});
export type TypedQuery = z.infer<typeof TypedQuery>;
