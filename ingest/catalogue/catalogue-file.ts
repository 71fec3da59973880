/** The catalogue as YAML: exported as one file, and imported as changes. What the file and changes made here both say of an entry is a conflict. */
import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import {
  CATALOGUE_KINDS,
  type Catalogue,
  type CatalogueEntry,
  type CatalogueFile,
  type CatalogueKind,
} from '../../schemas/catalogue.ts';
import {
  type CatalogueAuthor,
  type CatalogueHistory,
  type CataloguePlan,
  CatalogueRefused,
  faultsOf,
  historyWith,
} from './catalogue-commands.ts';
import { compact, entriesOf, entryNow, findEntry } from './effective-catalogue.ts';

/** Values that a file leaves out, because reading it adds them. */
const isDefault = (field: string, value: unknown): boolean =>
  value === undefined ||
  (Array.isArray(value) && value.length === 0 && field !== 'members') ||
  (field === 'common_word' && value === false) ||
  (field === 'kind' && (value === 'brand' || value === 'mall'));

const brief = <Entry extends object>(entry: Entry): object =>
  Object.fromEntries(Object.entries(entry).filter(([field, value]) => !isDefault(field, value)));

/**
 * The whole catalogue as one file, which `CATALOGUE` may name the folder of.
 * @param at the day, for its first line
 */
export function exportCatalogue(catalogue: Catalogue, at: string): string {
  const { version, ...lists } = catalogue;
  const file = {
    sources: [`Exported on ${at.slice(0, 10)}: the shipped files with the changes of operators, version ${version}`],
    ...Object.fromEntries(
      Object.entries(lists).map(([name, entries]) => [
        name,
        (entries as readonly (object | string)[]).map((entry) => (typeof entry === 'string' ? entry : brief(entry))),
      ]),
    ),
  };
  return stringify(file, { lineWidth: 0 });
}

/** What an import does to an entry. */
export interface ImportedEntry {
  readonly kind: CatalogueKind;
  readonly slug: string;
  /** `kept`: the file has it as it is shipped, and it was changed here. `conflict`: both changed it; it stays as it is here. */
  readonly outcome: 'added' | 'changed' | 'merged' | 'renamed' | 'kept' | 'conflict';
  /** What was changed or differs. */
  readonly text: string;
}

export interface CatalogueImport extends Pick<CataloguePlan, 'facts' | 'after'> {
  readonly entries: readonly ImportedEntry[];
  /** Entries of the file that are in the catalogue already. */
  readonly same: number;
}

const same = (one: CatalogueEntry, other: CatalogueEntry): boolean => isDeepStrictEqual(compact(one), compact(other));

const MAXIMUM_VALUE = 160;
const shown = (value: unknown): string =>
  value === undefined ? 'nothing' : JSON.stringify(value).slice(0, MAXIMUM_VALUE);

/** The fields in which two entries differ, with both values. */
function differences(file: CatalogueEntry, here: CatalogueEntry): string {
  const fields = new Set([...Object.keys(file), ...Object.keys(here)]);
  const [one, other] = [file as Record<string, unknown>, here as Record<string, unknown>];
  return [...fields]
    .filter((field) => !isDeepStrictEqual(one[field], other[field]))
    .map((field) => `${field}: the file has ${shown(one[field])}, here it is ${shown(other[field])}`)
    .join('; ');
}

type Lists = Pick<CatalogueFile, 'brands' | 'themes' | 'groups'>;

class ImportDraft {
  readonly facts: CataloguePlan['facts'][number][] = [];
  readonly entries: ImportedEntry[] = [];
  /** Entries that are changed. */
  readonly touched: { readonly kind: CatalogueKind; readonly slug: string }[] = [];
  unchanged = 0;
  readonly #history: CatalogueHistory;
  readonly #author: CatalogueAuthor;
  readonly #theirs: boolean;

  constructor(history: CatalogueHistory, author: CatalogueAuthor, theirs: boolean) {
    this.#history = history;
    this.#author = author;
    this.#theirs = theirs;
  }

  #push(type: string, data: object): void {
    const number = this.#history.state.number + this.facts.length + 1;
    this.facts.push({ type, data: { ...this.#author, number, ...data } } as unknown as (typeof this.facts)[number]);
  }

  #note(kind: CatalogueKind, slug: string, outcome: ImportedEntry['outcome'], text: string): void {
    this.entries.push({ kind, slug, outcome, text });
    if (outcome !== 'conflict' && outcome !== 'kept') this.touched.push({ kind, slug });
  }

  /** Whether it was changed here before this import, and that counts. */
  #isKeptHere(kind: CatalogueKind, slug: string): boolean {
    const { catalogue, shipped } = this.#history.state;
    const here = findEntry(catalogue, kind, slug);
    const base = findEntry(shipped, kind, slug);
    return !this.#theirs && here !== undefined && (!base || !same(base, here));
  }

