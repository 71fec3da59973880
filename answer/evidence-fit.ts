/** How a signal fits each part of a query: brands and their families, kinds of shop, places, kinds of move, mentions, the status of stores, people, deals and sizes, and what a query excepts. Pure. */

import { FACTS } from '../facts/all-facts.ts';
import { namesRegulator } from '../facts/enforcement/read.ts';
import { seatsOf } from '../facts/people/roles.ts';
import type { PreparedCatalogue } from '../facts/text/catalogue.ts';
import { DAY } from '../language/days.ts';
import { inRupees } from '../language/money.ts';
import type { SearchFilter } from '../projector/models/search-queries.ts';
import type { Category } from '../schemas/catalogue.ts';
import { statedFacts } from '../schemas/facts.ts';
import type { BrandSlug, Move } from '../schemas/scalar.ts';
import { type Evidence, hasName, hasOwnWord, hasWord, stemsOf } from './evidence.ts';
import { dealStatusOf, STATUSES, sizeOf } from './figures.ts';
import { THEME_WORDS } from './question/query-names.ts';
import { formsOfPlace } from './question/query-places.ts';
import { isWithin, type TypedQuery } from './question/typed-query.ts';

/** Below this fit a part of the query is not met. */
export const MET = 0.5;
/** Results of a quarter are reported within this many days after its end. */
const SEASON_DAYS = 270;
/** The size of a network at the end of a month is reported within this many days. */
const NETWORK_DAYS = 45;

/** Kinds of shop that readers count in another: value fashion is fashion. */
const INCLUDED: Readonly<Partial<Record<Category, readonly Category[]>>> = {
  fashion: ['value_fashion'],
  restaurants_and_cafes: ['quick_service_restaurants'],
  fmcg: ['food_and_beverage', 'personal_care'],
};
const withIncluded = (categories: readonly Category[]): Category[] =>
  categories.flatMap((category) => [category, ...(INCLUDED[category] ?? [])]);

/** Whether a company is in one of the categories; marketplaces of every category are e-commerce. */
export const isOfCategories = (
  { category, kind }: PreparedCatalogue['catalogue']['brands'][number],
  categories: readonly Category[],
): boolean =>
  withIncluded(categories).includes(category) || (kind === 'marketplace' && categories.includes('ecommerce'));

/** The theme that a category of shops has, by its slug. */
export const themeOf = (category: Category): string => category.replaceAll('_', '-');

/** Families by catalogue: every candidate is compared with the family of every brand of the question. */
const families = new WeakMap<PreparedCatalogue, Map<BrandSlug, readonly BrandSlug[]>>();

/** The owner of a brand that is listed under the brand's name: Avenue Supermarts is DMart to all who trade it. */
function listedAs(slug: BrandSlug, brands: PreparedCatalogue['brandBySlug']): BrandSlug[] {
  const { name, parent } = brands.get(slug) ?? {};
  const owner = parent && brands.get(parent);
  return owner && owner.nse !== undefined && owner.nse === name?.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase()
    ? [owner.slug]
    : [];
}

/** The slugs of a brand: its own, retired ones, and those of the brands that it owns. */
function familyOf(slug: BrandSlug, prepared: PreparedCatalogue): readonly BrandSlug[] {
  const ofCatalogue = families.get(prepared) ?? new Map<BrandSlug, readonly BrandSlug[]>();
  families.set(prepared, ofCatalogue);
  const before = ofCatalogue.get(slug);
  if (before) return before;
  const { catalogue, brandBySlug } = prepared;
  // Only brands of the catalogue have owners and retired slugs; questions name others without end.
  if (!brandBySlug.has(slug)) return [slug];
  const owned = (owner: BrandSlug): BrandSlug[] =>
    catalogue.brands.filter(({ parent }) => parent === owner).flatMap(({ slug: own }) => [own, ...owned(own)]);
  const family = [slug, ...owned(slug), ...listedAs(slug, brandBySlug)].flatMap((one) => [
    one,
    ...(brandBySlug.get(one)?.retired_slugs ?? []),
  ]);
  ofCatalogue.set(slug, family);
  return family;
}

