/** What remains open after a signal, as far as its own text shows it. Pure. */
import type { Facts } from './facts.ts';
import { dayOf, sentence } from './wording.ts';

/** A seat that was left with nobody named for it. */
function vacantSeat({ understanding: { people } }: Facts): string | null {
  const left = people.find(({ direction }) => direction === 'left');
  if (!left?.role || people.some(({ direction }) => direction !== 'left')) return null;
  const at = left.company ? ` at ${left.company}` : '';
  const until = left.effective ? `; ${left.person} leaves on ${dayOf(left.effective)}` : '';
  return `Who follows ${left.person} as ${left.role}${at}: the reports name nobody${until}`;
}

/** The day on which an appointment takes effect. */
function takesEffect({ understanding: { people } }: Facts, publishedAt: string): string | null {
  const coming = people.find(({ direction, effective }) => direction !== 'left' && effective);
  return coming?.effective && Date.parse(coming.effective) > Date.parse(publishedAt)
    ? `${coming.person} takes over on ${dayOf(coming.effective)}`
    : null;
}

/** Stores that are announced and not open yet. */
function comingStores({ understanding: { openings } }: Facts): string | null {
  const coming = openings.find(({ status }) => status === 'announced' || status === 'planned');
  if (!coming) return null;
  const place = [coming.mall, coming.city].filter(Boolean).join(', ');
  if (coming.date) return `The opening${place && ` at ${place}`} is announced for ${dayOf(coming.date)}`;
  if (coming.stores && coming.stores > 1) return `How many of the ${coming.stores} announced stores open, and where`;
  return place ? `When the announced store at ${place} opens; no day is given` : null;
}

/** One sentence; null where nothing is left open. */
export function whatToWatch(facts: Facts, publishedAt: string): string | null {
  const said = vacantSeat(facts) ?? takesEffect(facts, publishedAt) ?? comingStores(facts);
  return said === null ? null : sentence(said);
}
