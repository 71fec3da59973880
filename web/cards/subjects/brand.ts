/** The card of a brand. */
import { findPublicBrand } from '../../../api/find-brand.ts';
import { monthInWords } from '../../month-in-words.ts';
import { counted } from '../../text.ts';
import { shortDay } from '../../time.ts';
import type { CardSubject } from '../subject.ts';

export const brandCard: CardSubject = async (site, slug) => {
  const found = await findPublicBrand(site, slug);
  if ('redirect' in found) return found;
  const { name, stories_about, first_seen_at, last_30_days } = found.brand;
  const since = first_seen_at ? `, on record since ${shortDay(first_seen_at)}` : '';
  return {
    kicker: ['Brand'],
    heading: name,
    note: last_30_days ? monthInWords(last_30_days) : 'Nothing is on record yet.',
    foot: first_seen_at ? [`${counted(stories_about, 'story', 'stories')} about it${since}`] : [],
  };
};