/** The slugs of the brands of a query. */
export const slugsOf = (brands: TypedQuery['brands'], catalogue: PreparedCatalogue): BrandSlug[] =>
  brands.flatMap(({ slug }) => familyOf(slug, catalogue));

/** The time in which a fitting signal moved. The results of a quarter are reported after it, as is the number of its stores. */
export function timeOf({ period, measure }: TypedQuery): Pick<SearchFilter, 'since' | 'until'> {
  if (!period) return {};
  const until = new Date(period.until);
  const later = period.fiscal !== null ? SEASON_DAYS : measure === 'network' ? NETWORK_DAYS : 0;
  return { since: new Date(period.since), until: new Date(until.getTime() + later * DAY) };
}

/** Whether a signal is of the time of a query: the results of a quarter are those that were reported for it. */
export function isOfPeriod({ period }: TypedQuery, { signal, facts, moved_at }: Evidence): boolean {
  if (!period || period.fiscal === null) return true;
  const stated = facts.results.flatMap(({ period: own }) => own ?? []);
  if (stated.length > 0) return stated.includes(period.fiscal);
  // Figures of a quarter, of companies and of whole industries, come after it.
  const isFigure = signal.move === 'results' || signal.move === 'other';
  return Date.parse(moved_at) < Date.parse(period.until) ? signal.move !== 'results' : isFigure;
}

/** The cities of the places of a query. */
export const citiesOf = ({ places }: Pick<TypedQuery, 'places'>): string[] => places.flatMap(({ cities }) => cities);

/** How a signal fits each part of a query, from 0 (not at all) to 1; null for a part that the query does not have. */
export type Fit = Readonly<
  Record<'brands' | 'categories' | 'mentions' | 'places' | 'kinds' | 'store_status' | 'person' | 'deal', number | null>
>;

/** The greatest fit; 0 for none. */
export const best = (values: readonly number[]): number => Math.max(0, ...values);

function brandFit(query: TypedQuery, { signal, about, stems }: Evidence, catalogue: PreparedCatalogue): number | null {
  if (query.brands.length + query.unknown_names.length === 0) return null;
  const fits = query.brands.map(({ slug, name }) => {
    const family = familyOf(slug, catalogue);
    if (about.includes(slug)) return 1;
    if (signal.brands.some((brand) => brand.slug === slug)) return 0.8;
    if (about.some((one) => family.includes(one))) return 0.7;
    return hasName(stems, name) ? 0.6 : 0;
  });
  const unknown = query.unknown_names.map((name) => (hasName(stems, name) ? 0.9 : 0));
  return best([...fits, ...unknown]);
}

/** The words of a theme, phrase by phrase: those of the catalogue, and those by which questions name it. */
export const phrasesOf = (slug: string, { catalogue }: PreparedCatalogue): readonly string[] => [
  ...(catalogue.themes.find((theme) => theme.slug === slug)?.words ?? []),
  ...(THEME_WORDS[slug]?.split('|') ?? []),
];

/** A city by its nickname: a shop in "the diamond city" need not sell diamonds. */
const NICKNAME = /\b\w+ (?:city|capital)\b/g;

/** Whether a text has the words of a category: a cafe is of restaurants and cafes, and a store, its synonym elsewhere, is not. */
function saysCategory(stems: ReadonlySet<string>, category: Category): boolean {
  const words = category.split('_').filter((word) => word !== 'and');
  if (category === 'restaurants_and_cafes') return words.some((word) => hasOwnWord(stems, word));
  const isShop = (word: string): boolean => word === 'restaurants' || word === 'stores';
  return words.every((word) => (isShop(word) ? hasOwnWord : hasWord)(stems, word));
}

