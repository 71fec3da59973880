/**
 * The catalogue in use: the shipped files with the changes of operators applied, in their order. The files can be
 * those of a later release than the changes were made on: a change is applied to what it was made on where that is
 * unchanged, else field by field, and what does not fit any more is a conflict that the desk lists. In every process
 * it has the changes that the read model `catalogue` has by now; what is made of it, such as the directory of names,
 * follows it without a restart.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type PreparedCatalogue, prepareCatalogue } from '../../facts/text/catalogue.ts';
import { nameKey } from '../../language/tokens.ts';
import { kindOf } from '../../log/errors.ts';
import type { Database } from '../../log/postgres/database.ts';
import { isReadModelOutdated } from '../../log/postgres/postgres-errors.ts';
import { catalogueChanges, lastCatalogueChange } from '../../projector/models/catalogue-queries.ts';
import {
  CATALOGUE_CHANGES,
  type Catalogue,
  type CatalogueBrand,
  type CatalogueEntries,
  type CatalogueEntry,
  type CatalogueKind,
} from '../../schemas/catalogue.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import type { BrandSlug } from '../../schemas/scalar.ts';

export type CatalogueChange = KnownEvent<(typeof CATALOGUE_CHANGES)[number]>;

export const isCatalogueChange = (event: KnownEvent): event is CatalogueChange =>
  (CATALOGUE_CHANGES as readonly string[]).includes(event.type);

interface LastChange {
  /** The number of the change; 0 for an entry as it is shipped. */
  readonly number: number;
  readonly by: string;
  readonly why: string;
  readonly at: string;
}

/** What a change says and the shipped files do not take any more. */
interface Conflict {
  readonly kind: CatalogueKind;
  readonly slug: string;
  readonly text: string;
}

export interface EffectiveCatalogue {
  readonly catalogue: Catalogue;
  readonly shipped: Catalogue;
  /** How many changes are applied. */
  readonly number: number;
  readonly conflicts: readonly Conflict[];
  /** The last change of an entry, by kind and slug; null for one as it is shipped. */
  lastChange(kind: CatalogueKind, slug: string): LastChange | null;
}

const LISTS = { brand: 'brands', theme: 'themes', group: 'groups' } as const;
type Lists = { -readonly [Kind in CatalogueKind]: CatalogueEntries[Kind][] };

/** The entries of a kind. */
export const entriesOf = (catalogue: Catalogue, kind: CatalogueKind): readonly CatalogueEntry[] =>
  catalogue[LISTS[kind]];

export const findEntry = (catalogue: Catalogue, kind: CatalogueKind, slug: string): CatalogueEntry | undefined =>
  entriesOf(catalogue, kind).find((entry) => entry.slug === slug);

/** The entry that has a slug now, or had it before. */
export const entryNow = (catalogue: Catalogue, kind: CatalogueKind, slug: string): CatalogueEntry | undefined =>
  findEntry(catalogue, kind, slug) ??
  entriesOf(catalogue, kind).find(({ retired_slugs = [] }) => (retired_slugs as readonly string[]).includes(slug));

/** The names by which texts are found to mean an entry: for a theme its words. */
export const namesOfEntry = (entry: CatalogueEntry): string[] =>
  'words' in entry
    ? [entry.name, ...entry.words]
    : [entry.name, ...entry.aliases, ...('legal_names' in entry ? entry.legal_names : [])];

const unique = <Value>(values: readonly Value[]): Value[] => [...new Set(values)];

/** The list without undefined, or nothing where it is empty: fields that may be unset are. */
const optional = <Value>(values: readonly Value[]): Value[] | undefined =>
  values.length > 0 ? unique(values) : undefined;

/** Fields that are undefined are left out, so that two equal entries are deeply equal. */
export const compact = <Entry extends object>(entry: Entry): Entry =>
  Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)) as Entry;

/** What `before` became in `after`, applied to an entry that may be another than `before` by now. */
function rebase<Entry extends CatalogueEntry>(current: Entry, before: Entry, after: Entry): Entry {
  if (isDeepStrictEqual(compact(current), compact(before))) return compact(after);
  const fields = new Set([...Object.keys(current), ...Object.keys(after)] as (keyof Entry)[]);
  const changed = [...fields].map((field) => {
    const [now, was, becomes] = [current[field], before[field], after[field]];
    if (isDeepStrictEqual(was, becomes)) return [field, now];
    if (!Array.isArray(becomes) || !Array.isArray(now)) return [field, becomes];
    const [old, fresh]: [unknown[], unknown[]] = [Array.isArray(was) ? was : [], becomes];
    return [field, unique([...now.filter((one) => !old.includes(one) || fresh.includes(one)), ...fresh])];
  });
  return compact(Object.fromEntries(changed) as Entry);
}

