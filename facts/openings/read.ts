/** Openings and closures of stores: brand, city, mall, how many, and whether opened, announced, planned or closed. */

import { findDay } from '../../language/dates.ts';
import type { Figure } from '../../language/figures.ts';
import { dozensIn } from '../../language/numbers.ts';
import type { Move } from '../../schemas/scalar.ts';
import type { BrandMention } from '../../schemas/story.ts';
import { type Agreement, factReading, type ItemFacts, proposed, spellingsOf } from '../item-facts.ts';
import type { TaggedText } from '../tagged-text.ts';
import type { PreparedCatalogue } from '../text/catalogue.ts';
import type { Reading } from '../text/item-reading.ts';
import { findLocality, findMall, isAbroad, isForeignCity } from '../text/places.ts';
import { type Clause, isToOpen, negationOf, splitClauses } from '../text/statements.ts';
import type { Opening } from './fields.ts';

// Counting stores: how many a clause counts, and whether they are new, a total, or only reached.

/** Where customers shop, eat or are served. Screens, warehouses, kitchens and points of sale are no stores. */
const STORE_UNIT =
  /^(?:stores?|outlets?|showrooms?|dark stores|experience cent(?:re|er)s|centres?|centers?|salons?|restaurants?|cafes?|kiosks?|boutiques?|clinics?|studios?|doors|gyms?|fulfil?ment cent(?:re|er)s|pharmacies)$/;
/** More stores than any chain has: shops of others in which goods are sold. */
const MAX_STORES = 100_000;

/** True for a figure that counts stores. */
const countsStores = (figure: Figure): boolean => figure.kind === 'count' && STORE_UNIT.test(figure.unit);

/**
 * What a count of stores says: `new` ones; the `total` of a chain, of which how many are new is unknown; or `reached`,
 * the shops of others in which goods are sold.
 */
type CountRole = 'new' | 'total' | 'reached';

interface StoreCount {
  readonly stores: number;
  readonly role: CountRole;
  /** Offset in the clause. */
  readonly start: number;
}