function categoryFit(
  { categories, themes }: TypedQuery,
  { signal, about, stored }: Evidence,
  catalogue: PreparedCatalogue,
) {
  if (categories.length + themes.length === 0) return null;
  const text = ` ${stored.toLowerCase()} `.replace(NICKNAME, ' ');
  // Of the texts alone: the name of a theme, such as "Home, furniture and paints", has words of categories that others are in.
  const stems = (): ReadonlySet<string> => stemsOf(text);
  const brands = about.flatMap((slug) => catalogue.brandBySlug.get(slug) ?? []);
  // Of several words, a phrase has to be there as one: every story of the record is from India, and many launch something.
  const hasPhrase = (phrases: readonly string[]): boolean =>
    phrases.some((phrase) => (phrase.includes(' ') ? text.includes(phrase.toLowerCase()) : hasName(stems(), phrase)));
  const byCategory = categories.map((category) => {
    if (brands.some((brand) => isOfCategories(brand, [category]))) return 1;
    if (signal.theme?.slug === themeOf(category)) return 0.9;
    return saysCategory(stems(), category) || hasPhrase(phrasesOf(themeOf(category), catalogue)) ? 0.8 : 0;
  });
  const byTheme = themes.map(({ slug, name }) => {
    if (signal.theme?.slug === slug) return 1;
    if (slug.startsWith('d2c') && brands.some(({ kind }) => kind === 'd2c')) return 0.8;
    const theme = catalogue.catalogue.themes.find((one) => one.slug === slug);
    if (theme && !theme.moves && brands.some((brand) => theme.categories.includes(brand.category))) return 0.7;
    return hasPhrase([name, ...phrasesOf(slug, catalogue)]) ? 0.7 : 0;
  });
  const all = [...byCategory, ...byTheme];
  // What is of several of them comes first: "quick commerce in fashion".
  const mean = all.reduce<number>((sum, value) => sum + value, 0) / all.length;
  return 0.8 * best(all) + 0.2 * mean;
}

/** A company as reports describe it: `quick commerce startup`. */
const FIRM =
  '(?:[- ](?:first|focused|led))? (?:startups?|platforms?|players?|compan(?:y|ies)|firms?|brands?|chains?|retailers?|makers?|apps?|marketplaces?|unicorns?|majors?|giants?|operators?)';

/** Whether the theme of a signal is one of these kinds of shop. */
export const isOfTheme = ({ theme }: Evidence['signal'], categories: readonly Category[]): boolean =>
  categories.some((category) => theme?.slug === themeOf(category));

/** Tells whether the company of a signal is of the kinds of shop of a query: one that only wants to sell by quick commerce is not. */
export function ofTrade(
  { categories }: TypedQuery,
  catalogue: PreparedCatalogue,
): (evidence: Pick<Evidence, 'about' | 'signal' | 'stored'>) => boolean {
  if (categories.length === 0) return () => true;
  const phrases = categories.flatMap((category) => {
    const name = category.replaceAll('_', ' ');
    return [name, ...name.split(' and '), ...phrasesOf(themeOf(category), catalogue)];
  });
  const form = new RegExp(`\\b(?:${phrases.map((phrase) => RegExp.escape(phrase)).join('|')})${FIRM}\\b`, 'i');
  return ({ about, signal, stored }) => {
    const known = about.flatMap((slug) => catalogue.brandBySlug.get(slug) ?? []);
    if (known.length > 0) return known.some((brand) => isOfCategories(brand, categories));
    return isOfTheme(signal, categories) || form.test(stored);
  };
}

/** Whether evidence is of the theme and of the kind of shop that a question names together: "tax on ice cream". */
export const isOfAllTopics = (query: TypedQuery, evidence: Evidence, catalogue: PreparedCatalogue): boolean => {
  const { categories, themes } = query;
  if (themes.length === 0 || themes.length + Math.min(1, categories.length) < 2) return false;
  const ofCategories = categories.length > 0 ? [{ ...query, themes: [] }] : [];
  return [...ofCategories, ...themes.map((theme) => ({ ...query, categories: [], themes: [theme] }))].every(
    (part) => (categoryFit(part, evidence, catalogue) ?? 0) >= MET,
  );
};

