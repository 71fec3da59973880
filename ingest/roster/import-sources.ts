/** Sources that come from a file of feeds: those that the roster lacks are added, none is changed or retired. */
import type { Source } from '../../schemas/source.ts';
import type { Roster } from './fold-sources.ts';
import { freeId } from './free-id.ts';
import { addressKey } from './source-address.ts';

/** The sources to add, under ids that are free; what is polled already, by its address, is left out. */
export function newSources(roster: Roster, listed: readonly Source[]): Source[] {
  const used = [...roster.values()].filter(({ retired }) => !retired);
  const polled = new Set(used.map(({ source }) => addressKey(source.url)));
  const taken = new Set(used.map(({ source }) => source.id));
  return listed
    .filter(({ url }) => !polled.has(addressKey(url)))
    .map((source) => {
      const id = freeId(source.id, taken);
      taken.add(id);
      return { ...source, id };
    });
}
