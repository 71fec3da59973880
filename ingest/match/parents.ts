/** Which company owns a brand: one newsroom writes Mamaearth where another writes Honasa. */
import type { PreparedCatalogue } from '../understand/catalogue.ts';

/** From the slug of a brand to that of its owner, null where it has none or the owner owns half the market. */
export type ParentOf = (slug: string) => string | null;

/** Nobody owns anybody: for where no catalogue is at hand. */
export const noParents: ParentOf = () => null;

/** Owners by the catalogue. Conglomerates are left out: two brands of theirs have as little in common as any two. */
export const parentsIn =
  ({ brandBySlug }: PreparedCatalogue): ParentOf =>
  (slug) => {
    const parent = brandBySlug.get(slug)?.parent;
    return parent && brandBySlug.get(parent)?.category !== 'conglomerate' ? parent : null;
  };
