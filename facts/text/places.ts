/** The places of a move: cities where it happens, malls, and parts of cities. */

import { fold, gapAfter, nameKey, sliceOf, type Text } from '../../language/tokens.ts';
import type { Move } from '../../schemas/scalar.ts';
import type { TaggedText } from '../tagged-text.ts';
import type { PreparedCatalogue } from './catalogue.ts';
import type { Mention, Part, Reading } from './item-reading.ts';

// Parts of cities by which headlines say where a store is. Names that several cities share are left out.

const LOCALITIES_BY_CITY: Readonly<Record<string, string>> = {
  Delhi:
    'Connaught Place,Karol Bagh,Lajpat Nagar,Saket,Vasant Kunj,Vasant Vihar,Hauz Khas,Rajouri Garden,Janakpuri,Dwarka,Rohini,Pitampura,Greater Kailash,Chandni Chowk,Sarojini Nagar,Chanakyapuri,Aerocity,Okhla,Nehru Place,Preet Vihar,Mehrauli,Punjabi Bagh',
  Mumbai:
    'Bandra,Bandra Kurla Complex,Andheri,Juhu,Powai,Lower Parel,Worli,Colaba,Kala Ghoda,Malad,Borivali,Goregaon,Dadar,Ghatkopar,Lokhandwala,Kandivali,Chembur,Mulund,Santacruz,Vile Parle,Prabhadevi,Nariman Point,Oshiwara',
  Bengaluru:
    'Koramangala,Indiranagar,Whitefield,HSR Layout,Jayanagar,JP Nagar,Malleshwaram,Marathahalli,Electronic City,Hebbal,Yelahanka,Sarjapur Road,Bellandur,Rajajinagar,Basavanagudi,Sadashivanagar,Kalyan Nagar,Banashankari,Frazer Town',
  Hyderabad:
    'Banjara Hills,Jubilee Hills,Gachibowli,Hitec City,HITEC City,Madhapur,Kondapur,Kukatpally,Begumpet,Secunderabad,Himayatnagar,Abids,Dilsukhnagar,Ameerpet,Kokapet,Financial District,Manikonda',
  Chennai:
    'T Nagar,T. Nagar,Anna Nagar,Adyar,Velachery,Nungambakkam,Alwarpet,Mylapore,Besant Nagar,Tambaram,Porur,Thoraipakkam,OMR,Chromepet,Purasawalkam',
  Pune: 'Koregaon Park,Viman Nagar,Kalyani Nagar,Baner,Hinjewadi,Kothrud,Aundh,Wakad,Hadapsar,Magarpatta,Chakan,Pimpri,Balewadi',
  Kolkata: 'Salt Lake,Ballygunge,New Town,Rajarhat,Gariahat,Behala,Alipore,Howrah Maidan,Kankurgachi,Elgin Road',
  Gurugram: 'Cyber Hub,Golf Course Road,DLF Phase 1,DLF Phase 3,Sohna Road,MG Road Gurugram,CyberHub,Udyog Vihar',
  Ghaziabad: 'Vasundhara,Indirapuram,Vaishali,Raj Nagar Extension,Kaushambi',
  Ahmedabad: 'Bodakdev,Satellite,Vastrapur,Prahlad Nagar,Navrangpura,Thaltej,Sindhu Bhavan Road,Maninagar,Bopal',
  Lucknow: 'Hazratganj,Gomti Nagar,Aliganj,Aminabad',
  Jaipur: 'Malviya Nagar Jaipur,C-Scheme,Vaishali Nagar,Mansarovar',
  Surat: 'Vesu,Adajan,Piplod,Athwa',
  Thane: 'Ghodbunder Road,Viviana',
  'Navi Mumbai': 'Vashi,Kharghar,Nerul,Seawoods,Belapur',
  Kochi: 'Edappally,Kakkanad,Panampilly Nagar,Fort Kochi,Vyttila',
  Indore: 'Vijay Nagar Indore,Sapna Sangeeta',
  Goa: 'Panjim,Anjuna,Assagao,Calangute,Vagator',
  Bareilly: 'Civil Lines Bareilly',
  Virar: 'Virar West',
};