  /** What is merged or renamed in the file leads the rest to where it is. */
  followSlugs(kind: CatalogueKind, listed: readonly CatalogueEntry[], catalogue: Catalogue): void {
    const inFile = new Set<string>(listed.map(({ slug }) => slug));
    const there = new Set<string>(entriesOf(catalogue, kind).map(({ slug }) => slug));
    for (const entry of listed)
      for (const old of entry.retired_slugs ?? []) {
        const here = there.has(old) && !inFile.has(old) ? findEntry(catalogue, kind, old) : undefined;
        if (!here) continue;
        if (this.#isKeptHere(kind, old)) {
          this.#note(kind, old, 'conflict', `the file has it as ${entry.slug}, and it was changed here`);
          continue;
        }
        const isMerged = there.has(entry.slug);
        there.delete(old);
        there.add(entry.slug);
        this.#note(kind, old, isMerged ? 'merged' : 'renamed', `is ${entry.slug} now`);
        if (isMerged) this.#push('CatalogueEntryMerged', { kind, slug: old, into: entry.slug });
        else {
          const retired_slugs = [...new Set([...(here.retired_slugs ?? []), old])];
          const after = { ...here, slug: entry.slug, retired_slugs };
          this.#push('CatalogueEntryChanged', { kind, before: here, after });
        }
      }
  }

  /** Takes an entry of the file. @param catalogue with the slugs of the file */
  take(kind: CatalogueKind, entry: CatalogueEntry, catalogue: Catalogue): void {
    const here = findEntry(catalogue, kind, entry.slug);
    if (here && same(here, entry)) {
      this.unchanged += 1;
      return;
    }
    const base = findEntry(this.#history.state.shipped, kind, entry.slug);
    const otherwise = base !== undefined && same(base, entry) ? 'kept' : 'conflict';
    const former = here ? undefined : entryNow(catalogue, kind, entry.slug);
    if (former) this.#note(kind, entry.slug, otherwise, `is ${former.slug} here`);
    else if (!here) {
      this.#push('CatalogueEntryAdded', { kind, entry });
      this.#note(kind, entry.slug, 'added', entry.name);
    } else if (this.#isKeptHere(kind, entry.slug)) this.#note(kind, entry.slug, otherwise, differences(entry, here));
    else {
      this.#push('CatalogueEntryChanged', { kind, before: here, after: entry });
      this.#note(kind, entry.slug, 'changed', differences(entry, here));
    }
  }
}

/**
 * Decides on an import. Pure. An entry that the file lacks stays; nothing is retired by an import.
 * @param options.theirs takes what the file says also where it was changed here
 * @throws CatalogueRefused when the catalogue would be inconsistent; nothing is imported then
 */
export function planImport(
  history: CatalogueHistory,
  file: Lists,
  author: CatalogueAuthor,
  { theirs = false }: { readonly theirs?: boolean } = {},
): CatalogueImport {
  const draft = new ImportDraft(history, author, theirs);
  const { facts, entries, touched } = draft;
  const inFile: Readonly<Record<CatalogueKind, readonly CatalogueEntry[]>> = {
    brand: file.brands,
    theme: file.themes,
    group: file.groups,
  };
  const before = history.state.catalogue;
  for (const kind of CATALOGUE_KINDS) draft.followSlugs(kind, inFile[kind], before);
  const { catalogue } = historyWith(history, facts).state;
  for (const kind of CATALOGUE_KINDS)
    for (const entry of inFile[kind]) draft.take(kind, compact<CatalogueEntry>(entry), catalogue);
  const after = historyWith(history, facts).state;
  const checked = historyWith(history, facts, { settle: false }).state.catalogue;
  const faults = touched.flatMap(({ kind, slug }) => {
    const entry = entryNow(checked, kind, slug);
    return entry ? faultsOf(kind, entry, checked, before).map((one) => `${slug}: ${one}`) : [];
  });
  if (faults.length > 0) throw new CatalogueRefused([...new Set(faults)].slice(0, 20).join('\n'));
  return { facts, after, entries, same: draft.unchanged };
}

/** How an import went, in a few words. */
export function describeImport({ entries, same: unchanged }: Pick<CatalogueImport, 'entries' | 'same'>): string {
  const counts = Map.groupBy(entries, ({ outcome }) => outcome);
  const words = [...counts].map(
    ([outcome, those]) => `${those.length} ${outcome === 'conflict' ? 'in conflict' : outcome}`,
  );
  return `${words.length === 0 ? 'nothing changed' : words.join(', ')}; ${unchanged} as they were`;
}
