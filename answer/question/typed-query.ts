/**
 * A question as a typed query: what is wanted, and what it is about. Reading a question makes one, by rules or with a
 * model; finding and answering need nothing else of the question. What a reader sees as chips, such as `Store
 * openings` or `Last 30 days`, each of which can be taken away, and what a follow-up changes, are fields of it.
 */
import { z } from 'zod';
import type { Action } from '../../facts/enforcement/fields.ts';
import { capitalised, formatNumber } from '../../language/prose.ts';
import type { AskQuery } from '../../schemas/ask.ts';
import { Category } from '../../schemas/catalogue.ts';
import { Instant, Move, StoredBrandSlug, StoredSignalId } from '../../schemas/scalar.ts';

/** What an answer has to be. */
export const INTENTS = [
  /** Signals that fit, the best first. */
  'list',
  /** One event or the events of one brand, described in order of weight. */
  'happened',
  /** A number of stores, signals, people or deals. */
  'count',
  /** A sum of money: of deals, raised apart from spent. */
  'sum',
  /** Groups by a measure, the highest or lowest first; single signals by their size where `by` is null ("the biggest deal"). */
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

/** A query may come back from a page: everything in it is bounded. */
const MAX_VALUES = 40;
const Name = z.string().min(1).max(120);

export const NamedRef = z.strictObject({ slug: StoredBrandSlug.max(90), name: Name });
export type NamedRef = z.infer<typeof NamedRef>;
const ThemeRef = z.strictObject({ slug: z.string().max(90), name: Name });

/** A place as it was named, and the cities of the catalogue that it means: itself, or those of a state or region. */
export const Place = z.strictObject({ name: Name, cities: z.array(Name).max(700) });
export type Place = z.infer<typeof Place>;

/** A name of the catalogue that is no brand: evidence contains it. */
const Mention = z.strictObject({ type: z.enum(['investor', 'mall', 'outlet', 'regulator']), name: Name });

/** What signals are about. Values of one field are alternatives; fields narrow each other. */
const Filters = z.strictObject({
  brands: z.array(NamedRef).max(MAX_VALUES),
  /** Names that neither the catalogue nor the record knows, as they were written. */
  unknown_names: z.array(Name).max(MAX_VALUES),
  mentions: z.array(Mention).max(MAX_VALUES),
  /** With their members that the catalogue lacks: `themesOfCategories` finds those. */
  categories: z.array(Category).max(MAX_VALUES),
  themes: z.array(ThemeRef).max(MAX_VALUES),
  places: z.array(Place).max(MAX_VALUES),
  kinds: z.array(Move).max(8),
});

export type Filters = z.infer<typeof Filters>;

/** Half open, in UTC; `label` reads in a sentence (`in June 2026`), `fiscal` is set for a quarter or fiscal year (`Q1 FY27`). */
const Period = z.strictObject({
  since: Instant,
  until: Instant,
  label: z.string().max(120),
  fiscal: z.string().max(20).nullable(),
});

/** A side of a deal or an appointment; `slug` is null for a person. */
const Side = z.strictObject({ slug: StoredBrandSlug.max(90).nullable(), name: Name });

const DEAL_TYPES = ['funding', 'acquisition', 'stake_sale', 'ipo', 'jv', 'merger'] as const;

/** What regulators and courts do that is counted, one and several of it. */
export const ACTIONS = {
  penalty: ['penalty', 'penalties'],
  notice: ['notice', 'notices'],
  investigation: ['investigation', 'investigations'],
  raid: ['raid', 'raids'],
  recall: ['recall', 'recalls'],
  ban: ['ban', 'bans'],
} as const satisfies Partial<Record<Action, readonly [one: string, many: string]>>;
const Counted = z.enum(Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]);

/** Languages that are recognised by their script or words and not read. */
export const UNREAD_LANGUAGES = ['ta', 'te', 'bn', 'mr', 'gu', 'kn', 'ml', 'pa', 'ur', 'other'] as const;

