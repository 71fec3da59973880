/** Openings and closures of stores: brand, city, mall, how many, and whether opened, announced, planned or closed. */
import type { Move } from '../../../schemas/scalar.ts';
import type { BrandMention, Opening } from '../../../schemas/story.ts';
import type { PreparedCatalogue } from '../catalogue.ts';
import { findDay } from '../dates.ts';
import type { Figure } from '../figures.ts';
import type { Part, Reading } from '../item-reading.ts';
import { findLocality, findMall } from './places.ts';

// Counting stores: how many a headline counts, and whether they are new or a total.

const STORE_UNIT =
  /^(?:stores?|outlets?|showrooms?|dark stores|experience cent(?:re|er)s|fulfil?ment cent(?:re|er)s|centres?|centers?|salons?|restaurants?|cafes?|kiosks?|boutiques?|clinics?|screens?|kitchens?|studios?|warehouses?|doors|gyms?)$/;
/** More stores than any chain has. */
const MAX_STORES = 100_000;

/** True for a figure that counts stores. */
const countsStores = (figure: Figure): boolean =>
  figure.kind === 'count' && STORE_UNIT.test(figure.unit) && figure.value < MAX_STORES;

interface StoreCount {
  readonly stores: number;
  /** A total: `reaches 500 cafes`, `the 290-store mark`. How many of them are new is unknown. */
  readonly total: boolean;
  /** Not open yet: `a 60-store expansion`. */
  readonly planned: boolean;
  /** Offset in the headline. */
  readonly start: number;
}

/** `60-store expansion`, `50-Store Mark`. */
const HYPHENATED =
  /(?<![\w.,])(\d{1,3}(?:,\d{2,3})*|\d{1,5})-(?:store|outlet|showroom|salon|restaurant|caf[eé]|kiosk|door|screen)\s+(\w+)/i;