interface Locality {
  readonly name: string;
  readonly city: string;
}

const LOCALITIES: ReadonlyMap<string, Locality> = new Map(
  Object.entries(LOCALITIES_BY_CITY).flatMap(([city, names]) =>
    names.split(',').map(
      (name) =>
        [
          fold(name)
            .replace(/[^a-z0-9]+/g, ' ')
            .trim(),
          { name, city },
        ] as const,
    ),
  ),
);
const FIRST_WORDS: ReadonlySet<string> = new Set([...LOCALITIES.keys()].map((key) => key.split(' ')[0] ?? ''));
const LONGEST = Math.max(...[...LOCALITIES.keys()].map((key) => key.split(' ').length));

/** Finds the first locality that a text writes with a capital, the longest name first; null for none. */
export function findLocality(text: Text): Locality | null {
  for (const token of text.tokens) {
    if (!token.capital || !FIRST_WORDS.has(token.fold)) continue;
    for (let count = LONGEST; count > 0; count--) {
      const words = text.tokens.slice(token.index, token.index + count);
      const locality = words.length === count ? LOCALITIES.get(words.map((word) => word.fold).join(' ')) : undefined;
      if (locality) return locality;
    }
  }
  return null;
}

// The places of a move: cities named as the place where it happens, and the mall.

const PLACE = new Set('in at to near across from enters enter reaches into for'.split(' '));
/** `Delhi HC`, `Mumbai Police`: the seat of an institution is not where a move happens. */
const SEATS = new Set('hc high court police govt government nclt bench university'.split(' '));

/** States with a town of the same name. */
const STATES = new Set(['goa', 'sikkim', 'punjab', 'kerala']);

function isPlace(part: Part, mention: Mention): boolean {
  const { city } = mention;
  if (!city || mention.brand || STATES.has(part.tokens[mention.first]?.fold ?? '')) return false;
  const before = part.tokens[mention.first - 1]?.fold ?? '';
  // `Hyderabad-based`, `expands beyond Delhi`: where it comes from.
  if (
    /^(?:based|headquartered|born|bred)$/.test(part.tokens[mention.last + 1]?.fold ?? '') &&
    /^[-‐– ]$/.test(gapAfter(part, mention.last))
  )
    return false;
  if (SEATS.has(part.tokens[mention.last + 1]?.fold ?? '') || before === 'beyond') return false;
  return !city.common_word || PLACE.has(before) || isListed(part, mention);
}

/** `In Pune, Anand and Salem`: a name that is also a word is a city in a list that begins with one. */
function isListed(part: Part, mention: Mention): boolean {
  const before = part.mentions.find(
    ({ city, last }) =>
      city !== undefined &&
      last < mention.first &&
      last >= mention.first - 2 &&
      /^(?:, | and | & |, and )$/.test(
        part.text.slice(part.tokens[last]?.end ?? 0, part.tokens[mention.first]?.start ?? 0),
      ),
  );
  return before !== undefined && isPlace(part, before);
}

/** Cities of other countries where Indian companies do business. */
export const FOREIGN_CITIES: readonly string[] =
  'Dubai,Abu Dhabi,Sharjah,Doha,Riyadh,Jeddah,Muscat,Singapore,London,New York,Kathmandu,Dhaka,Colombo,Bangkok,Kuala Lumpur,Toronto,Melbourne,Sydney,San Francisco,Paris,Milan'.split(
    ',',
  );
/** A word for a place comes before. */
const ABROAD = new RegExp(
  `\\b(?:[Ii]n|[Aa]t|[Tt]o|[Ee]nters?|[Oo]pens?) (?:the )?(${FOREIGN_CITIES.join('|')})\\b|\\b(Dubai|London|Singapore)-based\\b`,
);

