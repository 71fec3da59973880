/** The poller: polls every source of the roster at its cadence and publishes what it finds, until it is stopped. */
import type { Logger } from 'pino';
import { pause as realPause } from '../../log/backoff.ts';
import { logError, retryUntilSuccess } from '../../log/errors.ts';
import type { EventStore } from '../../log/event-store.ts';
import { type AllowAddress, createAddressRule } from '../../log/guarded-connection.ts';
import type { PollRequests } from '../../log/postgres/poll-requests.ts';
import type { Group } from '../../log/postgres/topics/consumer-group.ts';
import type { Topic } from '../../log/topic.ts';
import { VERSION } from '../../schemas/configuration.ts';
import type { PollTrigger } from '../../schemas/poll.ts';
import type { Source, SourceId } from '../../schemas/source.ts';
import { followSources, type LiveSources } from '../roster/roster.ts';
import { createFetchPage, createHostGate, type FetchPage, type SecretLookup } from './fetch/fetch-page.ts';
import { respectRobots } from './fetch/robots.ts';
import type { Fetching } from './fetch-entries.ts';
import { adoptAddressChanges, type PollResult, pollSource } from './poll-source.ts';
import { createPollMemory, type PollMemory, type PollState } from './poll-state.ts';
import type { PageReader } from './read/page-reader.ts';
import { createRequestedPolls } from './requested-polls.ts';
import { isSkipping, mayWaitUntil } from './schedule/cadence.ts';
import { hostOf, Rounds, type Share, workOnShare } from './schedule/rounds.ts';

// Publishing a poll: first what it found, then that it took place. A poll that is killed in between is repeated without effect.

const BATCH_SIZE = 200;

