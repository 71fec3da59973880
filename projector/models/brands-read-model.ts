/** Brands: one entry for each brand that a public signal names, from which profiles and comparisons are counted. */
import { readFileSync } from 'node:fs';
import { SIGNAL_PREFIX } from '../../schemas/signal.ts';
import { SIGNAL_TYPES, touchedSignals } from '../../signal/signal-events.ts';
import { modelVersion } from '../model-version.ts';
import type { Model } from '../read-model.ts';
import { evolveFacts, type SignalFacts } from './signal-facts.ts';

const schema = readFileSync(new URL('./brands.sql', import.meta.url), 'utf8');

/** The model of brands. */
export function brandsModel(): Model<SignalFacts> {
  return {
    name: 'brands',
    types: SIGNAL_TYPES,
    prefixes: [SIGNAL_PREFIX],
    topics: [],
    schema,
    version: modelVersion(import.meta.url, { schema }),
    keys: touchedSignals,
    evolve: evolveFacts,
    tables: [
      { name: 'brand_facts', columns: [], records: () => [{}] },
      {
        name: 'brand_stories',
        columns: ['brand', 'name', 'is_primary', 'published_at', 'move', 'theme', 'theme_name', 'cities', 'outlets'],
        records: ({ status, published_at, move, theme, brands, cities, outlets }) =>
          status !== 'public'
            ? []
            : brands.map(({ slug, name, primary }) => ({
                brand: slug,
                name,
                is_primary: primary,
                published_at,
                move,
                theme: theme?.slug ?? null,
                theme_name: theme?.name ?? null,
                cities,
                outlets,
              })),
      },
    ],
  };
}
