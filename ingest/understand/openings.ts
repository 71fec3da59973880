/** Openings and closures of stores: brand, city, mall, how many, and whether done, announced or planned. */

import type { Move } from '../../schemas/scalar.ts';
import type { Opening } from '../../schemas/story.ts';
import { mallOf } from './cities.ts';
import { dayIn } from './dates.ts';
import type { Figure } from './figures.ts';
import { localityIn } from './localities.ts';
import type { Reading } from './reading.ts';

const STORE =
  /\b(?:stores?|outlets?|showrooms?|flagship|salons?|restaurants?|caf[eé]s?|kiosks?|boutiques?|clinics?|experience cent(?:re|er)s?|cent(?:re|er)s?|studios?|dark stores?|food court|store-in-store|multiplex|galerie|footprint|retail presence|offline)\b/i;
const STORE_UNIT =
  /^(?:stores?|outlets?|showrooms?|dark stores|experience cent(?:re|er)s|fulfil?ment cent(?:re|er)s|centres?|centers?|salons?|restaurants?|cafes?|kiosks?|boutiques?|clinics?|screens?|kitchens?|studios?|warehouses?|doors|gyms?)$/;
const CLOSED =
  /\b(?:clos(?:es?|ed|ing|ure)|shuts?|shutting|shutter(?:s|ed)?|prunes?|vacates?)\b[^.]{0,40}\b(?:stores?|outlets?|showrooms?|restaurants?|centres?|caf[eé]s?|shops?|kiosks?|doors|airports?)|\bpulls? down shutters\b|\bdowns? shutters\b|\bcurtains for\b|\bbids? (?:goodbye|adieu)\b|\bexits? (?:\w+ ){0,2}(?:mall|airports?|cities)\b/i;
const PLANNED =
  /\b(?:plans?|planned|planning|to open|to launch|to add|will open|will launch|will add|eyes?|eyeing|targets?|targeting|aims?|aiming|by (?:20\d\d|fy|year-end|the end)|on the cards|set to|next (?:two|three|five|\d)|blueprint|soon|looks? to|mulls?)\b/i;
const ANNOUNCED = /\b(?:announces?|announced|to launch)\b/i;

/** Shops that are none of the brand's own, services that reach cities, and what merely happens in a shop. */
const NO_OPENING =
  /\b(?:kirana|creator|app|play|online|web|e-?commerce) stores?\b|\b(?:rights|ops)\b|\b(?:unveils|launches|introduces)\b.{5,60}\bat (?:its )?(?:\w+ )?(?:flagship )?store\b|\bglobal\b.{0,20}\bfootprint\b|\b(?:presence|footprint)\b.{0,20}\bwith (?:blinkit|zepto|instamart|amazon|flipkart|quick commerce)\b/i;

const storesIn = (figures: readonly Figure[]): Figure | undefined =>
  figures.find((figure) => figure.kind === 'count' && STORE_UNIT.test(figure.unit) && figure.value < 100_000);

/** `plans to open 28 new stores`: a count that a summary says will be opened. */
const TO_OPEN =
  /\b(?:open(?:ing)?|add(?:ing)?|launch(?:ing)?|set(?:ting)? up|target of adding)\s+(?:around |about |nearly |over |up to |another )?$/i;

function plannedBelow(reading: Reading): Figure | undefined {
  const { text, figures } = reading.summary;
  return figures.find(
    (figure) =>
      figure.kind === 'count' &&
      STORE_UNIT.test(figure.unit) &&
      TO_OPEN.test(text.slice(Math.max(0, figure.start - 40), figure.start)),
  );
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
  const counted = storesIn(reading.title.figures);
  const below = plannedBelow(reading);
  if (move !== 'stores' && !(counted && /\b(?:open|add|plan|expan|target|eye|launch)/i.test(title)) && !below)
    return [];
  if (!counted && !below && NO_OPENING.test(title)) return [];
  const done = !PLANNED.test(title) && (move === 'stores' || counted !== undefined);
  const status = CLOSED.test(title)
    ? 'closed'
    : ANNOUNCED.test(title)
      ? 'announced'
      : done && !(below && !counted && move !== 'stores')
        ? 'opened'
        : 'planned';
  const plural = /\b(?:stores|outlets|showrooms|restaurants|salons|centres|centers|kiosks|caf[eé]s)\b/i.test(title);
  const one = STORE.test(title) && !plural && (status === 'opened' || status === 'closed');
  const stores = counted?.value ?? (one ? 1 : (below?.value ?? null));
  const mall = mallOf(reading);
  const locality = localityIn(reading.title);
  const date = dayIn(title, reading.day);
  // `in Pune and Nagpur`: one opening each; how many stand where is known only when there is one for each.
  const shared = cities.length > 1;
  return (shared ? cities : [cities[0] ?? null]).map((city) => ({
    brand,
    city,
    mall: mall && (!shared || mall.city === city) ? mall.name : null,
    locality: locality && (locality.city === city || !shared) ? locality.name : null,
    stores: shared && stores !== null ? (stores === cities.length ? 1 : null) : stores,
    status,
    date,
  }));
}