function placeFit({ places }: TypedQuery, { signal, facts, stems }: Evidence): number | null {
  if (places.length === 0) return null;
  const cities = new Set([...signal.cities, ...facts.openings.flatMap(({ city }) => city ?? [])]);
  return best(
    places.map(({ name, cities: own }) => {
      if (own.some((city) => cities.has(city))) return 1;
      // A company's name with a city in it is not the place of a move.
      const ofBrand = signal.brands.some((brand) => hasName(stemsOf(brand.name), name));
      return !ofBrand && formsOfPlace(name).some((form) => hasName(stems, form)) ? 0.7 : 0;
    }),
  );
}

const VERBS: Readonly<Record<Move, string>> = {
  stores: 'open store outlet shut',
  deals: 'raise acquire stake ipo merge invest',
  people: 'appoint resign ceo',
  results: 'profit revenue loss ebitda',
  launches: 'launch unveil introduce',
  strategy: 'partner expand plan restructure',
  rules: 'court order fine ban regulator',
  other: '',
};

const CLOSES =
  /\bshut(?:s|ting|ters|tered)?\b|\bwinds? (?:down|up)\b|\bclos(?:es|ing) (?:down|shop)\b|\bpulls? out\b|\bretreats?\b|\bexits? (?:\w+ ){0,3}(?:cities|markets?|towns|india|(?:non-)?metros)\b|\bceases?\b/i;
export const CLOSING: ReadonlySet<Move> = new Set<Move>(['strategy', 'other']);

function kindFit({ kinds, store_status }: TypedQuery, { signal, facts, stems }: Evidence): number | null {
  if (kinds.length === 0) return null;
  const states = (move: Move): boolean =>
    FACTS.some(({ kind, ask }) => ask.move === move && statedFacts(facts, kind).length > 0);
  return best(
    kinds.map((kind) => {
      if (signal.move === kind) return 1;
      if (states(kind)) return 0.9;
      // A business that shuts down, or leaves a market, closes its places.
      if (kind === 'stores' && store_status === 'closed' && CLOSES.test(signal.headline) && CLOSING.has(signal.move))
        return 0.6;
      return VERBS[kind].split(' ').some((verb) => verb !== '' && hasWord(stems, verb)) ? 0.4 : 0;
    }),
  );
}

/** Words at the end of the name of a mall or an investor that headlines leave out. */
const GENERIC = /(?<=\S\s+\S+)\s+(?:terminal|mall|centre|center|partners|capital|ventures?|advisors|group)$/i;
export const shortName = (name: string): string => name.replace(GENERIC, '');

function mentionFit({ mentions }: TypedQuery, { signal, reports, stored, stems }: Evidence): number | null {
  if (mentions.length === 0) return null;
  return best(
    mentions.map(({ type, name }) => {
      if (type === 'regulator') return namesRegulator(stored, name) ? 1 : 0;
      if (type === 'outlet') return reports.some(({ outlet }) => outlet === name) ? 1 : 0;
      if (!hasName(stems, shortName(name))) return 0;
      // "After SoftBank, ADIA sells": another acts.
      const at = signal.headline.toLowerCase().indexOf(shortName(name).toLowerCase());
      return at > 0 && /\b(?:after|following|unlike|like)\s+$/i.test(signal.headline.slice(0, at)) ? 0.6 : 1;
    }),
  );
}

function statusFit({ store_status }: TypedQuery, { signal, facts, stems }: Evidence): number | null {
  if (store_status === null) return null;
  if (facts.openings.some(({ status }) => STATUSES[store_status].includes(status))) return 1;
  if (facts.openings.length > 0) return 0;
  if (store_status === 'closed') return hasWord(stems, 'close') || CLOSES.test(signal.headline) ? 0.7 : 0;
  // A plan whose facts are held back is labelled as one, and has opened nothing.
  if (signal.kind === 'Store plans') return store_status === 'planned' ? 0.7 : 0;
  return signal.move === 'stores' && !hasWord(stems, 'close') ? 0.5 : 0.2;
}

