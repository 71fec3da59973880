/** Deals: one entry per deal that the reports of a public signal state. */
import type { BrandSlug } from '../../schemas/scalar.ts';
import type { ReportedFacts } from '../../schemas/signal.ts';
import type { Deal } from '../../schemas/story.ts';
import type { Model } from '../read-model.ts';
import { aboutIn, completed, type Origin, type ReportedParts, reportedPartsModel, slugIn } from './reported-parts.ts';

/** A deal, with the slugs under which its text names the parties. */
interface DealPart extends Deal {
  readonly status: Exclude<Deal['status'], undefined>;
  readonly target_slug: BrandSlug | null;
  readonly brands: readonly BrandSlug[];
}

/** The deal of a text. */
const dealParts = (text: ReportedFacts): DealPart[] => {
  const { deal } = text;
  if (deal === null) return [];
  const target_slug = slugIn(text, deal.target);
  const parties = deal.buyers.flatMap((buyer) => slugIn(text, buyer) ?? []);
  const brands = [...new Set([...(target_slug ? [target_slug] : []), ...parties, ...aboutIn(text)])];
  return [{ ...deal, status: deal.status ?? null, target_slug, brands }];
};

type Stated = DealPart & Origin;

const union = <Word>(one: readonly Word[], other: readonly Word[]): Word[] => [...new Set([...one, ...other])];

/** One signal has one deal: a further report completes it, where it speaks of a deal of the same type. */
const combineDeals = (known: readonly Stated[], more: readonly Stated[]): readonly Stated[] => {
  const [same, other] = [known[0], more[0]];
  if (!same || !other) return same ? known : more;
  if (same.type !== other.type) return known;
  const filled = completed(same, other, ['amount', 'target', 'target_slug', 'status']);
  return [{ ...filled, buyers: union(same.buyers, other.buyers), brands: union(same.brands, other.brands) }];
};

/** Created after the rows. */
const indexes = [
  'ALTER TABLE deals ADD PRIMARY KEY (key, number)',
  'CREATE INDEX deals_newest ON deals (published_at, key, number) INCLUDE (type, status)',
  'CREATE INDEX deals_of_brand ON deals USING gin (brands)',
];

/** The model of deals. */
export const dealsModel = (): Model<ReportedParts<DealPart>> =>
  reportedPartsModel({
    name: 'deals',
    file: import.meta.url,
    field: 'deal',
    indexes,
    columns: ['type', 'status', 'amount', 'target', 'target_slug', 'buyers', 'brands'],
    partsOf: dealParts,
    combine: combineDeals,
    record: (part) => ({ ...part }),
  });
