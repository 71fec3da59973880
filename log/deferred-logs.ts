/**
 * Logs that connect in the background: a process that only reads starts without them, continues while they are
 * unreachable, and uses them as soon as they respond.
 */
import { RETRY, retry, within } from './backoff.ts';
import { type EventStore, LogUnavailable } from './event-store.ts';
import type { Topics } from './topic.ts';

/** Milliseconds that a call waits for the connection. */
const CONNECTION_TIMEOUT = 2_000;
/** Milliseconds that a call may take: a frozen server does not respond. An append that arrives late is still stored once. */
const CALL_TIMEOUT = 5_000;

interface Deferred<Log> {
  /** @throws LogUnavailable when there is no connection within 2 s */
  get(): Promise<Log>;
  /** Waits for the log; null when the signal aborts before it is open. */
  opened(signal: AbortSignal): Promise<Log | null>;
  /** Runs one operation on the log. @throws LogUnavailable as `get`, and when it takes longer than 5 s */
  use<Result>(work: (log: Log) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

interface Options<Log> {
  /** Connects; called again with growing pauses until it succeeds. */
  readonly open: () => Promise<Log>;
  /** The name of the log in messages, such as `the event store`. */
  readonly name: string;
  /** Called with the error of each attempt. */
  readonly report: (error: unknown) => void;
}

function deferred<Log extends { close(): Promise<void> }>({ open, name, report }: Options<Log>): Deferred<Log> {
  const closing = new AbortController();
  let log: Log | undefined;
  let reason = `${name} does not answer`;
  const connect = async (): Promise<void> => {
    log = await open();
  };
  const connected = retry(connect, {
    ...RETRY.message,
    signal: closing.signal,
    failed(error) {
      // Messages of the adapters contain no password.
      if (error instanceof Error) reason = error.message;
      report(error);
    },
    // Only closing ends the attempts.
  }).catch(() => undefined);
  const get = async (): Promise<Log> => {
    if (log) return log;
    await within(connected, CONNECTION_TIMEOUT, () => new LogUnavailable(reason));
    if (!log) throw new LogUnavailable(reason);
    return log;
  };
  return {
    get,
    // Each failed attempt to connect was reported.
    opened: (signal) => retry(get, { ...RETRY.message, signal, failed: () => undefined }).catch(() => null),
    async use(work) {
      return within(work(await get()), CALL_TIMEOUT, () => new LogUnavailable(`${name} does not answer`));
    },
    async close() {
      closing.abort();
      // A connection in progress is closed when it is made; closing does not wait for it, and its failure was reported.
      void connected.then(() => log?.close()).catch(() => undefined);
      if (log) await log.close();
    },
  };
}

/** An event store that connects in the background. */
export function deferredStore(options: Options<EventStore>): EventStore {
  const store = deferred(options);
  return {
    append: (...of) => store.use((open) => open.append(...of)),
    read: (...of) => store.use((open) => open.read(...of)),
    readAll: (of) => store.use((open) => open.readAll(of)),
    head: () => store.use((open) => open.head()),
    has: (position, id) => store.use((open) => open.has(position, id)),
    async *subscribe(of) {
      const open = await store.opened(of.signal);
      if (open) yield* open.subscribe(of);
    },
    close: () => store.close(),
  };
}

/** Topics that connect in the background. */
export function deferredTopics(options: Options<Topics>): Topics {
  const topics = deferred(options);
  return {
    topic: (name) => ({
      name,
      publish: (messages) => topics.use((open) => open.topic(name).publish(messages)),
      lag: (group) => topics.use((open) => open.topic(name).lag(group)),
      ranges: () => topics.use((open) => open.topic(name).ranges()),
      deleteGroup: (group) => topics.use((open) => open.topic(name).deleteGroup(group)),
      progress: (group) => topics.use((open) => open.topic(name).progress(group)),
      // Without the timeout of a call: it may have to read the whole topic.
      find: async (ids, signal) => (await topics.get()).topic(name).find(ids, signal),
      async consume(of) {
        const open = await topics.opened(of.signal);
        await open?.topic(name).consume(of);
      },
    }),
    groups: (prefix) => topics.use((open) => open.groups(prefix)),
    close: () => topics.close(),
  };
}
