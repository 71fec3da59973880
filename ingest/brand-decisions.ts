/** What operators decide on names that the catalogue lacks. */
import { handleCommand } from '../log/command-handler.ts';
import type { EventStore } from '../log/event-store.ts';
import type { Queryable } from '../log/postgres/database.ts';
import { namesOfBrands } from '../projector/models/brands-queries.ts';
import { BRAND_DECISIONS, brandStream } from '../schemas/brand.ts';
import type { Directory } from '../schemas/directory.ts';
import { readEvent } from '../schemas/events.ts';
import { type BrandSlug, brandSlugOf } from '../schemas/scalar.ts';

/** The name cannot be decided on; the message says why. */
export class BrandRefused extends Error {
  override name = 'BrandRefused';
}

interface Services {
  readonly store: Pick<EventStore, 'append' | 'read'>;
  readonly database: Queryable;
  readonly directory: Pick<Directory, 'brandNamed' | 'brand' | 'currentSlug'>;
  readonly now: () => Date;
}

/**
 * Gives a name a page before a second story names it, or leaves it without one.
 * @param text the name or its slug
 * @returns the name, and whether that was decided before
 * @throws BrandRefused for a name of the catalogue, and for one that no public signal has
 */
export async function decideBrand(
  { store, database, directory, now }: Services,
  decision: keyof typeof BRAND_DECISIONS,
  text: string,
  author: { readonly by: string; readonly why: string },
): Promise<{ readonly slug: BrandSlug; readonly name: string; readonly known: boolean }> {
  const quoted = JSON.stringify(text.slice(0, 100));
  const slug = brandSlugOf(text);
  const listed = directory.brandNamed(text) ?? directory.brand(directory.currentSlug(slug));
  if (listed)
    throw new BrandRefused(`${quoted} is in the catalogue, as ${listed.slug}; change it at /operate/catalogue`);
  const [named] = await namesOfBrands(database, [slug]);
  if (!named) throw new BrandRefused(`no public signal names ${quoted}; /operate/catalogue/candidates lists the names`);
  const type = BRAND_DECISIONS[decision];
  const { events } = await handleCommand(store, {
    stream: brandStream(slug),
    fold: (stored) => stored.map((event) => readEvent(event).type).at(-1),
    decide: (last) => ({ facts: last === type ? [] : [{ type, data: { slug, name: named.name, ...author } }] }),
    now: now(),
  });
  return { slug, name: named.name, known: events.length === 0 };
}
