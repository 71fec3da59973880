/** Why a signal matters, as far as the counts show it. Pure. */
import type { Facts } from './facts.ts';
import { countOf, dayOf, MOVE_NAMES, ordinalOf, sentence } from './wording.ts';

/** A brand that was followed for less, or had fewer stories, has no history to be first in. */
const LEAST_DAYS = 30;
const LEAST_STORIES = 3;
/** Fewer of a kind in 30 days, or periods in a row, are nothing to speak of. */
const LEAST_COUNT = 2;
const LEAST_STREAK = 3;
const DAY = 86_400_000;
const MOST = 2;

const sameName = (a: string | null, b: string | null): boolean => a !== null && a.toLowerCase() === b?.toLowerCase();

/** It carries on a story that was told before. */
const continues = ({ follows }: Facts): string | null =>
  follows &&
  `It takes further what was reported on ${dayOf(follows.published_at)}: “${follows.understanding.headline}”`;

/** The seat that it fills is one that an earlier signal told was left. */
function fillsSeat({ understanding, earlier }: Facts): string | null {
  for (const { role, direction, person } of understanding.people) {
    if (direction === 'left' || !role) continue;
    for (const before of earlier) {
      const left = before.understanding.people.find(
        (one) => one.direction === 'left' && sameName(one.role, role) && !sameName(one.person, person),
      );
      if (left)
        return `It fills the seat of ${role} that ${left.person} left, as reported on ${dayOf(before.published_at)}`;
    }
  }
  return null;
}

/** What was announced before has now opened. */
function keepsPlan({ understanding, earlier, brand }: Facts): string | null {
  const opened = understanding.openings.find(({ status, city }) => status === 'opened' && city);
  if (!opened) return null;
  const planned = earlier.find(({ understanding: { openings } }) =>
    openings.some((one) => (one.status === 'announced' || one.status === 'planned') && sameName(one.city, opened.city)),
  );
  return planned
    ? `${brand} had spoken of a store in ${opened.city} on ${dayOf(planned.published_at)}; this one is open`
    : null;
}

/** Growth beside the growth that the period before brought. */
function growthBefore({ understanding, earlier }: Facts): string | null {
  const now = understanding.result;
  if (!now?.period || now.growth_pct === null) return null;
  for (const { understanding: before } of earlier) {
    const then = before.result;
    if (!then?.period || then.growth_pct === null || then.period === now.period) continue;
    if (!sameName(then.metric, now.metric) || !sameName(then.company, now.company)) continue;
    return `The change in ${now.metric} of ${now.growth_pct}% in ${now.period} compares with ${then.growth_pct}% in ${then.period}`;
  }
  return null;
}

/** The first of a brand in a city, where its history is long enough to say so. */
function firstInCity({ understanding, history, brand }: Facts, followedDays: number): string | null {
  if (understanding.move !== 'stores' || history.stories < LEAST_STORIES || followedDays < LEAST_DAYS) return null;
  const place = understanding.openings.find(({ city, status }) => city && status !== 'closed');
  if (!place?.city || history.known_cities.some((city) => sameName(city, place.city)) || !history.first_seen_at)
    return null;
  return `It is the first store move of ${brand} in ${place.city} among ${history.stories} stories about it since ${dayOf(history.first_seen_at)}`;
}

/** How often it does so: a streak of periods, else the last 30 days against the 30 before. */
function frequency({ understanding, history, brand }: Facts): string | null {
  const name = MOVE_NAMES[understanding.move];
  const [last = 0, prior = 0] = history.periods;
  if (understanding.move === 'other') return null;
  const gap = history.periods.indexOf(0);
  const streak = gap === -1 ? history.periods.length : gap;
  if (last >= LEAST_COUNT)
    return `It is the ${ordinalOf(last + 1)} ${name} of ${brand} in 30 days, after ${countOf(prior)} in the 30 days before`;
  if (streak >= LEAST_STREAK)
    return `${brand} has had a ${name} in each of the last ${countOf(streak)} periods of 30 days`;
  return null;
}

/** At most two sentences, the most telling first; null where the data show nothing. */
export function whyItMatters(facts: Facts, publishedAt: string): string | null {
  const { first_seen_at } = facts.history;
  const followedDays = first_seen_at ? (Date.parse(publishedAt) - first_seen_at.getTime()) / DAY : 0;
  const said = [
    continues(facts),
    fillsSeat(facts),
    keepsPlan(facts),
    growthBefore(facts),
    firstInCity(facts, followedDays),
    frequency(facts),
  ].filter((one) => one !== null);
  return said.length > 0 ? said.slice(0, MOST).map(sentence).join(' ') : null;
}
