/** What matching compares of one report: computed once per item, compact, without its text. */

import type { Deal } from '../../facts/deals/fields.ts';
import { isExpected } from '../../facts/results/fields.ts';
import { ownerOf, type PreparedCatalogue } from '../../facts/text/catalogue.ts';
import { DAY } from '../../language/days.ts';
import type { BrandSlug } from '../../schemas/scalar.ts';
import type { ReportUnderstood } from '../../schemas/signal.ts';
import type { ItemVector } from '../../schemas/story.ts';
import { type Figure, figuresOf, isMoney } from './comparable-figures.ts';
import {
  actionsOf,
  directionsOf,
  isAngle,
  isPreview,
  isTally,
  leadOf,
  legalStepsOf,
  listingStepsOf,
  stagesOf,
} from './headline-signs.ts';
import { hash, type Terms, termsOf, weightOf, wordsOf } from './weighted-terms.ts';

// Which company owns a brand: one newsroom writes Mamaearth where another writes Honasa.

/** From the slug of a brand to that of its owner, null where it has none or the owner owns half the market. */
export type ParentOf = (slug: BrandSlug) => BrandSlug | null;

/** No ownership between brands: for use without a catalogue. */
export const noParents: ParentOf = () => null;

/** Owners by the catalogue, without conglomerates. */
export const parentsIn =
  (catalogue: PreparedCatalogue): ParentOf =>
  (slug) =>
    ownerOf(catalogue, slug);

/** The text of an item, in whole or in part. Times are RFC 3339 in UTC or an ISO date. */
interface ReportText {
  readonly outlet: string;
  readonly title: string;
  readonly summary: string | null;
  readonly published_at: string | null;
  readonly first_seen_at: string;
  readonly vector?: ItemVector | undefined;
}

/** What the words alone say. */
interface TextFeatures {
  /** The outlet as a hash; 0 where it is unknown. */
  readonly outlet: number;
  readonly title: Terms;
  /** The rarest few words of the headline: whom and what it is about. */
  readonly subject: Terms;
  readonly all: Terms;
  readonly titleFigures: readonly Figure[];
  readonly figures: readonly Figure[];
  /** Those of the figures that are rupees or dollars. */
  readonly money: readonly Figure[];
  readonly actions: number;
  readonly stages: number;
  /** Steps of a legal matter, as bits. */
  readonly legal: number;
  /** Steps to a listing, as bits. */
  readonly listing: number;
  /** 1 for up, 2 for down, 3 for both. */
  readonly directions: number;
  readonly angle: boolean;
  readonly digest: boolean;
  readonly tally: boolean;
  /** About results before they are reported. */
  readonly preview: boolean;
  /** Days since 1970, with fraction. */
  readonly day: number;
  /** Likewise, when it was first seen. */
  readonly seen: number;
  /** Null where no encoder read the item. */
  readonly vector: ItemVector | null;
}

/** What was understood, names as hashes so that no text is held. */
interface UnderstoodFeatures {
  readonly move: string;
  readonly primary: readonly number[];
  readonly brands: readonly number[];
  /** All brands with their owners. */
  readonly families: readonly number[];
  /** The names of its primary brands, word by word. */
  readonly names: readonly Terms[];
  readonly cities: readonly number[];
  /** Malls and localities. */
  readonly places: readonly number[];
  /** Surnames. */
  readonly people: readonly number[];
  /** How far a deal is; empty where the report does not say. */
  readonly deal: NonNullable<Deal['status']> | '';
  /** The kind of the deal and its sum; null without a sum. */
  readonly transaction: { readonly type: Deal['type']; readonly sum: Figure } | null;
  /** Whether figures of results are reported or still to come; empty without any. */
  readonly outlook: 'reported' | 'expected' | '';
  /** `Q1 FY27` of results, else empty. */
  readonly period: string;
  /** The growth of results with their metric, as a hash; null without. */
  readonly growth: { readonly metric: number; readonly value: number } | null;
}

export type Features = TextFeatures & UnderstoodFeatures;

/** As texts have it, so that a text that names the person is recognised. */
const surname = (name: string): string => wordsOf(name).at(-1) ?? '';
const hashes = (names: readonly (string | null)[]): number[] => [
  ...new Set(names.flatMap((name) => (name ? [hash(name.toLowerCase())] : []))),
];