interface Publishing {
  readonly items: Pick<Topic, 'publish'>;
  readonly polls: Pick<Topic, 'publish'>;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Publishes items in their order, through restarts of the log. @throws the signal's reason */
async function publishItems(
  { items, logger, signal }: Omit<Publishing, 'polls'>,
  events: PollResult['items'],
): Promise<void> {
  const messages = events.map((event) => ({ key: event.data.url, event }));
  const about = { what: 'publishing items', logger, signal };
  for (let from = 0; from < messages.length; from += BATCH_SIZE)
    await retryUntilSuccess(() => items.publish(messages.slice(from, from + BATCH_SIZE)), about);
}

/** Publishes the items, oldest first, then the poll, through restarts of the log. @throws the signal's reason */
async function publishPoll({ items, polls, logger, signal }: Publishing, result: PollResult): Promise<void> {
  const about = { what: 'publishing a poll', logger, signal };
  await publishItems({ items, logger, signal }, result.items);
  await retryUntilSuccess(() => polls.publish([{ key: result.poll.data.source_id, event: result.poll }]), about);
}

// One poll with its consequences: the state of the source, what is published, changes of the roster.

interface PollOptions extends Fetching {
  readonly items: Pick<Topic, 'publish'>;
  readonly polls: Pick<Topic, 'publish'>;
  readonly resume: (sourceId: SourceId) => Promise<PollState | null>;
  readonly memory: PollMemory;
  readonly changes: (source: Source, result: PollResult) => Promise<void>;
  /** Called with a poll once it is published, to answer the request for it. */
  readonly answer?: (poll: PollResult['poll']['data']) => Promise<void>;
  readonly clock: () => Date;
  readonly random: () => number;
  readonly logger: Logger;
}

/** Handles a failure of work that a poll does not depend on. */
const logFailure =
  (logger: Logger, source: Source, message: string) =>
  (failure: unknown): undefined =>
    void logError(logger, failure, { source: source.id }, message);

/** Publishes what a poll found, then remembers it and does what follows from it. @throws the signal's reason */
async function complete(options: PollOptions, source: Source, result: PollResult): Promise<void> {
  const { memory, logger } = options;
  const about = { source: source.id };
  await publishPoll(options, result);
  memory.set(source.id, result.state);
  const { error, items_new, outcome } = result.poll.data;
  if (result.defect !== undefined) logError(logger, result.defect, about, 'polling a source failed by a defect');
  const err = error && { type: 'PollError', ...error };
  logger[error ? 'warn' : 'debug']({ ...about, outcome, items_new, ...(err ? { err } : {}) }, 'polled');
  const logged = (message: string) => logFailure(logger, source, message);
  await options.answer?.(result.poll.data).catch(logged('answering a poll request failed; it is retried'));
  // The poll is published; a change of the roster comes up again with the next poll.
  await options.changes(source, result).catch(logged('storing a change of the roster failed'));
}

/**
 * @returns a function that polls one source, and returns when it is due again, in milliseconds since 1970. With the trigger
 *   `schedule` it leaves a source alone that is not due yet, as the first time after a restart.
 */
const createPoll = (options: PollOptions) => {
  const { memory, resume, clock, logger, signal } = options;
  return async function poll(source: Source, trigger: PollTrigger = 'schedule'): Promise<number> {
    let state = memory.get(source.id);
    if (state === undefined) {
      const reading = { what: 'reading the state of a source', logger, signal };
      state = await retryUntilSuccess(() => resume(source.id), reading);
      memory.set(source.id, state);
      const due = Date.parse(state?.next_poll_at ?? '');
      const skips = isSkipping(state?.polling_hints ?? null);
      const waits = mayWaitUntil(due, state?.consecutive_failures ?? 0, clock().getTime(), skips);
      if (trigger === 'schedule' && waits) return due;
    }
    const publish = (items: PollResult['items']): Promise<void> => publishItems(options, items);
    const polled = await pollSource(source, state, { ...options, publishItems: publish });
    const result = { ...polled, poll: { ...polled.poll, data: { ...polled.poll.data, trigger } } };
    await complete(options, source, result);
    return Date.parse(result.poll.data.next_poll_at);
  };
};

export interface PollerOptions {
  readonly store: Pick<EventStore, 'readAll' | 'subscribe' | 'append'>;
  readonly items: Pick<Topic, 'publish'>;
  readonly polls: Pick<Topic, 'publish'>;
  /** Reads the state of a source from earlier polls; null for one that was never polled. */
  readonly resume: (sourceId: SourceId) => Promise<PollState | null>;
  /** Requests to poll a source before it is due; none are looked at when unset. */
  readonly requests?: PollRequests;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** The pollers that share the hosts of the roster; unset, this one polls them all. */
  readonly group?: Group;
  /** Allows single addresses of private networks; public ones are always allowed, metadata ones never. */
  readonly allowAddress?: AllowAddress;
  /** Where an outlet reaches the operator, a web or mail address: outlets can write instead of blocking. */
  readonly contact?: string;
  /** The values of secrets that headers of sources name. */
  readonly secrets?: SecretLookup;
  /** Reads the responses of outlets; that of the process by default. */
  readonly reader?: PageReader;
  /** Replaces the guarded fetcher. */
  readonly fetchPage?: FetchPage;
  readonly random?: () => number;
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Maximum number of concurrent polls; 16 when unset. */
  readonly concurrency?: number;
}

/** The name of the service in robots.txt. */
export const PRODUCT = 'clarity';

/**
 * The User-Agent of requests to outlets, such as `Clarity/1.0.0 (retail news reader; +mailto:desk@example.com)`.
 * @param contact a web or mail address at which outlets reach the operator
 */
export const userAgent = (contact: string | undefined): string => {
  // Characters that a comment of the header cannot contain (RFC 9110, 5.6.5) are removed.
  const address = contact?.replace(/[^\x21-\x7e]|[()\\]/g, '');
  return `Clarity/${VERSION} (retail news reader${address ? `; +${address}` : ''})`;
};

/** What the work on every share of the roster needs. */
interface Polling {
  readonly options: PollerOptions;
  readonly live: LiveSources;
  readonly fetchPage: FetchPage;
  readonly changes: PollOptions['changes'];
}

/**
 * Polls the sources of a share until the signal aborts.
 * @param onChange is given what is to be called when the sources of the share change
 */
async function pollShare(
  { options, live, fetchPage, changes }: Polling,
  share: Share,
  until: AbortSignal,
  onChange: (changed: () => void) => void,
): Promise<void> {
  const { requests, clock, logger, random = Math.random, pause = realPause, ...rest } = options;
  const { active } = live;
  const { owns } = share;
  const memory = createPollMemory();
  const timing = { clock, logger, signal: until };
  const poll = createPoll({
    ...rest,
    ...timing,
    ...(requests && { answer: (data: PollResult['poll']['data']) => requests.answer(data) }),
    fetchPage,
    random,
    memory,
    changes,
  });
  const rounds = new Rounds({
    sources: () => active().filter(({ id }) => owns(id)),
    poll: async (source) => {
      const released = (): void => {
        // What another poller sees from here on would make this memory a stale one.
        if (!owns(source.id)) memory.delete(source.id);
      };
      const begin = (): Promise<number> => poll(source, requested.begin(source.id));
      return await pollClaimed(share, source.id, begin, { clock, released });
    },
    onRemoved: (id) => {
      memory.delete(id);
      requested.forget(id);
    },
    ...timing,
    pause,
    concurrency: options.concurrency ?? 16,
  });
  const pollNow = (id: SourceId): void => rounds.pollNow(id);
  const requested = createRequestedPolls({ requests, owns, pollNow, logger, signal: until, pause });
  onChange(() => rounds.changed());
  await Promise.all([rounds.run(), requested.run()]);
}

const createFetcher = ({ allowAddress, contact, secrets }: PollerOptions): FetchPage =>
  createFetchPage({
    allowAddress: createAddressRule(allowAddress ?? (() => false)),
    userAgent: userAgent(contact),
    gate: createHostGate(),
    ...(secrets ? { secrets } : {}),
  });

/** Polls until the signal aborts, and then ends within a second. It rejects for nothing that a source does. */
export async function runPoller(options: PollerOptions): Promise<void> {
  const { store, clock, logger, signal } = options;
  const fetchPage = respectRobots(options.fetchPage ?? createFetcher(options), PRODUCT, clock, options.reader);
  const changes = adoptAddressChanges(store);
  let onRosterChange = (): void => undefined;
  try {
    const following = { signal, logger, onChange: () => onRosterChange() };
    const reading = { what: 'reading the roster', logger, signal };
    const live = await retryUntilSuccess(() => followSources(store, following), reading);
    const hostOfId = (id: SourceId): string => {
      const entry = live.roster().get(id);
      return entry ? hostOf(entry.source) : id;
    };
    const polling: Polling = { options, live, fetchPage, changes };
    await workOnShare(options.group, { hostOf: hostOfId, logger, signal }, (share, until, onChange) =>
      pollShare(polling, share, until, (changed) => {
        onRosterChange = changed;
        onChange(changed);
      }),
    );
    await live.done;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Milliseconds until a source is tried again that another poller is still polling. */
const CLAIM_RETRY_MILLISECONDS = 1_000;

/**
 * Polls while no other poller does.
 * @param released called when another poller may poll the source
 * @returns when the source is due again
 */
async function pollClaimed(
  share: Share,
  id: SourceId,
  poll: () => Promise<number>,
  { clock, released }: { readonly clock: () => Date; readonly released: () => void },
): Promise<number> {
  const giveBack = await share.claim(id);
  if (!giveBack) return clock().getTime() + CLAIM_RETRY_MILLISECONDS;
  try {
    return await poll();
  } finally {
    // A claim that cannot be released has ended with its connection.
    await giveBack().catch(() => undefined);
    released();
  }
}
