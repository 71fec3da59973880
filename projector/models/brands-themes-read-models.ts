/**
 * Brands and themes: an entry for each brand and theme that a public signal names, from which profiles, comparisons
 * and theme pages are counted. Both keep the same facts of a signal: less than its whole row, so that they are cheap
 * to store. The model of brands also keeps what operators decided about names that the catalogue lacks.
 */
import type { KnownEvent } from '../../schemas/events.ts';
import { BRAND_PREFIX } from '../../schemas/resources.ts';
import type { BrandSlug, Move } from '../../schemas/scalar.ts';
import { type Report, SIGNAL_PREFIX, type SignalStatus } from '../../schemas/signal.ts';
import type { Understanding } from '../../schemas/story.ts';
import { foldSignalsBy, SIGNAL_TYPES, touchedSignals } from '../../signal/signal-status.ts';
import type { Model } from '../read-model.ts';
import { defineSignalModel } from './signal-model.ts';

export interface SignalFacts {
  readonly status: SignalStatus;
  readonly published_at: string;
  readonly move: Move;
  readonly theme: { readonly slug: string; readonly name: string } | null;
  readonly brands: readonly {
    readonly slug: BrandSlug;
    readonly name: string;
    readonly primary: boolean;
    readonly provisional: boolean;
  }[];
  readonly cities: readonly string[];
  /** Distinct outlets whose reports count. */
  readonly outlets: readonly string[];
  /** Outlets whose reports all came too late to count, where there are any. */
  readonly late?: readonly string[];
}

/** Applies an event to the facts of one of the signals that it touches. */
const evolveFacts = foldSignalsBy<SignalFacts>({
  SignalDetected: ({ data: { status, published_at, understanding, report } }) => ({
    status,
    published_at,
    ...factsOf(understanding),
    outlets: status === 'resurfaced' ? [] : [report.outlet],
  }),
  SignalReported: (row, { data: { report, resurfaced } }) =>
    resurfaced ? withLate(row, report) : withOutlet(row, report.outlet),
  SignalRevised: (row, { data }) => ({ ...row, ...factsOf(data.after) }),
  SignalCorrected: (row, { data }) => ({ ...row, ...factsOf(data.after) }),
  SignalSplit: (row, { data }) => ({ ...row, outlets: data.outlets }),
  absorbed: (row, merged) =>
    (merged?.outlets ?? []).filter((outlet) => !row.late?.includes(outlet)).reduce(withOutlet, row),
});

const withOutlet = (row: SignalFacts, outlet: string): SignalFacts =>
  row.outlets.includes(outlet) ? row : { ...row, outlets: [...row.outlets, outlet] };

const withLate = (row: SignalFacts, { outlet }: Report): SignalFacts =>
  row.outlets.includes(outlet) || row.late?.includes(outlet) ? row : { ...row, late: [...(row.late ?? []), outlet] };

/**
 * A brand that is named twice counts once, as primary if it is so anywhere. A name on which two readers agree counts like one
 * of the catalogue.
 */
function factsOf(understanding: Understanding): Pick<SignalFacts, 'move' | 'theme' | 'brands' | 'cities'> {
  const { move, theme, cities } = understanding;
  const brands = new Map<BrandSlug, SignalFacts['brands'][number]>();
  for (const { slug, name, role, provisional, agreed } of understanding.brands) {
    const before = brands.get(slug);
    const primary = role === 'primary' || before?.primary === true;
    brands.set(slug, { slug, name, primary, provisional: provisional && !agreed && before?.provisional !== false });
  }
  return { move, theme, cities: [...new Set(cities)], brands: [...brands.values()] };
}

/** What an operator decided about a name from headlines. */
interface BrandDecision {
  readonly brand: BrandSlug;
  readonly decision: 'promoted' | 'refused';
}
type BrandRow = SignalFacts | BrandDecision;
const isDecision = (row: BrandRow): row is BrandDecision => 'decision' in row;

