/** The commands of operators on one source: add, edit, pause, resume, retire. */
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { changeStream } from '../../log/command-handler.ts';
import type { EventStore } from '../../log/event-store.ts';
import { type KnownEvent, newEvent } from '../../schemas/events.ts';
import { eventId } from '../../schemas/scalar.ts';
import { Source, SourceId, sourceStream } from '../../schemas/source.ts';
import type { FetchPage } from '../poll/fetch/fetch-page.ts';
import { PollError } from '../poll/poll-error.ts';
import { discoverFeeds, type Trial, trySource } from '../poll/try-source.ts';
import {
  chooseFreeId,
  findRetiredByAddress,
  findSourceByAddress,
  foldSources,
  loadRoster,
  type RosterAuthor,
  type RosterEntry,
  readKnownEvents,
} from './roster.ts';
import { explainIssue, mayBeSecret, selectorFaults } from './roster-file.ts';

/** A command that cannot be done; the message says what is allowed. */
export class SourceRefused extends Error {
  override name = 'SourceRefused';
}

/** Fields as an operator gave them, not yet checked. */
export type SourceFields = Readonly<Record<string, unknown>>;

export type SourceCommand =
  | { readonly do: 'add'; readonly id: SourceId; readonly fields: SourceFields }
  | { readonly do: 'edit'; readonly id: SourceId; readonly fields: SourceFields }
  | { readonly do: 'pause' | 'resume' | 'retire'; readonly id: SourceId };

/**
 * Decides on a command.
 * @param entry what is known of the source, null when it was never in the roster
 * @param time RFC 3339 in UTC
 * @returns the event, or null when the source is already so
 * @throws SourceRefused
 */
function decideSource(
  entry: RosterEntry | null,
  command: SourceCommand,
  author: RosterAuthor,
  time: string,
): KnownEvent | null {
  const about = {
    id: eventId('source command', command.id, command.do, entry?.revision ?? -1, author.by, JSON.stringify(command)),
    time,
  };
  if (command.do === 'add') {
    if (entry && !entry.retired)
      throw new SourceRefused(`the roster has a source ${command.id} already; use edit, or give another --id`);
    return newEvent(
      'SourceAdded',
      { ...author, source: checkSourceFields({ ...command.fields, id: command.id }) },
      about,
    );
  }
  if (!entry) throw new SourceRefused(`no source has the id ${JSON.stringify(command.id)}; sources list shows them`);
  if (command.do === 'retire')
    return entry.retired ? null : newEvent('SourceRetired', { ...author, source_id: command.id }, about);
  if (entry.retired) throw new SourceRefused(`the source ${command.id} is retired; add it again first`);
  const source = checkSourceFields({ ...entry.source, ...changesOf(command), id: command.id });
  return isDeepStrictEqual(source, entry.source) ? null : newEvent('SourceChanged', { ...author, source }, about);
}

function changesOf(command: Exclude<SourceCommand, { do: 'add' | 'retire' }>): SourceFields {
  if (command.do === 'edit') return command.fields;
  return { paused: command.do === 'pause' };
}

/**
 * Checks the fields of a source.
 * @throws SourceRefused with one line per fault
 */
export function checkSourceFields(fields: SourceFields): Source {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const source = Source.safeParse(given);
  if (!source.success)
    throw new SourceRefused(source.error.issues.flatMap((issue) => faultsOf(issue, given)).join('\n'));
  const faults = selectorFaults(source.data);
  if (faults.length > 0)
    throw new SourceRefused(faults.map(([path, message]) => `${path.join('.')}: ${message}`).join('\n'));
  return source.data;
}

const faultsOf = (issue: z.core.$ZodIssue, given: SourceFields): string[] =>
  explainIssue(issue).map(([path, message]) => {
    const value = path.reduce<unknown>((inside, part) => (inside as Record<PropertyKey, unknown>)?.[part], given);
    return `${path.join('.')}: ${value === undefined || mayBeSecret(path, value) ? '' : `${JSON.stringify(value).slice(0, 120)} cannot be used: `}${message}`;
  });

/**
 * The id of a source that an operator typed.
 * @throws SourceRefused for text that is the id of no source
 */
export function namedSource(text: string): SourceId {
  const id = SourceId.safeParse(text);
  if (!id.success) throw new SourceRefused(`no source has the id ${JSON.stringify(text)}; sources list shows them`);
  return id.data;
}

/**
 * The id that an operator chose for a new source.
 * @throws SourceRefused for text that cannot be one
 */
export function chosenSourceId(text: string): SourceId {
  const id = SourceId.safeParse(text);
  if (id.success) return id.data;
  throw new SourceRefused(
    id.error.issues.flatMap((issue) => faultsOf({ ...issue, path: ['id'] }, { id: text })).join('\n'),
  );
}

/**
 * Reads the source, decides and appends; on a conflict it reads and decides again.
 * @returns the event, or null when nothing was to be changed
 * @throws SourceRefused; StreamContention when others keep writing to it
 */
export async function changeSource(
  store: Pick<EventStore, 'append' | 'read'>,
  command: SourceCommand,
  author: RosterAuthor,
  clock: () => Date,
): Promise<KnownEvent | null> {
  const { decision } = await changeStream(store, sourceStream(command.id), (stored) => {
    const entry = foldSources(readKnownEvents(stored)).get(command.id) ?? null;
    const event = decideSource(entry, command, author, clock().toISOString());
    return { events: event ? [event] : [] };
  });
  return decision.events[0] ?? null;
}

