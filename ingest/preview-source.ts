/** What a source would bring, before it is added: its entries now, and what would become of each. Nothing is stored. */

import type { ItemText } from '../facts/text/item-reading.ts';
import type { EventStore } from '../log/event-store.ts';
import { Source, SourceId } from '../schemas/source.ts';
import type { FetchPage } from './poll/fetch/fetch-page.ts';
import type { FoundItem, JudgedEntry } from './poll/normalise/read-items.ts';
import { PollError } from './poll/poll-error.ts';
import { type DiscoveredFeed, discoverFeeds, type Trial, trySource } from './poll/try-source.ts';
import { findSourceByAddress, loadRoster } from './roster/roster.ts';
import { NOT_A_FEED, refuseKnown, SourceRefused } from './roster/source-commands.ts';
import type { EncodedVerdict } from './understand/understander.ts';

/** What is asked of understanding. */
export interface Judge {
  understand(item: ItemText): Promise<Pick<EncodedVerdict, 'relevant' | 'reason' | 'understanding'>>;
}

/** The outcome for an item. */
export interface Becoming {
  readonly fate: 'signal' | 'held' | 'old news' | 'noise' | 'checks coverage';
  readonly why: string;
  readonly move: string;
  readonly brands: readonly string[];
}

/** An item that is older than this when first seen makes no public signal (decisions: resurfaced). */
const OLD = 7 * 86_400_000;

/** The outcome for an item: how it is understood, and what its date and source mean for it. @param now time of the poll */
export function becoming(
  { understand }: Judge,
  { outlet, role }: Pick<Source, 'outlet' | 'role'>,
  now: Date,
): (item: FoundItem) => Promise<Becoming> {
  return async (item) => {
    const published_at = item.published_at?.toISOString() ?? null;
    const { relevant, reason, understanding } = await understand({ ...item, outlet, published_at });
    const { move, brands, cities } = understanding;
    const names = brands.map(({ name }) => name);
    const values = [move, ...names, ...cities].join(', ');
    const as = (fate: Becoming['fate'], why: string): Becoming => ({ fate, why, move, brands: names });
    if (!relevant) return as('noise', reason);
    if (role === 'oracle') return as('checks coverage', values);
    if (!item.published_at) return as('held', `it has no date; ${values}`);
    if (now.getTime() - item.published_at.getTime() > OLD) return as('old news', `more than 7 days old; ${values}`);
    return as('signal', values);
  };
}

/** What is at an address. */
export interface SourcePreview {
  /** Null for a web page that is no feed. */
  readonly trial: Omit<Trial, 'entries'> | null;
  readonly entries: readonly (JudgedEntry & { readonly becomes: Becoming | null })[];
  /** The feeds that a web page names; `source` is the one that the roster has already. */
  readonly feeds: readonly (DiscoveredFeed & { readonly source: Source | null })[];
}

interface PreviewContext {
  readonly store: Pick<EventStore, 'readAll'>;
  readonly fetchPage: FetchPage;
  readonly signal: AbortSignal;
  readonly now: Date;
  readonly understander: Judge;
}

const PREVIEW = SourceId.parse('preview');

/**
 * Polls an address once. Of a web page that is no feed, it finds the feeds.
 * @throws SourceRefused for what is no address, is in the roster already, or has no feed; PollError when it cannot be read
 */
export async function previewSource(context: PreviewContext, url: string): Promise<SourcePreview> {
  const { store, fetchPage, signal, now, understander } = context;
  const outlet = URL.parse(url)?.hostname.replace(/^www\./, '') || 'preview';
  const draft = Source.safeParse({ id: PREVIEW, outlet: outlet.slice(0, 120), url });
  if (!draft.success) throw new SourceRefused('url: it must be an http or https address of at most 2,048 characters');
  const { roster } = await loadRoster(store);
  refuseKnown(findSourceByAddress(roster, [url]));
  const { kind: _, ...source } = draft.data;
  try {
    const { entries, ...trial } = await trySource(source, { fetchPage, signal, now });
    refuseKnown(findSourceByAddress(roster, [trial.url, trial.moved_to ?? trial.url]));
    const become = becoming(understander, draft.data, now);
    const judged = entries.map(async (one) => ({ ...one, becomes: one.item && (await become(one.item)) }));
    return { trial, entries: await Promise.all(judged), feeds: [] };
  } catch (error) {
    if (!(error instanceof PollError) || !NOT_A_FEED.has(error.code)) throw error;
    const feeds = await discoverFeeds(url, fetchPage, signal);
    if (feeds.length === 0)
      throw new SourceRefused(`${url}: ${error.message}; the page names no feed, and none is at the usual addresses`);
    return {
      trial: null,
      entries: [],
      feeds: feeds.map((feed) => ({ ...feed, source: findSourceByAddress(roster, [feed.url]) })),
    };
  }
}
