/** The card of a group of companies. */
import { Refusal } from '../../../schemas/refusal.ts';
import type { CardSubject } from '../subject.ts';

/** It names no quarter: the address of the page stays through all of them. */
export const groupCard: CardSubject = async ({ directory }, slug) => {
  const group = directory.group(slug);
  if (!group) throw new Refusal('not_found', 'No group of the catalogue has this address.');
  return {
    kicker: ['Results season'],
    heading: group.name,
    note: 'Who reported, how revenue and profit grew, and what is still to come.',
    foot: ['Every figure with its report'],
  };
};
