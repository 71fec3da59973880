/**
 * The roster as the event store has it: a fold of the `source-` streams, loaded once or kept up to date, and made what
 * a roster file says, by events.
 */
import { isDeepStrictEqual } from 'node:util';
import { keepRunning, RETRY } from '../../log/backoff.ts';
import { retryConflicts } from '../../log/command-handler.ts';
import { type ErrorLogger, logError } from '../../log/errors.ts';
import { type EventStore, type Position, pagesOf, type StoredEvent } from '../../log/event-store.ts';
import { type KnownEvent, newEvent, readEvent } from '../../schemas/events.ts';
import { addressKey, eventId } from '../../schemas/scalar.ts';
import { SOURCE_PREFIX, Source, SourceId, sourceStream } from '../../schemas/source.ts';

/** One source of the roster. */
export interface RosterEntry {
  readonly source: Source;
  /** The last revision of its stream. */
  readonly revision: number;
  /** Who retired it and why; null while it is polled. */
  readonly retired: { readonly by: string; readonly why: string } | null;
  /**
   * What each author last wanted it to be. A roster file that is applied again changes nothing unless the file itself
   * changed: what an operator or a poller did since then is kept.
   */
  readonly wantedBy: Readonly<Record<string, Source>>;
}

type Roster = ReadonlyMap<SourceId, RosterEntry>;

/** Folds one event of a source's stream into its entry; an event about another thing leaves it as it is. */
function foldSource(entry: RosterEntry | null, event: KnownEvent, revision: number): RosterEntry | null {
  switch (event.type) {
    case 'SourceAdded':
    case 'SourceChanged': {
      const { source, by } = event.data;
      return { source, revision, retired: null, wantedBy: { ...entry?.wantedBy, [by]: source } };
    }
    case 'SourceMoved':
      return entry && { ...entry, revision, source: { ...entry.source, url: event.data.to } };
    case 'SourceRetired': {
      if (!entry) return null;
      const { by, why } = event.data;
      const wantedBy = Object.fromEntries(Object.entries(entry.wantedBy).filter(([author]) => author !== by));
      return { ...entry, revision, retired: { by, why }, wantedBy };
    }
    default:
      return entry;
  }
}

interface Revised {
  readonly event: KnownEvent;
  readonly revision: number;
}

/** Folds events in the order of the store into a roster that the caller owns. */
function foldSourceEvents(roster: Map<SourceId, RosterEntry>, events: Iterable<Revised>): void {
  for (const { event, revision } of events) {
    const id = sourceIdOf(event);
    if (id === null) continue;
    const entry = foldSource(roster.get(id) ?? null, event, revision);
    if (entry) roster.set(id, entry);
  }
}

/** Folds events, in the order of the store, into a roster. */
export function foldSources(events: Iterable<Revised>): Roster {
  const roster = new Map<SourceId, RosterEntry>();
  foldSourceEvents(roster, events);
  return roster;
}

function sourceIdOf(event: KnownEvent): SourceId | null {
  switch (event.type) {
    case 'SourceAdded':
    case 'SourceChanged':
      return event.data.source.id;
    case 'SourceMoved':
    case 'SourceRetired':
      return event.data.source_id;
    default:
      return null;
  }
}

/** All sources that were ever added, and the position up to which the store was read. */
export async function loadRoster(
  store: Pick<EventStore, 'readAll'>,
): Promise<{ roster: Map<SourceId, RosterEntry>; position: Position }> {
  const roster = new Map<SourceId, RosterEntry>();
  let position: Position = 0n;
  for await (const page of pagesOf(store, { after: position, prefixes: [SOURCE_PREFIX] })) {
    foldSourceEvents(roster, readKnownEvents(page.events));
    position = page.position;
  }
  return { roster, position };
}

