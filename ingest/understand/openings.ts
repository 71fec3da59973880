/** Openings and closures of stores: brand, city, mall, how many, and whether done, announced or planned. */
import type { Opening } from '../../schemas/story.ts';
import { citiesOf, mallOf } from './cities.ts';
import { dayIn } from './dates.ts';
import type { Figure } from './figures.ts';
import type { Reading } from './reading.ts';

const STORE =
  /\b(?:stores?|outlets?|showrooms?|flagship|salons?|restaurants?|caf[eé]s?|kiosks?|boutiques?|clinics?|experience cent(?:re|er)s?|cent(?:re|er)s?|studios?|dark stores?|food court|store-in-store|multiplex|galerie|footprint|retail presence|offline)\b/i;
const STORE_UNIT =
  /^(?:stores?|outlets?|showrooms?|centres?|centers?|salons?|restaurants?|cafes?|kiosks?|boutiques?|clinics?|screens?|kitchens?|studios?|warehouses?|doors|gyms?)$/;
const CLOSED =
  /\b(?:clos(?:es?|ed|ing|ure)|shuts?|shutting|shutter(?:s|ed)?)\b[^.]{0,40}\b(?:stores?|outlets?|showrooms?|restaurants?|centres?|caf[eé]s?)/i;
const PLANNED =
  /\b(?:plans?|planned|planning|to open|to launch|to add|will open|will launch|will add|eyes?|eyeing|targets?|targeting|aims?|aiming|by (?:20\d\d|fy|year-end|the end)|on the cards|set to|next (?:two|three|five|\d)|blueprint|soon|looks? to|mulls?)\b/i;
const ANNOUNCED = /\b(?:announces?|announced|to launch)\b/i;

const storesIn = (figures: readonly Figure[]): Figure | undefined =>
  figures.find((figure) => figure.kind === 'count' && STORE_UNIT.test(figure.unit) && figure.value < 100_000);

/** Reads the openings of an item about one brand. @param brand the brand that opens, as readers know it */
export function openingsOf(reading: Reading, brand: string | null, isStores: boolean): Opening[] {
  if (!brand) return [];
  const title = reading.title.text;
  const planned = storesIn(reading.title.figures);
  if (!isStores && !planned) return [];
  if (
    isStores &&
    !STORE.test(title) &&
    !planned &&
    !/\bopens?|enters?|adds?|expand|unveil|stores?\b/i.test(title) &&
    !storesIn(reading.summary.figures)
  )
    return [];
  const mall = mallOf(reading);
  const city = citiesOf(reading)[0] ?? null;
  const status = CLOSED.test(title)
    ? 'closed'
    : PLANNED.test(title)
      ? 'planned'
      : ANNOUNCED.test(title)
        ? 'announced'
        : 'opened';
  const plural = /\b(?:stores|outlets|showrooms|restaurants|salons|centres|centers|kiosks|caf[eé]s)\b/i.test(title);
  const stores = planned?.value ?? (STORE.test(title) && !plural && status === 'opened' ? 1 : null);
  return [{ brand, city, mall: mall?.name ?? null, locality: null, stores, status, date: dayIn(title, reading.day) }];
}
