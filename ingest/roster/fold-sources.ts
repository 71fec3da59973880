/** The roster as the event store tells it: a fold of the `source-` streams. */
import type { KnownEvent } from '../../schemas/events.ts';
import type { Source } from '../../schemas/source.ts';

/** What is known of one source. */
export interface RosterEntry {
  readonly source: Source;
  /** The last revision of its stream. */
  readonly revision: number;
  /** Who retired it and why; null while it is polled. */
  readonly retired: { readonly by: string; readonly why: string } | null;
  /**
   * What each author last wanted it to be. A roster file that is applied again changes nothing unless the file itself
   * changed: what an operator or a poller did since then stands.
   */
  readonly told: Readonly<Record<string, Source>>;
}

export type Roster = ReadonlyMap<string, RosterEntry>;

/** Folds one event of a source's stream into its entry; an event about another thing leaves it as it is. */
export function foldSource(entry: RosterEntry | null, event: KnownEvent, revision: number): RosterEntry | null {
  switch (event.type) {
    case 'SourceAdded':
    case 'SourceChanged': {
      const { source, by } = event.data;
      return { source, revision, retired: null, told: { ...entry?.told, [by]: source } };
    }
    case 'SourceMoved':
      return entry && { ...entry, revision, source: { ...entry.source, url: event.data.to } };
    case 'SourceRetired': {
      if (!entry) return null;
      const { by, why } = event.data;
      const told = Object.fromEntries(Object.entries(entry.told).filter(([author]) => author !== by));
      return { ...entry, revision, retired: { by, why }, told };
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
export function foldInto(roster: Map<string, RosterEntry>, events: Iterable<Revised>): void {
  for (const { event, revision } of events) {
    const id = sourceIdOf(event);
    if (id === null) continue;
    const entry = foldSource(roster.get(id) ?? null, event, revision);
    if (entry) roster.set(id, entry);
  }
}

/** The roster that events tell, in the order of the store. */
export function foldSources(events: Iterable<Revised>): Roster {
  const roster = new Map<string, RosterEntry>();
  foldInto(roster, events);
  return roster;
}

function sourceIdOf(event: KnownEvent): string | null {
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
