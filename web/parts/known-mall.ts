/** A mall of the catalogue by what stands in an address. */
import type { CatalogueMall } from '../../schemas/catalogue.ts';
import type { Gazetteer } from '../../schemas/gazetteer.ts';
import { slugify } from '../../schemas/identity.ts';
import { Refusal } from '../../schemas/refusal.ts';
import { Slug } from '../../schemas/scalar.ts';

export interface FoundMall {
  readonly name: string;
  readonly city: string;
  readonly kind: CatalogueMall['kind'];
  /** The slug that the address should have; null where it has it. */
  readonly redirect: string | null;
}

/** What each kind of place is called. */
export const MALL_KINDS: Readonly<Record<CatalogueMall['kind'], string>> = {
  mall: 'Mall',
  high_street: 'High street',
  airport: 'Airport',
  other: 'Place',
};

/**
 * @param slug of its name, or of another name that it goes by
 * @throws Refusal `not_found` for one that the catalogue lacks, and where several are called so
 */
export function findMall(gazetteer: Gazetteer, slug: string): FoundMall {
  const own = gazetteer.malls.find(({ name }) => slugify(name) === slug);
  if (own) return { name: own.name, city: own.city, kind: own.kind, redirect: null };
  const isSlug = Slug.safeParse(slug).success;
  const { found, nearest = [] } = isSlug ? gazetteer.findMall(slug.replaceAll('-', ' ')) : { found: null };
  if (found) return { name: found.name, city: found.city, kind: found.kind, redirect: slugify(found.name) };
  const near = nearest.length > 0 ? ` Near it: ${nearest.join(', ')}.` : '';
  throw new Refusal('not_found', `No mall of the catalogue has this address.${near}`);
}