export const TypedQuery = z.strictObject({
  intent: Intent,
  ...Filters.shape,
  /** What is excluded: "other than Reliance", "not in Mumbai". */
  except: Filters,
  period: Period.nullable(),
  /** The period that `period` is compared with: "this month against last month". */
  against: Period.nullable(),
  /** For stores: only these; `openings` are those opened or planned. Null: opened ones where stores are counted, else all. */
  store_status: z.enum(['openings', 'opened', 'planned', 'closed']).nullable(),
  deal: z
    .strictObject({
      /** Alternatives; empty for any. */
      types: z.array(z.enum(DEAL_TYPES)).max(DEAL_TYPES.length),
      /** What the brands of the query are in the deal; who raises money is its target. Null for either side. */
      role: z.enum(['target', 'buyer', 'seller']).nullable(),
      status: z.enum(['rumoured', 'agreed', 'completed']).nullable(),
    })
    .nullable(),
  person: z
    .strictObject({
      /** The seat: `CEO`, `CFO`, `COO`, `CMO`, `CTO`, `CHRO`, `MD` for all their spellings, else as it was written; null for any. */
      role: Name.nullable(),
      direction: z.enum(['joined', 'left', 'promoted']).nullable(),
      name: Name.nullable(),
      /** Asks for the one who had the seat before the person named, or has it after: "who did he replace?" */
      asks: z.enum(['predecessor', 'successor']).nullable(),
    })
    .nullable(),
  metric: z.enum(METRICS).nullable(),
  /** What a regulator or court did: rows of enforcement with it are counted, summed, ranked or listed. */
  action: Counted.nullable(),
  /** A condition on results, amounts of deals or numbers of stores: "posted losses", "grew above 20 %", "rounds above ₹100 crore". */
  condition: z
    .strictObject({
      metric: z.enum([...METRICS, 'amount', 'stores']),
      is: z.enum(['loss', 'profit', 'up', 'down', 'above', 'below']),
      /** Percent for a growth, below zero for a fall ("fell more than 10 %": below -10); null for the bare direction. */
      value: z.number().nullable(),
      unit: z.enum(['percent', 'rupees', 'dollars', 'stores']).nullable(),
      /** True where the value itself is meant too: "100 or more". */
      or_equal: z.literal(true).optional(),
    })
    .nullable(),
  /**
   * What `count`, `sum`, `rank` and `compare` measure. `network`: the stores that a company says it has; `fined`: the sums of
   * penalties.
   */
  measure: z.enum(['stores', 'network', 'signals', 'raised', 'spent', 'fined', 'people', 'metric']).nullable(),
  /** What `rank` and `compare` group by. */
  by: z.enum(['brand', 'city', 'category', 'kind', 'outlet', 'theme', 'period', 'investor']).nullable(),
  order: z.enum(['relevance', 'newest', 'oldest', 'largest', 'smallest', 'salience']),
  /** How many are asked for ("top 5"); null where the question does not say. */
  limit: z.int().positive().max(100).nullable(),
  /** Only signals that so many outlets reported. */
  minimum_outlets: z.int().positive().nullable(),
  /** Words that nothing above has understood, folded. They weigh in ranking; evidence need not contain them. */
  words: z.array(z.string().max(80)).max(100),
  /** What the question takes for a fact, when it names both sides: "the acquisition of Lenskart by Reliance". */
  premise: z.strictObject({ kind: Move, subject: Side, object: Side, text: z.string().max(300) }).nullable(),
  /** Only these signals, of the answer before: "show me the sources", "how many of these?" */
  among: z.array(StoredSignalId.max(40)).max(200),
  /** Notes for the reader about how the question was read: "“Zuido” was read as Zudio." */
  notes: z.array(z.string().max(300)).max(10),
  /** How likely nothing that a record contains answers the question, from 0 to 1; 0 where that is not likely. It is not encoded. */
  outside: z.number().min(0).max(1),
  /** For `unreadable`: the language, which `unreadableAnswer` answers in. */
  language: z.enum(UNREAD_LANGUAGES).nullable(),
});
export type TypedQuery = z.infer<typeof TypedQuery>;

