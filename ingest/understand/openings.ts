/** Openings and closures of stores: brand, city, mall, how many, and whether done, announced or planned. */

import type { Move } from '../../schemas/scalar.ts';
import type { Opening } from '../../schemas/story.ts';
import { mallOf } from './cities.ts';
import { dayIn } from './dates.ts';
import type { Figure } from './figures.ts';
import { localityIn } from './localities.ts';
import type { Reading } from './reading.ts';
import { countsStores, type StoreCount, storeCount } from './store-count.ts';

const STORE =
  /\b(?:stores?|outlets?|showrooms?|flagship|salons?|restaurants?|caf[eé]s?|kiosks?|boutiques?|clinics?|experience cent(?:re|er)s?|cent(?:re|er)s?|studios?|dark stores?|food court|store-in-store|multiplex|galerie|footprint|retail presence|offline)\b/i;
const CLOSED =
  /\b(?:clos(?:es?|ed|ing|ure)|shuts?|shutting|shutter(?:s|ed)?|prunes?|vacates?)\b[^.]{0,40}\b(?:stores?|outlets?|showrooms?|restaurants?|centres?|caf[eé]s?|shops?|kiosks?|doors|airports?)|\bpulls? down shutters\b|\bdowns? shutters\b|\bcurtains for\b|\bbids? (?:goodbye|adieu)\b|\bexits? (?:\w+ ){0,2}(?:mall|airports?|cities)\b|^\w+(?: \w+)? loses? its\b/i;
/** `Trent closes Westside on Linking Road`: a name instead of a store; of a move of stores alone. */
const CLOSED_BY_NAME =
  /\b(?:[Cc]loses?|[Ss]huts?)(?: [Dd]own)? (?:\p{Lu}[\p{L}&'’.-]+ ){1,3}(?:on|at|in|[Oo]n|[Aa]t|[Ii]n)\b/u;
const PLANNED =
  /\b(?:plans?|planned|planning|to open|to launch|to add|will open|will launch|will add|eyes?(?!\+)|eyeing|targets?|targeting|aims?|aiming|by (?:20\d\d|fy|year-end|the end)|on the cards|set to|next (?:two|three|five|\d)|blueprint|soon|looks? to|mulls?|lines? up|chalks? out|maps? out|sets? sights on|guides? for|pencils? in|to build|commits? to|rollout|pipeline|sets? (?:a )?date|(?:its|the) next (?:\w+ )?(?:mall|store|outlet|showroom))\b/i;
const ANNOUNCED =
  /\b(?:announces?|announced|to launch|signs? (?:up )?(?:for )?(?:\w+ )?(?:space|lease)|takes? (?:\w+ )?space|wins? (?:\w+ )?space|picke?d? .{3,60} for (?:its|a|the) .{0,25}\b(?:store|outlet|showroom|flagship))\b/i;

/** Shops that are none of the brand's own, services that reach cities, and what merely happens in a shop. */
const NO_OPENING =
  /\b(?:kirana|creator|app|play|online|web|e-?commerce) stores?\b|\b(?:rights|ops)\b|\b(?:unveils|launches|introduces)\b.{5,60}\bat (?:its )?(?:\w+ )?(?:flagship )?store\b|\bglobal\b.{0,20}\bfootprint\b|\b(?:presence|footprint)\b.{0,20}\bwith (?:blinkit|zepto|instamart|amazon|flipkart|quick commerce)\b|\bmarket\b.{0,30}\b(?:expands?|grows?|grew|shrinks?)\b|\bmore spent\b|\bcostliest\b|\brents?\b/i;

/** `plans to open 28 new stores`: a count that a summary says will be opened. */
const TO_OPEN =
  /\b(?:open(?:ing)?|add(?:ing)?|launch(?:ing)?|set(?:ting)? up|target of adding)\s+(?:around |about |nearly |over |up to |another )?$/i;

function plannedBelow(reading: Reading): Figure | undefined {
  const { text, figures } = reading.summary;
  return figures.find(
    (figure) => countsStores(figure) && TO_OPEN.test(text.slice(Math.max(0, figure.start - 40), figure.start)),
  );
}

/** `lines up 140 stores, Varanasi first`: many stores, of which one city has but the first. */
const BEGUN_IN =
  /,\s+(?:\p{Lu}[\p{L} ]+ [Ff]irst$|[Ss]ays \p{Lu}[\p{L} ]+ [Ww]ill [Ll]ead\b|(?:to |will )?(?:begin|start)(?:s|ning|ing)? (?:with|in|from)\b)/u;

/** Without a place or a count something must say that somebody opens, comes or grows. */
const TOLD = new RegExp(
  `${STORE.source}|\\b(?:opens?|opened|opening|enters?|entry|debuts?|expan\\w+|presence|network|scales?|grows?|launch\\w*|new|retail|malls?|hotels?)\\b`,
  'i',
);

/** Whether the headline itself names a city, or a mall or a place in it. */
const isNamed = ({ title }: Reading, name: string): boolean =>
  localityIn(title)?.city === name ||
  title.mentions.some(({ city, mall }) => city?.name === name || mall?.city === name);

/** Done, announced, planned or closed. What is said after a total, such as where it leads, is not about these stores. */
function statusOf(title: string, move: Move, counted: StoreCount | null, below: Figure | undefined): Opening['status'] {
  if (CLOSED.test(title) || (move === 'stores' && CLOSED_BY_NAME.test(title))) return 'closed';
  if (counted?.total) return PLANNED.test(title.slice(0, counted.start)) ? 'planned' : 'opened';
  if (ANNOUNCED.test(title)) return 'announced';
  if (PLANNED.test(title) || counted?.planned) return 'planned';
  const done = move === 'stores' || counted !== null;
  return done && !(below && !counted && move !== 'stores') ? 'opened' : 'planned';
}

/**
 * Reads the openings of an item.
 * @param brand the brand that opens, as the catalogue writes it
 * @param cities where it happens, one opening for each
 * @param move what kind of move it is: a move of another kind has openings only where it counts stores to come
 */
export function openingsOf(reading: Reading, brand: string | null, cities: readonly string[], move: Move): Opening[] {
  if (!brand || move === 'people' || move === 'rules' || move === 'other' || move === 'launches') return [];
  const title = reading.title.text;
  const counted = storeCount(reading.title);
  const below = plannedBelow(reading);
  if (move !== 'stores' && !(counted && /\b(?:open|add|plan|expan|target|eye|launch)/i.test(title)) && !below)
    return [];
  if (!counted && !below && (NO_OPENING.test(title) || (cities.length === 0 && !TOLD.test(title)))) return [];
  const status = statusOf(title, move, counted, below);
  const plural = /\b(?:stores|outlets|showrooms|restaurants|salons|centres|centers|kiosks|caf[eé]s)\b/i.test(title);
  const one = STORE.test(title) && !plural && (status === 'opened' || status === 'closed');
  // Of all that there are it is not told how many are new.
  const told = counted?.total && status !== 'planned' ? null : counted?.stores;
  const stores = told === undefined ? (one ? 1 : (below?.value ?? null)) : told;
  const mall = mallOf(reading);
  const locality = localityIn(reading.title);
  const date = dayIn(title, reading.day);
  const [only, other] = cities;
  const many = counted !== null && counted.stores > 1 && !counted.total;
  if (many && only && !other && (BEGUN_IN.test(title) || !isNamed(reading, only)))
    return [{ brand, city: null, mall: null, locality: null, stores, status, date }];
  // `in Pune and Nagpur`: one opening each; how many stand where is known only when there is one for each.
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
