/** Openings: one entry per opening, planned opening and closure that the reports of a public signal state. */
import type { BrandSlug } from '../../schemas/scalar.ts';
import type { ReportedFacts } from '../../schemas/signal.ts';
import type { Opening } from '../../schemas/story.ts';
import type { Model } from '../read-model.ts';
import { completed, type Origin, type ReportedParts, reportedPartsModel, slugIn } from './reported-parts.ts';

/** An opening, with the slug of its brand where the text names the brand. */
interface OpeningPart extends Opening {
  readonly brand_slug: BrandSlug | null;
}

/** The openings of a text. */
const openingParts = (text: ReportedFacts): OpeningPart[] =>
  text.openings.map((opening) => ({ ...opening, brand_slug: slugIn(text, opening.brand) }));

type Stated = OpeningPart & Origin;

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
function combineOpenings(known: readonly Stated[], more: readonly Stated[]): readonly Stated[] {
  const of = (list: readonly Stated[], brand: string): Stated[] => list.filter((one) => brandOf(one) === brand);
  const brands = new Set(more.map(brandOf));
  const added = [...brands].filter((brand) => of(known, brand).length === 0).flatMap((brand) => of(more, brand));
  const complete = (one: Stated): Stated => {
    const others = of(more, brandOf(one));
    const [other] = others;
    const isSingle = others.length === 1 && of(known, brandOf(one)).length === 1;
    return other && isSingle && mayBeOne(one, other) ? completed(one, other, FIELDS) : one;
  };
  return [...known.map(complete), ...added];
}

/** Created after the rows. */
const indexes = [
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
    indexes,
    columns: ['brand', 'brand_slug', 'city', 'mall', 'locality', 'stores', 'status', 'date'],
    partsOf: openingParts,
    combine: combineOpenings,
    record: (part) => ({ ...part }),
  });
