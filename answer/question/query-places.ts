/** Places by the names of readers: cities, states, regions, city tiers, each as the cities of the catalogue. */
import type { PreparedCatalogue } from '../../facts/text/catalogue.ts';
import { FOREIGN_CITIES } from '../../facts/text/places.ts';
import { nameKey } from '../../language/tokens.ts';
import type { Place } from './typed-query.ts';

const SOUTH = ['Karnataka', 'Tamil Nadu', 'Andhra Pradesh', 'Telangana', 'Kerala', 'Puducherry', 'Lakshadweep'];
const WEST = ['Maharashtra', 'Gujarat', 'Goa', 'Dadra and Nagar Haveli and Daman and Diu'];
const NORTH = [
  'Delhi',
  'Haryana',
  'Punjab',
  'Chandigarh',
  'Himachal Pradesh',
  'Jammu and Kashmir',
  'Ladakh',
  'Uttarakhand',
  'Uttar Pradesh',
  'Rajasthan',
];
const EAST = ['West Bengal', 'Odisha', 'Bihar', 'Jharkhand', 'Andaman and Nicobar Islands'];
const NORTH_EAST = ['Assam', 'Tripura', 'Meghalaya', 'Manipur', 'Mizoram', 'Nagaland', 'Arunachal Pradesh', 'Sikkim'];
const CENTRAL = ['Madhya Pradesh', 'Chhattisgarh'];

const REGIONS: readonly (readonly [name: string, states: readonly string[], words: string])[] = [
  ['South India', SOUTH, 'south|south india|southern india|southern states|southern cities'],
  ['West India', WEST, 'west|west india|western india|western states'],
  ['North India', NORTH, 'north|north india|northern india|northern states|northern cities'],
  ['East India', EAST, 'east|east india|eastern india|eastern states'],
  ['North-East India', NORTH_EAST, 'north east|northeast|north east india|northeast india|north eastern states'],
  ['Central India', CENTRAL, 'central india'],
];

const STATE_WORDS: Readonly<Record<string, string>> = {
  'Tamil Nadu': 'tamilnadu|tn',
  'Andhra Pradesh': 'andhra|ap',
  'Uttar Pradesh': 'up|u p',
  'Madhya Pradesh': 'mp|m p',
  'West Bengal': 'bengal|wb',
  Odisha: 'orissa',
  'Jammu and Kashmir': 'jammu & kashmir|j&k|kashmir',
  'Himachal Pradesh': 'himachal|hp',
  'Arunachal Pradesh': 'arunachal',
  Uttarakhand: 'uttaranchal',
  Puducherry: 'pondicherry',
};
/** Abbreviations that are ordinary words elsewhere: places only after a preposition. */
const SHORT = new Set('up mp tn ap wb hp south west north east'.split(' '));

const METROS = 'Delhi|Mumbai|Kolkata|Chennai|Bengaluru|Hyderabad';
const TIER_1 = `${METROS}|Ahmedabad|Pune|Gurugram|Noida|Greater Noida|Ghaziabad|Faridabad`;
/**
 * The cities of class Y for the house rent allowance of the central government (Ministry of Finance, 2017), by present names, but
 * for those of the region of Delhi, which nobody in the trade calls small.
 */
const TIER_2 =
  'Agra|Ajmer|Aligarh|Amravati|Amritsar|Asansol|Chhatrapati Sambhajinagar|Aurangabad|Bareilly|Belagavi|Bhavnagar|Bhiwandi|Bhopal|Bhubaneswar|Bikaner|Bokaro|Chandigarh|Coimbatore|Cuttack|Dehradun|Dhanbad|Durgapur|Durg|Bhilai|Erode|Gorakhpur|Guntur|Guwahati|Gwalior|Hubballi|Dharwad|Hubballi-Dharwad|Indore|Jabalpur|Jaipur|Jalandhar|Jammu|Jamnagar|Jamshedpur|Jhansi|Jodhpur|Kalaburagi|Kakinada|Kannur|Kanpur|Karnal|Kochi|Kolhapur|Kollam|Kota|Kozhikode|Kurnool|Ludhiana|Lucknow|Madurai|Malappuram|Mangaluru|Mathura|Meerut|Moradabad|Mysuru|Nagpur|Nanded|Nashik|Nellore|Patna|Prayagraj|Puducherry|Raipur|Rajahmundry|Rajkot|Ranchi|Rourkela|Saharanpur|Salem|Sangli|Shivamogga|Siliguri|Solapur|Srinagar|Surat|Thanjavur|Thiruvananthapuram|Thrissur|Tiruchirappalli|Tirunelveli|Tiruppur|Tirupati|Ujjain|Vadodara|Varanasi|Vellore|Vijayawada|Visakhapatnam|Warangal|Bilaspur|Udaipur|Panipat|Panchkula|Mohali';
const URBAN: readonly (readonly [name: string, cities: string, words: string])[] = [
  [
    'NCR',
    'Delhi|Gurugram|Noida|Greater Noida|Ghaziabad|Faridabad|Manesar|Sonipat|Bahadurgarh',
    'ncr|delhi ncr|national capital region',
  ],
  [
    'Mumbai region',
    'Mumbai|Navi Mumbai|Thane|Kalyan|Dombivli|Vasai|Virar|Mira Road|Panvel|Bhiwandi|Ulhasnagar',
    'mmr|mumbai metropolitan region',
  ],
  ['Tricity', 'Chandigarh|Mohali|Panchkula|Zirakpur', 'tricity'],
  ['Metros', METROS, 'metros|metro cities|big cities|top cities'],
  ['Tier 1', TIER_1, 'tier 1|tier i|tier one|tier1|tier 1 cities|tier i cities'],
  ['Tier 2', TIER_2, 'tier 2|tier ii|tier two|tier2|tier 2 cities|tier ii cities|tier 2 towns'],
];
const TIER_3 = 'tier 3|tier iii|tier three|tier3|tier 3 cities|tier iii cities|tier 3 towns';
const SMALL =
  'tier 2 and 3|tier 2 and tier 3|tier ii and iii|tier 2 3|tier 2 and 3 cities|small towns|smaller towns|small cities|smaller cities|non metro|non metros|non metro cities';