/** Whether a seat as a signal writes it is the one that a question means. */
export const isSeat = (wantedSeat: string, written: string): boolean => {
  const named = seatsOf(written).map(leadingSeat);
  return (
    seatsOf(wantedSeat).some((seat) => named.includes(leadingSeat(seat))) ||
    written.toLowerCase().includes(wantedSeat.toLowerCase())
  );
};
/** Whether somebody moved in the direction that is asked for; who was promoted has joined a seat. */
const isWay = (asked: 'joined' | 'left' | 'promoted' | null, direction: string): boolean =>
  asked === null || direction === asked || (asked === 'joined' && direction === 'promoted');

/** Whether a question asks for a person: by name, direction and seat; the headline names a seat that no cell has. */
export const isWanted = (
  { person, direction, role, to, from }: Evidence['facts']['people'][number],
  asked: TypedQuery['person'],
  { signal }: Evidence,
): boolean =>
  asked === null ||
  (isWay(asked.direction, direction) &&
    (asked.name === null || person.toLowerCase().includes(asked.name.toLowerCase())) &&
    (asked.role === null || isSeat(asked.role, [role, to, from].filter(Boolean).join(' ') || signal.headline)));

/** Who leads a company is its chief executive or its managing director, as the company calls the seat. */
const leadingSeat = (seat: string): string => (seat === 'managing director' ? 'chief executive officer' : seat);

function personFit(
  { person, brands }: TypedQuery,
  { facts, stems, signal, about }: Evidence,
  catalogue: PreparedCatalogue,
): number | null {
  if (person === null) return null;
  const { role, direction, name } = person;
  const slugs = slugsOf(brands, catalogue);
  const isAbout = brands.length === 0 || about.some((slug) => slugs.includes(slug));
  const fits = facts.people.map((one) => {
    // A report that only mentions the company says who moved at another one.
    if (!isAbout && one.company) {
      const companies = stemsOf([one.company, one.from, one.to].filter(Boolean).join(' '));
      if (!brands.some((brand) => hasName(companies, brand.name))) return 0;
    }
    if (name !== null && !hasName(stemsOf(one.person), name)) return 0;
    const seat = [one.role, one.to, one.from].filter(Boolean).join(' ');
    // A headline may name the seat that somebody had before.
    const isRole = role === null || isSeat(role, seat || signal.headline);
    const isOfWay = isWay(direction, one.direction);
    if (isOfWay && seat === '' && !isRole) return 0.5;
    return isOfWay && isRole ? 1 : isOfWay || isRole ? 0.3 : 0;
  });
  if (name !== null && best(fits) === 0 && hasName(stems, name)) return 0.8;
  if (facts.people.length > 0) return best(fits);
  // Who left is not among those who are named for a seat; a company that gets a chief has appointed one.
  const isNamed = role !== null && signal.move === 'people' && isSeat(role, signal.headline);
  if (direction === 'joined' && isNamed && !hasWord(stems, 'resign')) return 0.5;
  if (direction !== null && !hasWord(stems, direction === 'left' ? 'resign' : 'appoint')) return 0.3;
  const isOfSeat = role === null || hasName(stems, role) || isSeat(role, signal.headline);
  return signal.move === 'people' && isOfSeat ? 0.5 : 0;
}

const ON_EXCHANGE =
  /\b(?:block|bulk) deals?\b|\boffload\w*|\boffer for sale\b|\bofs\b|\bipos?\b|\bsells? (?:\w+ )?shares\b/i;
const CONTROL: ReadonlySet<string> = new Set(['acquisition', 'merger', 'stake_sale', 'jv']);