/** The events that this version can read. One that it cannot costs its own source that change, nothing else. */
export function* readKnownEvents(
  stored: readonly StoredEvent[],
): Generator<{ readonly event: KnownEvent; readonly revision: number }> {
  for (const event of stored) {
    try {
      yield { event: readEvent(event), revision: event.revision };
    } catch {
      // An unreadable event is skipped: the projectors park it and report it.
    }
  }
}

export interface LiveSources {
  /** The sources to be polled: neither paused nor retired, in the order in which they were first added. */
  readonly active: () => readonly Source[];
  /** Everything that is known, paused and retired sources included. */
  readonly roster: () => Roster;
  /** Ends when the signal aborts. */
  readonly done: Promise<void>;
}

/**
 * Reads the roster, then follows it until the signal aborts, through restarts of the store.
 * @param onChange called after each change, not for the first read
 */
export async function followSources(
  store: Pick<EventStore, 'readAll' | 'subscribe'>,
  {
    signal,
    logger,
    onChange = () => undefined,
  }: { readonly signal: AbortSignal; readonly logger: ErrorLogger; readonly onChange?: () => void },
): Promise<LiveSources> {
  const { roster, position: start } = await loadRoster(store);
  let position = start;
  const follow = async (working: () => void): Promise<void> => {
    for await (const page of store.subscribe({ after: position, prefixes: [SOURCE_PREFIX], signal })) {
      working();
      position = page.position;
      if (page.events.length === 0) continue;
      foldSourceEvents(roster, readKnownEvents(page.events));
      onChange();
    }
  };
  return {
    active: () => [...roster.values()].filter(isActive).map(({ source }) => source),
    roster: () => roster,
    done: keepRunning(follow, {
      ...RETRY.message,
      signal,
      failed: (error) => logError(logger, error, {}, 'reading the roster failed; it is retried'),
    }),
  };
}

const isActive = ({ source, retired }: { source: Source; retired: unknown }): boolean => !retired && !source.paused;

/** The source of the roster, retired ones left out, that has one of these addresses; null when none has. */
export const findSourceByAddress = (roster: Roster, addresses: readonly string[]): Source | null =>
  findByAddress(roster, addresses, false);

/** The retired source that had this address; null when there is none. */
export const findRetiredByAddress = (roster: Roster, address: string): Source | null =>
  findByAddress(roster, [address], true);

function findByAddress(roster: Roster, addresses: readonly string[], wantRetired: boolean): Source | null {
  const keys = new Set(addresses.map(addressKey));
  for (const { source, retired } of roster.values())
    if (Boolean(retired) === wantRetired && keys.has(addressKey(source.url))) return source;
  return null;
}

/** Ids for sources that come without one. */

