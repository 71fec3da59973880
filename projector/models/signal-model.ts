/** Read models with a row for each signal. */
import type { BrandSlug } from '../../schemas/scalar.ts';
import { SIGNAL_PREFIX } from '../../schemas/signal.ts';
import type { BrandMention } from '../../schemas/story.ts';
import { SIGNAL_TYPES, touchedSignals } from '../../signal/signal-status.ts';
import { defineModel, type Model } from '../read-model.ts';

/** Makes a read model that follows all events of signals, see `defineModel`. */
export const defineSignalModel = <Row>(
  file: string,
  definition: Omit<Parameters<typeof defineModel<Row>>[1], 'types' | 'prefixes' | 'keys'>,
): Model<Row> =>
  defineModel(file, { types: SIGNAL_TYPES, prefixes: [SIGNAL_PREFIX], keys: touchedSignals, ...definition });

interface Named {
  readonly brands: readonly Pick<BrandMention, 'slug' | 'role'>[];
  readonly cities: readonly string[];
}

/** Slugs of the brands that a text names, of those that it is about, and its cities, each once. */
export function namedIn({ brands, cities }: Named) {
  const slugs = (of: Named['brands']): BrandSlug[] => [...new Set(of.map(({ slug }) => slug))];
  return {
    brands: slugs(brands),
    about: slugs(brands.filter(({ role }) => role === 'primary')),
    cities: [...new Set(cities)],
  };
}