class Draft {
  readonly lists: Lists;
  otherYears: BrandSlug[];
  indianYears: BrandSlug[];
  readonly conflicts: Conflict[] = [];
  readonly last = new Map<string, LastChange>();

  readonly shipped: Catalogue;

  constructor(shipped: Catalogue) {
    this.shipped = shipped;
    this.lists = { brand: [...shipped.brands], theme: [...shipped.themes], group: [...shipped.groups] };
    this.otherYears = [...shipped.other_years];
    this.indianYears = [...shipped.indian_years];
  }

  apply(change: CatalogueChange): void {
    const { data } = change;
    switch (change.type) {
      case 'CatalogueEntryAdded':
        this.#add(change.data.kind, change.data.entry);
        break;
      case 'CatalogueEntryChanged':
        this.#change(change.data.kind, change.data.before, change.data.after);
        break;
      case 'CatalogueEntryMerged':
        this.#merge(change.data.kind, change.data.slug, change.data.into);
        break;
      case 'CatalogueEntryRetired':
        this.#edit(data.kind, change.data.slug, { retired_at: change.time });
        break;
      case 'CatalogueEntryRestored':
        this.#edit(data.kind, change.data.slug, { retired_at: undefined });
    }
    const about = { number: data.number, by: data.by, why: data.why, at: change.time };
    for (const slug of slugsOf(change)) this.last.set(`${data.kind}:${slug}`, about);
  }

  #list(kind: CatalogueKind): CatalogueEntry[] {
    return this.lists[kind];
  }

  #place(kind: CatalogueKind, slug: string): number {
    return this.#list(kind).findIndex((entry) => entry.slug === slug);
  }

  #add(kind: CatalogueKind, entry: CatalogueEntry): void {
    const place = this.#place(kind, entry.slug);
    if (place < 0) this.#list(kind).push(entry);
    else {
      this.#list(kind)[place] = entry;
      this.#conflict(kind, entry.slug, 'was added here, and is shipped by now: the entry that was added counts');
    }
  }

  #change(kind: CatalogueKind, before: CatalogueEntry, after: CatalogueEntry): void {
    const place = this.#place(kind, before.slug);
    const current = this.#list(kind)[place];
    if (!current) {
      this.#conflict(kind, before.slug, 'was changed here, and is not shipped any more');
      return;
    }
    this.#list(kind)[place] = rebase(current, before, after);
    if (before.slug !== after.slug) this.#point(kind, before.slug, after.slug);
  }

  #edit(kind: CatalogueKind, slug: string, fields: { readonly retired_at: string | undefined }): void {
    const place = this.#place(kind, slug);
    const current = this.#list(kind)[place];
    if (current) this.#list(kind)[place] = compact({ ...current, ...fields });
    else this.#conflict(kind, slug, 'was retired or restored here, and is not shipped any more');
  }

  #merge(kind: CatalogueKind, slug: string, into: string): void {
    const [from, place] = [this.#list(kind)[this.#place(kind, slug)], this.#place(kind, into)];
    const target = this.#list(kind)[place];
    if (!target) {
      this.#conflict(kind, into, `is what ${slug} was merged into here, and is not shipped any more`);
      return;
    }
    this.#list(kind)[place] = absorbed(target, slug, from);
    this.lists[kind] = this.#list(kind).filter((entry) => entry !== from) as never;
    this.#point(kind, slug, into);
  }

  /** What names a brand or group by its slug names it by the new one. */
  #point(kind: CatalogueKind, old: string, next: string): void {
    if (kind === 'theme') return;
    const to = <Slug extends string>(slug: Slug): Slug => (slug === old ? (next as Slug) : slug);
    const toList = (slugs: readonly BrandSlug[]): BrandSlug[] => unique(slugs.map(to));
    if (kind === 'group') {
      this.lists.brand = this.lists.brand.map((brand) => (brand.group === old ? { ...brand, group: next } : brand));
      return;
    }
    this.lists.brand = this.lists.brand.map((brand) => {
      if (brand.parent !== old && !(brand.operators as readonly string[] | undefined)?.includes(old)) return brand;
      const parent = brand.parent && to(brand.parent);
      const operators = optional(toList(brand.operators ?? []).filter((one) => one !== brand.slug));
      return compact({ ...brand, parent: parent === brand.slug ? undefined : parent, operators });
    });
    this.lists.group = this.lists.group.map((group) =>
      (group.members as readonly string[]).includes(old) ? { ...group, members: toList(group.members) } : group,
    );
    this.otherYears = toList(this.otherYears);
    this.indianYears = toList(this.indianYears);
  }

  #conflict(kind: CatalogueKind, slug: string, text: string): void {
    this.conflicts.push({ kind, slug, text });
  }

  /** A name that a change gave to one brand, and that a later release ships with another, stays where the change put it. */
  settleNames(): void {
    const isEdited = ({ slug }: CatalogueBrand): boolean => this.last.has(`brand:${slug}`);
    // Names that two shipped brands share, such as those of a company in filings, are as the files have them.
    const given = (brand: CatalogueBrand): string[] => {
      const slugs = new Set([brand.slug, ...(brand.retired_slugs ?? [])]);
      const own = new Set(this.shipped.brands.filter(({ slug }) => slugs.has(slug)).flatMap(keysOf));
      return keysOf(brand).filter((key) => !own.has(key));
    };
    const owners = new Map(
      this.lists.brand.filter(isEdited).flatMap((brand) => given(brand).map((key) => [key, brand] as const)),
    );
    if (owners.size === 0) return;
    this.lists.brand = this.lists.brand.map((brand) => {
      const isForeign = (name: string): boolean => {
        const owner = owners.get(nameKey(name));
        return owner !== undefined && owner.slug !== brand.slug;
      };
      if (isEdited(brand) || !namesOfEntry(brand).some(isForeign)) return brand;
      const [aliases, legal_names] = [brand.aliases, brand.legal_names].map((names) =>
        names.filter((name) => !isForeign(name)),
      ) as [string[], string[]];
      const lost = namesOfEntry(brand).filter(isForeign);
      this.#conflict(
        'brand',
        brand.slug,
        `is shipped with ${lost.join(', ')}, which was given to ${owners.get(nameKey(lost[0] ?? ''))?.slug} here`,
      );
      return { ...brand, aliases, legal_names };
    });
  }
}