/** Another country: what happens there is in no Indian city that the text names. */
const OTHER_COUNTRY =
  /\b(?:in|enters?|to|into|across|its|first|new|second)\s+(?:the\s+)?(?:US|USA|UK|UAE|United States|United Kingdom|Canada|Nepal|Sri Lanka|Bangladesh|Vietnam|Saigon|Ho Chi Minh|Thailand|Malaysia|Indonesia|Oman|Qatar|Kuwait|Bahrain|Saudi(?: Arabia)?|Australia|New Zealand|Germany|France|Italy|Japan|China|South Africa|Kenya|Europe|Africa|Middle East|GCC)\b(?!['’]s)|\b(?:US|UK|UAE|Canada|Nepal|Vietnam|Saigon|Saudi|Australia|Germany|China|London|Dubai|Singapore)\s+(?:[Ss]tores?|[Oo]utlets?|[Ff]lagship|[Cc]entre|[Ss]howrooms?)\b/;

/** Whether a headline places its move in another country alone. */
export const isAbroad = (headline: string): boolean =>
  OTHER_COUNTRY.test(headline) && !/\bIndia(?:n|['’]s)?\b/.test(headline);

/** Whether a city that `readCities` returned is in another country. */
export const isForeignCity = (city: string): boolean => FOREIGN_CITIES.includes(city);

/** `Noida International Airport`: an airport or mall that is a company in the catalogue is in the city that it is named after. */
function cityInName(mention: Mention, catalogue: PreparedCatalogue): string | null {
  if (mention.brand?.category !== 'malls_and_real_estate' || !/\b(?:airport|mall)\b/i.test(mention.brand.name))
    return null;
  const words = mention.brand.name.split(' ');
  for (let count = words.length - 1; count > 0; count--) {
    const city = catalogue.names.get(nameKey(words.slice(0, count).join(' ')))?.city;
    if (city) return city.name;
  }
  return null;
}

/** The cities in a text, in order, as the catalogue writes them. A city inside another brand's name does not count. */
const findCities = (part: Part, catalogue: PreparedCatalogue): string[] => [
  ...new Set(
    part.mentions.flatMap((mention) =>
      isPlace(part, mention) ? [mention.city?.name ?? ''] : (cityInName(mention, catalogue) ?? []),
    ),
  ),
];

/** Finds the first mall in the headline, else in the summary, with its city. */
export function findMall(reading: Reading): { name: string; city: string } | null {
  for (const part of [reading.title, reading.summary])
    for (const mention of part.mentions) if (mention.mall) return { name: mention.mall.name, city: mention.mall.city };
  return null;
}

const SITE =
  /^(?:facility|plant|factory|store|outlet|unit|warehouse|showroom|distillery|brewery|restaurant|hub|market)$/;

/** Whether a summary says that something happens in a city: `in Okhla, New Delhi`, `its Solan facility`, `entered the Mumbai market`. */
function happensAt(part: Part, mention: Mention): boolean {
  const before = part.tokens[mention.first - 1];
  const earlier = part.tokens[mention.first - 2]?.fold ?? '';
  const site = SITE.test(part.tokens[mention.last + 1]?.fold ?? '');
  if (!before || gapAfter(part, mention.last).startsWith('-')) return false;
  if (/^(?:in|at|near)$/.test(before.fold)) return !isElsewhere(part, mention);
  if (/^(?:entered|enters|entering)$/.test(before.fold) || (before.fold === 'the' && /^enter/.test(earlier)))
    return true;
  if (site && /^(?:its|the|new|their|s)$/.test(before.fold)) return true;
  return before.capital && /^(?:in|at|near)$/.test(earlier) && gapAfter(part, before.index) === ', ';
}

/** `Based in Pune`, `said in Mumbai`, `founded in Delhi in 2019`: where a company comes from or somebody speaks. */
const ELSEWHERE =
  /^(?:based|headquartered|founded|started|born|incorporated|registered|established|said|told|speaking|reporters|interview|event|conference|summit|presence|operates|operating|operational)$/;
const isElsewhere = (part: Part, mention: Mention): boolean =>
  [1, 2, 3].some((back) => {
    const word = part.tokens[mention.first - 1 - back];
    return word !== undefined && ELSEWHERE.test(word.fold) && !/[.;]/.test(gapAfter(part, word.index));
  });

const PLACED_MOVES: ReadonlySet<Move> = new Set(['stores', 'strategy', 'launches', 'deals'] as const);
const MAX_PLACES = 8;

/**
 * Reads the cities where a move happens: those of the headline, or the city of a mall or a locality there. A summary
 * counts only where it places the move in exactly one city; a list of markets does not say where this move happens.
 */
export function readCities(
  reading: Reading,
  move: Move,
  catalogue: PreparedCatalogue,
  tagged: TaggedText | null = null,
): string[] {
  const cities = citiesByRules(reading, move, catalogue);
  if (!tagged) return cities;
  const mentioned = [reading.title, reading.summary].flatMap((part) =>
    part.mentions.flatMap(({ city, first, last }) =>
      city && !(part === reading.summary && isDateline(part, first, last))
        ? [
            {
              name: city.name,
              likely: tagged.says('city', sliceOf(part, first, last)) ?? 0,
              // `Karol Bagh`: a part of a city names the city.
              placed: tagged.says('store_city', sliceOf(part, first, last)) ?? 0,
            },
          ]
        : [],
    ),
  );
  const likely = (name: string): number | null => {
    const own = mentioned.filter((one) => one.name === name);
    return own.length > 0 ? Math.max(...own.map((one) => Math.max(one.likely, one.placed))) : null;
  };
  const kept = cities.filter((name) => (likely(name) ?? 1) >= OTHER_CITY.keep);
  return [...new Set([...kept, ...mentioned.filter(({ likely }) => likely >= OTHER_CITY.add).map(({ name }) => name)])];
}

/** `New Delhi: The chain …`, `MUMBAI, March 20 (Reuters) - …`: where a report was written. */
const isDateline = ({ text, tokens }: Part, first: number, last: number): boolean =>
  first === 0 &&
  /^\s?(?::|[–—-]\s|\(|,\s\p{L}{3,9}\.?\s\d{1,2}\b|,\s\d{1,2}\s\p{L}{3})/u.test(text.slice(tokens[last]?.end));

/** A second reader adds a city from the first probability on, and takes away one of the rules below the other. */
const OTHER_CITY = { add: 0.6, keep: 0.1 };

function citiesByRules(reading: Reading, move: Move, catalogue: PreparedCatalogue): string[] {
  const { title, summary } = reading;
  const cities = findCities(title, catalogue);
  const mall = title.mentions.find((mention) => mention.mall)?.mall;
  if (cities.length === 0 && mall) cities.push(mall.city);
  const locality = cities.length === 0 ? findLocality(title) : null;
  if (locality) cities.push(locality.city);
  const abroad =
    ABROAD.exec(title.text) ?? (move === 'people' && cities.length === 0 ? ABROAD.exec(summary.text) : null);
  const foreign = abroad?.[1] ?? abroad?.[2];
  if (foreign) cities.push(foreign);
  if (cities.length > 0 || !PLACED_MOVES.has(move)) return cities;
  if (move === 'stores' && isAbroad(title.text)) return [];
  const placed = summary.mentions.filter((mention) => isPlace(summary, mention));
  const sites = [
    ...new Set(placed.flatMap((mention) => (happensAt(summary, mention) ? [mention.city?.name ?? ''] : []))),
  ];
  const [only] = sites;
  return new Set(placed.map(({ city }) => city?.name)).size <= MAX_PLACES && sites.length === 1 && only ? [only] : [];
}