/** `2 new Bikanervala stores`, `three Zudio shops`: names may come between, but no word that begins something else. */
const PARTED =
  /(?<![\w.,₹$-])(\d{1,4}|two|three|four|five|six|seven|eight|nine|ten) (?:(?!(?:sq|square|years?|months?|weeks?|days?|hours?|minutes?|cities|towns|states|countries|malls|crore|lakh|million|per|percent|in|of|for|with|and|to|at|by|its|from|into|across|as|on)\b)[\p{L}\p{N}'’&.-]+ ){1,3}?(?:stores|outlets|showrooms|salons|restaurants|caf[eé]s|kiosks|boutiques|shops)\b/iu;
const NUMBER_WORDS = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const TOTAL_BEFORE =
  /(?:\b(?:reach(?:es|ed|ing)?|cross(?:es|ed|ing)?|hits?|touch(?:es|ed)?|surpass(?:es|ed)?|complet(?:es|ed)|now (?:at|has|runs|counts)|(?:tally|count) (?:to|at|of))|^(?:at|with)|\b(?:network|footprint|presence|chain|base|expands?|grows?|scales?)\b[^.;,]{0,20}? to)\s+(?:the\s+|over\s+|a\s+|its\s+)?$/i;
const WORD_OF_TOTAL = /^(?:mark|milestone|chain|network)$/i;

const numberOf = (word: string): number =>
  NUMBER_WORDS.includes(word.toLowerCase())
    ? NUMBER_WORDS.indexOf(word.toLowerCase()) + 2
    : Number(word.replaceAll(',', ''));

/** The count of stores in a headline; null for none. */
function countStores({ text, figures }: Part): StoreCount | null {
  const figure = figures.find(countsStores);
  if (figure) {
    const total = TOTAL_BEFORE.test(text.slice(0, figure.start));
    return { stores: figure.value, total, planned: false, start: figure.start };
  }
  const hyphenated = HYPHENATED.exec(text);
  if (hyphenated) {
    const total = WORD_OF_TOTAL.test(hyphenated[2] ?? '');
    return { stores: numberOf(hyphenated[1] ?? ''), total, planned: !total, start: hyphenated.index };
  }
  const parted = PARTED.exec(text);
  return parted ? { stores: numberOf(parted[1] ?? ''), total: false, planned: false, start: parted.index } : null;
}

// Openings and closures of stores: brand, city, mall, how many, and whether done, announced or planned.

const STORE =
  /\b(?:stores?|outlets?|showrooms?|flagship|salons?|restaurants?|caf[eé]s?|kiosks?|boutiques?|clinics?|experience cent(?:re|er)s?|cent(?:re|er)s?|studios?|dark stores?|food court|store-in-store|multiplex|galerie|footprint|retail presence|offline)\b/i;
const CLOSED =
  /\b(?:clos(?:es?|ed|ing|ure)|shuts?|shutting|shutter(?:s|ed)?|prunes?|vacates?)\b[^.]{0,40}\b(?:stores?|outlets?|showrooms?|restaurants?|centres?|caf[eé]s?|shops?|kiosks?|doors|airports?)|\bpulls? down shutters\b|\bdowns? shutters\b|\bcurtains for\b|\bbids? (?:goodbye|adieu)\b|\bexits? (?:\w+ ){0,2}(?:mall|airports?|cities)\b|^\w+(?: \w+)? loses? its\b/i;
/** `Trent closes Westside on Linking Road`: a name instead of a store; used for moves of stores only. */
const CLOSED_BY_NAME =
  /\b(?:[Cc]loses?|[Ss]huts?)(?: [Dd]own)? (?:\p{Lu}[\p{L}&'’.-]+ ){1,3}(?:on|at|in|[Oo]n|[Aa]t|[Ii]n)\b/u;
const PLANNED =
  /\b(?:plans?|planned|planning|to open|to launch|to add|will open|will launch|will add|eyes?(?!\+)|eyeing|targets?|targeting|aims?|aiming|by (?:20\d\d|fy|year-end|the end)|on the cards|set to|next (?:two|three|five|\d)|blueprint|soon|looks? to|mulls?|lines? up|chalks? out|maps? out|sets? sights on|guides? for|pencils? in|to build|commits? to|rollout|pipeline|sets? (?:a )?date|(?:its|the) next (?:\w+ )?(?:mall|store|outlet|showroom))\b/i;
const ANNOUNCED =
  /\b(?:announces?|announced|to launch|signs? (?:up )?(?:for )?(?:\w+ )?(?:space|lease)|takes? (?:\w+ )?space|wins? (?:\w+ )?space|picke?d? .{3,60} for (?:its|a|the) .{0,25}\b(?:store|outlet|showroom|flagship))\b/i;

/** Shops of others than the brand, services that reach cities, and events that only take place in a shop. */
const NO_OPENING =
  /\b(?:kirana|creator|app|play|online|web|e-?commerce) stores?\b|\b(?:rights|ops)\b|\b(?:unveils|launches|introduces)\b.{5,60}\bat (?:its )?(?:\w+ )?(?:flagship )?store\b|\bglobal\b.{0,20}\bfootprint\b|\b(?:presence|footprint)\b.{0,20}\bwith (?:blinkit|zepto|instamart|amazon|flipkart|quick commerce)\b|\bmarket\b.{0,30}\b(?:expands?|grows?|grew|shrinks?)\b|\bmore spent\b|\bcostliest\b|\brents?\b/i;

/** `plans to open 28 new stores`: the words before a count that a summary says will open. */
const TO_OPEN =
  /\b(?:open(?:ing)?|add(?:ing)?|launch(?:ing)?|set(?:ting)? up|target of adding)\s+(?:around |about |nearly |over |up to |another )?$/i;

function plannedInSummary(reading: Reading): Figure | undefined {
  const { text, figures } = reading.summary;
  return figures.find(
    (figure) => countsStores(figure) && TO_OPEN.test(text.slice(Math.max(0, figure.start - 40), figure.start)),
  );
}

/** `lines up 140 stores, Varanasi first`: many stores, of which one city has only the first. */
const BEGUN_IN =
  /,\s+(?:\p{Lu}[\p{L} ]+ [Ff]irst$|[Ss]ays \p{Lu}[\p{L} ]+ [Ww]ill [Ll]ead\b|(?:to |will )?(?:begin|start)(?:s|ning|ing)? (?:with|in|from)\b)/u;

/** Without a place or a count the headline must say that somebody opens, enters or grows. */
const EXPANDS = new RegExp(
  `${STORE.source}|\\b(?:opens?|opened|opening|enters?|entry|debuts?|expan\\w+|presence|network|scales?|grows?|launch\\w*|new|retail|malls?|hotels?)\\b`,
  'i',
);

/** Whether the headline itself names a city, or a mall or a place in it. */
const isNamed = ({ title }: Reading, name: string): boolean =>
  findLocality(title)?.city === name ||
  title.mentions.some(({ city, mall }) => city?.name === name || mall?.city === name);

/** Opened, announced, planned or closed. What follows a total, such as where it leads, is not about these stores. */
function statusOf(title: string, move: Move, counted: StoreCount | null, below: Figure | undefined): Opening['status'] {
  if (CLOSED.test(title) || (move === 'stores' && CLOSED_BY_NAME.test(title))) return 'closed';
  if (counted?.total) return PLANNED.test(title.slice(0, counted.start)) ? 'planned' : 'opened';
  if (ANNOUNCED.test(title)) return 'announced';
  if (PLANNED.test(title) || counted?.planned) return 'planned';
  const done = move === 'stores' || counted !== null;
  return done && !(below && !counted && move !== 'stores') ? 'opened' : 'planned';
}

/**
 * Reads the openings and closures of an item.
 * @param brand the brand that opens, as the catalogue writes it; see `findOpener`
 * @param cities where it happens, one opening for each
 * @param move the kind of move: a move of another kind than `stores` has openings only where it counts planned stores
 * @returns one opening per city, or one without a city; empty when the item reports none
 */
export function readOpenings(reading: Reading, brand: string | null, cities: readonly string[], move: Move): Opening[] {
  if (!brand || move === 'people' || move === 'rules' || move === 'other' || move === 'launches') return [];
  const title = reading.title.text;
  const counted = countStores(reading.title);
  const below = plannedInSummary(reading);
  if (move !== 'stores' && !(counted && /\b(?:open|add|plan|expan|target|eye|launch)/i.test(title)) && !below)
    return [];
  if (!counted && !below && (NO_OPENING.test(title) || (cities.length === 0 && !EXPANDS.test(title)))) return [];
  const status = statusOf(title, move, counted, below);
  const plural = /\b(?:stores|outlets|showrooms|restaurants|salons|centres|centers|kiosks|caf[eé]s)\b/i.test(title);
  const one = STORE.test(title) && !plural && (status === 'opened' || status === 'closed');
  // A total does not say how many stores are new.
  const counts = counted?.total && status !== 'planned' ? null : counted?.stores;
  const stores = counts === undefined ? (one ? 1 : (below?.value ?? null)) : counts;
  const mall = findMall(reading);
  const locality = findLocality(reading.title);
  const date = findDay(title, reading.day);
  const [only, other] = cities;
  const many = counted !== null && counted.stores > 1 && !counted.total;
  if (many && only && !other && (BEGUN_IN.test(title) || !isNamed(reading, only)))
    return [{ brand, city: null, mall: null, locality: null, stores, status, date }];
  // `in Pune and Nagpur`: one opening each; how many are in which city is known only when there is one for each.
  const shared = cities.length > 1;
  return (shared ? cities : [cities[0] ?? null]).map((city) => ({
    brand,
    city,
    // A mall of another city is another mall of that name.
    mall: mall && (city === null || mall.city === city) ? mall.name : null,
    locality: locality && (locality.city === city || !shared) ? locality.name : null,
    stores: shared && stores !== null ? (stores === cities.length ? 1 : null) : stores,
    status,
    date,
  }));
}

const STREET = /\b(?:road|street|mall|market|plaza|square|marg|chowk)$/i;

/**
 * Finds the brand that opens: the last one named that is no landlord. `IKEA to open in Pacific Mall`, `MI Road gets a KFC`.
 * @returns its name; null when the item names no brand
 */
export function findOpener(brands: readonly BrandMention[], { brandBySlug }: PreparedCatalogue): string | null {
  const primary = brands.filter(({ role }) => role === 'primary');
  const tenants = (among: readonly BrandMention[]): readonly BrandMention[] =>
    among.filter(({ slug, name, provisional }) =>
      provisional ? !STREET.test(name) : brandBySlug.get(slug)?.category !== 'malls_and_real_estate',
    );
  const otherTenants = primary.every(({ provisional }) => provisional)
    ? tenants(brands).filter(({ provisional }) => !provisional)
    : [];
  return (tenants(primary).at(-1) ?? otherTenants[0] ?? primary.at(-1))?.name ?? null;
}