function dealFit({ deal, brands }: TypedQuery, evidence: Evidence): number | null {
  if (deal === null) return null;
  const { facts, stems, signal } = evidence;
  const dealFacts = facts.deal;
  if (!dealFacts) {
    const isDeal = signal.move === 'deals';
    // "Secures an investment" is funding in a signal about a deal; "gets a chief" has the same verb, and is none.
    const says = (type: string): boolean =>
      isDeal ? type.split('_').every((word) => hasWord(stems, word)) : hasName(stems, type.replace('_', ' '));
    return deal.types.some(says) || (isDeal && deal.types.length === 0) ? 0.5 : isDeal ? 0.4 : 0;
  }
  // To buy a company, to merge with it and to sell it are words for one deal; money raised is another, and so are shares that
  // holders sell on an exchange or in a listing.
  const isControl =
    CONTROL.has(dealFacts.type) && !(dealFacts.type === 'stake_sale' && ON_EXCHANGE.test(evidence.stored));
  const isType =
    deal.types.length === 0 ||
    deal.types.some(
      // Of companies at large, sales of stakes are not answered by what was bought as a whole.
      (type) =>
        type === dealFacts.type || (CONTROL.has(type) && isControl && (type !== 'stake_sale' || brands.length > 0)),
    );
  const status = dealStatusOf(evidence);
  const isStatus =
    deal.status === null ||
    status === deal.status ||
    (status === null && deal.status !== 'rumoured') ||
    // Money is raised when a round is announced.
    (status === 'agreed' && deal.status === 'completed' && dealFacts.type === 'funding');
  const named = (name: string | null): boolean =>
    name !== null && brands.some((brand) => hasName(stemsOf(name), brand.name));
  const isRole =
    deal.role === null ||
    brands.length === 0 ||
    (deal.role === 'buyer' ? dealFacts.buyers.some(named) : named(dealFacts.target) || !dealFacts.buyers.some(named));
  if (!isType || !isStatus) return 0.3;
  // "Who bought X?" is not answered by what X bought.
  return isRole ? 1 : dealFacts.buyers.length > 0 ? 0.4 : 0.5;
}

/** Whether the amount of a deal or the number of stores is as the question wants it. Results are compared row by row later. */
export function meetsSize({ condition }: TypedQuery, evidence: Evidence): boolean {
  if (!condition || condition.value === null || (condition.metric !== 'amount' && condition.metric !== 'stores'))
    return true;
  const size = sizeOf(evidence);
  const value = inRupees(condition.value, condition.unit === 'dollars' ? 'USD' : 'INR');
  return size !== null && isWithin({ ...condition, value }, size);
}

/** What a signal may not be about. */
export function isExcepted({ except }: TypedQuery, evidence: Evidence, catalogue: PreparedCatalogue): boolean {
  const { signal, about } = evidence;
  const slugs = slugsOf(except.brands, catalogue);
  const ofBrands = about.flatMap((slug) => catalogue.brandBySlug.get(slug)?.category ?? []);
  return (
    about.some((slug) => slugs.includes(slug)) ||
    except.unknown_names.some((name) => hasName(evidence.stems, name)) ||
    (ofBrands.length > 0 && ofBrands.every((category) => withIncluded(except.categories).includes(category))) ||
    except.themes.some(({ slug }) => slug === signal.theme?.slug) ||
    (signal.cities.length > 0 && signal.cities.every((city) => citiesOf(except).includes(city))) ||
    except.kinds.includes(signal.move)
  );
}

/** How a signal fits each part of a query. */
export const fitOf = (query: TypedQuery, evidence: Evidence, catalogue: PreparedCatalogue): Fit => ({
  brands: brandFit(query, evidence, catalogue),
  categories: categoryFit(query, evidence, catalogue),
  mentions: mentionFit(query, evidence),
  places: placeFit(query, evidence),
  kinds: kindFit(query, evidence),
  store_status: statusFit(query, evidence),
  person: personFit(query, evidence, catalogue),
  deal: dealFit(query, evidence),
});
