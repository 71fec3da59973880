/**
 * The commands of operators on the catalogue: add, edit, merge, retire, restore. Each is checked against the whole
 * catalogue. And what operators decide on names that the catalogue lacks.
 */
import { isDeepStrictEqual } from 'node:util';
import { nameKey } from '../../language/tokens.ts';
import { isOrdinary } from '../../language/words.ts';
import { type Fact, handleCommand } from '../../log/command-handler.ts';
import type { EventStore, StoredEvent } from '../../log/event-store.ts';
import type { Queryable } from '../../log/postgres/database.ts';
import { namesOfBrands } from '../../projector/models/brands-queries.ts';
import {
  CATALOGUE_STREAM,
  type Catalogue,
  type CatalogueBrand,
  type CatalogueEntry,
  type CatalogueKind,
  ENTRY_SCHEMAS,
} from '../../schemas/catalogue.ts';
import type { Directory } from '../../schemas/directory.ts';
import { type KnownEvent, newEvent, readEvent } from '../../schemas/events.ts';
import { BRAND_DECISIONS, brandStream } from '../../schemas/resources.ts';
import { type BrandSlug, brandSlugOf, slugify } from '../../schemas/scalar.ts';
import {
  type CatalogueChange,
  compact,
  type EffectiveCatalogue,
  effectiveCatalogue,
  entriesOf,
  entryNow,
  findEntry,
  isCatalogueChange,
  namesOfEntry,
} from './effective-catalogue.ts';

/** A change that cannot be made; each line of the message names the field, the value and what is allowed. */
export class CatalogueRefused extends Error {
  override name = 'CatalogueRefused';
}

/** Fields as an operator gave them, not yet checked; undefined removes an optional one. */
type Fields = Readonly<Record<string, unknown>>;

export type CatalogueCommand =
  | { readonly do: 'add'; readonly kind: CatalogueKind; readonly fields: Fields }
  | { readonly do: 'edit'; readonly kind: CatalogueKind; readonly slug: string; readonly fields: Fields }
  | { readonly do: 'merge'; readonly kind: CatalogueKind; readonly slug: string; readonly into: string }
  | { readonly do: 'retire' | 'restore'; readonly kind: CatalogueKind; readonly slug: string };

export interface CatalogueAuthor {
  readonly by: string;
  readonly why: string;
}

type CatalogueFact = Fact<CatalogueChange['type']>;

/** What a command would do. */
export interface CataloguePlan {
  readonly facts: readonly CatalogueFact[];
  /** The catalogue with it. */
  readonly after: EffectiveCatalogue;
  /** The entry that it is about, as it is afterwards. */
  readonly entry: CatalogueEntry;
}

const quoted = (value: unknown): string => JSON.stringify(value)?.slice(0, 120) ?? 'nothing';

/** The changes of a stream, with the catalogue that they lead to. */
export interface CatalogueHistory {
  readonly changes: readonly CatalogueChange[];
  readonly state: EffectiveCatalogue;
}

export const historyOf = (
  shipped: Catalogue,
  changes: readonly CatalogueChange[],
  options: { readonly settle?: boolean } = {},
): CatalogueHistory => ({ changes, state: effectiveCatalogue(shipped, changes, options) });

/** The history with facts that are no events yet. @param options see `effectiveCatalogue` */
export function historyWith(
  { changes, state }: CatalogueHistory,
  facts: readonly CatalogueFact[],
  options: { readonly settle?: boolean } = {},
): CatalogueHistory {
  if (facts.length === 0) return { changes, state };
  const about = { id: '00000000-0000-5000-8000-000000000000', time: new Date(0).toISOString() };
  const planned = facts.map(
    ({ type, data }) => newEvent<CatalogueChange['type']>(type, data, about) as CatalogueChange,
  );
  return historyOf(state.shipped, [...changes, ...planned], options);
}

/**
 * Decides on a command. Pure.
 * @param expected the number of the last change of the entry that the operator saw; unset, whatever it was
 * @throws CatalogueRefused
 */