/** A kebab-case id made of a name, numbered where it is taken: `mint`, `mint-2`. */
export function chooseFreeId(name: string, taken: { has(id: SourceId): boolean }): SourceId {
  const plain =
    name
      .normalize('NFKD')
      .toLowerCase()
      .replace(/[\u0300-\u036f'’]/g, '')
      .split(/[^a-z0-9]+/)
      .filter(Boolean)
      .join('-')
      .slice(0, 50)
      .replace(/-$/, '') || 'source';
  for (let number = 1; ; number++) {
    const id = SourceId.parse(number === 1 ? plain : `${plain}-${number}`);
    if (!taken.has(id)) return id;
  }
}

/** The source with `(set)` for the value of each header: a value may be a secret. */
export const hideHeaderValues = <Shown extends Partial<Source>>(source: Shown): Shown =>
  source.headers
    ? { ...source, headers: Object.fromEntries(Object.keys(source.headers).map((name) => [name, '(set)'])) }
    : source;

/** Who applies a roster, and why; one name per file, so that files do not undo each other. */
export interface RosterAuthor {
  readonly by: string;
  readonly why: string;
}

/** The author of what the configured roster file lists. */
export const FILE_AUTHOR = 'roster file';

export interface RosterChange {
  readonly source_id: SourceId;
  readonly change: 'added' | 'changed' | 'retired';
  /** Null for one that is added. */
  readonly before: Source | null;
  /** Null for one that is retired. */
  readonly after: Source | null;
  /** The revision that the stream must have; `none` for a new stream. */
  readonly expected: number | 'none';
}

/** Compares the roster with what an author wants. Sources that only others listed are left alone. */
export function planRoster(roster: Roster, wanted: readonly Source[], author: RosterAuthor): RosterChange[] {
  const changes = wanted.flatMap((source) => planSource(roster.get(source.id) ?? null, source, author));
  const listed = new Set(wanted.map(({ id }) => id));
  for (const [id, entry] of roster)
    if (!listed.has(id) && !entry.retired && Object.hasOwn(entry.wantedBy, author.by))
      changes.push({
        source_id: id,
        change: 'retired',
        before: entry.source,
        after: null,
        expected: entry.revision,
      });
  return changes;
}

function planSource(entry: RosterEntry | null, wanted: Source, author: RosterAuthor): RosterChange[] {
  const about = { source_id: wanted.id, after: wanted };
  if (!entry) return [{ ...about, change: 'added', before: null, expected: 'none' }];
  if (isDeepStrictEqual(entry.wantedBy[author.by], wanted)) return [];
  return [
    {
      ...about,
      change: entry.retired ? 'added' : 'changed',
      before: entry.retired ? null : entry.source,
      expected: entry.revision,
    },
  ];
}

/**
 * The event of a change. Its id is computed from its content and its stream, so appending it is idempotent.
 * @param time RFC 3339 in UTC
 */
function createRosterEvent(change: RosterChange, author: RosterAuthor, time: string): KnownEvent {
  const { after, source_id, expected } = change;
  const id = eventId('roster', change.change, source_id, expected, author.by, JSON.stringify(after));
  if (!after) return newEvent('SourceRetired', { ...author, source_id }, { id, time });
  const type = change.change === 'added' ? 'SourceAdded' : 'SourceChanged';
  return newEvent(type, { ...author, source: after }, { id, time });
}

/**
 * Applies a roster: adds what is new, changes what differs, retires what the same author listed before and no
 * longer lists. Applied again it appends nothing.
 * @param author `by` names the roster, such as its file; another name never retires its sources
 * @returns the changes that were made
 * @throws StreamContention when other writers keep changing the same sources
 */
export async function applyRoster(
  store: Pick<EventStore, 'append' | 'readAll'>,
  sources: readonly Source[],
  author: RosterAuthor,
  clock: () => Date = () => new Date(),
): Promise<RosterChange[]> {
  const wanted = sources.map(asStored);
  const made: RosterChange[] = [];
  // When another writes to a source meanwhile, what is done already does not come up a second time.
  await retryConflicts('the roster', async () => {
    const { roster } = await loadRoster(store);
    for (const change of planRoster(roster, wanted, author)) {
      const event = createRosterEvent(change, author, clock().toISOString());
      await store.append(sourceStream(change.source_id), [event], change.expected);
      made.push(change);
    }
  });
  return made;
}

/** As it comes back from the store: with defaults, without undefined fields, so that like compares with like. */
const asStored = (source: Source): Source => Source.parse(JSON.parse(JSON.stringify(source)));

// Importing: sources that the roster lacks are added, none is changed or retired.

/** The sources to add, under ids that are free; what is polled already, by its address, is left out. */
export function selectNewSources(roster: Roster, listed: readonly Source[]): Source[] {
  const used = [...roster.values()].filter(({ retired }) => !retired);
  const polled = new Set(used.map(({ source }) => addressKey(source.url)));
  const taken = new Set(used.map(({ source }) => source.id));
  return listed
    .filter(({ url }) => !polled.has(addressKey(url)))
    .map((source) => {
      const id = chooseFreeId(source.id, taken);
      taken.add(id);
      return { ...source, id };
    });
}