/** `2 new Bikanervala stores`, `three Zudio shops`: names may come between, but no word that begins something else. */
const PARTED =
  /(?<![\w.,₹$-])((?:(?:half a|half|a|two|three|four)[ -])?dozen|\d{1,4}|two(?! dozen)|three(?! dozen)|four(?! dozen)|five|six|seven|eight|nine|ten) (?:(?!(?:sq|square|years?|months?|weeks?|days?|hours?|minutes?|cities|towns|states|countries|malls|crore|lakh|million|per|percent|in|of|for|with|and|to|at|by|its|from|into|across|as|on|cent|pc|cr)\b)[\p{L}\p{N}'’&.-]+ ){0,3}?(?:stores|outlets|showrooms|salons|restaurants|cafes|kiosks|boutiques|shops)\b/iu;
const NUMBER_WORDS = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const TOTAL_BEFORE =
  /(?:\b(?:reach(?:es|ed|ing)?|cross(?:es|ed|ing)?|hits?|touch(?:es|ed)?|surpass(?:es|ed)?|complet(?:es|ed)|clocks?|marks?|now (?:at|has|runs|counts)|has|have|runs?|operates?|(?:tally|count|network|footprint|base) (?:to|at|of)|(?:tak(?:es|ing)|brings?|bringing)\b[^.;,]{0,40} to)|^\s*(?:at|with)|\b(?:network|footprint|presence|chain|base|expands?|grows?|scales?|expansion|goes|doubles|triples)\b[^.;,]{0,25}? to)\s+(?:the\s+|over\s+|a\s+|its\s+|around\s+|nearly\s+|more than\s+)?$/i;
const REACHED_BEFORE =
  /\b(?:across|through|via|available (?:in|at)|sold (?:in|at)|stocked (?:in|at)|distribut\w+ (?:in|to|at)|present (?:in|at)|listed (?:in|at)|(?:in|at|from|into|over|of))\s+(?:the\s+|over\s+|more than\s+|around\s+|nearly\s+|all\s+(?:its\s+)?|its\s+|\d+\s+of\s+(?:its\s+)?)?$/i;

const numberOf = (word: string): number =>
  /dozen$/i.test(word)
    ? dozensIn(word)
    : NUMBER_WORDS.includes(word.toLowerCase())
      ? NUMBER_WORDS.indexOf(word.toLowerCase()) + 2
      : Number(word.replaceAll(',', ''));

const roleAfter = (before: string): CountRole =>
  TOTAL_BEFORE.test(before) ? 'total' : REACHED_BEFORE.test(before) ? 'reached' : 'new';

/** The count of stores in a clause; null for none. */
function countStores(clause: Clause, figures: readonly Figure[]): StoreCount | null {
  const { text, start, end } = clause;
  const figure = figures.find((each) => each.start >= start && each.end <= end && countsStores(each));
  if (figure) {
    const at = figure.start - start;
    const role = figure.value < MAX_STORES ? roleAfter(text.slice(0, at)) : 'reached';
    return { stores: figure.high, role, start: at };
  }
  const parted = PARTED.exec(text);
  if (!parted) return null;
  const role = roleAfter(text.slice(0, parted.index));
  return { stores: numberOf(parted[1] ?? ''), role, start: parted.index };
}

// What a clause says of stores: whether they open, closed, or are announced or planned.

const NOUN =
  'stores?|outlets?|showrooms?|flagship|salons?|restaurants?|cafes?|kiosks?|boutiques?|clinics?|experience cent(?:re|er)s?|cent(?:re|er)s?|studios?|dark stores?|food court|store-in-store|multiplex|galerie|brewpub|bistro|eatery|lounge|hypermarket|supermarket|pharmac(?:y|ies)|venue|shops?';
/** `store network`, `outlet count`, `store-led`: the noun describes another one and is no store. */
const ADJUNCT =
  '(?!-(?:led|based|first|level)|[\\s-](?:network|count|base|tally|expansion|formats?|chain|launches|openings?|additions?|roll-?out|footprint|presence|plans?|sales|visits|operator|operations|staff|managers?|mark|milestone|growth|strategy|rents?|closures?))';
const ONE_STORE = new RegExp(`\\b(?:${NOUN})\\b${ADJUNCT}`, 'i');
const PLURAL =
  /\b(?:stores|outlets|showrooms|restaurants|salons|centres|centers|kiosks|cafes|boutiques|clinics|studios|shops|pharmacies)\b/i;
const CLOSED =
  /\b(?:clos(?:es?|ed|ing|ure)|shuts?|shutting|shutter(?:s|ed)?|prunes?|vacates?)\b[^.]{0,40}\b(?:stores?|outlets?|flagship|boutiques?|salons?|branch(?:es)?|hypermarkets?|supermarkets?|gyms?|clinics?|showrooms?|restaurants?|centres?|cafes?|shops?|kiosks?|doors|airports?)|\bpulls? down shutters\b|\bdowns? shutters\b|\bcurtains for\b|\bbids? (?:goodbye|adieu)\b|\bexits? (?:\w+ ){0,2}(?:mall|airports?|cities)\b|^\w+(?: \w+)? loses? its\b/i;
/** `30 outlets to shut`, `12 stores shut down`: the stores come first. */
const SHUT = new RegExp(
  `${PLURAL.source}[^.,;]{0,40}\\b(?:shut(?:s|ting)?(?: down)?|shuttered|closed|to close|closing)\\b(?! to\\b| by\\b)`,
  'i',
);
const PLANNED =
  /\b(?:plans?|planned|planning|to open|to enter|to launch|to add|to set up|to double|to take|will open|will launch|will add|will set up|eyes(?!\+)|eye(?!\+|\s?(?:\+|hospitals?|care|wear|clinics?|health|make-?up|tests?|doctors?)\b)|eyeing|targets?|targeting|aims?|aiming|by (?:20\d\d|fy|h[12]\b|q[1-4]\b|next|early|mid|late|year-end|the end|march|june|july|august|september|october|november|december|diwali|dussehra|onam|christmas|summer|winter|festive)|on the anvil|in the (?:works|offing)|under construction|upcoming|slated|on the cards|set to|next (?:two|three|five|\d)|blueprint|soon|looks? to|mulls?|lines? up|chalks? out|maps? out|sets? sights on|guides? for|pencils? in|to build|commits? to|rollout|pipeline|in talks|sets? (?:a )?date|(?:its|the) next (?:\w+ )?(?:mall|store|outlet|showroom))\b/i;
const ANNOUNCED =
  /\b(?:announces?|announced|to launch|leases|(?:signs?|inks?|signed|inked) (?:an? )?(?:mou|memorandum|pact|agreement|deal)|signs? (?:up )?(?:for )?(?:\w+ )?(?:space|lease)|takes? (?:\w+ )?space|wins? (?:\w+ )?space|picke?d? .{3,60} for (?:its|a|the) .{0,25}\b(?:store|outlet|showroom|flagship))\b/i;
/** Somebody opens: what follows is a store even where the models see another kind of move. */
const OPENS =
  /(?<!-)\b(?:opens?|opened|opening|inaugurates?|inaugurated|re-?opens?|unveils?|launch(?:es|ed)|debuts?|adds?|added|sets? up|enters|arrives|comes to|expands? (?:to|in|into)|relocates?|rolls? out)\b/i;
/** Verbs whose object is a place and nothing else. */
const OPENS_PLACE = /(?<!-)\b(?:opens|opened|inaugurates|inaugurated|re-?opens)\b/i;

/** Without one of these words a headline of another kind of move opens nothing: a quick test that saves reading it. */
const MAY_OPEN =
  /open|inaugurat|store|outlet|showroom|salon|restaurant|cafe|kiosk|boutique|clinic|centre|center|studio|shop|gym/i;

/** `126 outlets still open`: they were open before. */
const STILL_OPEN = /\b(?:still|remains?|stays?|keeps?|kept) open\b/i;

/** Shops of others than the brand, services that reach cities, and events that only take place in a shop. */
const NO_OPENING =
  /\b(?:kirana|creator|app|play|online|web|e-?commerce) stores?\b|\b(?:rights|ops)\b|\b(?:unveils|launches|introduces)\b.{5,60}\bat (?:its )?(?:\w+ )?(?:flagship )?store\b|\bglobal\b.{0,20}\bfootprint\b|\b(?:presence|footprint)\b.{0,20}\bwith (?:blinkit|zepto|instamart|amazon|flipkart|quick commerce)\b|\bmarket\b.{0,30}\b(?:expands?|grows?|grew|shrinks?)\b|\bmore spent\b|\bcostliest\b|\brents?\b|\b(?:slash|cut|reduce|trim|shrink|halve)(?:s|es)?\b.{0,30}\b(?:presence|footprint|network|cities)\b|\bpop-?ups?\b|\bon train\b/i;
/** What is opened and is no store: plants, warehouses, offices, screens. */
const NO_STORE =
  /\b(?:plants?|factor(?:y|ies)|manufacturing|facilit(?:y|ies)|warehous(?:es?|ing)|godowns?|depots?|mills?|farms?|distiller(?:y|ies)|bottling|offices?|headquarters|hq|campus(?:es)?|labs?|laborator(?:y|ies)|academ(?:y|ies)|institutes?|schools?|screens?|charging stations?|(?:distribution|sort(?:ing|ation)|logistics|supply|design|photo|content|creative|film|tech|technology|innovation|research|r&d|global|capability|training|learning|skill\w*|engineering|development|data|call|support|service|excellence) (?:and \w+ )?(?:studios?|cent(?:re|er)s?|hubs?|parks?)|cent(?:re|er)s? of excellence)\b/gi;
/** Shops of others: what is sold, stocked or delivered there opens nothing. */
const DISTRIBUTION =
  /\b(?:modern|general) trade\b|\breach\w*\b.{0,30}\bpoints? of sales?\b|\bdistribution (?:to|reach|across)\b|\b(?:available|listed|stocked|sold|retailed|retailing)\s+(?:\w+\s+)?(?:in|at|on|across|through|via)\b|\bproducts?\s+(?:now\s+)?(?:reach\w*|enter\w*|at|in|across)\b|\bshelves\b/i;
/** Something happens in a store that is open already. */
const INCIDENT =
  /\b(?:robb(?:ed|ery|ers)|theft|thieves|burgl\w+|loot(?:ed|ers)?|fire|blaze|raids?|raided|seal(?:s|ed)|inspect\w*|protests?|vandal\w*|assault\w*|accident|collapse[sd]?|licen[cs]es?|hosts?|screening|renovat\w+)\b/i;
/** `Bigger stores` are a format, `older stores` are open. */
const FORMAT =
  /\b(?:bigger|larger|smaller|older|existing|current)\b[^,;]{0,20}\b(?:stores?|outlets?|showrooms?)\b|\bstore (?:design|format)s?\b/i;
/** `Enters the sports segment`, `enters India via a distributor`: a market that is entered without a store. */
const ENTERS_MARKET = /\b(?:enters?|entry|entering|entered|forays?|debuts?)\b/i;
/** A delivery service that goes to more cities does so with stores of its own. */
const DELIVERY =
  /\b(?:quick[- ]commerce|q-?comm(?:erce)?|rapid delivery|dark stores?)\b|\b(?:Amazon Now|Minutes|Instamart|Blinkit|Zepto)\b/;
/** Words that say that stores come to be; without one a headline about a store says nothing of an opening. */
const ARRIVES =
  /\b(?:open\w*|re-?open\w*|inaugurat\w*|launch\w*|unveil\w*|debut\w*|add(?:s|ed|ing|itions?)?|enter(?:s|ed|ing)?|entry|expan\w+|strengthen\w*|grow(?:s|ing|th)?|grew|gets?|welcom\w+|brings?|begins?|starts?|sets?|new|first|second|third|fourth|fifth|next|latest|another|\d+(?:st|nd|rd|th)|arriv\w+|lands?|comes?|presence|footprint|network|gains?|reach\w*|cross\w*|tak(?:es|ing)|doubl\w+|now|revamp\w*|relocat\w+|re-?launch\w*|mark|milestone|hits?|scal\w+|ramps?|bets?|deepen\w*|makes?|move[sd]?|flagship|rolls?|builds?|forays?|marks?|ties|partners?|signs?|leas\w+|touch\w*|picks?|plans?)\b/i;

/** A count of stores that a summary says will open. */
function plannedInSummary({ summary }: Reading): Figure | undefined {
  return summary.figures.find((figure) => countsStores(figure) && isToOpen(summary.text, figure));
}

/** `lines up 140 stores, Varanasi first`: many stores, of which one city has only the first. */
const BEGUN_IN =
  /,\s+(?:\p{Lu}[\p{L} ]+ [Ff]irst$|[Ss]ays \p{Lu}[\p{L} ]+ [Ww]ill [Ll]ead\b|(?:to |will )?(?:begin|start)(?:s|ning|ing)? (?:with|in|from)\b)/u;

/** Without a place or a count the headline must say that a store opens: `strengthens its presence` counts nothing. */
const EXPANDS = new RegExp(
  `\\b(?:${NOUN})\\b|\\bfootprint\\b|\\b(?:opens?|opened|opening|enters?|entry|debuts?|hotels?|malls?)\\b`,
  'i',
);
/** A delivery service that enters cities does so with stores of its own. */
const QUICK = /\b(?:quick[- ]commerce|q-?comm|rapid delivery|(?:10|ten)[- ]minute|dark stores?|minutes|now)\b/i;

/** Whether the headline itself names a city, or a mall or a place in it. */
const isNamed = ({ title }: Reading, name: string): boolean =>
  findLocality(title)?.city === name ||
  title.mentions.some(({ city, mall }) => city?.name === name || mall?.city === name);

/** What one clause says of stores. */
interface StoreClause {
  readonly clause: Clause;
  readonly count: StoreCount | null;
  /** Null where the clause has no verb of its own. */
  readonly status: Opening['status'] | null;
  /** It names a store and somebody opens or closes it, or counts stores. */
  readonly certain: boolean;
}

function readStoreClause(clause: Clause, figures: readonly Figure[]): StoreClause {
  const count = countStores(clause, figures);
  const { text } = clause;
  // What follows a total, such as where it leads, is not about these stores.
  const lead = count?.role === 'total' ? text.slice(0, count.start) : text;
  const closed = CLOSED.test(text) || SHUT.test(text);
  const status = closed
    ? 'closed'
    : count?.role === 'total'
      ? PLANNED.test(lead)
        ? 'planned'
        : 'opened'
      : ANNOUNCED.test(text)
        ? 'announced'
        : PLANNED.test(text)
          ? 'planned'
          : OPENS.test(text)
            ? 'opened'
            : null;
  const counted = count !== null && count.role !== 'reached';
  const placed =
    OPENS_PLACE.test(text) && (ONE_STORE.test(text) || PLURAL.test(text) || /\b(?:in|at) \p{Lu}/u.test(text));
  return { clause, count, status, certain: closed || counted || (status !== null && ONE_STORE.test(text)) || placed };
}

const clausesOf = (all: readonly StoreClause[]): string[] => all.map(({ clause }) => clause.text);

/** Opened, announced, planned or closed: the clause says so, else the clauses before it, else the move. */
function statusOf(
  lead: StoreClause,
  all: readonly StoreClause[],
  move: Move,
  below: Figure | undefined,
): Opening['status'] {
  const earlier = all.slice(0, all.indexOf(lead) + 1).findLast(({ status }) => status !== null)?.status;
  const own = lead.status ?? earlier;
  if (own) return own;
  if (move === 'stores') return 'opened';
  const isPlan = /\b(?:nod|ipo|invest\w*|raises?|funds?|next|chapter|vision|roadmap|strategy|bets?)\b/i;
  return below || clausesOf(all).some((text) => isPlan.test(text)) || !lead.count ? 'planned' : 'opened';
}

/** How many stores: a count of new or planned ones, one for a single store; null for a total and for the unknown. */
function storesOf(
  { clause: { text }, count }: StoreClause,
  status: Opening['status'],
  below: Figure | undefined,
): number | null {
  if (count && count.role !== 'reached') return count.role === 'total' && status !== 'planned' ? null : count.stores;
  const one = ONE_STORE.test(text) && !PLURAL.test(text) && (status === 'opened' || status === 'closed');
  return one ? 1 : (below?.high ?? null);
}

/**
 * Whether a headline that seems to open something opens no store: it opens a plant, goods reach the shops of others, a market
 * is entered without a store, or something happens in a store that is open already.
 * @param counted new or planned stores are counted
 * @param placed a city is known
 */
function opensNothing(
  headline: string,
  clauses: readonly StoreClause[],
  lead: StoreClause,
  counted: boolean,
  placed: boolean,
): boolean {
  const { text } = lead.clause;
  const opensStore = OPENS_PLACE.test(text) && ONE_STORE.test(text);
  if (DISTRIBUTION.test(headline) && !opensStore) return true;
  if (lead.count?.role === 'reached' && !OPENS_PLACE.test(text)) return true;
  if (/fulfil?ment cent/i.test(headline) && !QUICK.test(headline)) return true;
  if (STILL_OPEN.test(text)) return true;
  if (counted) return false;
  if (NO_OPENING.test(headline) || lead.count?.role === 'reached') return true;
  if ((INCIDENT.test(headline) || FORMAT.test(headline)) && !opensStore) return true;
  const names = (words: string): boolean => ONE_STORE.test(words) || PLURAL.test(words);
  const stores = text.replace(NO_STORE, ' ');
  if (stores !== text && !names(stores)) return true;
  if (lead.count !== null || QUICK.test(headline)) return false;
  if (!placed && (!EXPANDS.test(headline) || (ENTERS_MARKET.test(headline) && !names(headline)))) return true;
  return clauses.every(({ status }) => status === null) && !ARRIVES.test(headline);
}

/** The clause of a headline that its opening is read from: the surest one. */
const leadOf = (clauses: readonly StoreClause[]): StoreClause | undefined =>
  clauses.find(
    ({ certain, clause, count }) => certain && !clause.cause && (count === null || count.role !== 'total'),
  ) ??
  clauses.find(({ certain }) => certain) ??
  clauses.find(({ status }) => status !== null) ??
  clauses[0];

/** Whether a headline of another kind than `stores` says that a store opens, or its text counts planned ones. */
function opensBesides(
  title: string,
  move: Move,
  lead: StoreClause,
  { isPlaced, isCounted, isPlanned }: Record<'isPlaced' | 'isCounted' | 'isPlanned', boolean>,
): boolean {
  const opensPlace = OPENS_PLACE.test(lead.clause.text) && lead.certain && lead.status === 'opened';
  const countsNew = isCounted && /\b(?:open|add|plan|expan|target|eye|launch|new|clos|shut)/i.test(title);
  const plans = isPlanned && (move === 'strategy' || move === 'results' || move === 'deals');
  return (opensPlace && isPlaced) || (countsNew && move !== 'other') || plans;
}

/** One opening for each place, or one without a place. */
function openingsAt(
  places: readonly string[],
  opening: Opening,
  mall: ReturnType<typeof findMall>,
  locality: ReturnType<typeof findLocality>,
): Opening[] {
  // `in Pune and Nagpur`: how many are in which city is known only when there is one for each.
  const shared = places.length > 1;
  const { stores } = opening;
  return (shared ? places : [places[0] ?? null]).map((city) => ({
    ...opening,
    city,
    // A mall of another city is another mall of that name.
    mall: mall && (city === null || mall.city === city) ? mall.name : null,
    locality: locality && (locality.city === city || !shared) ? locality.name : null,
    stores: shared && stores !== null ? (stores === places.length ? 1 : null) : stores,
  }));
}

/**
 * Reads the openings and closures of an item.
 * @param brand the brand that opens, as the catalogue writes it; see `findOpener`
 * @param cities where it happens, one opening for each
 * @param move the kind of move: a move of another kind than `stores` has openings only where its headline says that a
 *   store opens, or its text counts planned ones
 * @returns one opening per city, or one without a city; empty when the item reports none. `stores` is never a total of
 *   what is open
 */
export function readOpenings(reading: Reading, brand: string | null, cities: readonly string[], move: Move): Opening[] {
  if (!brand || move === 'people' || move === 'rules') return [];
  const { title } = reading;
  const inIndia = cities.filter((city) => !isForeignCity(city));
  if (inIndia.length === 0 && cities.length > 0) return [];
  if (negationOf(title.text)) return [];
  const below = plannedInSummary(reading);
  if (move !== 'stores' && !below && !MAY_OPEN.test(title.text)) return [];
  // `Café` is read as `cafe`: a boundary of words is one between plain letters.
  const headline = title.text.replace(/[éÉ]/g, 'e');
  const clauses = splitClauses(headline).map((clause) => readStoreClause(clause, title.figures));
  const lead = leadOf(clauses);
  if (!lead) return [];
  const counted = lead.count && lead.count.role !== 'reached' ? lead.count : null;
  const signs = { isPlaced: inIndia.length > 0, isCounted: counted !== null, isPlanned: below !== undefined };
  if (move !== 'stores' && !opensBesides(title.text, move, lead, signs)) return [];
  const named = inIndia.some((city) => isNamed(reading, city));
  const certain = counted !== null || below !== undefined;
  if (opensNothing(headline, clauses, lead, certain, inIndia.length > 0)) return [];
  if (isAbroad(title.text) && !named) return [];
  const status = statusOf(lead, clauses, move, below);
  const stores = storesOf(lead, status, below);
  const date = findDay(title.text, reading.day);
  const opening: Opening = { brand, mall: null, locality: null, date, city: null, stores, status };
  const places = inIndia.filter((city) => !isLeft(title.text, city));
  const [only, other] = places;
  const many = counted !== null && counted.stores > 1 && counted.role === 'new';
  // How many are where is not known from cities that only the summary names: it may name those that stay.
  const areNamed = places.some((city) => isNamed(reading, city));
  if (many && only && (!areNamed || (!other && BEGUN_IN.test(title.text)))) return [opening];
  // `shuts 14 stores, will open 20`: a further count with a verb of its own.
  const further = clauses.flatMap((each) =>
    each !== lead &&
    each.count?.role === 'new' &&
    each.status !== null &&
    (each.status === 'closed') !== (status === 'closed')
      ? [{ ...opening, stores: each.count.stores, status: each.status }]
      : [],
  );
  return [...openingsAt(places, opening, findMall(reading), findLocality(title)), ...further];
}

/** `expands beyond Delhi to Pune`: the city that a brand comes from. */
const isLeft = (title: string, city: string): boolean =>
  new RegExp(`\\b(?:beyond|outside|moves? from)\\s+(?:the\\s+)?${RegExp.escape(city)}\\b`, 'i').test(title);

/** Words between a brand and the store that it names: `Daewoo Experience Store`, `Siemens Retail Network`. */
const STORE_WORDS =
  /^(?:\s+(?:new|first|second|flagship|experience|experiential|exclusive|luxury|premium|concept|retail|brand|offline|jewellery|fashion|beauty|franchise|large|largest))*\s+(?:stores?|outlets?|showrooms?|boutiques?|cafes?|restaurants?|salons?|retail network|footprint|presence|experience cent(?:re|er)s?)\b/i;

/** The brand that names the store in a headline: the store is of this brand, also when another company runs it. */
function nameOfStore({ title }: Reading, brands: readonly BrandMention[]): string | null {
  const naming = title.mentions.find(({ brand, last }) => {
    const after = title.text.slice(title.tokens[last]?.end ?? title.text.length);
    return brand !== undefined && brand.category !== 'malls_and_real_estate' && STORE_WORDS.test(after);
  });
  return brands.find(({ slug }) => slug === naming?.brand?.slug)?.name ?? null;
}

/** The delivery service of a company that a text about quick commerce names: `Amazon Now` for Amazon, also as its `Now`. */
function deliveryOf(
  { title, summary }: Reading,
  primary: readonly BrandMention[],
  { catalogue }: PreparedCatalogue,
): string | null {
  const services = [...title.mentions, ...summary.mentions].flatMap(({ brand }) =>
    brand?.category === 'quick_commerce' && primary.some(({ slug }) => slug === brand.parent) ? [brand.name] : [],
  );
  const shortened = catalogue.brands.flatMap(({ name, parent, category }) => {
    const owner = primary.find(({ slug }) => slug === parent);
    const own = owner && name.startsWith(`${owner.name} `) ? name.slice(owner.name.length + 1) : null;
    const isNamed = own !== null && title.tokens.some(({ text, capital }) => capital && text === own);
    return category === 'quick_commerce' && isNamed ? [name] : [];
  });
  const [only, other] = new Set([...services, ...shortened]);
  return only && !other ? only : null;
}

/**
 * Finds the brand that opens: the one that names the store, else the last one named that is no landlord. `IKEA to open
 * in Pacific Mall`, `MI Road gets a KFC`, `Apparel Group opens Victoria's Secret store`.
 * @returns its name; null when the item names no brand
 */
export function findOpener(
  reading: Reading,
  brands: readonly BrandMention[],
  catalogue: PreparedCatalogue,
): string | null {
  const { brandBySlug } = catalogue;
  const named = nameOfStore(reading, brands);
  if (named) return named;
  const primary = brands.filter(({ role }) => role === 'primary');
  const service = DELIVERY.test(reading.title.text) ? deliveryOf(reading, primary, catalogue) : null;
  if (service) return service;
  const tenants = (among: readonly BrandMention[]): readonly BrandMention[] =>
    among.filter(({ slug, provisional }) => provisional || brandBySlug.get(slug)?.category !== 'malls_and_real_estate');
  const otherTenants = primary.every(({ provisional }) => provisional)
    ? tenants(brands).filter(({ provisional }) => !provisional)
    : [];
  return (tenants(primary).at(-1) ?? otherTenants[0] ?? primary.at(-1))?.name ?? null;
}

/** Plans of more stores are held back: most are shops of others, or a figure of years to come. */
const LARGEST_PLAN = 500;
/** Makers sell in shops of others: a higher number of theirs counts points of sale. */
const MAKERS: ReadonlySet<string> = new Set(['fmcg', 'personal_care', 'food_and_beverage', 'alcohol', 'paints']);
const LARGEST_OF_MAKER = 100;

/** Whether only an operator publishes an opening: a very large plan, or points of sale of a maker. */
function isForOperators(
  { brand, stores, status }: Opening,
  { brands, catalogue }: Pick<ItemFacts, 'brands' | 'catalogue'>,
): boolean {
  if (stores === null || status === 'closed') return false;
  const slug = brands.find(({ name }) => name === brand)?.slug;
  const category = slug && catalogue.brandBySlug.get(slug)?.category;
  return (stores > LARGEST_PLAN && status !== 'opened') || (stores > LARGEST_OF_MAKER && MAKERS.has(category ?? ''));
}

/** Openings are read at a lower probability of their kind: their rules ask for a store in the headline, which other kinds rarely have. */
const LEAST_LIKELY = 0.25;

/** A second reader's opinion of brand, city and whether stores open or close. */
const agreementWith = ({ brand, city, status }: Opening, tagged: TaggedText, item: ItemFacts): Agreement => [
  tagged.reports('stores', status === 'closed' ? 'closed' : 'open'),
  tagged.says('store_brand', ...spellingsOf(item, brand)),
  city === null ? tagged.lacks('store_city') : tagged.says('store_city', ...spellingsOf(item, city)),
];

const PLAIN =
  ' (?:opens|shuts|closes)(?: down)? (?:[\\w-]+ ){1,4}?(?:stores?|outlets?|showrooms?|cafes?|restaurants?|boutiques?|salons?)\\b';

/** `Bata shuts six stores in Kerala`: the brand, what it does, and of what the headline counts. */
function isPlain({ brand, city, stores, status }: Opening, { reading: { title }, brands }: ItemFacts): boolean {
  const written = brands.find(({ name }) => name === brand)?.written;
  if (!written || stores === null || (status !== 'opened' && status !== 'closed')) return false;
  if (city !== null && !title.text.includes(city)) return false;
  const form = new RegExp(`^${RegExp.escape(written)}(?: India)?${PLAIN}`, 'i');
  return form.test(title.text) && !negationOf(title.text);
}

export const openingsReading = factReading<Opening>({
  agreement: agreementWith,
  leastConfidence: 0.6,
  names: ['brand'],
  read: ({ reading, brands, catalogue, cities, move, mayBe }) =>
    proposed(
      readOpenings(
        reading,
        findOpener(reading, brands, catalogue),
        cities,
        mayBe('stores', LEAST_LIKELY) ? 'stores' : move,
      ),
    ),
  isPlain,
  isForOperators,
  why: ({ status, brand }) => [status, brand],
});
