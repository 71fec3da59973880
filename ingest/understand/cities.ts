/** The places of a move: cities named as the place where it happens, and the mall. */
import type { Move } from '../../schemas/scalar.ts';
import type { Mention, Part, Reading } from './reading.ts';

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

/** Cities named in a text, in order, as the catalogue writes them. A city inside a brand's name is none. */
export const citiesIn = (part: Part): string[] => [
  ...new Set(part.mentions.flatMap((mention) => (isPlace(part, mention) ? [mention.city?.name ?? ''] : []))),
];

/** The first mall named in the headline, else in the summary, with its city. */
export function mallOf(reading: Reading): { name: string; city: string } | null {
  for (const part of [reading.title, reading.summary])
    for (const mention of part.mentions) if (mention.mall) return { name: mention.mall.name, city: mention.mall.city };
  return null;
}

/**
 * The cities of an item: those of its headline, or of a mall there. A summary counts only where it names one city
 * alone, as the place of the move; a list of markets says nothing of where this move happens.
 */
export function citiesOf(reading: Reading, move: Move): string[] {
  const cities = citiesIn(reading.title);
  const mall = reading.title.mentions.find((mention) => mention.mall)?.mall;
  if (cities.length === 0 && mall) cities.push(mall.city);
  if (cities.length > 0 || (move !== 'stores' && move !== 'strategy')) return cities;
  const { summary } = reading;
  const placed = summary.mentions.filter((mention) => isPlace(summary, mention));
  const [only] = placed;
  const before = summary.tokens[(only?.first ?? 0) - 1]?.fold ?? '';
  return placed.length === 1 && only?.city && (before === 'in' || before === 'at' || before === 'near')
    ? [only.city.name]
    : [];
}