const decisionOf = ({ type, data }: KnownEvent<'BrandPromoted' | 'BrandRefused'>): BrandDecision => ({
  brand: data.slug,
  decision: type === 'BrandPromoted' ? 'promoted' : 'refused',
});
const isBrandEvent = (event: KnownEvent): event is KnownEvent<'BrandPromoted' | 'BrandRefused'> =>
  event.type === 'BrandPromoted' || event.type === 'BrandRefused';

const BRAND_STORIES: Model<SignalFacts>['tables'][number] = {
  name: 'brand_stories',
  columns: [
    'brand',
    'name',
    'is_primary',
    'is_provisional',
    'published_at',
    'move',
    'theme',
    'theme_name',
    'cities',
    'outlets',
  ],
  records: ({ status, published_at, move, theme, brands, cities, outlets }) =>
    status !== 'public'
      ? []
      : brands.map(({ slug, name, primary, provisional }) => ({
          brand: slug,
          name,
          is_primary: primary,
          is_provisional: provisional,
          published_at,
          move,
          theme: theme?.slug ?? null,
          theme_name: theme?.name ?? null,
          cities,
          outlets,
        })),
};

/** The model of brands. */
export function brandsModel(): Model<BrandRow> {
  const facts = defineSignalModel<SignalFacts>(import.meta.url, {
    name: 'brands',
    evolve: evolveFacts,
    indexes: [
      'CREATE INDEX brand_stories_newest ON brand_stories (brand, published_at, key) INCLUDE (is_primary, move, name)',
      // Competitor Watch counts off these two alone, however many stories a brand has.
      'CREATE INDEX brand_stories_moves ON brand_stories (brand, move, published_at) WHERE is_primary',
      `CREATE INDEX brand_stories_cities ON brand_stories (brand, published_at) INCLUDE (cities)
        WHERE is_primary AND cities <> '{}'`,
    ],
    tables: [{ name: 'brand_facts', columns: [], records: () => [{}] }, BRAND_STORIES],
  });
  return {
    ...facts,
    types: [...SIGNAL_TYPES, 'BrandPromoted', 'BrandRefused'],
    prefixes: [SIGNAL_PREFIX, BRAND_PREFIX],
    keys: (event) => (isBrandEvent(event) ? [`brand:${event.data.slug}`] : touchedSignals(event)),
    evolve(row, event, key, before) {
      if (isBrandEvent(event)) return decisionOf(event);
      const signal = (other: BrandRow | null): SignalFacts | null => (other && !isDecision(other) ? other : null);
      return evolveFacts(signal(row), event, key, (other) => signal(before(other)));
    },
    tables: [
      ...facts.tables.map((table) => ({
        ...table,
        records: (row: BrandRow, key: string) =>
          isDecision(row) ? (table.name === 'brand_facts' ? [{}] : []) : table.records(row, key),
      })),
      {
        name: 'brand_decisions',
        columns: ['brand', 'decision'],
        records: (row) => (isDecision(row) ? [{ brand: row.brand, decision: row.decision }] : []),
      },
    ],
  };
}

/** The model of themes. */
export function themesModel(): Model<SignalFacts> {
  return defineSignalModel(import.meta.url, {
    name: 'themes',
    evolve: evolveFacts,
    indexes: ['CREATE INDEX theme_stories_newest ON theme_stories (theme, published_at, key) INCLUDE (move, name)'],
    tables: [
      { name: 'theme_facts', columns: [], records: () => [{}] },
      {
        name: 'theme_stories',
        columns: ['theme', 'name', 'published_at', 'move', 'brands'],
        records: ({ status, published_at, move, theme, brands }) =>
          status !== 'public' || !theme
            ? []
            : [
                {
                  theme: theme.slug,
                  name: theme.name,
                  published_at,
                  move,
                  brands: brands.filter(({ primary }) => primary).map(({ slug }) => slug),
                },
              ],
      },
    ],
  });
}
