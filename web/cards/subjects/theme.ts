/** The card of a theme. */
import { findTheme } from '../../../projector/models/themes-queries.ts';
import { Refusal } from '../../../schemas/refusal.ts';
import { Slug } from '../../../schemas/scalar.ts';
import { monthInWords } from '../../month-in-words.ts';
import { counted } from '../../text.ts';
import type { CardSubject } from '../subject.ts';

export const themeCard: CardSubject = async ({ database, directory, baseUrl, now }, slug) => {
  const isSlug = Slug.safeParse(slug).success;
  const found = isSlug ? await findTheme(database, slug, { now: now(), baseUrl }) : null;
  const name = directory.theme(slug)?.name ?? found?.name;
  if (name === undefined) throw new Refusal('not_found', 'No theme of the record has this address.');
  return {
    kicker: ['Theme'],
    heading: name,
    note: found ? monthInWords(found.last_30_days) : 'Nothing is on record yet.',
    foot: found ? [`${counted(found.stories, 'story', 'stories')} on record`] : [],
  };
};
