/**
 * The command handler: the only way in which a command changes a stream. It loads the events, decides, appends with the
 * expected revision, and decides again when another writer was faster. Commands of one process on one stream run one after
 * the other, so that conflicts come from other processes only.
 */
import { randomUUID } from 'node:crypto';
import { type Event, type EventType, type KnownEvent, newEvent } from '../schemas/events.ts';
import { eventId } from '../schemas/scalar.ts';
import { backoff, pause, within } from './backoff.ts';
import { type EventStore, type Position, RevisionConflict, type StoredEvent } from './event-store.ts';

/** Milliseconds that a command may take, including the wait for earlier commands. */
export const COMMAND_BUDGET = 10_000;
/** Milliseconds between attempts. Small, because the other writer needs one append only. */
const RETRY = { base: 10, maximum: 250 } as const;

type Store = Pick<EventStore, 'append' | 'read'>;

export interface RetryOptions {
  /** Milliseconds for all attempts together; COMMAND_BUDGET by default. */
  readonly budget?: number;
  /** A number from 0 up to 1, for jitter; `Math.random` by default. */
  readonly random?: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed?: () => number;
}

/** A command ran out of time, because others kept writing to the same stream. Nothing was written. */
export class StreamContention extends Error {
  override name = 'StreamContention';
  constructor(what: string, cause?: unknown) {
    super(`too many commands on ${what} at once`, { cause });
  }
}

/**
 * Runs work that reads and appends, and retries it after each conflict with another writer, with growing pauses.
 * @param what the name of the work in the error, such as a stream
 * @throws StreamContention when the budget is spent, or what the work throws
 */
export async function retryConflicts<Result>(
  what: string,
  work: () => Promise<Result>,
  { budget = COMMAND_BUDGET, random = Math.random, elapsed = () => performance.now() }: RetryOptions = {},
): Promise<Result> {
  const deadline = elapsed() + budget;
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      const wait = backoff(attempt, RETRY, random);
      if (elapsed() + wait >= deadline) throw new StreamContention(what, error);
      await pause(wait);
    }
  }
}

/** By store and stream: resolves when the last command that waits for its turn is done. */
const queues = new WeakMap<object, Map<string, Promise<void>>>();

/**
 * Runs work after the earlier work on the same stream, in the order of the calls.
 * @throws StreamContention when it cannot start within the budget; nothing is done then
 */
async function inTurn<Result>(
  store: object,
  stream: string,
  budget: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const tails = queues.get(store) ?? new Map<string, Promise<void>>();
  queues.set(store, tails);
  const before = tails.get(stream);
  const done = Promise.withResolvers<void>();
  // When one call gives up waiting, the calls after it still have to wait for the running one.
  const tail = before ? before.then(() => done.promise) : done.promise;
  tails.set(stream, tail);
  try {
    if (before) await within(before, budget, () => new StreamContention(stream));
    return await work();
  } finally {
    done.resolve();
    void tail.then(() => {
      if (tails.get(stream) === tail) tails.delete(stream);
    });
  }
}

export interface Appended<Decision> {
  readonly decision: Decision;
  /** Position of the last appended event; null when the decision led to no event. */
  readonly position: Position | null;
}

/**
 * Changes one stream by complete events of the decision, such as events with the id of their cause.
 * @param decide pure: called once for each attempt, with the current events of the stream
 * @throws StreamContention when others keep writing to the stream, or what `decide` or the store throws
 */
export function changeStream<Decision extends { readonly events: readonly Event[] }>(
  store: Store,
  stream: string,
  decide: (stored: readonly StoredEvent[]) => Decision,
  options: RetryOptions = {},
): Promise<Appended<Decision>> {
  const { budget = COMMAND_BUDGET, elapsed = () => performance.now() } = options;
  const arrived = elapsed();
  return inTurn(store, stream, budget, () =>
    retryConflicts(
      stream,
      async () => {
        const stored = await store.read(stream);
        const decision = decide(stored);
        if (decision.events.length === 0) return { decision, position: null };
        const { position } = await store.append(stream, decision.events, stored.at(-1)?.revision ?? 'none');
        return { decision, position };
      },
      { ...options, elapsed, budget: budget - (elapsed() - arrived) },
    ),
  );
}

/** What happened according to a decision: an event without id, time and position. */
export type Fact<Type extends EventType = EventType> = { [T in Type]: Pick<KnownEvent<T>, 'type' | 'data'> }[Type];

export interface Command<State, Decision> {
  readonly stream: string;
  /** Folds the events of the stream into its state. */
  readonly fold: (stored: readonly StoredEvent[]) => State;
  /** Pure: called once for each attempt. */
  readonly decide: (state: State) => Decision;
  readonly now: Date;
  /**
   * Distinguishes two commands that decide the same fact at the same revision in two processes: without it the second
   * append would count as a repetition of the first. Random by default; set it for a command that is itself repeated
   * after a crash.
   */
  readonly commandId?: string;
}

export interface Handled<State, Decision> extends Appended<Decision> {
  /** Before the command. */
  readonly state: State;
  readonly events: readonly KnownEvent[];
}

/**
 * Handles a command on a stream. The id of an event is computed from the command, the stream, its revision, its type and
 * its content: a repeated append stores nothing twice, two commands never count as one, and no value that a client chooses
 * affects the id.
 * @throws StreamContention when others keep writing to the stream, or what `decide` or the store throws
 */
export async function handleCommand<State, Decision extends { readonly facts: readonly Fact[] }>(
  store: Store,
  { stream, fold, decide, now, commandId = randomUUID() }: Command<State, Decision>,
  options: RetryOptions = {},
): Promise<Handled<State, Decision>> {
  const { decision, position } = await changeStream(
    store,
    stream,
    (stored) => {
      const state = fold(stored);
      const decided = decide(state);
      const next = (stored.at(-1)?.revision ?? -1) + 1;
      const events = decided.facts.map(({ type, data }, index) => {
        const parts = [commandId, stream, next + index, type, JSON.stringify(data)];
        return newEvent<EventType>(type, data, { id: eventId(...parts), time: now.toISOString() });
      });
      return { state, decided, events };
    },
    options,
  );
  return { state: decision.state, decision: decision.decided, events: decision.events, position };
}
