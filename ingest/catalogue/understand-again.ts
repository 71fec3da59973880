/**
 * Stories by a changed catalogue: what a change would do to those of the last days, before it is made; what it can
 * alter; and the part of the service that understands that again in the background, through the same replay as
 * `clarity replay --from items`. How far it is, is stored as events; after a kill it begins with the changes that no
 * finished run had, and appends only what is still missing.
 */

import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { formsOf } from '../../facts/text/catalogue.ts';
import { DAY } from '../../language/days.ts';
import { nameKey, plainText } from '../../language/tokens.ts';
import { keepRunning, pause, RETRY } from '../../log/backoff.ts';
import { logError } from '../../log/errors.ts';
import type { EventStore } from '../../log/event-store.ts';
import type { Database } from '../../log/postgres/database.ts';
import { holdLocks } from '../../log/postgres/lock-session.ts';
import type { Topic } from '../../log/topic.ts';
import { searchSignals } from '../../projector/models/search-queries.ts';
import {
  type Catalogue,
  type CatalogueEntry,
  type CatalogueKind,
  type CatalogueProgress,
  UNDERSTOOD_STREAM,
} from '../../schemas/catalogue.ts';
import { newEvent, readEvent } from '../../schemas/events.ts';
import type { BrandSlug } from '../../schemas/scalar.ts';
import { MATCH_GROUP } from '../match/matcher.ts';
import { type Affected, type ItemReplayed, replayItems } from '../replay-items.ts';
import { UNDERSTAND_GROUP, type Understander } from '../understand/understander.ts';
import { type CatalogueCommand, type CatalogueHistory, type CataloguePlan, loadHistory } from './catalogue-commands.ts';
import {
  type CatalogueChange,
  effectiveCatalogue,
  entryNow,
  findEntry,
  type LiveCatalogue,
  namesOfEntry,
} from './effective-catalogue.ts';

export const PREVIEW_DAYS = 90;
/** Stories that are looked at, the newest first: more are counted as so many or more. */
const MOST = 400;

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

const keysOfEntry = (entry: CatalogueEntry | undefined): Set<string> =>
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
  const [before, after] = [keysOfEntry(own), keysOfEntry(entry)];
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
          since,
          limit: MOST,
          candidates: MOST,
        });
  const [withNew, withOld, carried] = await Promise.all([find(came), find(went), carrying(command.kind)]);
  type Found = (typeof withNew)[number];
  const textOf = ({ signal, reports }: Found): string =>
    nameKey(
      [signal.headline, ...reports.flatMap(({ title, summary }) => [title, summary])].filter(Boolean).join(' . '),
    );
  const has = (match: Found, keys: ReadonlySet<string>): boolean => {
    const text = textOf(match);
    return [...keys].some((key) => text.includes(key)) && fits(entry, text);
  };
  // A name from headlines has its slug before it is in the catalogue.
  const isOwn = ({ signal }: Found): boolean =>
    own !== undefined &&
    [entry.slug, ...(entry.retired_slugs ?? [])].some((slug) =>
      command.kind === 'brand' ? signal.brands.some((brand) => brand.slug === slug) : signal.theme?.slug === slug,
    );
  const shown = (matches: readonly Found[]): ConcernedStory[] =>
    matches.map(({ signal: { slug, headline } }) => ({ slug, headline }));
  return {
    gained: shown(withNew.filter((match) => !isOwn(match) && has(match, came))),
    lost: shown(withOld.filter((match) => isOwn(match) && has(match, went) && !has(match, after))),
    moved: shown(carried),
    isCut: [withNew, withOld, carried].some(({ length }) => length >= MOST),
  };
}

/** Maximum number of characters of a text that are searched, as understanding reads them. */
const MAXIMUM_TEXT = 4_000;

/** Fields that only name other entries: no text is understood otherwise by them. */
const SILENT: ReadonlySet<string> = new Set(['group', 'nse', 'retired_slugs', 'retired_at']);
/** Fields of names: only the names that came or went matter. */
const NAMES: ReadonlySet<string> = new Set(['aliases', 'legal_names', 'words']);

const keysOf = (names: readonly string[]): string[] => names.flatMap((name) => [...formsOf(name)]).map(nameKey);

/** Everything by which a text or a signal is found to be affected. */
interface Traces {
  readonly keys: Set<string>;
  readonly slugs: Set<string>;
}

function traceEntry({ keys, slugs }: Traces, kind: string, entry: CatalogueEntry): void {
  for (const key of keysOf(namesOfEntry(entry))) keys.add(key);
  slugs.add(`${kind}:${entry.slug}`);
}

