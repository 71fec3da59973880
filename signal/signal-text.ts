/** Which of two reports describes an event better, and the text that both give a signal. Pure. */
import type { Report } from '../schemas/signal.ts';
import type { Understanding } from '../schemas/story.ts';

/** Authorities closer than this count as equal. */
const AUTHORITY_STEP = 0.1;
/** So many more details make a report of equal authority the better one. */
const DETAIL_STEP = 2;

/** The number of filled fields of an understanding. */
export const detail = (understanding: Understanding): number =>
  [
    understanding.summary,
    understanding.deck,
    understanding.delta,
    understanding.event_at,
    understanding.mall,
    understanding.deal?.amount,
    understanding.result?.value,
    understanding.people[0]?.role,
    understanding.openings[0],
    understanding.cities[0],
    understanding.key_facts[0],
    understanding.key_facts[2],
  ].filter(Boolean).length;

/** True when the second text is better: by authority, or by clearly more detail where the authority is about equal. */
export function isBetter(
  now: { authority: number; understanding: Understanding },
  next: { authority: number; understanding: Understanding },
): boolean {
  const authority = next.authority - now.authority;
  const more = detail(next.understanding) - detail(now.understanding);
  if (authority >= AUTHORITY_STEP) return more >= -DETAIL_STEP;
  return authority > -AUTHORITY_STEP && more >= DETAIL_STEP;
}

/**
 * Whether the source of one report of a page knows that page better than the source of another: the outlet whose page it
 * is before one that only lists it, else the one of clearly more authority.
 */
export function ranksAbove(
  report: Pick<Report, 'authority' | 'on_own_site'>,
  other: Pick<Report, 'authority' | 'on_own_site'>,
): boolean {
  const [own, othersOwn] = [report.on_own_site ?? false, other.on_own_site ?? false];
  return own === othersOwn ? report.authority - other.authority >= AUTHORITY_STEP : own;
}

/**
 * The text that a better report gives a signal: both together, except for the page that the signal's text is of, where
 * the source that knows it better replaces what the other said of it.
 */
export const textWith = (
  current: { readonly report: Report; readonly understanding: Understanding },
  better: { readonly report: Report; readonly understanding: Understanding },
): Understanding =>
  current.report.url === better.report.url && ranksAbove(better.report, current.report)
    ? better.understanding
    : improve(current.understanding, better.understanding);

const full = <Entry>(list: readonly Entry[], other: readonly Entry[]): Entry[] => [...(list.length ? list : other)];

/** The better text, with what only the other one knew. A kind of move that is `other` says nothing. */
export function improve(before: Understanding, better: Understanding): Understanding {
  return {
    ...better,
    move: better.move === 'other' ? before.move : better.move,
    kind: better.kind ?? before.kind,
    deck: better.deck ?? before.deck,
    summary: better.summary ?? before.summary,
    key_facts: full(better.key_facts, before.key_facts),
    delta: better.delta ?? before.delta,
    event_at: better.event_at ?? before.event_at,
    theme: better.theme ?? before.theme,
    brands: full(better.brands, before.brands),
    cities: full(better.cities, before.cities),
    mall: better.mall ?? before.mall,
    people: full(better.people, before.people),
    openings: full(better.openings, before.openings),
    deal: better.deal ?? before.deal,
    result: better.result ?? before.result,
    ...(better.result ? {} : before.other_results && { other_results: before.other_results }),
  };
}
