/**
 * Polls that are requested, by an operator or by a hub that announces a change of a feed; and the subscriptions to
 * WebSub hubs.
 */
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { logError } from '../../log/errors.ts';
import type { Queryable } from '../../log/postgres/database.ts';
import {
  dueSubscriptions,
  noteFailure,
  noteRequest,
  type PollRequest,
  type PollRequests,
  putSubscription,
  removeSubscription,
  type Subscription,
  setMissed,
  subscribedSources,
  subscriptionOf,
} from '../../log/postgres/poll-requests.ts';
import { type PollTrigger, WEBSUB_PATH } from '../../schemas/poll.ts';
import type { Source, SourceId } from '../../schemas/source.ts';
import type { FetchPage } from './fetch/fetch-page.ts';
import { PollError } from './poll-error.ts';
import type { PollResult } from './poll-source.ts';
import type { PollState } from './poll-state.ts';

/** Milliseconds between two looks at the requests. */
const LOOK_INTERVAL = 1_000;
/** Milliseconds between two polls of a source because of a hub, however often it announces changes. */
export const MIN_HUB_INTERVAL = 60_000;

export interface RequestedPolls {
  /** Called when a poll begins. @returns why it is made: a request is the reason of one poll only */
  begin(sourceId: SourceId): PollTrigger;
  forget(sourceId: SourceId): void;
  /** Looks at the requests every second until the signal aborts. */
  run(): Promise<void>;
}

export interface RequestedPollsOptions {
  readonly requests: PollRequests | undefined;
  readonly owns: (sourceId: SourceId) => boolean;
  /** Polls a source now. */
  readonly pollNow: (sourceId: SourceId) => void;
  /** Undefined where this process has not polled it yet. */
  readonly stateOf: (sourceId: SourceId) => PollState | null | undefined;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** Creates it. Requests of operators are served at once, those of hubs only while the outlet asks for no pause. */
export function createRequestedPolls(options: RequestedPollsOptions): RequestedPolls {
  const { requests, owns, pollNow, stateOf, clock, logger, signal, pause } = options;
  /** The triggers of the next polls of sources for which there are requests. */
  const triggers = new Map<SourceId, PollTrigger>();
  /** When each source was polled last, for those that were requested. */
  const lastBegan = new Map<SourceId, number>();
  /** Requests that were passed on already, so that a long poll is not started twice. */
  const passedOn = new Map<SourceId, number>();

  function mayPoll({ source_id, trigger }: PollRequest): boolean {
    if (trigger === 'operator') return true;
    const now = clock().getTime();
    const since = now - (lastBegan.get(source_id) ?? Number.NEGATIVE_INFINITY);
    if (since >= 0 && since < MIN_HUB_INTERVAL) return false;
    const state = stateOf(source_id);
    const isFailing = (state?.consecutive_failures ?? 0) > 0;
    return !(isFailing && Date.parse(state?.next_poll_at ?? '') > now);
  }

  async function look(): Promise<void> {
    const waitingPolls = (await requests?.waiting()) ?? [];
    const waiting = new Map(waitingPolls.filter(({ source_id }) => owns(source_id)).map((one) => [one.source_id, one]));
    for (const id of passedOn.keys()) if (!waiting.has(id)) passedOn.delete(id);
    for (const request of waiting.values()) {
      const requested = request.requested_at.getTime();
      if (passedOn.get(request.source_id) === requested || !mayPoll(request)) continue;
      passedOn.set(request.source_id, requested);
      triggers.set(request.source_id, request.trigger);
      pollNow(request.source_id);
    }
  }

  return {
    begin(id) {
      const trigger = triggers.get(id) ?? 'schedule';
      if (triggers.delete(id)) lastBegan.set(id, clock().getTime());
      return trigger;
    },
    forget(id) {
      triggers.delete(id);
      lastBegan.delete(id);
      passedOn.delete(id);
    },
    async run() {
      if (!requests) return;
      while (!signal.aborted) {
        await look().catch((error: unknown) => logError(logger, error, {}, 'reading poll requests failed'));
        await pause(LOOK_INTERVAL, signal);
      }
    },
  };
}

/** The lease that is requested; the hub decides. */
const LEASE_SECONDS = 864_000;
const SUBSCRIPTION_INTERVAL = 15_000;
const FIRST_RETRY_WAIT = 600_000;
const MAX_RETRY_WAIT = 86_400_000;
/** Milliseconds after a delivery in which a poll may be the one that it requested. */
const ANNOUNCED_WITHIN = 600_000;
/** Consecutive polls with new items that were not announced after which the hub no longer slows polling down. */
const MAX_MISSES = 1;
/** While a hub works, its source is polled a quarter as often, yet at least once an hour where it was before. */
const SLOWDOWN_FACTOR = 4;
const MAX_SLOWED_WAIT = 3_600_000;

export interface WebSub {
  /** Follows up a poll that is published: subscribes, and counts what the hub missed. */
  polled(source: Source, result: PollResult): Promise<void>;
  /** The result of a poll with the next one later while the source's hub works. */
  slowed(source: Source, result: PollResult): Promise<PollResult>;
  /** Renews and retries subscriptions until the signal aborts. */
  run(signal: AbortSignal, pause: (milliseconds: number, signal: AbortSignal) => Promise<void>): Promise<void>;
}

export interface WebSubOptions {
  readonly database: Queryable;
  /** The address under which hubs reach this service, without a slash at its end. */
  readonly baseUrl: string;
  /** The guarded fetcher, without robots.txt: a hub that a feed names expects requests. */
  readonly fetchPage: FetchPage;
  /** Sources that are polled, by any poller. */
  readonly active: () => readonly Source[];
  readonly owns: (sourceId: SourceId) => boolean;
  readonly clock: () => Date;
  readonly logger: Logger;
}

/** Milliseconds until a subscription is requested again. @param failures consecutive requests that failed */
export const retryAfter = (failures: number): number =>
  Math.min(MAX_RETRY_WAIT, FIRST_RETRY_WAIT * 2 ** Math.min(failures, 20));

/** True while polling may be slower: the lease runs, deliveries came, and none was missed lately. */
export const isWorking = (subscription: Subscription | null, now: Date): boolean =>
  subscription?.state === 'active' &&
  (subscription.lease_expires_at?.getTime() ?? 0) > now.getTime() &&
  subscription.last_delivery_at !== null &&
  subscription.missed <= MAX_MISSES;

/** Milliseconds until the next poll of a source whose hub works. @param wait without the hub */
export const fallbackWait = (wait: number): number => Math.max(wait, Math.min(wait * SLOWDOWN_FACTOR, MAX_SLOWED_WAIT));

/** Asks a hub for a subscription; a refusal is noted. */
async function request(options: WebSubOptions, subscription: Subscription, signal: AbortSignal): Promise<void> {
  const { database, baseUrl, fetchPage, clock, logger } = options;
  const { source_id, token, hub, topic, secret, failures } = subscription;
  const now = clock();
  await noteRequest(database, token, now, new Date(now.getTime() + retryAfter(failures)));
  const form = {
    'hub.mode': 'subscribe',
    'hub.callback': `${baseUrl}${WEBSUB_PATH}/${token}`,
    'hub.topic': topic,
    'hub.secret': secret,
    'hub.lease_seconds': String(LEASE_SECONDS),
  };
  try {
    const { status } = await fetchPage({ url: hub, form, signal });
    if (status >= 200 && status < 300)
      return void logger.debug({ source: source_id, hub }, 'requested a WebSub subscription');
    await noteRefusal(options, subscription, `HTTP ${status}`);
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof PollError)) throw error;
    await noteRefusal(options, subscription, `${error.code}: ${error.message}`);
  }
}