function traceChange(traces: Traces, kind: string, before: CatalogueEntry, after: CatalogueEntry): void {
  const [was, becomes] = [before as unknown as Record<string, unknown>, after as unknown as Record<string, unknown>];
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (field) => JSON.stringify(was[field]) !== JSON.stringify(becomes[field]) && !SILENT.has(field),
  );
  if (changed.length === 0) return;
  if (changed.every((field) => NAMES.has(field))) {
    const [old, fresh] = [new Set(keysOf(namesOfEntry(before))), new Set(keysOf(namesOfEntry(after)))];
    for (const key of old.symmetricDifference(fresh)) traces.keys.add(key);
    return;
  }
  traceEntry(traces, kind, before);
  traceEntry(traces, kind, after);
}

/**
 * What changes can alter. A retired entry keeps its past stories, so retiring alters none; a group is in no story.
 * @param changes all changes from the first
 * @param since how many of them the stories are understood by already
 * @returns null for nothing
 */
export function affectedBy(shipped: Catalogue, changes: readonly CatalogueChange[], since: number): Affected | null {
  const traces: Traces = { keys: new Set(), slugs: new Set() };
  for (const [index, change] of changes.entries()) {
    const { kind } = change.data;
    if (index < since || kind === 'group') continue;
    if (change.type === 'CatalogueEntryAdded') traceEntry(traces, kind, change.data.entry);
    else if (change.type === 'CatalogueEntryChanged') traceChange(traces, kind, change.data.before, change.data.after);
    else if (change.type !== 'CatalogueEntryRetired') {
      const { catalogue } = effectiveCatalogue(shipped, changes.slice(0, index));
      const named = change.type === 'CatalogueEntryMerged' ? [change.data.slug, change.data.into] : [change.data.slug];
      for (const slug of named) {
        const entry = findEntry(catalogue, kind, slug);
        if (entry) traceEntry(traces, kind, entry);
      }
    }
  }
  const keys = [...traces.keys].filter((key) => key.trim() !== '');
  if (keys.length + traces.slugs.size === 0) return null;
  return {
    item({ title, summary }) {
      const text = nameKey(`${plainText(title, MAXIMUM_TEXT)} . ${plainText(summary ?? '', MAXIMUM_TEXT)}`);
      return keys.some((key) => text.includes(key));
    },
    understanding: ({ brands, theme }) =>
      brands.some(({ slug }) => traces.slugs.has(`brand:${slug}`)) ||
      (theme !== null && traces.slugs.has(`theme:${theme.slug}`)),
  };
}

export interface UnderstandAgain {
  readonly catalogue: LiveCatalogue;
  readonly store: EventStore;
  readonly items: Topic;
  readonly stories: Topic;
  readonly understander: Understander;
  readonly logger: Logger;
  readonly clock: () => Date;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: CatalogueProgress) => void;
}

/** The last progress that was stored, and how many changes the stories are understood by. */
export async function loadUnderstood(
  store: Pick<EventStore, 'read'>,
): Promise<{ readonly last: CatalogueProgress | null; readonly through: number }> {
  const stored = (await store.read(UNDERSTOOD_STREAM)).flatMap((one) => {
    const event = readEvent(one);
    return event.type === 'CatalogueUnderstood' ? [event.data] : [];
  });
  const through = stored.findLast(({ state }) => state === 'done')?.through ?? 0;
  return { last: stored.at(-1) ?? null, through };
}

/** Milliseconds between two stored events of progress: an operator sees that it goes on. */
const NOTED_EVERY = 2_000;

/**
 * Understands again what changes altered that no finished run had. Idempotent: a second run appends nothing.
 * @returns null when there is nothing to do
 * @throws the signal's reason when it aborts; what was appended stays
 */
