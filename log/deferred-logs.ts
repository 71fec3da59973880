/**
 * Logs that connect in the background: a process that only reads starts without them, continues while they are
 * unreachable, and uses them as soon as they respond.
 */
import { backoff, pause } from './backoff.ts';
import { LogUnavailable } from './errors.ts';
import type { EventStore } from './event-store.ts';
import type { Topics } from './topic.ts';

/** Milliseconds that a call waits for the connection. */
const CONNECTION_TIMEOUT = 2_000;
/** Milliseconds that a call may take: a frozen server does not respond. An append that arrives late is still stored once. */
const CALL_TIMEOUT = 5_000;
const BOUNDS = { base: 200, maximum: 10_000 };

interface Deferred<Log> {
  /** @throws LogUnavailable when there is no connection within 2 s */
  get(): Promise<Log>;
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
  const connected = (async () => {
    for (let failures = 0; !closing.signal.aborted; failures++) {
      try {
        log = await open();
        return;
      } catch (error) {
        // Messages of the adapters contain no password.
        if (error instanceof Error) reason = error.message;
        report(error);
        await pause(backoff(failures, BOUNDS, Math.random), closing.signal);
      }
    }
  })();
  const get = async (): Promise<Log> => {
    if (log) return log;
    const over = new AbortController();
    await Promise.race([connected, pause(CONNECTION_TIMEOUT, AbortSignal.any([over.signal, closing.signal]))]);
    over.abort();
    if (!log) throw new LogUnavailable(reason);
    return log;
  };
  return {
    get,
    async use(work) {
      const open = await get();
      const over = new AbortController();
      const late = pause(CALL_TIMEOUT, over.signal).then(() =>
        Promise.reject(new LogUnavailable(`${name} does not answer`)),
      );
      try {
        return await Promise.race([work(open), late]);
      } finally {
        // The race above has reported it if it counted.
        late.catch(() => undefined);
        over.abort();
      }
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
    async *subscribe(of) {
      for (let failures = 0; !of.signal.aborted; failures++) {
        // Each failed attempt to connect was reported.
        const open = await store.get().catch(() => null);
        if (open) return yield* open.subscribe(of);
        await pause(backoff(failures, BOUNDS, Math.random), of.signal);
      }
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
        for (let failures = 0; !of.signal.aborted; failures++) {
          // Each failed attempt to connect was reported.
          const open = await topics.get().catch(() => null);
          if (open) return open.topic(name).consume(of);
          await pause(backoff(failures, BOUNDS, Math.random), of.signal);
        }
      },
    }),
    groups: (prefix) => topics.use((open) => open.groups(prefix)),
    close: () => topics.close(),
  };
}
