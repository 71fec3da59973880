/** The places of a move: cities named as the place where it happens, and the mall. */
import type { Part, Reading } from './reading.ts';

const PLACE = new Set(['in', 'at', 'to', 'near', 'across', 'from', 'enters', 'enter', 'reaches', 'of', 'into', 'for']);

/** Cities named in a text, in order, as the catalogue writes them. A city inside a brand's name is none. */
export function citiesIn(part: Part): string[] {
  const cities: string[] = [];
  for (const mention of part.mentions) {
    const place = mention.city;
    if (!place || mention.brand) continue;
    const before = part.tokens[mention.first - 1]?.fold ?? '';
    if (place.common_word && !PLACE.has(before)) continue;
    if (!cities.includes(place.name)) cities.push(place.name);
  }
  return cities;
}

/** The first mall named in the headline, else in the summary, with its city. */
export function mallOf(reading: Reading): { name: string; city: string } | null {
  for (const part of [reading.title, reading.summary])
    for (const mention of part.mentions) if (mention.mall) return { name: mention.mall.name, city: mention.mall.city };
  return null;
}

/** The cities of an item: those of its headline and of a mall there; a bare summary list of markets is not the move's place. */
export function citiesOf(reading: Reading): string[] {
  const cities = citiesIn(reading.title);
  const mall = reading.title.mentions.find((mention) => mention.mall)?.mall;
  if (cities.length === 0 && mall) cities.push(mall.city);
  return cities;
}
