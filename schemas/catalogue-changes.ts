/**
 * Changes of the catalogue as events: one stream, so that a name belongs to one brand even after concurrent changes.
 * The catalogue in use is the shipped one with these changes applied; see `ingest/catalogue/effective-catalogue.ts`.
 */
import { z } from 'zod';
import { CatalogueBrand, CatalogueGroup, CatalogueTheme } from './catalogue.ts';
import { Instant } from './scalar.ts';

/** Entries that operators change. Cities, malls, outlets and investors are changed in the files. */
export const CATALOGUE_KINDS = ['brand', 'theme', 'group'] as const;
export const CatalogueKind = z.enum(CATALOGUE_KINDS);
export type CatalogueKind = z.infer<typeof CatalogueKind>;

/** An entry by its kind. */
export interface CatalogueEntries {
  readonly brand: CatalogueBrand;
  readonly theme: CatalogueTheme;
  readonly group: CatalogueGroup;
}
export type CatalogueEntry = CatalogueEntries[CatalogueKind];

export const ENTRY_SCHEMAS = { brand: CatalogueBrand, theme: CatalogueTheme, group: CatalogueGroup } as const;

/** In every change: its place among all changes, from 1, and who made it and why. */
const About = {
  number: z.int().positive(),
  by: z.string().min(1),
  why: z.string(),
};

const Added = z.discriminatedUnion('kind', [
  z.object({ ...About, kind: z.literal('brand'), entry: CatalogueBrand }),
  z.object({ ...About, kind: z.literal('theme'), entry: CatalogueTheme }),
  z.object({ ...About, kind: z.literal('group'), entry: CatalogueGroup }),
]);

/** With the previous entry, so that a change can be distinguished from what a later release ships. */
const Changed = z.discriminatedUnion('kind', [
  z.object({ ...About, kind: z.literal('brand'), before: CatalogueBrand, after: CatalogueBrand }),
  z.object({ ...About, kind: z.literal('theme'), before: CatalogueTheme, after: CatalogueTheme }),
  z.object({ ...About, kind: z.literal('group'), before: CatalogueGroup, after: CatalogueGroup }),
]);

const Named = { ...About, kind: CatalogueKind, slug: z.string().min(1) };

/** How far the stories that changes affect are understood again. */
export const CatalogueProgress = z.object({
  /** All changes up to this one are in the catalogue that the stories are understood by. */
  through: z.int().nonnegative(),
  /** Changes up to this one had been done before. */
  since: z.int().nonnegative(),
  state: z.enum(['running', 'done']),
  phase: z.enum(['search', 'history', 'items', 'signals', 'stories']),
  done: z.int().nonnegative(),
  total: z.int().nonnegative(),
  /** Signals that were compared, items that were new moves, and events appended; 0 until it is done. */
  signals: z.int().nonnegative(),
  stories: z.int().nonnegative(),
  appended: z.int().nonnegative(),
  /** When it began. */
  began_at: Instant,
});
export type CatalogueProgress = z.infer<typeof CatalogueProgress>;

export const CatalogueEvents = {
  CatalogueEntryAdded: { 1: Added },
  CatalogueEntryChanged: { 1: Changed },
  /** The slug and the names of `slug` belong to `into` from then on. */
  CatalogueEntryMerged: { 1: z.object({ ...Named, into: z.string().min(1) }) },
  CatalogueEntryRetired: { 1: z.object(Named) },
  CatalogueEntryRestored: { 1: z.object(Named) },
  CatalogueUnderstood: { 1: CatalogueProgress },
} as const;

/** The events that change the catalogue. */
export const CATALOGUE_CHANGES = [
  'CatalogueEntryAdded',
  'CatalogueEntryChanged',
  'CatalogueEntryMerged',
  'CatalogueEntryRetired',
  'CatalogueEntryRestored',
] as const;

export const CATALOGUE_PREFIX = 'catalogue-';
export const CATALOGUE_STREAM = 'catalogue-changes';
/** Apart from the changes: who follows those need not wake for progress. */
export const UNDERSTOOD_PREFIX = 'understood-';
export const UNDERSTOOD_STREAM = `${UNDERSTOOD_PREFIX}catalogue`;

/** Address of a page or form below the catalogue desk. */
export const entryPath = (kind: CatalogueKind, slug: string): string => `/operate/catalogue/${kind}/${slug}`;