/** Fields that say what is wanted, not of whom, where and when. */
const WANTED = [
  'intent',
  'kinds',
  'store_status',
  'deal',
  'person',
  'metric',
  'action',
  'condition',
  'measure',
  'by',
  'order',
  'limit',
  'words',
] as const;
export type Want = Pick<TypedQuery, (typeof WANTED)[number]>;
/** What a query asks of its subject. */
export const wantOf = (query: TypedQuery): Want =>
  Object.fromEntries(WANTED.map((field) => [field, query[field]])) as unknown as Want;

/** Whether an answer is added up from all signals that fit. */
export const isCounted = ({ intent }: Pick<TypedQuery, 'intent'>): boolean =>
  ['count', 'sum', 'rank', 'compare'].includes(intent);

/** Whether an answer is made from rows of figures, which are chosen by what they state, and not by words. */
export const isByRows = ({ intent, condition, metric, measure }: TypedQuery): boolean =>
  intent === 'compare' ||
  (intent !== 'why' &&
    intent !== 'when' &&
    (metric !== null || measure !== null || (condition !== null && condition.metric !== 'amount')));

/** Whether an answer lists some of what fits, of which the newest are enough: nothing is counted or compared by its size. */
export const isListed = (query: TypedQuery): boolean =>
  !isCounted(query) &&
  !isByRows(query) &&
  (query.order === 'newest' ||
    (query.order === 'relevance' && (query.intent !== 'happened' || query.words.length > 0)));

const NO_FILTERS: Filters = {
  brands: [],
  unknown_names: [],
  mentions: [],
  categories: [],
  themes: [],
  places: [],
  kinds: [],
};

/** The query of an empty question. */
export const EMPTY_QUERY: TypedQuery = {
  intent: 'list',
  ...NO_FILTERS,
  except: NO_FILTERS,
  period: null,
  against: null,
  store_status: null,
  deal: null,
  person: null,
  metric: null,
  action: null,
  condition: null,
  measure: null,
  by: null,
  order: 'relevance',
  limit: null,
  minimum_outlets: null,
  words: [],
  premise: null,
  among: [],
  notes: [],
  outside: 0,
  language: null,
};

type Cities = (place: string) => readonly string[];
const mapPlaces = (query: TypedQuery, cities: Cities): TypedQuery => {
  const map = (places: TypedQuery['places']): TypedQuery['places'] =>
    places.map(({ name }) => ({ name, cities: [...cities(name)] }));
  return { ...query, places: map(query.places), except: { ...query.except, places: map(query.except.places) } };
};

/** Maximum length of an encoded query. */
const MAX_ENCODED = 4_000;

/** Fields that differ from those of the empty query, as JSON: what a link or a form carries. Places go by their names alone. */
export const encodeQuery = (query: TypedQuery): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(mapPlaces({ ...query, notes: [], outside: 0 }, () => [])).filter(
        ([field, value]) => JSON.stringify(value) !== JSON.stringify(EMPTY_QUERY[field as keyof TypedQuery]),
      ),
    ),
  );

/**
 * Reads what `encodeQuery` wrote, or what somebody else made of it.
 * @param cities those of a place by its name, as `citiesOf` finds them
 * @returns null for anything that is no query
 */
export function decodeQuery(text: string, cities: Cities): TypedQuery | null {
  if (text.length > MAX_ENCODED) return null;
  try {
    const fields: unknown = JSON.parse(text);
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return null;
    const query = TypedQuery.safeParse({ ...EMPTY_QUERY, ...fields }).data;
    return query ? mapPlaces(query, cities) : null;
  } catch {
    // Not JSON, hence no query.
    return null;
  }
}

export interface Chip {
  readonly field: keyof TypedQuery;
  readonly label: string;
  readonly value: string;
  /** The query without it. */
  readonly remove: TypedQuery;
}

