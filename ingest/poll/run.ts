/** The poller: every source of the roster at its cadence, for ever. */
import type { Logger } from 'pino';
import { pause as realPause } from '../../log/backoff.ts';
import type { EventStore } from '../../log/event-store.ts';
import type { Topic } from '../../log/topic.ts';
import type { Source } from '../../schemas/source.ts';
import { followSources } from '../roster/follow-sources.ts';
import { type AllowAddress, addressRule } from './addresses.ts';
import { askingRobots } from './ask-robots.ts';
import { createFetchPage, type FetchPage } from './fetch-page.ts';
import { hostGate } from './host-gate.ts';
import { persistently } from './persistently.ts';
import { createPollMemory } from './poll-memory.ts';
import { pollSource } from './poll-source.ts';
import type { PollState } from './poll-state.ts';
import { publishPoll } from './publish-poll.ts';
import { createRounds } from './rounds.ts';
import { adoptChanges } from './source-changes.ts';

export interface PollerOptions {
  readonly store: Pick<EventStore, 'readAll' | 'subscribe' | 'append'>;
  readonly items: Pick<Topic, 'publish'>;
  readonly polls: Pick<Topic, 'publish'>;
  /** What is known of a source from polls before this process; null for one that was never polled. */
  readonly resume: (sourceId: string) => Promise<PollState | null>;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Lets single addresses of private networks through; public ones are always allowed, metadata ones never. */
  readonly allowAddress?: AllowAddress;
  /** Where an outlet reaches the operator, a web or mail address: it lets outlets write instead of block. */
  readonly contact?: string;
  /** Replaces the guarded fetcher. */
  readonly fetchPage?: FetchPage;
  readonly random?: () => number;
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Most polls at once. */
  readonly concurrency?: number;
}

/** Our name in robots.txt. */
export const PRODUCT = 'clarity';

/** What we call ourselves to outlets. */
export const userAgent = (contact: string | undefined): string =>
  `Clarity/0.1 (retail news reader${contact ? `; +${contact.replace(/[^\x21-\x7e]/g, '')}` : ''})`;

/** Polls until the signal aborts, and then ends within a second. It rejects for nothing that a source does. */
export async function runPoller(options: PollerOptions): Promise<void> {
  const { store, clock, logger, signal } = options;
  const random = options.random ?? Math.random;
  const fetchPage = askingRobots(
    options.fetchPage ??
      createFetchPage({
        allowAddress: addressRule(options.allowAddress ?? (() => false)),
        userAgent: userAgent(options.contact),
        gate: hostGate(),
      }),
    PRODUCT,
    clock,
  );
  const memory = createPollMemory();
  const changes = adoptChanges(store, clock);

  /** Polls one source. @returns when it is due again, in milliseconds since 1970 */
  async function poll(source: Source): Promise<number> {
    let state = memory.get(source.id);
    if (state === undefined) {
      state = await persistently(() => options.resume(source.id), {
        what: 'reading where a source stands',
        logger,
        signal,
      });
      memory.set(source.id, state);
      const due = Date.parse(state?.next_poll_at ?? '');
      if (due > clock().getTime()) return due;
    }
    const result = await pollSource(source, state, { fetchPage, clock, random, signal });
    await publishPoll(options, result);
    memory.set(source.id, result.state);
    const { error, items_new, outcome, next_poll_at } = result.poll.data;
    logger[error ? 'warn' : 'debug']({ source: source.id, outcome, items_new, error }, 'polled');
    // The poll is told already; what it means for the roster will come up again with the next one.
    await changes(source, result).catch((error: unknown) =>
      logger.warn({ source: source.id, error: String(error) }, 'a change of the roster could not be stored'),
    );
    return Date.parse(next_poll_at);
  }

  try {
    let changed = (): void => undefined;
    const live = await persistently(() => followSources(store, signal, () => changed()), {
      what: 'reading the roster',
      logger,
      signal,
    });
    const rounds = createRounds({
      sources: live.active,
      poll,
      onRemoved: (id) => memory.delete(id),
      onMoved: (id) => {
        const state = memory.get(id);
        if (state) memory.set(id, { ...state, etag: null, last_modified: null });
      },
      clock,
      logger,
      signal,
      pause: options.pause ?? realPause,
      concurrency: options.concurrency ?? 16,
    });
    changed = rounds.changed;
    await rounds.run();
    await live.done;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
