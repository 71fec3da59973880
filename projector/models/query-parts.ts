/** What the queries of several read models share: time windows, citations, and counts by kind of move. */
import { z } from 'zod';
import type { Gazetteer } from '../../schemas/gazetteer.ts';
import type { SignalDetail, SignalItem, SignalReference } from '../../schemas/resources.ts';
import { MOVES, Move, type MoveCounts } from '../../schemas/scalar.ts';
import { reportsInDetail, type SignalRest } from './signals-read-model.ts';

export interface QueryContext {
  readonly now: Date;
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
  readonly gazetteer: Gazetteer;
}

const DAY = 86_400_000;

/** A window of days that ends now: from `since` (in) to `until` (out). */
export const windowOf = (now: Date, days: number): { since: Date; until: Date } => ({
  since: new Date(now.getTime() - days * DAY),
  until: now,
});

/** Columns by which a row cites its signal and the report that states it. */
export const Cited = z.object({
  key: z.string(),
  slug: z.string(),
  headline: z.string(),
  published_at: z.date(),
  outlet: z.string().nullable(),
  source_url: z.string().nullable(),
});
type Cited = z.infer<typeof Cited>;

/**
 * A select list of the columns of `Cited` over rows called `row`, joined with their signals as `s`: a row without a report
 * of its own cites that of the signal.
 */
export const CITED_COLUMNS = `row.key, row.slug, row.headline, row.published_at,
  coalesce(row.outlet, s.item_document::json #>> '{source,outlet}') AS outlet,
  coalesce(row.source_url, s.item_document::json #>> '{source,url}') AS source_url`;

/** Joins the signals of rows called `row`. */
export const JOIN_SIGNALS = 'LEFT JOIN read.signals s ON s.key = row.key';

/** The signal that a row is taken from, as an answer names it. */
export const referenceOf = (
  { key, slug, headline, published_at }: Pick<Cited, 'key' | 'slug' | 'headline' | 'published_at'>,
  baseUrl: string,
): SignalReference => ({
  id: key,
  slug,
  url: `${baseUrl}/signal/${slug}`,
  headline,
  published_at: published_at.toISOString(),
});

/** What a row of an answer says of its signal and of the report that states it. */
export const citationOf = (row: Cited, baseUrl: string) => ({
  signal: referenceOf(row, baseUrl),
  outlet: row.outlet,
  source_url: row.source_url,
  published_at: row.published_at.toISOString(),
});

/** Columns of `read.signals` that a SignalDetail is made from. */
export const DetailColumns = z.object({ item_document: z.string(), row: z.string() });

/** What the column `row` of a signal contains. */
export function restOf(row: string): SignalRest {
  // A build of an earlier release, which readers see until its successor is built, may lack some of it.
  const missing = { deck: null, key_facts: [], why_it_matters: null, what_to_watch: null };
  return { ...missing, ...{ reports: [], revisions: [], follows: null }, ...JSON.parse(row) };
}

/** The SignalDetail of a row of `read.signals`. */
export function detailOf({ item_document, row }: z.infer<typeof DetailColumns>): SignalDetail {
  const { deck, why_it_matters, what_to_watch, key_facts, reports } = restOf(row);
  const item = JSON.parse(item_document) as SignalItem;
  return { ...item, deck, why_it_matters, what_to_watch, key_facts, reports: reportsInDetail(reports) };
}

export const MoveCount = z.object({ move: Move, stories: z.int() });

/** All eight kinds, zeros included; counts of one kind are added up. */
export function countsByMove(counts: readonly z.infer<typeof MoveCount>[]): MoveCounts {
  const all = Object.fromEntries(MOVES.map((move) => [move, 0])) as MoveCounts;
  for (const { move, stories } of counts) all[move] += stories;
  return all;
}