/** What a report is about. A former employer of whom it reports is none of it. */
function primaryOf({ brands, people = [] }: ReportUnderstood): ReportUnderstood['brands'] {
  const former = people.flatMap(({ direction, from }) => (direction === 'joined' && from ? [from.toLowerCase()] : []));
  return brands.filter(({ role, name }) => role === 'primary' && !former.includes(name.toLowerCase()));
}

const namesOf = (primary: ReportUnderstood['brands']): Terms[] =>
  primary.map(({ name }) => termsOf(wordsOf(name), weightOf)).filter(({ ids }) => ids.length > 0);

/** The three rarest words, the earlier one first where two are as rare. */
const rarestOf = (words: readonly string[]): string[] =>
  [...new Set(words)].sort((a, b) => weightOf(b) - weightOf(a)).slice(0, 3);

/** Features of the words of a report. */
export function textFeaturesOf(report: ReportText): TextFeatures {
  const lead = leadOf(report.title, report.summary);
  const words = wordsOf(lead.title);
  const figures = figuresOf(lead.title, lead.summary);
  const time = Date.parse(report.published_at ?? report.first_seen_at);
  return {
    outlet: report.outlet ? hash(report.outlet.toLowerCase()) : 0,
    title: termsOf(words, weightOf),
    subject: termsOf(rarestOf(words), (word) => weightOf(word) ** 2),
    all: termsOf([...words, ...wordsOf(lead.summary)], weightOf),
    titleFigures: figures.title,
    figures: figures.all,
    money: figures.all.filter(isMoney),
    actions: actionsOf(lead.title),
    stages: stagesOf(lead.title),
    legal: legalStepsOf(lead.title),
    listing: listingStepsOf(lead.title),
    directions: directionsOf(lead.title),
    angle: isAngle(lead.title),
    digest: lead.digest,
    tally: isTally(lead.title),
    preview: isPreview(lead.title),
    day: Number.isFinite(time) ? time / DAY : 0,
    seen: Date.parse(report.first_seen_at) / DAY,
    vector: report.vector ?? null,
  };
}

/** All brands with their owners, by hash. */
export const familiesOf = (slugs: readonly BrandSlug[], parentOf: ParentOf): number[] =>
  hashes(slugs.flatMap((slug) => [slug, parentOf(slug)]));

function transactionOf(deal: Deal | null): UnderstoodFeatures['transaction'] {
  const [sum] = figuresOf(deal?.amount ?? '', '').title;
  return deal && sum ? { type: deal.type, sum } : null;
}

/** Features of what was understood; all empty for null, where matching uses words, figures and dates alone. */
export function understoodFeaturesOf(
  understanding: ReportUnderstood | null,
  parentOf: ParentOf = noParents,
): UnderstoodFeatures {
  const result = understanding?.result ?? null;
  const people = understanding?.people ?? [];
  const brands = understanding?.brands ?? [];
  const primary = understanding ? primaryOf(understanding) : [];
  const openings = understanding?.openings ?? [];
  return {
    move: understanding?.move ?? '',
    primary: hashes(primary.map((brand) => brand.slug)),
    brands: hashes(brands.map((brand) => brand.slug)),
    families: familiesOf(
      brands.map(({ slug }) => slug),
      parentOf,
    ),
    names: namesOf(primary),
    cities: hashes(understanding?.cities ?? []),
    places: hashes([understanding?.mall ?? null, ...openings.map((opening) => opening.locality)]),
    people: hashes(people.map((appointment) => surname(appointment.person))),
    deal: understanding?.deal?.status ?? '',
    transaction: transactionOf(understanding?.deal ?? null),
    outlook: result ? (isExpected(result.metric) ? 'expected' : 'reported') : '',
    period: result?.period ?? '',
    growth: result && result.growth_pct !== null ? { metric: hash(result.metric), value: result.growth_pct } : null,
  };
}

/** Of features those that were understood. */
export const understoodIn = (features: UnderstoodFeatures): UnderstoodFeatures => {
  const { move, primary, brands, families, names, cities, places, people, deal, transaction, outlook, period, growth } =
    features;
  return { move, primary, brands, families, names, cities, places, people, deal, transaction, outlook, period, growth };
};

/** The features of one report, with what was understood of it where that is known. */
export const featuresOf = (
  report: ReportText,
  understanding: ReportUnderstood | null,
  parentOf: ParentOf = noParents,
): Features => ({
  ...textFeaturesOf(report),
  ...understoodFeaturesOf(understanding, parentOf),
});
