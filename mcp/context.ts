/** What tools are given. They reach nothing else. */
import type { Database } from '../log/postgres/database.ts';
import type { Catalogue } from '../schemas/catalogue.ts';
import { type Directory, directoryOf, type Entry } from '../schemas/directory.ts';
import { type Gazetteer, gazetteerOf } from '../schemas/gazetteer.ts';
import { type NameIndex, nameIndex } from '../schemas/name-search.ts';

/** What is known by name, whether or not the record tells anything of it yet. */
export interface Known {
  /** Brands and themes by slug, and the slugs that were retired. */
  readonly directory: Directory;
  /** Companies, places and groups by whatever name they are given. */
  readonly gazetteer: Gazetteer;
  readonly themes: NameIndex<Entry>;
}

export interface ToolContext extends Known {
  readonly database: Database;
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
  readonly now: () => Date;
}

/** @param catalogue may be empty: then brands and themes are known by their stories alone */
export const knownIn = (catalogue: Pick<Catalogue, 'brands' | 'themes' | 'groups' | 'cities' | 'malls'>): Known => ({
  directory: directoryOf(catalogue),
  gazetteer: gazetteerOf(catalogue),
  themes: nameIndex(
    catalogue.themes.map(({ slug, name, words }) => ({ thing: { slug, name }, names: [name, slug, ...words] })),
  ),
});
