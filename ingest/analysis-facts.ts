/** What analyses are computed from: the companies of moves, certain facts, and what may be one event. Pure. */

import { isExpected, type Result } from '../facts/results/fields.ts';
import { daysBetween } from '../language/days.ts';
import { parseFigure } from '../language/figures.ts';
import { rupeeRange } from '../language/money.ts';
import type { RecordedMove, SeatMove } from '../projector/models/moves-queries.ts';
import type { CatalogueBrand, Category } from '../schemas/catalogue.ts';
import { foldName } from '../schemas/name-search.ts';
import type { BrandSlug, Move } from '../schemas/scalar.ts';

export interface Company {
  readonly slug: BrandSlug;
  /** Its own slug and retired ones. */
  readonly slugs: readonly BrandSlug[];
  readonly name: string;
  /** Its names in headlines. */
  readonly names: readonly string[];
  readonly category: Category;
  readonly isD2c: boolean;
  readonly isListed: boolean;
  readonly ownerIsListed: boolean;
}

/** The companies of a catalogue. */
export interface Companies {
  /** By its present slug or a retired one; null for one that the catalogue lacks. */
  of(slug: BrandSlug): Company | null;
  /** Whether it has a category whose companies compete with each other. */
  hasRivals(company: Company): boolean;
  /** Whether both are of one category and belong to different owners. */
  areRivals(one: Company, other: Company): boolean;
  /** Slugs of those that the moves of a company are compared with: of its category, and D2C brands among each other. */
  peersOf(slugs: readonly BrandSlug[]): BrandSlug[];
}

/** Categories of companies that have too little in common to be compared. */
const MIXED: ReadonlySet<Category> = new Set(['other', 'conglomerate']);

/** Indexes the brands of a catalogue. */
export function companiesIn(brands: readonly CatalogueBrand[]): Companies {
  const listed = new Set(brands.flatMap(({ slug, nse }) => (nse ? [slug] : [])));
  const entries = brands.map((brand) => {
    const { slug, retired_slugs = [], name, aliases, legal_names, category, kind, nse, parent } = brand;
    const company: Company = {
      slug,
      name,
      category,
      slugs: [slug, ...retired_slugs],
      names: [name, ...aliases, ...legal_names],
      isD2c: kind === 'd2c',
      isListed: nse !== undefined,
      ownerIsListed: parent !== undefined && listed.has(parent),
    };
    return { brand, company };
  });
  const bySlug = new Map(entries.flatMap((entry) => entry.company.slugs.map((slug) => [slug, entry] as const)));
  /** A company and all that own or run it. */
  const owners = (slug: BrandSlug, slugs = new Set<BrandSlug>()): Set<BrandSlug> => {
    const brand = bySlug.get(slug)?.brand;
    if (!brand || slugs.has(brand.slug)) return slugs;
    slugs.add(brand.slug);
    for (const owner of [...(brand.parent ? [brand.parent] : []), ...(brand.operators ?? [])]) owners(owner, slugs);
    return slugs;
  };
  const slugsWhere = (fits: (company: Company) => boolean): BrandSlug[] =>
    entries.filter(({ company }) => fits(company)).flatMap(({ company }) => company.slugs);
  const of = (slug: BrandSlug): Company | null => bySlug.get(slug)?.company ?? null;
  const hasRivals = ({ category }: Company): boolean => !MIXED.has(category);
  return {
    of,
    hasRivals,
    areRivals: (one, other) =>
      hasRivals(one) && one.category === other.category && owners(one.slug).isDisjointFrom(owners(other.slug)),
    peersOf(slugs) {
      const own = slugs.flatMap((slug) => of(slug) ?? []);
      const categories = new Set(own.filter(hasRivals).map(({ category }) => category));
      const isD2c = own.some((company) => company.isD2c);
      return slugsWhere((company) => categories.has(company.category) || (isD2c && company.isD2c));
    },
  };
}

/** Days within which two moves of a brand of one kind may be one event that was not recognised as such. */
const ONE_EVENT_DAYS: Readonly<Record<Move, number>> = {
  stores: 14,
  deals: 60,
  people: 14,
  results: 21,
  launches: 7,
  strategy: 14,
  rules: 14,
  other: 14,
};

export const sameName = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && foldName(one) === foldName(other);

export const contains = (text: string, name: string): boolean => ` ${foldName(text)} `.includes(` ${foldName(name)} `);

// Certain facts.

export const named = (headline: string, { names }: Company): boolean => names.some((name) => contains(headline, name));

/** The company of the catalogue that a fact of a move names; null unless the move is about it and its headline names it. */
export function companyOf(
  { brands, headline }: RecordedMove,
  name: string | null,
  companies: Companies,
): Company | null {
  const brand = brands.find((one) => sameName(one.name, name));
  const company = brand ? companies.of(brand.slug) : null;
  return company && named(headline, company) ? company : null;
}

/** The one brand that a move is about; null for several, or where the headline does not name it. */
export function onlyBrand({ brands: [brand, other], headline }: RecordedMove, companies: Companies): Company | null {
  const company = brand && !other ? companies.of(brand.slug) : null;
  return company && named(headline, company) ? company : null;
}

/** The city of a certain opening: one that the headline names. */
interface CertainOpening {
  readonly company: Company;
  readonly city: string;
  readonly mall: string | null;
  readonly locality: string | null;
  readonly isOpen: boolean;
}

