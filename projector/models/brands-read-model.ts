/** What operators decided about names that the catalogue lacks. */
import type { KnownEvent } from '../../schemas/events.ts';
import { BRAND_PREFIX } from '../../schemas/resources.ts';
import { defineModel, type Model } from '../read-model.ts';

type Decided = KnownEvent<'BrandPromoted' | 'BrandRefused'>;

interface BrandDecision {
  readonly decision: 'promoted' | 'refused';
}

/** The model of brands: the last decision about each. */
export const brandsModel = (): Model<BrandDecision> =>
  defineModel(import.meta.url, {
    name: 'brands',
    types: ['BrandPromoted', 'BrandRefused'],
    prefixes: [BRAND_PREFIX],
    keys: (event) => [(event as Decided).data.slug],
    evolve: (_, { type }) => ({ decision: type === 'BrandPromoted' ? 'promoted' : 'refused' }),
    tables: [{ name: 'brand_decisions', columns: ['decision'], records: ({ decision }) => [{ decision }] }],
  });
