/** The poller: every source of the roster at its cadence, for ever. */
import type { Logger } from 'pino';
import { pause as realPause } from '../../log/backoff.ts';
import type { EventStore } from '../../log/event-store.ts';
import type { Group } from '../../log/group.ts';
import type { PollRequests } from '../../log/postgres/poll-requests.ts';
import type { Topic } from '../../log/topic.ts';
import { VERSION } from '../../schemas/release.ts';
import { followSources, type LiveSources } from '../roster/follow-sources.ts';
import { type AllowAddress, addressRule } from './fetch/addresses.ts';
import { askingRobots } from './fetch/ask-robots.ts';
import { createFetchPage, type FetchPage } from './fetch/fetch-page.ts';
import { hostGate } from './fetch/host-gate.ts';
import type { SecretLookup } from './fetch/source-headers.ts';
import { persistently } from './persistently.ts';
import { polling } from './poll-and-publish.ts';
import { createPollMemory } from './poll-memory.ts';
import type { PollResult } from './poll-source.ts';
import type { PollState } from './poll-state.ts';
import type { PageReader } from './read/page-reader.ts';
import { createRequestedPolls } from './requested-polls.ts';
import { adoptChanges } from './source-changes.ts';
import { createRounds } from './turns/rounds.ts';
import { type Share, sharing } from './turns/share.ts';
import { createWebSub, type WebSubOptions } from './websub.ts';

export interface PollerOptions {
  readonly store: Pick<EventStore, 'readAll' | 'subscribe' | 'append'>;
  readonly items: Pick<Topic, 'publish'>;
  readonly polls: Pick<Topic, 'publish'>;
  /** What is known of a source from polls before this process; null for one that was never polled. */
  readonly resume: (sourceId: string) => Promise<PollState | null>;
  /** Requests to poll a source before it is due; none are looked at when unset. */
  readonly requests?: PollRequests;
  /** Where hubs of WebSub reach the service, and where subscriptions are kept; none are made when unset. */
  readonly webSub?: Pick<WebSubOptions, 'database' | 'baseUrl'>;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** The pollers that share the roster; unset, this one polls it all. */
  readonly group?: Group;
  /** Lets single addresses of private networks through; public ones are always allowed, metadata ones never. */
  readonly allowAddress?: AllowAddress;
  /** Where an outlet reaches the operator, a web or mail address: it lets outlets write instead of block. */
  readonly contact?: string;
  /** The values of secrets that headers of sources name. */
  readonly secrets?: SecretLookup;
  /** Reads what outlets send; that of the process when unset. */
  readonly reader?: PageReader;
  /** Replaces the guarded fetcher. */
  readonly fetchPage?: FetchPage;
  readonly random?: () => number;
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Most polls at once. */
  readonly concurrency?: number;
}

/** Our name in robots.txt. */
export const PRODUCT = 'clarity';

/**
 * The User-Agent of requests to outlets, such as `Clarity/1.0.0 (retail news reader; +mailto:desk@example.com)`.
 * @param contact a web or mail address at which outlets reach the operator
 */
export const userAgent = (contact: string | undefined): string => {
  // What a comment of the header cannot hold as it is (RFC 9110, 5.6.5) is left out.
  const address = contact?.replace(/[^\x21-\x7e]|[()\\]/g, '');
  return `Clarity/${VERSION} (retail news reader${address ? `; +${address}` : ''})`;
};

/** Polls until the signal aborts, and then ends within a second. It rejects for nothing that a source does. */
export async function runPoller(options: PollerOptions): Promise<void> {
  const { store, clock, logger, signal } = options;
  const random = options.random ?? Math.random;
  const fetchAny =
    options.fetchPage ??
    createFetchPage({
      allowAddress: addressRule(options.allowAddress ?? (() => false)),
      userAgent: userAgent(options.contact),
      gate: hostGate(),
      ...(options.secrets ? { secrets: options.secrets } : {}),
    });
  const fetchPage = askingRobots(fetchAny, PRODUCT, clock, options.reader);
  const changes = adoptChanges(store);
  let tellRoster = (): void => undefined;

  /** Polls the sources of a share until the signal aborts. */
  async function round(
    live: LiveSources,
    share: Share,
    until: AbortSignal,
    onChange: (changed: () => void) => void,
  ): Promise<void> {
    const memory = createPollMemory();
    const { requests } = options;
    const webSub =
      options.webSub &&
      createWebSub({ ...options.webSub, fetchPage: fetchAny, active: live.active, owns: share.owns, clock, logger });
    const answering = requests && { answer: (data: PollResult['poll']['data']) => requests.answer(data) };
    const { webSub: _, ...rest } = options;
    const poll = polling({
      ...rest,
      ...answering,
      ...(webSub ? { webSub } : {}),
      fetchPage,
      random,
      memory,
      changes,
      signal: until,
    });
    const rounds = createRounds({
      sources: () => live.active().filter(({ id }) => share.owns(id)),
      poll: async (source) => {
        const due = await claimed(share, source.id, () => poll(source, requested.begin(source.id)), clock);
        // What another poller sees from here on would make this memory a stale one.
        if (!share.owns(source.id)) memory.delete(source.id);
        return due;
      },
      onRemoved: (id) => {
        memory.delete(id);
        requested.forget(id);
      },
      onMoved: (id) => {
        const state = memory.get(id);
        if (state) memory.set(id, { ...state, etag: null, last_modified: null });
      },
      clock,
      logger,
      signal: until,
      pause: options.pause ?? realPause,
      concurrency: options.concurrency ?? 16,
    });
    const requested = createRequestedPolls({
      requests,
      owns: share.owns,
      pollNow: rounds.pollNow,
      stateOf: memory.get,
      clock,
      logger,
      signal: until,
      pause: options.pause ?? realPause,
    });
    tellRoster = rounds.changed;
    onChange(rounds.changed);
    await Promise.all([rounds.run(), requested.run(), webSub?.run(until, options.pause ?? realPause)]);
  }

  try {
    const live = await persistently(() => followSources(store, signal, () => tellRoster()), {
      what: 'reading the roster',
      logger,
      signal,
    });
    await sharing(options.group, { logger, signal }, (share, until, onChange) => round(live, share, until, onChange));
    await live.done;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Another poller is still at the source: it is looked at again after so many milliseconds. */
const STILL_CLAIMED = 1_000;

/** Polls while no other poller does. @returns when the source is due again */
async function claimed(share: Share, id: string, poll: () => Promise<number>, clock: () => Date): Promise<number> {
  const giveBack = await share.claim(id);
  if (!giveBack) return clock().getTime() + STILL_CLAIMED;
  try {
    return await poll();
  } finally {
    // A claim that cannot be given back has ended with its connection.
    await giveBack().catch(() => undefined);
  }
}
