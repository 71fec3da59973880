/**
 * Threads: the signals that take one matter step by step further, such as the rumour of a deal, its agreement and its approval.
 * Each names the one that it follows; a thread is all that are so connected. A merged signal counts as the one that it was
 * merged into, and signals that readers do not see connect others without being listed.
 */
import { z } from 'zod';
import { type Queryable, query, queryKeys } from '../../log/postgres/database.ts';
import { isReadModelOutdated } from '../../log/postgres/postgres-errors.ts';
import {
  MAXIMUM_STEPS,
  type SignalDetail,
  type SignalItem,
  type SignalText,
  type ThreadStep,
} from '../../schemas/resources.ts';
import { DetailColumns, restOf, signalTextOf } from './query-parts.ts';

type Columns = z.infer<typeof DetailColumns>;

const Member = DetailColumns.extend({ of: z.string(), is_own: z.boolean() });

/**
 * Each step is a look-up by an index, in both directions of a link and of a merge, and so is that of the documents: how many
 * members a recursion finds is overestimated, and for so many all signals would be read instead.
 */
const membersFrom = (first: string): string => `
  WITH RECURSIVE member (of, key, follows, merged_into) AS (
    SELECT s.key, s.key, s.follows, s.merged_into FROM ${first} s
    UNION
    SELECT m.of, s.key, s.follows, s.merged_into FROM member m CROSS JOIN LATERAL (
      SELECT key, follows, merged_into FROM read.signals WHERE key = m.follows
      UNION ALL SELECT key, follows, merged_into FROM read.signals WHERE key = m.merged_into
      UNION ALL SELECT key, follows, merged_into FROM read.signals WHERE follows = m.key
      UNION ALL SELECT key, follows, merged_into FROM read.signals WHERE merged_into = m.key
    ) s
  )
  SELECT m.of, m.key = m.of AS is_own, s.item_document, s.row FROM member m CROSS JOIN LATERAL (
    SELECT item_document, row FROM read.signals WHERE key = m.key AND status = 'public' OFFSET 0
  ) s`;
const MEMBERS = `${membersFrom('(SELECT * FROM read.signals WHERE key = ANY ($1))')} WHERE m.key <> m.of`;
const WITH_MEMBERS = {
  name: 'projector_details_of_slugs',
  text: membersFrom(`unnest($1::text[]) AS asked(slug) CROSS JOIN LATERAL (
      SELECT key, follows, merged_into FROM read.signals WHERE slug = asked.slug AND status = 'public' OFFSET 0)`),
};

/** The other public signals of the threads of signals. A build of an earlier release, live until its successor is built, knows none. */
async function membersOf(database: Queryable, ids: readonly string[]): Promise<z.infer<typeof Member>[]> {
  try {
    return await query(database, MEMBERS, [ids], Member);
  } catch (error) {
    if (isReadModelOutdated(error)) return [];
    throw error;
  }
}

interface Placed {
  readonly step: ThreadStep;
  /** When the outlets began to report it: a step that the service found late is in its place all the same. */
  readonly began: number;
}

function placed({ item_document, row }: Columns): Placed {
  const { id, slug, url, headline, published_at, reported_at, move } = JSON.parse(item_document) as SignalItem;
  const dates = restOf(row)
    .reports.filter(({ resurfaced }) => !resurfaced)
    .map((report) => Date.parse(report.published_at ?? report.first_seen_at));
  const began = Math.min(...(dates.length > 0 ? dates : [Date.parse(published_at)]));
  return { step: { id, slug, url, headline, published_at, ...(reported_at && { reported_at }), move }, began };
}

const inOrder = (one: Placed, other: Placed): number =>
  one.began - other.began ||
  Date.parse(one.step.published_at) - Date.parse(other.step.published_at) ||
  (one.step.id < other.step.id ? -1 : 1);

/**
 * SignalDetails of rows of `read.signals`, with their threads, which one query finds for all of them.
 * @returns in the order of the rows
 */
export async function detailsOf(database: Queryable, rows: readonly Columns[]): Promise<SignalDetail[]> {
  const texts = rows.map((row) => ({ row, text: signalTextOf(row) }));
  const ids = texts.map(({ text }) => text.id);
  return inThreads(texts, ids.length === 0 ? [] : await membersOf(database, ids));
}

/** The same of public signals by their current slugs, in any order: their rows and threads are read by one query. */
export async function detailsOfSlugs(database: Queryable, slugs: readonly string[]): Promise<SignalDetail[]> {
  try {
    const members = await queryKeys(database, WITH_MEMBERS, slugs, Member);
    const { own = [], others = [] } = Object.groupBy(members, ({ is_own }) => (is_own ? 'own' : 'others'));
    return inThreads(
      own.map((row) => ({ row, text: signalTextOf(row) })),
      others,
    );
  } catch (error) {
    if (!isReadModelOutdated(error)) throw error;
    const text = `SELECT item_document, row FROM read.signals WHERE slug = ANY ($1) AND status = 'public'`;
    return detailsOf(database, await query(database, text, [slugs], DetailColumns));
  }
}

/** Details of signals with the other members of their threads. */
function inThreads(
  texts: readonly { readonly row: Columns; readonly text: SignalText }[],
  members: readonly z.infer<typeof Member>[],
): SignalDetail[] {
  const threads = Map.groupBy(members, ({ of }) => of);
  return texts.map(({ row, text }) => {
    const others = (threads.get(text.id) ?? []).map(placed).sort(inOrder);
    if (others.length === 0) return { ...text, before: [], after: [] };
    const own = placed(row);
    const isBefore = (other: Placed): boolean => inOrder(other, own) < 0;
    return {
      ...text,
      before: others
        .filter(isBefore)
        .slice(-MAXIMUM_STEPS)
        .map(({ step }) => step),
      after: others
        .filter((other) => !isBefore(other))
        .slice(0, MAXIMUM_STEPS)
        .map(({ step }) => step),
    };
  });
}
