/** The card of a city. */
import { expansionMap } from '../../../projector/models/expansion-map.ts';
import { cityFinder } from '../../parts/told-cities.ts';
import type { Site } from '../../site.ts';
import { counted } from '../../text.ts';
import type { CardSubject } from '../subject.ts';

const DAYS = 90;
const BRANDS = 4;

export function cityCard(site: Site): CardSubject {
  const find = cityFinder(site);
  return async ({ database, baseUrl, gazetteer, now }, slug) => {
    const { name, state, redirect } = await find(slug);
    if (redirect !== null) return { redirect };
    const question = { city: name, days: DAYS, limit: 30 };
    const map = await expansionMap(database, question, { now: now(), baseUrl, gazetteer });
    const brands = [...new Set(map.openings.map(({ brand }) => brand))].slice(0, BRANDS);
    return {
      kicker: ['City', state ?? ''],
      heading: name,
      note: `${counted(map.openings_total, 'opening')} told in ${DAYS} days${brands.length > 0 ? `: ${brands.join(', ')}` : ''}.`,
      foot: ['Who is opening, in which mall, and every move there'],
    };
  };
}
