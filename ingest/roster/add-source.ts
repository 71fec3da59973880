/** Adds a source to the roster once a poll has shown that it can be read. */
import type { EventStore } from '../../log/event-store.ts';
import type { Source } from '../../schemas/source.ts';
import { discoverFeeds } from '../poll/discover-feeds.ts';
import type { FetchPage } from '../poll/fetch/fetch-page.ts';
import { PollError } from '../poll/poll-error.ts';
import { type Trial, trySource } from '../poll/try-source.ts';
import { changeSource } from './change-source.ts';
import { checkedSource, type SourceFields, SourceRefused } from './decide-source.ts';
import { freeId } from './free-id.ts';
import { loadRoster } from './load-roster.ts';
import type { RosterAuthor } from './plan-roster.ts';
import { retiredAtAddress, sourceAtAddress } from './source-address.ts';

export interface SourceToAdd {
  readonly url: string;
  /** When unset, that of a retired source with this address, else one made from the outlet's name. */
  readonly id?: string | undefined;
  /** Fields as the operator gave them, not yet checked. `outlet` unset is taken from the feed, `kind` is found out. */
  readonly fields: SourceFields;
  /** Adds it unread, for an outlet that does not answer now. */
  readonly untested?: boolean | undefined;
}

export interface AddedSource {
  readonly id: string;
  readonly outlet: string;
  /** Entries that gave an item; null when it was not tried. */
  readonly items: number | null;
}

export interface AddContext {
  readonly store: Pick<EventStore, 'append' | 'read' | 'readAll'>;
  readonly fetchPage: FetchPage;
  readonly signal: AbortSignal;
  readonly clock: () => Date;
}

/** Failures that say that a web page came where a feed was expected. */
const NOT_A_FEED = new Set(['html_instead_of_feed', 'not_a_feed', 'empty']);

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
  // Before anything is fetched: what is wrong with the fields needs no answer of the outlet.
  const draft = checkedSource({ outlet: hostname, ...given, id: wanted.id ?? 'source' });
  const { roster } = await loadRoster(context.store);
  refuseKnown(sourceAtAddress(roster, [wanted.url]));
  const trial = wanted.untested ? null : await tried(draft, given, context);
  if (trial) refuseKnown(sourceAtAddress(roster, [trial.url, trial.moved_to ?? trial.url]));
  const outlet = String(wanted.fields.outlet ?? trial?.title ?? hostname);
  const url = trial?.moved_to ?? wanted.url;
  // A source that comes back keeps its id, and with it its history.
  const id = wanted.id ?? retiredAtAddress(roster, url)?.id ?? freeId(outlet, roster);
  const fields = { ...(trial ? { kind: trial.kind } : {}), ...given, outlet, url };
  await changeSource(context.store, { do: 'add', id, fields }, author, context.clock);
  return { id, outlet, items: trial?.entries.filter(({ item }) => item).length ?? null };
}

function refuseKnown(known: Source | null): void {
  if (known)
    throw new SourceRefused(
      `url: the roster has this address already, as ${known.id} (${known.url}); use edit, or retire it first`,
    );
}

async function tried(draft: Source, fields: SourceFields, context: AddContext): Promise<Trial> {
  const { kind, ...rest } = draft;
  const found = await trySource(fields.kind === undefined ? rest : { ...rest, kind }, {
    fetchPage: context.fetchPage,
    signal: context.signal,
    now: context.clock(),
  }).catch(async (error: unknown) => {
    if (!(error instanceof PollError)) throw error;
    throw new SourceRefused(await explained(draft.url, error, context));
  });
  const refused = found.entries.filter(({ item }) => !item);
  if (found.entries.length > 0 && refused.length === found.entries.length)
    throw new SourceRefused(
      `${draft.url}: all ${refused.length} entries are refused, the first because ${refused[0]?.refused}; it is not added`,
    );
  return found;
}

/** Why the trial failed, with the feeds that a web page names. */
async function explained(url: string, error: PollError, { fetchPage, signal }: AddContext): Promise<string> {
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