export async function understandAgain(options: UnderstandAgain): Promise<ItemReplayed | null> {
  const { catalogue, store, clock, onProgress = () => undefined } = options;
  const [{ changes, state }, { through: since }] = await Promise.all([
    loadHistory({ store, shipped: catalogue.shipped }),
    loadUnderstood(store),
  ]);
  if (state.number <= since) return null;
  await reach(options, state.number);
  const run = randomUUID();
  const nothing = { signals: 0, stories: 0, appended: 0 };
  const about = { through: state.number, since, began_at: clock().toISOString() };
  const note = async (progress: Omit<CatalogueProgress, keyof typeof about>): Promise<void> => {
    const data = { ...about, ...progress };
    onProgress(data);
    const time = clock().toISOString();
    await store.append(UNDERSTOOD_STREAM, [newEvent('CatalogueUnderstood', data, { id: randomUUID(), time })], 'any');
  };
  const affected = affectedBy(catalogue.shipped, changes, since);
  if (!affected) {
    await note({ state: 'done', phase: 'stories', done: 0, total: 0, ...nothing });
    return null;
  }
  let noted = Number.NEGATIVE_INFINITY;
  let writing: Promise<void> = note({ state: 'running', phase: 'search', done: 0, total: 0, ...nothing });
  const outcome = await replayItems({
    items: options.items,
    stories: options.stories,
    store,
    understander: options.understander,
    logger: options.logger,
    affected,
    untilMatched: () => untilMatched(options),
    id: run,
    clock,
    dry: false,
    signal: options.signal,
    onProgress(phase, done, total) {
      onProgress({ ...about, state: 'running', phase, done, total, ...nothing });
      const now = performance.now();
      if (now - noted < NOTED_EVERY) return;
      noted = now;
      // What could not be noted is noted the next time.
      writing = writing.then(() => note({ state: 'running', phase, done, total, ...nothing })).catch(() => undefined);
    },
  });
  await writing.catch(() => undefined);
  const { signals, stories } = outcome;
  const appended = Object.values(outcome.appended).reduce((sum, many) => sum + many, 0);
  await note({ state: 'done', phase: 'stories', done: stories, total: stories, signals, stories, appended });
  return outcome;
}

const LOOK = 200;

/** Waits until the catalogue of this process has the changes: the read model may be behind the store. */
async function reach({ catalogue, signal }: UnderstandAgain, number: number): Promise<void> {
  while (catalogue.effective().number < number) {
    signal.throwIfAborted();
    await catalogue.refresh();
    if (catalogue.effective().number < number) await pause(LOOK, signal);
  }
}

/** Waits until a group has handled what a topic contains now. @throws the signal's reason when it aborts */
async function untilHandled(topic: Topic, group: string, signal: AbortSignal): Promise<void> {
  const ends = new Map((await topic.progress(group)).map(({ partition, end }) => [partition, end]));
  const isBehind = async (): Promise<boolean> =>
    (await topic.progress(group)).some(({ partition, next }) => next < (ends.get(partition) ?? 0n));
  while (await isBehind()) {
    await pause(LOOK, signal);
    signal.throwIfAborted();
  }
}

/** Waits until what the topics contain now is understood and matched. @throws the signal's reason when it aborts */
export async function untilMatched({
  items,
  stories,
  signal,
}: Pick<UnderstandAgain, 'items' | 'stories' | 'signal'>): Promise<void> {
  await untilHandled(items, UNDERSTAND_GROUP, signal);
  await untilHandled(stories, MATCH_GROUP, signal);
}

/** Milliseconds between two looks, and that it waits after the last change: every process has it by then, and edits come in rows. */
const EVERY = 1_000;
const SETTLED = 4_000;

/**
 * Runs until the signal aborts, in one process at a time.
 * @param settled milliseconds without a change before a run begins
 */
export async function runUnderstandAgain({
  database,
  settled = SETTLED,
  ...options
}: UnderstandAgain & { readonly database: Database; readonly settled?: number }): Promise<void> {
  const { catalogue, logger, signal } = options;
  let [newest, changedAt, through] = [-1, 0, -1];
  const understandChanges = async (): Promise<void> => {
    const { number } = catalogue.effective();
    if (number !== newest) [newest, changedAt] = [number, performance.now()];
    const isDue = number > through && number > 0 && performance.now() - changedAt >= settled;
    if (isDue) through = await alone(database, options);
  };
  await keepRunning(understandChanges, {
    ...RETRY.job,
    every: EVERY,
    signal,
    failed: (error) =>
      logError(logger, error, {}, 'understanding stories by a changed catalogue failed; it is retried'),
  });
}

/** @returns how many changes the stories are understood by; another process may be at work on the others */
async function alone(database: Database, options: UnderstandAgain): Promise<number> {
  const before = await loadUnderstood(options.store);
  if (before.through >= options.catalogue.effective().number) return before.through;
  const locks = await holdLocks(database);
  try {
    if (!(await locks.tryLock({ name: 'stories by a changed catalogue' }))) return before.through;
    const signal = AbortSignal.any([options.signal, locks.lost]);
    const outcome = await understandAgain({ ...options, signal });
    if (outcome)
      options.logger.info(
        { ...outcome.appended, signals: outcome.signals },
        'stories are understood by the changed catalogue',
      );
    return (await loadUnderstood(options.store)).through;
  } finally {
    await locks.release();
  }
}
