/**
 * Openings, deals and results: one entry per opening, planned opening or closure, per deal, and per metric of a
 * company, that the reports of a public signal state.
 */

import type { Deal } from '../../facts/deals/fields.ts';
import type { Opening } from '../../facts/openings/fields.ts';
import type { Result } from '../../facts/results/fields.ts';
import type { BrandSlug } from '../../schemas/scalar.ts';
import type { ReportedFacts } from '../../schemas/signal.ts';
import type { Model } from '../read-model.ts';
import { aboutIn, completed, type Origin, type ReportedParts, reportedPartsModel, slugIn } from './reported-parts.ts';

/** An opening, with the slug of its brand where the text names the brand. */
interface OpeningPart extends Opening {
  readonly brand_slug: BrandSlug | null;
}

/** The openings of a text. */
const openingParts = (text: ReportedFacts): OpeningPart[] =>
  text.openings.map((opening) => ({ ...opening, brand_slug: slugIn(text, opening.brand) }));

type StatedOpening = OpeningPart & Origin;

const brandOf = ({ brand, brand_slug }: OpeningPart): string => brand_slug ?? brand.toLowerCase();
const FIELDS = ['city', 'mall', 'locality', 'stores', 'date', 'brand_slug'] as const;

/** Whether two single openings of one brand can be the same. */
const mayBeOne = (one: OpeningPart, other: OpeningPart): boolean =>
  (one.status === 'closed') === (other.status === 'closed') &&
  (['city', 'mall'] as const).every(
    (field) => one[field] === null || other[field] === null || one[field] === other[field],
  );

/**
 * The openings of one event from a further report. Reports divide the same stores differently ("12 stores", "5 in Pune
 * and 7 in Indore"), so a brand keeps the openings of the first report that names it, and a single one is completed.
 */
function combineOpenings(known: readonly StatedOpening[], more: readonly StatedOpening[]): readonly StatedOpening[] {
  const of = (list: readonly StatedOpening[], brand: string): StatedOpening[] =>
    list.filter((one) => brandOf(one) === brand);
  const brands = new Set(more.map(brandOf));
  const added = [...brands].filter((brand) => of(known, brand).length === 0).flatMap((brand) => of(more, brand));
  const complete = (one: StatedOpening): StatedOpening => {
    const others = of(more, brandOf(one));
    const [other] = others;
    const isSingle = others.length === 1 && of(known, brandOf(one)).length === 1;
    return other && isSingle && mayBeOne(one, other) ? completed(one, other, FIELDS) : one;
  };
  return [...known.map(complete), ...added];
}

/** Created after the rows. */
const openingIndexes = [
  'ALTER TABLE openings ADD PRIMARY KEY (key, number)',
  // Each holds what is counted, so that a window is counted off the index alone.
  `CREATE INDEX openings_newest ON openings (published_at, key, number)
    INCLUDE (brand, brand_slug, city, mall, stores, status)`,
  `CREATE INDEX openings_of_city ON openings (city, published_at, key, number)
    INCLUDE (brand, brand_slug, mall, stores, status) WHERE city IS NOT NULL`,
  `CREATE INDEX openings_of_mall ON openings (mall, published_at, key, number)
    INCLUDE (brand, brand_slug, city, stores, status) WHERE mall IS NOT NULL`,
  'CREATE INDEX openings_of_brand ON openings (brand_slug, published_at, key, number)',
];

/** The model of openings. */
export const openingsModel = (): Model<ReportedParts<OpeningPart>> =>
  reportedPartsModel({
    name: 'openings',
    file: import.meta.url,
    field: 'openings',
    indexes: openingIndexes,
    columns: ['brand', 'brand_slug', 'city', 'mall', 'locality', 'stores', 'status', 'date'],
    partsOf: openingParts,
    combine: combineOpenings,
    record: (part) => ({ ...part }),
  });

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

type StatedDeal = DealPart & Origin;

const union = <Word>(one: readonly Word[], other: readonly Word[]): Word[] => [...new Set([...one, ...other])];

/** One signal has one deal: a further report completes it, where it speaks of a deal of the same type. */
const combineDeals = (known: readonly StatedDeal[], more: readonly StatedDeal[]): readonly StatedDeal[] => {
  const [same, other] = [known[0], more[0]];
  if (!same || !other) return same ? known : more;
  if (same.type !== other.type) return known;
  const filled = completed(same, other, ['amount', 'target', 'target_slug', 'status']);
  return [{ ...filled, buyers: union(same.buyers, other.buyers), brands: union(same.brands, other.brands) }];
};

/** Created after the rows. */
const dealIndexes = [
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
    indexes: dealIndexes,
    columns: ['type', 'status', 'amount', 'target', 'target_slug', 'buyers', 'brands'],
    partsOf: dealParts,
    combine: combineDeals,
    record: (part) => ({ ...part }),
  });

/** A result, with the slug of its company where the text names the company. */
interface ResultPart extends Result {
  readonly company_slug: BrandSlug | null;
}

/** The results of a text, one for each metric that it states. */
const resultParts = (text: ReportedFacts): ResultPart[] =>
  [text.result, ...(text.other_results ?? [])].flatMap((one) =>
    one ? [{ ...one, company_slug: slugIn(text, one.company) }] : [],
  );

type StatedResult = ResultPart & Origin;

const isSameMetric = (one: StatedResult, other: StatedResult): boolean =>
  one.company === other.company &&
  one.metric === other.metric &&
  (one.period === null || other.period === null || one.period === other.period);

/** The results of one event from a further report: a metric gets the value or growth that it lacks, a new one is added. */
const combineResults = (known: readonly StatedResult[], more: readonly StatedResult[]): readonly StatedResult[] =>
  more.reduce<readonly StatedResult[]>((all, other) => {
    const at = all.findIndex((one) => isSameMetric(one, other));
    const same = all[at];
    return same
      ? all.with(at, completed(same, other, ['period', 'value', 'growth_pct', 'company_slug']))
      : all.concat(other);
  }, known);

/** Created after the rows. */
const resultIndexes = [
  'ALTER TABLE results ADD PRIMARY KEY (key, number)',
  'CREATE INDEX results_of_company ON results (company_slug, period, published_at, key)',
  'CREATE INDEX results_newest ON results (published_at, key, number) INCLUDE (company_slug, growth_pct)',
  'CREATE INDEX results_of_period ON results (period, published_at, key) INCLUDE (company_slug)',
];

/** The model of results. */
export const resultsModel = (): Model<ReportedParts<ResultPart>> =>
  reportedPartsModel({
    name: 'results',
    file: import.meta.url,
    field: 'result',
    indexes: resultIndexes,
    columns: ['company', 'company_slug', 'period', 'metric', 'value', 'growth_pct'],
    partsOf: resultParts,
    combine: combineResults,
    record: (part) => ({ ...part }),
  });
