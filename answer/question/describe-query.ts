/** A typed query as readers see it: chips such as `Store openings`, `Gurugram`, `Last 30 days`, each of which can be taken away. */
import type { AskQuery } from '../../schemas/ask.ts';
import type { Category } from '../../schemas/catalogue.ts';
import type { Move } from '../../schemas/scalar.ts';
import { EMPTY_QUERY, encodeQuery, MAX_ENCODED, type TypedQuery } from './typed-query.ts';

export interface Chip {
  readonly field: keyof TypedQuery;
  readonly label: string;
  readonly value: string;
  /** The query without it. */
  readonly remove: TypedQuery;
}

const KINDS: Readonly<Record<Move, string>> = {
  ...{ stores: 'Store moves', deals: 'Deals', people: 'People moves', results: 'Results', launches: 'Launches' },
  ...{ strategy: 'Strategy', rules: 'Rules', other: 'Other moves' },
};
const STORES = {
  openings: 'Store openings',
  opened: 'Opened stores',
  planned: 'Planned openings',
  closed: 'Store closures',
} as const;
const DEALS = {
  ...{ funding: 'Funding', acquisition: 'Acquisitions', stake_sale: 'Stake sales', ipo: 'IPOs' },
  ...{ jv: 'Joint ventures', merger: 'Mergers' },
} as const;
const ROLES = { target: 'as the target', buyer: 'as the buyer', seller: 'as the seller' } as const;
const INTENTS: Readonly<Partial<Record<TypedQuery['intent'], string>>> = {
  ...{
    count: 'Count',
    sum: 'Sum',
    rank: 'Ranking',
    compare: 'Comparison',
    why: 'Why',
    when: 'When',
    sources: 'Sources',
  },
};
const MEASURES: Readonly<Record<NonNullable<TypedQuery['measure']>, string>> = {
  ...{
    stores: 'stores',
    network: 'size of the network',
    signals: 'moves',
    raised: 'money raised',
    spent: 'money spent',
  },
  ...{ people: 'people', metric: 'figure' },
};

const capital = (text: string): string => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
const categoryName = (category: Category): string =>
  category === 'fmcg' ? 'FMCG' : capital(category.replaceAll('_', ' '));
const number = (value: number): string => value.toLocaleString('en-IN');

function conditionText({ metric, is, value, unit }: NonNullable<TypedQuery['condition']>): string {
  if (value === null)
    return is === 'loss' ? 'Made a loss' : is === 'profit' ? 'Made a profit' : `${capital(metric)} ${is}`;
  const amount =
    unit === 'percent'
      ? `${number(value)}%`
      : unit === 'rupees'
        ? `₹${value >= 1e7 ? `${number(value / 1e7)} crore` : number(value)}`
        : unit === 'dollars'
          ? `$${value >= 1e6 ? `${number(value / 1e6)} million` : number(value)}`
          : number(value);
  return `${capital(metric === 'any' ? 'growth' : metric)} ${is} ${amount}`;
}

/** The kinds that a query asks for, in the words of its store status and deal types. */
const kindText = (kind: Move, { store_status, deal }: TypedQuery): string => {
  if (kind === 'stores') return store_status ? STORES[store_status] : KINDS.stores;
  if (kind !== 'deals' || !deal) return KINDS[kind];
  const types = deal.types.map((type) => DEALS[type]).join(', ') || KINDS.deals;
  return [types, deal.status, deal.role && ROLES[deal.role]].filter(Boolean).join(', ');
};

const LISTS = ['brands', 'unknown_names', 'mentions', 'categories', 'themes', 'places', 'kinds'] as const;
const LABELS = {
  ...{
    brands: 'Brand',
    unknown_names: 'Name',
    mentions: 'Name',
    categories: 'Category',
    themes: 'Theme',
    places: 'Place',
  },
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

const without = <T>(values: readonly T[], index: number): T[] => values.filter((_, at) => at !== index);

/** The chips of a query, in the order in which a sentence would name them. */
export function describeQuery(query: TypedQuery): Chip[] {
  const chips: Chip[] = [];
  const add = (field: keyof TypedQuery, label: string, value: string | null, remove: Partial<TypedQuery>): void => {
    if (value) chips.push({ field, label, value, remove: { ...query, premise: null, ...remove } });
  };
  const intent = INTENTS[query.intent];
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
        ...(field === 'kinds' && query.kinds[index] === 'stores' ? { store_status: null } : {}),
        ...(field === 'kinds' && query.kinds[index] === 'deals' ? { deal: null } : {}),
        ...(field === 'kinds' && query.kinds[index] === 'people' ? { person: null } : {}),
        ...(field === 'kinds' && query.kinds[index] === 'results' ? { metric: null, condition: null } : {}),
      });
  const except = textsOf(query.except, EMPTY_QUERY);
  for (const field of LISTS)
    for (const [index, value] of except[field].entries())
      add('except', 'Not', `Not ${value}`, {
        except: { ...query.except, [field]: without<unknown>(query.except[field], index) },
      });
  const { person } = query;
  const direction = person?.direction
    ? { joined: 'joined', left: 'left', promoted: 'promoted' }[person.direction]
    : null;
  add(
    'person',
    'Person',
    person && capital([person.name, person.role, direction, person.asks].filter(Boolean).join(', ')),
    { person: null },
  );
  add('metric', 'Figure', query.metric && query.metric !== 'any' && !query.condition ? capital(query.metric) : null, {
    metric: null,
  });
  add('condition', 'Condition', query.condition && conditionText(query.condition), { condition: null });
  add('period', 'Time', query.period && capital(query.period.label), { period: null, against: null });
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
      ...{ field, label, value },
      without: chips.length > 1 ? encodeQuery(remove) : null,
    })),
  };
}