const keysOf = (entry: CatalogueEntry): string[] => namesOfEntry(entry).map(nameKey);

/** Slugs of the entries that a change was made on. */
export function slugsOf({ type, data }: CatalogueChange): readonly string[] {
  if (type === 'CatalogueEntryAdded') return [data.entry.slug];
  if (type === 'CatalogueEntryChanged') return unique([data.before.slug, data.after.slug]);
  return type === 'CatalogueEntryMerged' ? [data.slug, data.into] : [data.slug];
}

/** An entry that takes over the slug of another and, where it is known, its names. */
function absorbed(target: CatalogueEntry, slug: string, from: CatalogueEntry | undefined): CatalogueEntry {
  const slugs = [...(target.retired_slugs ?? []), slug, ...(from?.retired_slugs ?? [])] as BrandSlug[];
  const retired_slugs = unique(slugs).filter((one) => one !== target.slug);
  const ownKeys = new Set(namesOfEntry(target).map(nameKey));
  const fresh = (names: readonly string[]): string[] => names.filter((name) => !ownKeys.has(nameKey(name)));
  if ('words' in target) {
    const words = from && 'words' in from ? unique([...target.words, ...from.words]) : target.words;
    return { ...target, retired_slugs, words };
  }
  if (!from || !('aliases' in from)) return { ...target, retired_slugs };
  const aliases = [...target.aliases, ...fresh([from.name, ...from.aliases])];
  if ('members' in target)
    return {
      ...target,
      retired_slugs,
      aliases,
      members: unique([...target.members, ...('members' in from ? from.members : [])]),
    };
  const legal_names = [...target.legal_names, ...fresh('legal_names' in from ? from.legal_names : [])];
  // A company that takes over its owner has no owner in itself.
  return compact({ ...target, retired_slugs, aliases, legal_names });
}

/**
 * Applies changes to the shipped catalogue.
 * @param changes in the order of their numbers
 * @param options.settle false leaves a name with both brands that have it, for checks
 */