async function noteRefusal(
  { database, logger }: WebSubOptions,
  { source_id, token, hub }: Subscription,
  reason: string,
): Promise<void> {
  logger.info({ source: source_id, hub, reason }, 'a hub refused a subscription; the source is polled');
  await noteFailure(database, token, reason);
}

/** Subscribes to what the feed names now; a subscription to something else ends. */
async function follow(
  { database, clock }: WebSubOptions,
  source: Source,
  { hubs, self }: NonNullable<PollResult['head']>,
): Promise<void> {
  const subscription = await subscriptionOf(database, source.id);
  const [hub] = hubs;
  if (hub === undefined) {
    if (subscription) await removeSubscription(database, source.id);
    return;
  }
  const topic = self ?? source.url;
  if (subscription?.topic === topic && hubs.includes(subscription.hub)) return;
  const [token, secret] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('hex')];
  await putSubscription(database, { source_id: source.id, token, hub, topic, secret }, clock());
}

/** A scheduled poll with new items that no delivery announced is a miss of the hub; one that the hub requested clears it. */
async function countMisses(database: Queryable, source: Source, { poll }: PollResult): Promise<void> {
  const { trigger, items_new, started_at } = poll.data;
  if (items_new === 0) return;
  const subscription = await subscriptionOf(database, source.id);
  if (subscription?.state !== 'active') return;
  const quiet = Date.parse(started_at) - (subscription.last_delivery_at?.getTime() ?? Number.NEGATIVE_INFINITY);
  const missed = trigger === 'schedule' && quiet > ANNOUNCED_WITHIN ? subscription.missed + 1 : 0;
  if (missed !== subscription.missed) await setMissed(database, source.id, missed);
}

/** The subscriber of a poller. */
export function createWebSub(options: WebSubOptions): WebSub {
  const { database, active, owns, clock, logger } = options;
  return {
    async polled(source, result) {
      await countMisses(database, source, result);
      // A 304 and a failure say nothing about hubs.
      if (result.head) await follow(options, source, result.head);
    },
    async slowed(source, result) {
      // What the roster fixes stays fixed, and what failed waits by its own rule.
      if (source.cadence_seconds !== undefined || result.poll.data.error) return result;
      // The article of a held item is fetched at polls: no hub announces it.
      if (result.state.waiting?.some(({ held }) => held)) return result;
      const now = clock();
      if (!isWorking(await subscriptionOf(database, source.id), now)) return result;
      const wait = Date.parse(result.poll.data.next_poll_at) - now.getTime();
      const next_poll_at = new Date(now.getTime() + fallbackWait(wait)).toISOString();
      const poll = { ...result.poll, data: { ...result.poll.data, next_poll_at } };
      return { ...result, poll, state: { ...result.state, next_poll_at } };
    },
    async run(signal, pause) {
      while (!signal.aborted) {
        try {
          const polledNow = new Set(active().map(({ id }) => id));
          for (const id of await subscribedSources(database))
            if (owns(id) && !polledNow.has(id)) await removeSubscription(database, id);
          for (const subscription of await dueSubscriptions(database, clock())) {
            if (signal.aborted) return;
            if (owns(subscription.source_id)) await request(options, subscription, signal);
          }
        } catch (error) {
          if (!signal.aborted) logError(logger, error, {}, 'renewing WebSub subscriptions failed');
        }
        await pause(SUBSCRIPTION_INTERVAL, signal);
      }
    },
  };
}
