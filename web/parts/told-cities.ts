/** Cities that have a page: those of the catalogue, and those that the record tells of. */
import { recentCounts } from '../../projector/models/signals-queries.ts';
import { slugify } from '../../schemas/identity.ts';
import { Refusal } from '../../schemas/refusal.ts';
import { Slug } from '../../schemas/scalar.ts';
import { remember } from '../remember.ts';
import type { Site } from '../site.ts';

const DAY = 86_400_000;
const DAYS = 90;
const KEPT_SECONDS = 300;

export interface FoundCity {
  readonly name: string;
  /** Null where the catalogue lacks the city. */
  readonly state: string | null;
  /** The slug that the address should have; null where it has it. */
  readonly redirect: string | null;
}

/** A city that the catalogue lacks is known by its stories of the last days. */
const toldCities = ({ database, now }: Site): (() => Promise<ReadonlyMap<string, string>>) =>
  remember(KEPT_SECONDS, now, async () => {
    const { cities } = await recentCounts(database, new Date(now().getTime() - DAYS * DAY), 5_000);
    return new Map(cities.map(({ key }) => [slugify(key), key]));
  });

/** @returns a finder; it throws Refusal `not_found` for a place that neither the catalogue nor the record knows */
export function cityFinder(site: Site): (slug: string) => Promise<FoundCity> {
  const told = toldCities(site);
  return async (slug) => {
    const isSlug = Slug.safeParse(slug).success;
    const known = isSlug ? site.directory.city(slug) : null;
    if (known) {
      const current = slugify(known.name);
      return { name: known.name, state: known.state, redirect: known.slug === slug ? null : current };
    }
    const name = isSlug ? (await told()).get(slug) : undefined;
    if (name === undefined) throw new Refusal('not_found', 'No city of the record has this address.');
    return { name, state: null, redirect: null };
  };
}