export function planCatalogue(
  history: CatalogueHistory,
  command: CatalogueCommand,
  author: CatalogueAuthor,
  expected?: number,
): CataloguePlan {
  const { state } = history;
  const { catalogue } = state;
  const about = { ...author, number: state.number + 1, kind: command.kind };
  const plan = (slug: string, ...facts: CatalogueFact[]): CataloguePlan => {
    const after = historyWith(history, facts).state;
    const entry = entryNow(after.catalogue, command.kind, slug);
    if (!entry) throw new Error(`the entry ${slug} is lost`);
    if (facts.length === 0) return { facts, after, entry };
    const checked = historyWith(history, facts, { settle: false }).state.catalogue;
    refuseFaults(faultsOf(command.kind, entry, checked, catalogue));
    return { facts, after, entry };
  };
  if (command.do === 'add') {
    const name = typeof command.fields.name === 'string' ? command.fields.name : '';
    const entry = checkFields(command.kind, { slug: slugify(name) || undefined, ...command.fields });
    refuseTaken(command.kind, entry, catalogue);
    return plan(entry.slug, { type: 'CatalogueEntryAdded', data: { ...about, entry } } as CatalogueFact);
  }
  const current = namedEntry(catalogue, command.kind, command.slug);
  refuseStale(state, command.kind, current, expected);
  switch (command.do) {
    case 'edit': {
      const after = withOldSlug(checkFields(command.kind, { ...current, ...command.fields }), current);
      if (isDeepStrictEqual(compact(after), compact(current))) return plan(current.slug);
      if (after.slug !== current.slug) refuseTaken(command.kind, after, catalogue, current);
      return plan(after.slug, {
        type: 'CatalogueEntryChanged',
        data: { ...about, before: current, after },
      } as CatalogueFact);
    }
    case 'merge': {
      const into = namedEntry(catalogue, command.kind, command.into, 'into');
      if (into === current)
        throw new CatalogueRefused(`into: ${quoted(command.into)} is the entry itself; name another ${command.kind}`);
      if (into.retired_at)
        throw new CatalogueRefused(`into: ${into.slug} is retired; restore it first, or name another ${command.kind}`);
      return plan(into.slug, {
        type: 'CatalogueEntryMerged',
        data: { ...about, slug: current.slug, into: into.slug },
      });
    }
    case 'retire':
    case 'restore': {
      if ((command.do === 'retire') === (current.retired_at !== undefined)) return plan(current.slug);
      const type = command.do === 'retire' ? 'CatalogueEntryRetired' : 'CatalogueEntryRestored';
      return plan(current.slug, { type, data: { ...about, slug: current.slug } });
    }
  }
}

/** A slug that was changed stays as one that leads to the new one. */
const withOldSlug = (after: CatalogueEntry, { slug }: CatalogueEntry): CatalogueEntry =>
  after.slug === slug
    ? after
    : ({
        ...after,
        retired_slugs: [...new Set([...(after.retired_slugs ?? []), slug])].filter((one) => one !== after.slug),
      } as CatalogueEntry);

/**
 * The entry that an operator named by its slug, present or former.
 * @param field its name in the message
 * @throws CatalogueRefused
 */
export function namedEntry(catalogue: Catalogue, kind: CatalogueKind, slug: string, field = 'slug'): CatalogueEntry {
  const entry = entryNow(catalogue, kind, slug);
  if (entry) return entry;
  const near = entriesOf(catalogue, kind)
    .filter((one) => namesOfEntry(one).some((name) => slugify(name) === slugify(slug)) || one.slug.includes(slug))
    .slice(0, 5);
  const hint = slug && near.length > 0 ? near.map((one) => one.slug).join(', ') : `slugs as catalogue list shows them`;
  throw new CatalogueRefused(`${field}: no ${kind} has the slug ${quoted(slug)}. Allowed: ${hint}`);
}

function refuseStale(
  state: EffectiveCatalogue,
  kind: CatalogueKind,
  { slug, name }: CatalogueEntry,
  expected?: number,
): void {
  const last = state.lastChange(kind, slug);
  if (expected === undefined || (last?.number ?? 0) === expected) return;
  throw new CatalogueRefused(
    `${name} was changed in the meantime${last ? ` by ${last.by}, at ${last.at}: ${last.why}` : ''}. Nothing was stored: open it again, and decide on what it says now`,
  );
}

