/** The card of a mall. */
import { expansionMap } from '../../../projector/models/expansion-map.ts';
import { findMall, MALL_KINDS } from '../../parts/known-mall.ts';
import { counted } from '../../text.ts';
import type { CardSubject } from '../subject.ts';

const DAYS = 365;
const BRANDS = 4;

export const mallCard: CardSubject = async ({ database, baseUrl, gazetteer, now }, slug) => {
  const { name, city, kind, redirect } = findMall(gazetteer, slug);
  if (redirect !== null) return { redirect };
  const map = await expansionMap(database, { mall: name, days: DAYS, limit: 30 }, { now: now(), baseUrl, gazetteer });
  const brands = [...new Set(map.openings.map(({ brand }) => brand))].slice(0, BRANDS);
  return {
    kicker: [MALL_KINDS[kind], city],
    heading: name,
    note: `${counted(map.openings_total, 'opening')} told in a year${brands.length > 0 ? `: ${brands.join(', ')}` : ''}.`,
    foot: ['Who is opening here, and who is still to come'],
  };
};
