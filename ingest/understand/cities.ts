/** The places of a move: cities named as the place where it happens, and the mall. */
import type { Move } from '../../schemas/scalar.ts';
import type { PreparedCatalogue } from './catalogue.ts';
import { localityIn } from './localities.ts';
import type { Mention, Part, Reading } from './reading.ts';
import { gapAfter, nameKey } from './tokens.ts';

const PLACE = new Set('in at to near across from enters enter reaches into for'.split(' '));
/** `Delhi HC`, `Mumbai Police`: the seat of an institution is not where a move happens. */
const SEATS = new Set('hc high court police govt government nclt bench university'.split(' '));

/** States that are written alone as often as a town of theirs is. */
const STATES = new Set(['goa', 'sikkim', 'punjab', 'kerala']);

function isPlace(part: Part, mention: Mention): boolean {
  const { city } = mention;
  if (!city || mention.brand || STATES.has(part.tokens[mention.first]?.fold ?? '')) return false;
  const before = part.tokens[mention.first - 1]?.fold ?? '';
  if (SEATS.has(part.tokens[mention.last + 1]?.fold ?? '')) return false;
  return !city.common_word || PLACE.has(before);
}

/** Cities of other countries that Indian companies act in; named after a word for a place. */
const ABROAD =
  /\b(?:in|at|to|enters?|opens?) (?:the )?(Dubai|Abu Dhabi|Sharjah|Doha|Riyadh|Jeddah|Muscat|Singapore|London|New York|Kathmandu|Dhaka|Colombo|Bangkok|Kuala Lumpur|Toronto|Melbourne|Sydney|San Francisco|Paris|Milan)\b|\b(Dubai|London|Singapore)-based\b/;

/** `Noida International Airport`: an airport or mall that is a company in the catalogue stands in the city it is named after. */
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

/** Cities named in a text, in order, as the catalogue writes them. A city inside another brand's name is none. */
export const citiesIn = (part: Part, catalogue: PreparedCatalogue): string[] => [
  ...new Set(
    part.mentions.flatMap((mention) =>
      isPlace(part, mention) ? [mention.city?.name ?? ''] : (cityInName(mention, catalogue) ?? []),
    ),
  ),
];

/** The first mall named in the headline, else in the summary, with its city. */
export function mallOf(reading: Reading): { name: string; city: string } | null {
  for (const part of [reading.title, reading.summary])
    for (const mention of part.mentions) if (mention.mall) return { name: mention.mall.name, city: mention.mall.city };
  return null;
}

const SITE =
  /^(?:facility|plant|factory|store|outlet|unit|warehouse|showroom|distillery|brewery|restaurant|hub|market)$/;

/** Whether a summary says of a city that something happens there: `in Okhla, New Delhi`, `its Solan facility`, `entered the Mumbai market`. */
function happensAt(part: Part, mention: Mention): boolean {
  const before = part.tokens[mention.first - 1];
  const earlier = part.tokens[mention.first - 2]?.fold ?? '';
  const site = SITE.test(part.tokens[mention.last + 1]?.fold ?? '');
  if (!before || gapAfter(part, mention.last).startsWith('-')) return false;
  if (/^(?:in|at|near)$/.test(before.fold)) return true;
  if (/^(?:entered|enters|entering)$/.test(before.fold) || (before.fold === 'the' && /^enter/.test(earlier)))
    return true;
  if (site && /^(?:its|the|new|their|s)$/.test(before.fold)) return true;
  return before.capital && /^(?:in|at|near)$/.test(earlier) && gapAfter(part, before.index) === ', ';
}

const PLACED_MOVES: ReadonlySet<Move> = new Set(['stores', 'strategy', 'launches', 'deals'] as const);
const MOST_PLACES = 4;

/**
 * The cities of an item: those of its headline, or of a mall or a locality there. A summary counts only where it says
 * of one city alone that the move happens in it; a list of markets says nothing of where this move happens.
 */
export function citiesOf(reading: Reading, move: Move, catalogue: PreparedCatalogue): string[] {
  const { title, summary } = reading;
  const cities = citiesIn(title, catalogue);
  const mall = title.mentions.find((mention) => mention.mall)?.mall;
  if (cities.length === 0 && mall) cities.push(mall.city);
  const locality = cities.length === 0 ? localityIn(title) : null;
  if (locality) cities.push(locality.city);
  const abroad =
    ABROAD.exec(title.text) ?? (move === 'people' && cities.length === 0 ? ABROAD.exec(summary.text) : null);
  const foreign = abroad?.[1] ?? abroad?.[2];
  if (foreign) cities.push(foreign);
  if (cities.length > 0 || !PLACED_MOVES.has(move)) return cities;
  const placed = summary.mentions.filter((mention) => isPlace(summary, mention));
  const sites = [
    ...new Set(placed.flatMap((mention) => (happensAt(summary, mention) ? [mention.city?.name ?? ''] : []))),
  ];
  const [only] = sites;
  return placed.length <= MOST_PLACES && sites.length === 1 && only ? [only] : [];
}