const refuseFaults = (faults: readonly string[]): void => {
  if (faults.length > 0) throw new CatalogueRefused(faults.join('\n'));
};

/** @throws CatalogueRefused with a line per field */
function checkFields(kind: CatalogueKind, fields: Fields): CatalogueEntry {
  const checked = ENTRY_SCHEMAS[kind].safeParse(compact(fields));
  if (checked.success) return compact(checked.data);
  throw new CatalogueRefused(
    checked.error.issues
      .map(({ path, message }) => {
        const value = path.reduce<unknown>((inside, part) => (inside as Fields | undefined)?.[String(part)], fields);
        return `${path.join('.') || 'fields'}: ${value === undefined ? 'missing' : `${quoted(value)} cannot be used`}. Allowed: ${message.replace(/^Invalid (?:option|input): expected /, '')}`;
      })
      .join('\n'),
  );
}

/** @throws CatalogueRefused for a slug that another entry has or had */
function refuseTaken(kind: CatalogueKind, { slug }: CatalogueEntry, catalogue: Catalogue, own?: CatalogueEntry): void {
  const taken = entryNow(catalogue, kind, slug);
  if (taken && taken !== own)
    throw new CatalogueRefused(
      `slug: ${quoted(slug)} is taken by ${taken.name}${taken.slug === slug ? '' : `, which had it before and is ${taken.slug} now`}. Allowed: a slug that no ${kind} has or had`,
    );
}

/** Most letters of a name of ordinary words that is refused: `show me`, `new store`. Longer ones are names. */
const GENERIC_LETTERS = 8;

/** Whether a name is an ordinary word or phrase, which headlines use without meaning a brand. */
function isGeneric(name: string): boolean {
  const key = nameKey(name).trim();
  if (key === '' || /^[\d ]+$/.test(key)) return true;
  return !/[&+@.]/.test(name) && key.length <= GENERIC_LETTERS && key.split(' ').every(isOrdinary);
}

/**
 * What is wrong with an entry in a catalogue.
 * @param before the catalogue before the change: names that the entry had are not checked again
 */
export function faultsOf(
  kind: CatalogueKind,
  entry: CatalogueEntry,
  catalogue: Catalogue,
  before: Catalogue,
): string[] {
  const slugs = new Set<string>([entry.slug, ...(entry.retired_slugs ?? [])]);
  const old = entriesOf(before, kind).filter((one) => slugs.has(one.slug));
  const had = new Set(old.flatMap(namesOfEntry).map(nameKey));
  const others = entriesOf(catalogue, kind).filter(({ slug }) => slug !== entry.slug);
  const taken = others.find((other) => [other.slug, ...(other.retired_slugs ?? [])].some((slug) => slugs.has(slug)));
  const faults = taken ? [`slug: ${quoted(entry.slug)} or one that it had is of ${taken.slug} too`] : [];
  const same = others.find(({ name }) => nameKey(name) === nameKey(entry.name));
  if (same && !had.has(nameKey(entry.name)))
    faults.push(
      `name: ${quoted(entry.name)} is the name of ${same.slug}. Allowed: a name of its own, or merge the two`,
    );
  if ('words' in entry) return faults;
  const owners = new Map(others.flatMap((other) => namesOfEntry(other).map((name) => [nameKey(name), other] as const)));
  const places = new Map(
    [...catalogue.cities, ...catalogue.malls].flatMap(({ name, aliases }) =>
      [name, ...aliases].map((one) => [nameKey(one), name] as const),
    ),
  );
  const names = [
    ...(same ? [] : [['name', entry.name] as const]),
    ...entry.aliases.map((name) => ['aliases', name] as const),
    ...('legal_names' in entry ? entry.legal_names : []).map((name) => ['legal_names', name] as const),
  ];
  const mayBeOrdinary = 'common_word' in entry && entry.common_word;
  for (const [field, name] of names) {
    const key = nameKey(name);
    if (had.has(key)) continue;
    const [owner, place] = [owners.get(key), kind === 'brand' ? places.get(key) : undefined];
    if (owner) faults.push(`${field}: ${quoted(name)} belongs to ${owner.slug}. Allowed: a name of no other ${kind}`);
    else if (place) faults.push(`${field}: ${quoted(name)} is the place ${place}. Allowed: a name of no city or mall`);
    else if (kind === 'brand' && isGeneric(name) && !mayBeOrdinary)
      faults.push(
        `${field}: ${quoted(name)} is an ordinary word or phrase, which headlines use for other things. Allowed: a name that means the brand alone, or common_word with the words of its context`,
      );
  }
  return [...faults, ...('members' in entry ? membersFaults(entry.members, catalogue) : brandFaults(entry, catalogue))];
}

