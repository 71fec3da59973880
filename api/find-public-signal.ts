/** One signal by what stands in an address: its slug, a slug that was retired, or its cite id. */
import type { Queryable } from '../log/postgres/database.ts';
import { type FoundSignal, findSignal } from '../projector/models/signals-queries.ts';
import { quoted, Refusal } from '../schemas/refusal.ts';
import { SignalDetail } from '../schemas/resources.ts';
import { SignalId, Slug } from '../schemas/scalar.ts';

/**
 * @returns the signal, or the slug that the address should have
 * @throws Refusal `not_found`
 */
export async function findPublicSignal(
  database: Queryable,
  slugOrId: string,
): Promise<FoundSignal | { readonly redirect: string }> {
  const isId = SignalId.safeParse(slugOrId).success;
  // What is neither cannot be found, and must not reach the database, which refuses some characters.
  const found = isId || Slug.safeParse(slugOrId).success ? await findSignal(database, slugOrId) : null;
  if (!found)
    throw new Refusal(
      'not_found',
      `No public signal has the slug ${quoted(slugOrId)}. GET /api/v1/signals lists them.`,
    );
  if (isId && 'document' in found)
    return { redirect: SignalDetail.pick({ slug: true }).parse(JSON.parse(found.document)).slug };
  return found;
}
