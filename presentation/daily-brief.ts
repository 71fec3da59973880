/** The daily brief that the API, the tools, the pages and the morning mail show. */
import type { Queryable } from '../log/postgres/database.ts';
import { briefCandidates, chooseBrief } from '../projector/models/brief-queries.ts';
import type { Directory } from '../schemas/directory.ts';
import type { BrandSlug } from '../schemas/scalar.ts';
import { BRIEF_ITEMS, type Brief } from '../schemas/subscriptions.ts';
import { formatLongDay, istDay } from './text.ts';

const HOUR = 3_600_000;
/** Candidates for all items: of several follow-ups of one event only one is chosen. */
const CANDIDATES = BRIEF_ITEMS * 4;

/** Hours before 07:30 IST that the morning brief covers. */
export const MORNING_HOURS = 24;
/** 07:30 IST, as the end of an RFC 3339 time. */
const MORNING = 'T07:30:00+05:30';

/** The moment of the morning brief of an IST day such as `2026-11-21`. */
export const morningOf = (day: string): Date => new Date(`${day}${MORNING}`);

/** The moment of the latest morning brief: 07:30 IST today, or yesterday before that time. */
export function latestBriefTime(now: Date): Date {
  const today = morningOf(istDay(now)).getTime();
  return new Date(today <= now.getTime() ? today : today - 24 * HOUR);
}

export interface BriefQuestion {
  /** Slugs, present or retired; empty for all. */
  readonly brands: readonly BrandSlug[];
  readonly themes: readonly string[];
  /** Where brands and themes are both given: a move has to match `both` (the default) or `either`. */
  readonly match?: 'both' | 'either';
  /** How far to look back, 1 to 72. */
  readonly hours: number;
  /** The moment at which the brief ends. */
  readonly now: Date;
  /** True for a moment in the past: later moves are left out. */
  readonly past?: boolean;
}

/** `Morning brief, Saturday 21 November 2026`. */
export const briefLabel = (now: Date): string => `Morning brief, ${formatLongDay(now)}`;

/**
 * Composes a brief: at most 12 moves, ranked, and never two on one event.
 * @param question filters, hours and moment; see `BriefQuestion`
 */
export async function composeDailyBrief(
  { database, directory }: { readonly database: Queryable; readonly directory: Directory },
  { brands, themes, hours, now, match = 'both', past = false }: BriefQuestion,
): Promise<Brief> {
  const current = [...new Set(brands.map((slug) => directory.currentSlug(slug)))];
  const candidates = await briefCandidates(database, {
    since: new Date(now.getTime() - hours * HOUR),
    until: past ? now : undefined,
    brands: current.flatMap((slug) => directory.slugsOf(slug)),
    themes,
    match,
    limit: CANDIDATES,
  });
  return {
    date: istDay(now),
    label: briefLabel(now),
    window_hours: hours,
    filters: { brands: current, themes: [...themes] },
    items: chooseBrief(candidates, BRIEF_ITEMS),
  };
}