const membersFaults = (members: readonly string[], catalogue: Catalogue): string[] =>
  members
    .filter((slug) => !findEntry(catalogue, 'brand', slug))
    .map((slug) => `members: ${quoted(slug)} is no brand. Allowed: slugs of brands`);

function brandFaults(brand: CatalogueBrand, catalogue: Catalogue): string[] {
  const faults: string[] = [];
  const { slug, parent, operators = [], group, nse } = brand;
  for (const [field, named] of [['parent', parent] as const, ...operators.map((one) => ['operators', one] as const)])
    if (named !== undefined && (named === slug || !findEntry(catalogue, 'brand', named)))
      faults.push(
        `${field}: ${quoted(named)} is ${named === slug ? 'the brand itself' : 'no brand'}. Allowed: the slug of another brand`,
      );
  const parents = new Map(catalogue.brands.map((one) => [one.slug, one.parent]));
  const above: string[] = [slug];
  for (let owner = parent; owner !== undefined && owner !== slug && !above.includes(owner); owner = parents.get(owner))
    above.push(owner);
  const top = above.length > 1 ? parents.get(above.at(-1) as CatalogueBrand['slug']) : undefined;
  if (top === slug)
    faults.push(
      `parent: ${quoted(parent)} belongs to ${slug} itself: ${[...above, slug].join(', owned by ')}. Allowed: a brand that it does not own`,
    );
  if (group !== undefined && !findEntry(catalogue, 'group', group))
    faults.push(`group: ${quoted(group)} is no group. Allowed: ${catalogue.groups.map((one) => one.slug).join(', ')}`);
  const listed = nse && catalogue.brands.find((one) => one.nse === nse && one.slug !== slug);
  if (listed)
    faults.push(`nse: ${quoted(nse)} is the symbol of ${listed.slug}. Allowed: a symbol that no other brand has`);
  if (brand.common_word && brand.context.length === 0)
    faults.push('context: missing. Allowed: with common_word, the words near by that make it the brand');
  return faults;
}

interface CatalogueServices {
  readonly store: Pick<EventStore, 'append' | 'read'>;
  readonly shipped: Catalogue;
  readonly now: () => Date;
}

/** The changes among the events of the stream. */
export const changesIn = (stored: readonly StoredEvent[] | readonly KnownEvent[]): CatalogueChange[] =>
  stored.map((event) => readEvent(event)).filter(isCatalogueChange);

/** Reads the catalogue as the event store has it: for a command, which must not decide on what a read model had. */
export const loadHistory = async ({ store, shipped }: Pick<CatalogueServices, 'store' | 'shipped'>) =>
  historyOf(shipped, changesIn(await store.read(CATALOGUE_STREAM)));

/**
 * Reads, decides and appends; when another change was faster, it is decided again on the catalogue with that.
 * @param decide pure
 * @throws CatalogueRefused; StreamContention when others keep writing
 */
export async function changeCatalogue<Plan extends { readonly facts: readonly CatalogueFact[] }>(
  { store, shipped, now }: CatalogueServices,
  decide: (history: CatalogueHistory) => Plan,
): Promise<Plan> {
  const { decision } = await handleCommand(store, {
    stream: CATALOGUE_STREAM,
    fold: (stored) => historyOf(shipped, changesIn(stored)),
    decide,
    now: now(),
  });
  return decision;
}

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