/**
 * Changes fields of a source. An address that another source has is refused.
 * @param fields as the operator gave them, not yet checked; undefined removes an optional one
 * @returns the event, or null when nothing was to be changed
 * @throws SourceRefused; StreamContention when others keep writing to it
 */
export async function editSource(
  store: Pick<EventStore, 'append' | 'read' | 'readAll'>,
  id: SourceId,
  fields: SourceFields,
  author: RosterAuthor,
  clock: () => Date,
): Promise<KnownEvent | null> {
  if (typeof fields.url === 'string') {
    const listed = findSourceByAddress((await loadRoster(store)).roster, [fields.url]);
    if (listed?.id !== id) refuseKnown(listed);
  }
  return changeSource(store, { do: 'edit', id, fields }, author, clock);
}

interface SourceToAdd {
  readonly url: string;
  /** When unset, that of a retired source with this address, else one made from the outlet's name. */
  readonly id?: string | undefined;
  /** Fields as the operator gave them, not yet checked. `outlet` unset is taken from the feed, `kind` is found out. */
  readonly fields: SourceFields;
  /** Adds it without a poll, for an outlet that does not respond now. */
  readonly untested?: boolean | undefined;
}

interface AddedSource {
  readonly id: SourceId;
  readonly outlet: string;
  /** Entries that gave an item; null when it was not tried. */
  readonly items: number | null;
}

interface AddContext {
  readonly store: Pick<EventStore, 'append' | 'read' | 'readAll'>;
  readonly fetchPage: FetchPage;
  readonly signal: AbortSignal;
  readonly clock: () => Date;
}

/** Errors of a response that is a web page, not a feed. */
export const NOT_A_FEED: ReadonlySet<string> = new Set(['html_instead_of_feed', 'not_a_feed', 'empty']);

/**
 * Tries the address and adds it.
 * @throws SourceRefused when a field is wrong, the address is in the roster, or it cannot be read; for a web page that
 *   is no feed the message lists the feeds that the page names
 */
export async function addSource(context: AddContext, wanted: SourceToAdd, author: RosterAuthor): Promise<AddedSource> {
  const hostname = URL.parse(wanted.url)?.hostname.replace(/^www\./, '');
  // Selectors mean a web page, unless the kind is given.
  const kind = wanted.fields.kind ?? (wanted.fields.selectors ? 'html' : undefined);
  const given = { ...wanted.fields, ...(kind ? { kind } : {}), url: wanted.url };
  // Before anything is fetched: the fields are checked without the outlet.
  const draft = checkSourceFields({ outlet: hostname, ...given, id: wanted.id ?? 'source' });
  const { roster } = await loadRoster(context.store);
  refuseKnown(findSourceByAddress(roster, [wanted.url]));
  const trial = wanted.untested ? null : await trialOf(draft, given, context);
  if (trial) refuseKnown(findSourceByAddress(roster, [trial.url, trial.moved_to ?? trial.url]));
  const outlet = String(wanted.fields.outlet ?? trial?.title ?? hostname);
  const url = trial?.moved_to ?? wanted.url;
  // A source that comes back keeps its id, and with it its history.
  const chosen = wanted.id === undefined ? null : draft.id;
  const id = chosen ?? findRetiredByAddress(roster, url)?.id ?? chooseFreeId(outlet, roster);
  const fields = { ...(trial ? { kind: trial.kind } : {}), ...given, outlet, url };
  await changeSource(context.store, { do: 'add', id, fields }, author, context.clock);
  return { id, outlet, items: trial?.entries.filter(({ item }) => item).length ?? null };
}

/** @throws SourceRefused for an address that the roster has. @param known the source that has it */
export function refuseKnown(listed: Source | null): void {
  if (listed)
    throw new SourceRefused(
      `url: this address is already in the roster, as ${listed.id} (${listed.url}); use edit, or retire it first`,
    );
}

async function trialOf(draft: Source, fields: SourceFields, context: AddContext): Promise<Trial> {
  const { kind, ...rest } = draft;
  const trial = await trySource(fields.kind === undefined ? rest : { ...rest, kind }, {
    fetchPage: context.fetchPage,
    signal: context.signal,
    now: context.clock(),
  }).catch(async (error: unknown) => {
    if (!(error instanceof PollError)) throw error;
    throw new SourceRefused(await explainFailure(draft.url, error, context));
  });
  const refused = trial.entries.filter(({ item }) => !item);
  if (trial.entries.length > 0 && refused.length === trial.entries.length)
    throw new SourceRefused(
      `${draft.url}: all ${refused.length} entries are refused, the first because ${refused[0]?.refused}; it is not added`,
    );
  return trial;
}

/** Why the trial failed, with the feeds that a web page names. */
async function explainFailure(url: string, error: PollError, { fetchPage, signal }: AddContext): Promise<string> {
  // Some messages quote the server: no control character of it may reach a terminal.
  const why = `${url}: ${error.code}: ${error.message.replace(/\p{Cc}/gu, ' ').slice(0, 500)}`;
  if (!NOT_A_FEED.has(error.code)) return `${why}; it is not added. --untested adds it all the same`;
  const feeds = await discoverFeeds(url, fetchPage, signal).catch((failure: unknown) => {
    if (failure instanceof PollError) return [];
    throw failure;
  });
  if (feeds.length === 0)
    return `${why}; it names no feed either. Give its entries by --kind html and --selector, see sources test`;
  const offered = feeds.map((feed) => `  ${feed.url}  ${feed.kind}, ${feed.entries} entries`);
  return `${why}; it is not added. The page names ${feeds.length === 1 ? 'this feed' : 'these feeds'}:\n${offered.join('\n')}`;
}
