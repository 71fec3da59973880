/** Every brand, theme and city with a story: kept for a while, for the index, the sitemap and forms. */
import { listNames } from '../../projector/models/names-queries.ts';
import type { Entry } from '../../schemas/directory.ts';
import { remember } from '../remember.ts';
import type { Site } from '../site.ts';
import { clip, neutralise } from '../text.ts';

/** Enough for the India of today; a list beyond it would be no help. */
const MOST = 20_000;
const KEPT_SECONDS = 300;

export interface ToldNames {
  readonly brands: readonly Entry[];
  readonly themes: readonly Entry[];
  readonly cities: readonly Entry[];
}

/** A loader; brands and themes by the names of the catalogue where it has them, each list by name. */
export const toldNames = ({ database, directory, now }: Site): (() => Promise<ToldNames>) => {
  const load = async (): Promise<ToldNames> => {
    const names = await listNames(database, MOST);
    const of = (type: 'brand' | 'theme' | 'city', nameOf: (slug: string) => string | undefined): Entry[] =>
      names
        .filter((name) => name.type === type)
        .map(({ slug, name }) => ({ slug, name: clip(neutralise(nameOf(slug) ?? name), 60) }))
        .toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
    return {
      brands: of('brand', (slug) => directory.brand(slug)?.name),
      themes: of('theme', (slug) => directory.theme(slug)?.name),
      cities: of('city', () => undefined),
    };
  };
  return remember(KEPT_SECONDS, now, load, ({ brands }) => brands.length > 0);
};