/** Countries and regions where Indian companies do business, with the cities of them that signals name. */
const ABROAD: readonly (readonly [name: string, cities: string, words: string])[] = [
  ['UAE', 'Dubai|Abu Dhabi|Sharjah', 'united arab emirates|emirates'],
  ['Saudi Arabia', 'Riyadh|Jeddah', 'saudi|ksa'],
  ['Middle East', 'Dubai|Abu Dhabi|Sharjah|Doha|Riyadh|Jeddah|Muscat', 'gulf|gcc|gulf countries|west asia'],
  ['Qatar', 'Doha', ''],
  ['Oman', 'Muscat', ''],
  ['Nepal', 'Kathmandu', ''],
  ['Bangladesh', 'Dhaka', ''],
  ['Sri Lanka', 'Colombo', 'srilanka'],
  ['Thailand', 'Bangkok', ''],
  ['Malaysia', 'Kuala Lumpur', ''],
  ['UK', 'London', 'united kingdom|britain|england'],
  ['USA', 'New York|San Francisco', 'united states|america|u s a'],
  ['Canada', 'Toronto', ''],
  ['Australia', 'Melbourne|Sydney', ''],
  ['France', 'Paris', ''],
  ['Italy', 'Milan', ''],
  ['Kuwait', '', ''],
  ['Bahrain', '', ''],
  ['Vietnam', '', ''],
  ['Indonesia', '', ''],
  ['Japan', '', ''],
  ['China', '', ''],
  ['Germany', '', ''],
  ['South Africa', '', ''],
  ['Southeast Asia', 'Singapore|Bangkok|Kuala Lumpur', 'south east asia'],
  ['Europe', 'London|Paris|Milan', ''],
  ['Africa', '', ''],
];
const FORMS = new Map(
  [...ABROAD, ...URBAN, ['Tier 3', '', TIER_3] as const, ['Tier 2 and 3', '', SMALL] as const].map(
    ([name, , words]) => [name, [name, ...words.split('|').filter(Boolean)]],
  ),
);

/** The names that a text may have for a place: also the others, as `America` for `USA` and `non metros` for small towns. */
export const formsOfPlace = (name: string): readonly string[] => FORMS.get(name) ?? [name];

const places = new WeakMap<PreparedCatalogue, ReadonlyMap<string, Place>>();
function placesOf(catalogue: PreparedCatalogue): ReadonlyMap<string, Place> {
  const cached = places.get(catalogue);
  if (cached) return cached;
  const { cities } = catalogue.catalogue;
  const byKey = new Map<string, Place>();
  const put = (forms: readonly string[], place: Place): void => {
    for (const form of forms) if (!byKey.has(nameKey(form))) byKey.set(nameKey(form), place);
  };
  const names = cities.map(({ name }) => name);
  const inStates = (states: readonly string[]): string[] =>
    cities.filter(({ state }) => states.includes(state)).map(({ name }) => name);
  const listed = (list: string): string[] => {
    const wanted = new Set(list.split('|'));
    return names.filter((name) => wanted.has(name));
  };
  for (const [name, list, words] of URBAN) put([name, ...words.split('|')], { name, cities: listed(list) });
  const tiers = new Set([...TIER_1.split('|'), ...TIER_2.split('|')]);
  put(TIER_3.split('|'), { name: 'Tier 3', cities: names.filter((name) => !tiers.has(name)) });
  const large = new Set(TIER_1.split('|'));
  put(['Tier 2 and 3', ...SMALL.split('|')], {
    name: 'Tier 2 and 3',
    cities: names.filter((name) => !large.has(name)),
  });
  for (const { name, aliases } of cities) put([name, ...aliases], { name, cities: [name] });
  for (const state of new Set(cities.map((city) => city.state)))
    put([state, ...(STATE_WORDS[state]?.split('|') ?? [])], { name: state, cities: inStates([state]) });
  for (const city of FOREIGN_CITIES) put([city], { name: city, cities: [city] });
  for (const [name, list, words] of ABROAD)
    put([name, ...words.split('|').filter(Boolean)], { name, cities: [name, ...list.split('|').filter(Boolean)] });
  for (const [name, states, words] of REGIONS) put([name, ...words.split('|')], { name, cities: inStates(states) });
  places.set(catalogue, byKey);
  return byKey;
}

/**
 * The place of a name.
 * @param key by `nameKey`
 * @param before the word before it, where there is one
 * @returns null for no place; a place has at least one city of the catalogue
 */
export function placeNamed(key: string, catalogue: PreparedCatalogue, before = ''): Place | null {
  if (SHORT.has(key.trim()) && !/^(?:in|across|around|the|outside|from|and)$/.test(before)) return null;
  const place = placesOf(catalogue).get(key);
  return place && place.cities.length > 0 ? place : null;
}

/** The cities of a place by its name; a name that the catalogue lacks is its own only city. */
export const citiesOf = (name: string, catalogue: PreparedCatalogue): readonly string[] =>
  placesOf(catalogue).get(nameKey(name))?.cities ?? [name];
