/** What a change of the catalogue would do to the stories of the last days, before it is made. */
import type { Database } from '../../log/postgres/database.ts';
import { searchSignals } from '../../projector/models/search-queries.ts';
import type { CatalogueEntry, CatalogueKind } from '../../schemas/catalogue.ts';
import type { BrandSlug } from '../../schemas/scalar.ts';
import { formsOf } from '../understand/catalogue.ts';
import { nameKey } from '../understand/tokens.ts';
import type { CatalogueCommand, CatalogueHistory, CataloguePlan } from './catalogue-commands.ts';
import { entryNow, namesOfEntry } from './effective-catalogue.ts';

export const PREVIEW_DAYS = 90;
/** Stories that are looked at, the newest first: more are counted as so many or more. */
const MOST = 400;
const DAY = 86_400_000;

/** A story that a change concerns. */
interface ConcernedStory {
  readonly slug: string;
  readonly headline: string;
}

export interface ChangePreview {
  /** Stories that contain a name which the entry gets, and are not about it now. */
  readonly gained: readonly ConcernedStory[];
  /** Stories that are about the entry only by a name which it loses. */
  readonly lost: readonly ConcernedStory[];
  /** Stories that carry a slug or a name which changes. */
  readonly moved: readonly ConcernedStory[];
  /** Whether there were more than are looked at. */
  readonly isCut: boolean;
}

const keysOf = (entry: CatalogueEntry | undefined): Set<string> =>
  new Set(entry ? namesOfEntry(entry).flatMap((name) => [...formsOf(name)].map(nameKey)) : []);

/** Names as a reader searches them: any of them, word by word. */
const asWords = (keys: Iterable<string>): string => [...keys].map((key) => `"${key.trim()}"`).join(' or ');

/** Entries before the change whose stories become those of the entry. */
function formerEntries({ state }: CatalogueHistory, command: CatalogueCommand): CatalogueEntry[] {
  if (command.do === 'add') return [];
  const named = command.do === 'merge' ? [command.slug, command.into] : [command.slug];
  return named.flatMap((slug) => entryNow(state.catalogue, command.kind, slug) ?? []);
}

/** Whether the words around a name let it mean the entry; for a theme and a plain name they always do. */
function fits(entry: CatalogueEntry, text: string): boolean {
  if (!('context' in entry)) return true;
  if (entry.not_context.some((word) => text.includes(nameKey(word)))) return false;
  return !entry.common_word || entry.context.some((word) => text.includes(nameKey(word)));
}

/**
 * Looks up the stories that a planned change concerns, in the read model `search`.
 * @param now the end of the days that are looked at
 */
export async function previewChange(
  database: Database,
  history: CatalogueHistory,
  { command, plan, now }: { readonly command: CatalogueCommand; readonly plan: CataloguePlan; readonly now: Date },
): Promise<ChangePreview> {
  const nothing: ChangePreview = { gained: [], lost: [], moved: [], isCut: false };
  if (command.kind === 'group' || plan.facts.length === 0 || command.do === 'retire') return nothing;
  const { entry } = plan;
  const former = formerEntries(history, command);
  const own = former.find(({ slug }) => slug === entry.slug) ?? (command.do === 'edit' ? former[0] : undefined);
  const [before, after] = [keysOf(own), keysOf(entry)];
  const [came, went] = [after.difference(before), before.difference(after)];
  const since = new Date(now.getTime() - PREVIEW_DAYS * DAY);
  const find = (keys: ReadonlySet<string>) =>
    keys.size === 0 ? [] : searchSignals(database, { text: asWords(keys), since, limit: MOST, candidates: MOST });
  const slugs = former
    .filter(({ slug, name }) => slug !== entry.slug || name !== entry.name)
    .flatMap(({ slug, retired_slugs = [] }) => [slug, ...retired_slugs]);
  const carrying = (kind: CatalogueKind) =>
    slugs.length === 0
      ? []
      : searchSignals(database, {
          ...(kind === 'brand' ? { brands: slugs as BrandSlug[] } : { themes: slugs }),
          ...{ since, limit: MOST, candidates: MOST },
        });
  const [withNew, withOld, carried] = await Promise.all([find(came), find(went), carrying(command.kind)]);
  type Found = (typeof withNew)[number];
  const textOf = ({ signal, titles }: Found): string =>
    nameKey([signal.headline, signal.summary, signal.deck, ...titles].filter(Boolean).join(' . '));
  const has = (found: Found, keys: ReadonlySet<string>): boolean => {
    const text = textOf(found);
    return [...keys].some((key) => text.includes(key)) && fits(entry, text);
  };
  // A name from headlines has its slug before it is in the catalogue.
  const isOwn = ({ signal }: Found): boolean =>
    own !== undefined &&
    [entry.slug, ...(entry.retired_slugs ?? [])].some((slug) =>
      command.kind === 'brand' ? signal.brands.some((brand) => brand.slug === slug) : signal.theme?.slug === slug,
    );
  const shown = (found: readonly Found[]): ConcernedStory[] =>
    found.map(({ signal: { slug, headline } }) => ({ slug, headline }));
  return {
    gained: shown(withNew.filter((found) => !isOwn(found) && has(found, came))),
    lost: shown(withOld.filter((found) => isOwn(found) && has(found, went) && !has(found, after))),
    moved: shown(carried),
    isCut: [withNew, withOld, carried].some(({ length }) => length >= MOST),
  };
}