const KINDS: Readonly<Record<Move, string>> = {
  stores: 'Store moves',
  deals: 'Deals',
  people: 'People moves',
  results: 'Results',
  launches: 'Launches',
  strategy: 'Strategy',
  rules: 'Rules',
  other: 'Other moves',
};
const STORES = {
  openings: 'Store openings',
  opened: 'Opened stores',
  planned: 'Planned openings',
  closed: 'Store closures',
} as const;
const DEALS = {
  funding: 'Funding',
  acquisition: 'Acquisitions',
  stake_sale: 'Stake sales',
  ipo: 'IPOs',
  jv: 'Joint ventures',
  merger: 'Mergers',
} as const;
const ROLES = { target: 'as the target', buyer: 'as the buyer', seller: 'as the seller' } as const;
const INTENT_CHIPS: Readonly<Partial<Record<TypedQuery['intent'], string>>> = {
  count: 'Count',
  sum: 'Sum',
  rank: 'Ranking',
  compare: 'Comparison',
  why: 'Why',
  when: 'When',
  sources: 'Sources',
};
const MEASURES: Readonly<Record<NonNullable<TypedQuery['measure']>, string>> = {
  stores: 'stores',
  network: 'size of the network',
  signals: 'moves',
  raised: 'money raised',
  spent: 'money spent',
  fined: 'penalties',
  people: 'people',
  metric: 'figure',
};

const categoryName = (category: Category): string =>
  category === 'fmcg' ? 'FMCG' : capitalised(category.replaceAll('_', ' '));

type Condition = NonNullable<TypedQuery['condition']>;

/** Whether a number is above or below the value of a condition, or is that value where it may be. */
export const isWithin = ({ is, value, or_equal }: Condition, number: number): boolean =>
  (or_equal === true && number === value) ||
  (is === 'below' || is === 'down' ? number < (value ?? 0) : number > (value ?? 0));

function conditionText({ metric, is, value, unit, or_equal }: Condition): string {
  if (value === null)
    return is === 'loss' ? 'Made a loss' : is === 'profit' ? 'Made a profit' : `${capitalised(metric)} ${is}`;
  const amount =
    unit === 'percent'
      ? `${formatNumber(value)}%`
      : unit === 'rupees'
        ? `₹${value >= 1e7 ? `${formatNumber(value / 1e7)} crore` : formatNumber(value)}`
        : unit === 'dollars'
          ? `$${value >= 1e6 ? `${formatNumber(value / 1e6)} million` : formatNumber(value)}`
          : formatNumber(value);
  const side = or_equal ? (is === 'below' ? 'at most' : 'at least') : is;
  return `${capitalised(metric === 'any' ? 'growth' : metric)} ${side} ${amount}`;
}

/** The kinds that a query asks for, in the words of its store status and deal types. */
const kindText = (kind: Move, { store_status, deal, action }: TypedQuery): string => {
  if (kind === 'rules' && action) return capitalised(ACTIONS[action][1]);
  if (kind === 'stores') return store_status ? STORES[store_status] : KINDS.stores;
  if (kind !== 'deals' || !deal) return KINDS[kind];
  const types = deal.types.map((type) => DEALS[type]).join(', ') || KINDS.deals;
  return [types, deal.status, deal.role && ROLES[deal.role]].filter(Boolean).join(', ');
};

/** The fields of `Filters`. */
export const LISTS = ['brands', 'unknown_names', 'mentions', 'categories', 'themes', 'places', 'kinds'] as const;
const LABELS = {
  brands: 'Brand',
  unknown_names: 'Name',
  mentions: 'Name',
  categories: 'Category',
  themes: 'Theme',
  places: 'Place',
  kinds: 'Kind',
} as const;