export function effectiveCatalogue(
  shipped: Catalogue,
  changes: readonly CatalogueChange[],
  { settle = true }: { readonly settle?: boolean } = {},
): EffectiveCatalogue {
  const draft = new Draft(shipped);
  for (const change of changes) draft.apply(change);
  if (settle) draft.settleNames();
  const { lists, otherYears, indianYears, conflicts, last } = draft;
  const newest = changes.at(-1);
  const version = newest
    ? createHash('sha256').update(`${shipped.version} ${changes.length} ${newest.id}`).digest('hex').slice(0, 12)
    : shipped.version;
  const catalogue: Catalogue = {
    ...shipped,
    brands: lists.brand,
    themes: lists.theme,
    groups: lists.group,
    other_years: otherYears,
    indian_years: indianYears,
    version,
  };
  return {
    catalogue,
    shipped,
    conflicts,
    number: newest?.data.number ?? 0,
    lastChange: (kind, slug) => last.get(`${kind}:${slug}`) ?? null,
  };
}

export interface LiveCatalogue {
  /** The files, without changes. */
  readonly shipped: Catalogue;
  effective(): EffectiveCatalogue;
  /** The same, indexed; done when it is first asked for after a change. */
  prepared(): PreparedCatalogue;
  /** Reads what changed since; a command does so after its own change. */
  refresh(): Promise<void>;
  /**
   * An object that always reflects the current catalogue, so that its holder need not follow changes.
   * @param make is called when it is first used after a change
   */
  following<Made extends object>(make: (effective: EffectiveCatalogue) => Made): Made;
  /** Ends the reading of changes. */
  close(): void;
}

/** Milliseconds between two looks at the number of changes. */
const EVERY = 1_000;

interface LiveOptions {
  /** The files, indexed. */
  readonly shipped: PreparedCatalogue;
  readonly database: Database;
  /** Called for an error that is no outage; the catalogue stays as it was. */
  readonly report: (error: unknown) => void;
  /** Milliseconds between two looks; 0 for none but by `refresh`. */
  readonly every?: number;
}

/** A process that starts before the first projector finds no read model: then there are no changes. */
async function readChanges(
  database: Database,
  lastNumber: number,
): Promise<ReturnType<typeof catalogueChanges> | null> {
  try {
    return (await lastCatalogueChange(database)) === lastNumber ? null : await catalogueChanges(database);
  } catch (error) {
    if (isReadModelOutdated(error)) return null;
    throw error;
  }
}

/** Opens it with the changes that there are; see `LiveOptions`. */
export async function openLiveCatalogue({
  shipped,
  database,
  report,
  every = EVERY,
}: LiveOptions): Promise<LiveCatalogue> {
  let effective = effectiveCatalogue(shipped.catalogue, []);
  let indexed: { readonly of: EffectiveCatalogue; readonly prepared: PreparedCatalogue } = {
    of: effective,
    prepared: shipped,
  };
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const events = await readChanges(database, effective.number);
    // While the read model is rebuilt from nothing it has fewer changes than are known.
    if (events && events.length > effective.number)
      effective = effectiveCatalogue(shipped.catalogue, events.filter(isCatalogueChange));
  }
  function prepared(): PreparedCatalogue {
    if (indexed.of !== effective) indexed = { of: effective, prepared: prepareCatalogue(effective.catalogue) };
    return indexed.prepared;
  }
  await read();
  const look = async (): Promise<void> => {
    if (reading) return;
    reading = read();
    try {
      await reading;
    } catch (error) {
      // An outage of the database is reported by all that works on it.
      if (kindOf(error) !== 'transient' && !database.ending) report(error);
    } finally {
      reading = undefined;
    }
    if (database.ending) close();
  };
  const timer = every > 0 ? setInterval(() => void look(), every).unref() : undefined;
  const close = (): void => clearInterval(timer);

  return {
    shipped: shipped.catalogue,
    effective: () => effective,
    prepared,
    async refresh() {
      await reading?.catch(() => undefined);
      await read();
    },
    following(make) {
      let made: { readonly of: EffectiveCatalogue; readonly value: ReturnType<typeof make> } | undefined;
      return followed(() => {
        if (made?.of !== effective) made = { of: effective, value: make(effective) };
        return made.value;
      });
    },
    close,
  };
}

/** An object whose properties are those of what `current` returns, each time that one is used. */
const followed = <Made extends object>(current: () => Made): Made =>
  new Proxy({} as Made, {
    get: (_, key) => Reflect.get(current(), key),
    has: (_, key) => Reflect.has(current(), key),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor: (_, key) => {
      const property = Reflect.getOwnPropertyDescriptor(current(), key);
      return property && { ...property, configurable: true };
    },
  });