/** Words of a headline that is about a shop, and words by which it counts the shop itself. */
const SHOP =
  /\b(?:opens?|opened|opening|inaugurat\w+|stores?|outlets?|showrooms?|restaurants?|caf[eé]s?|boutiques?|malls?|studios?|salons?)\b/i;
export const COUNTED = /\b(?:second|third|fourth|fifth|another|\d+(?:st|nd|rd|th))\b/i;

export function openingOf(move: RecordedMove, companies: Companies): CertainOpening | null {
  const [opening, other] = move.openings;
  if (move.move !== 'stores' || !opening || other || opening.status === 'closed') return null;
  if (!SHOP.test(move.headline)) return null;
  const company = companyOf(move, opening.brand, companies);
  if (!company || !opening.city || !contains(move.headline, opening.city)) return null;
  const { city, mall, locality, status } = opening;
  return { company, city, mall, locality, isOpen: status === 'opened' };
}

/** Appointments and exits whose person the headline names, at a company that it is about. */
export const certainPeople = (move: RecordedMove, companies: Companies): { one: SeatMove; company: Company }[] =>
  move.move !== 'people'
    ? []
    : move.people.flatMap((one) => {
        const company = companyOf(move, one.company, companies);
        return company && contains(move.headline, one.person) ? [{ one, company }] : [];
      });

export const certainResult = (
  move: RecordedMove,
  companies: Companies,
): { result: Result & { period: string; growth_pct: number }; company: Company } | null => {
  if (move.move !== 'results') return null;
  for (const result of move.results) {
    const { growth_pct, period, metric } = result;
    if (growth_pct === null || !period || isExpected(metric)) continue;
    const company = companyOf(move, result.company, companies);
    // `18%` and `18.2%` are stated as they are; a doubling is not.
    if (company && new RegExp(`(?<![\\d.])${Math.abs(growth_pct)}(?![\\d.])`).test(move.headline))
      return { result: { ...result, period, growth_pct }, company };
  }
  return null;
};

interface Round {
  readonly company: Company;
  readonly amount: string;
  /** In rupees at the lowest and at the highest rate: one round is larger than another only where it is at every rate. */
  readonly low: number;
  readonly high: number;
}

/** Rounds that a headline says are still to come. */
export const TO_COME = /\b(?:raising|to raise|in talks|plans?|eyes?|seeks?|looks?|may|likely|set to)\b/i;

/** A funding round that is done, with its amount in rupees or dollars. */
export function roundOf(move: RecordedMove, companies: Companies): Round | null {
  const { deal } = move;
  if (move.move !== 'deals' || deal?.type !== 'funding' || deal.status === 'rumoured' || !deal.amount) return null;
  if (TO_COME.test(move.headline)) return null;
  const company = companyOf(move, deal.target, companies);
  const figure = parseFigure(deal.amount);
  const [digits] = /\d[\d,.]*/.exec(deal.amount) ?? [];
  if (!company || figure?.kind !== 'money' || !digits || !move.headline.includes(digits)) return null;
  if (figure.unit !== 'INR' && figure.unit !== 'USD') return null;
  const { low } = rupeeRange(figure.value, figure.unit);
  return { company, amount: deal.amount, low, high: rupeeRange(figure.high, figure.unit).high };
}

// Events: what may be one event is counted once.

/** Whether two moves may report one event, though they are two signals. */
export function mayBeOne(one: RecordedMove, other: RecordedMove): boolean {
  if (one.follows === other.signal || other.follows === one.signal) return true;
  if (one.people.some((a) => other.people.some((b) => sharesName(a.person, b.person)))) return true;
  if (one.results.some((a) => other.results.some((b) => sameName(a.company, b.company) && a.period === b.period)))
    return true;
  const [deal, before] = [one.deal, other.deal];
  if (deal?.amount && deal.amount === before?.amount) return true;
  if (deal?.target && before?.target && !sameName(deal.target, before.target)) return false;
  const apart = (field: 'mall' | 'locality'): boolean =>
    one.openings.some((a) => other.openings.some((b) => a[field] && b[field] && !sameName(a[field], b[field])));
  if (one.move === 'stores' && (apart('mall') || apart('locality'))) return false;
  if (one.move === 'people' && one.people.length > 0 && other.people.length > 0) return false;
  return daysBetween(one.published_at, other.published_at) <= ONE_EVENT_DAYS[one.move];
}

/** Whether two names share the family name: `Ashish Dikshit` and `Dikshit`. */
export const sharesName = (one: string, other: string): boolean =>
  foldName(one).split(' ').at(-1) === foldName(other).split(' ').at(-1);

/** The distinct events among moves, each by its first signal. */
export function distinct(moves: readonly RecordedMove[]): readonly RecordedMove[] {
  const events: RecordedMove[] = [];
  for (const one of moves) if (!events.some((event) => mayBeOne(event, one))) events.push(one);
  return events;
}

/** The distinct events among moves; null when the signal itself may be another report of one of them. */
export const eventsBefore = (signal: RecordedMove, moves: readonly RecordedMove[]): readonly RecordedMove[] | null =>
  moves.some((one) => mayBeOne(one, signal)) ? null : distinct(moves);

export const isOf =
  (company: Company) =>
  ({ brands }: RecordedMove): boolean =>
    brands.some(({ slug }) => company.slugs.includes(slug));