/** The values of a list field as text. */
function textsOf(
  filters: Pick<TypedQuery, (typeof LISTS)[number]>,
  query: TypedQuery,
): Record<(typeof LISTS)[number], string[]> {
  return {
    brands: filters.brands.map(({ name }) => name),
    unknown_names: filters.unknown_names,
    mentions: filters.mentions.map(({ name }) => name),
    categories: filters.categories.map(categoryName),
    themes: filters.themes.map(({ name }) => name),
    places: filters.places.map(({ name }) => name),
    kinds: filters.kinds.map((kind) => kindText(kind, query)),
  };
}

/** The fields that only a kind of move has: they are taken away with it. */
const OF_KIND: Readonly<Partial<Record<Move, Partial<TypedQuery>>>> = {
  stores: { store_status: null },
  deals: { deal: null },
  people: { person: null },
  rules: { action: null },
  results: { metric: null, condition: null },
};

const without = <T>(values: readonly T[], index: number): T[] => values.filter((_, at) => at !== index);

/** The chips of a query, in the order in which a sentence would name them. */
export function describeQuery(query: TypedQuery): Chip[] {
  const chips: Chip[] = [];
  const add = (field: keyof TypedQuery, label: string, value: string | null, remove: Partial<TypedQuery>): void => {
    if (value) chips.push({ field, label, value, remove: { ...query, premise: null, ...remove } });
  };
  const intent = INTENT_CHIPS[query.intent];
  const measure = query.measure ? ` of ${MEASURES[query.measure]}` : '';
  const by = query.by && query.intent !== 'count' ? ` by ${query.by}` : '';
  if (intent)
    add('intent', 'Answer', `${intent}${measure}${by}`, {
      intent: 'list',
      measure: null,
      by: null,
      against: null,
      order: 'relevance',
    });
  const texts = textsOf(query, query);
  for (const field of LISTS.toReversed())
    for (const [index, value] of texts[field].entries())
      add(field, LABELS[field], value, {
        [field]: without<unknown>(query[field], index),
        ...(field === 'kinds' && OF_KIND[query.kinds[index] ?? 'other']),
      });
  const except = textsOf(query.except, EMPTY_QUERY);
  for (const field of LISTS)
    for (const [index, value] of except[field].entries())
      add('except', 'Not', `Not ${value}`, {
        except: { ...query.except, [field]: without<unknown>(query.except[field], index) },
      });
  const { person } = query;
  add(
    'person',
    'Person',
    person && capitalised([person.name, person.role, person.direction, person.asks].filter(Boolean).join(', ')),
    { person: null },
  );
  add(
    'metric',
    'Figure',
    query.metric && query.metric !== 'any' && !query.condition ? capitalised(query.metric) : null,
    {
      metric: null,
    },
  );
  add('condition', 'Condition', query.condition && conditionText(query.condition), { condition: null });
  add('period', 'Time', query.period && capitalised(query.period.label), { period: null, against: null });
  add('against', 'Against', query.against && `Against ${query.against.label}`, { against: null });
  add('minimum_outlets', 'Reports', query.minimum_outlets ? `At least ${query.minimum_outlets} outlets` : null, {
    minimum_outlets: null,
  });
  add('limit', 'Number', query.limit ? `${query.limit} at most` : null, { limit: null });
  for (const [index, word] of query.words.entries())
    add('words', 'Word', `“${word}”`, { words: without(query.words, index) });
  add('among', 'Among', query.among.length > 0 ? 'Signals of the answer before' : null, { among: [] });
  return chips;
}

const MAX_CHIPS = 60;

/** What an answer carries of its query; null for one that does not fit into a request. */
export function askQueryOf(query: TypedQuery): AskQuery | null {
  const chips = describeQuery(query).slice(0, MAX_CHIPS);
  const encoded = encodeQuery(query);
  if (encoded.length > MAX_ENCODED || chips.length === 0) return null;
  return {
    query: encoded,
    chips: chips.map(({ field, label, value, remove }) => ({
      field,
      label,
      value,
      without: chips.length > 1 ? encodeQuery(remove) : null,
    })),
  };
}
