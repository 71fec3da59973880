/** One LISTEN connection that wakes waiting callers; it reconnects after a restart of PostgreSQL. */
import { Socket } from 'node:net';
import pg from 'pg';
import { keepRunning, pause, RETRY } from '../backoff.ts';
import { type Database, endClient, sessionOptions } from './database.ts';

export interface Listener {
  /** The number of notifications of a subject. Read it before a query, and pass it to `wait` when there was nothing. */
  seen(subject: string): number;
  /** Wakes the callers that wait for the subject, as a notification does. */
  wake(subject: string): void;
  /** Resolves when there are more notifications than `since`, after so many milliseconds, or when the signal aborts. */
  wait(subject: string, since: number, milliseconds: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Notifications by subject, within this process. */
class News {
  readonly #counts = new Map<string, number>();
  readonly #waiting = new Map<string, Set<() => void>>();

  count(subject: string): number {
    return this.#counts.get(subject) ?? 0;
  }

  add(subject: string): void {
    this.#counts.set(subject, this.count(subject) + 1);
    for (const resume of [...(this.#waiting.get(subject) ?? [])]) resume();
  }

  /** Wakes all: notifications may have been lost while the connection was down. */
  addToAll(): void {
    for (const subject of this.#waiting.keys()) this.add(subject);
  }

  async next(subject: string, milliseconds: number, signal: AbortSignal): Promise<void> {
    const waiting = this.#waiting.get(subject) ?? new Set();
    this.#waiting.set(subject, waiting);
    const woken = new AbortController();
    const resume = (): void => woken.abort();
    waiting.add(resume);
    await pause(milliseconds, AbortSignal.any([woken.signal, signal]));
    waiting.delete(resume);
  }
}

/** The one listening connection of a process, for all channels. */
class Connection {
  readonly #database: Database;
  readonly #channels = new Map<string, News>();
  readonly #closing = new AbortController();
  #client: pg.Client | null = null;
  #running: Promise<void> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Listens on a channel too; connects when it is the first. */
  add(channel: string, news: News): void {
    this.#channels.set(channel, news);
    if (this.#running)
      void this.#client
        ?.query(`LISTEN ${channel}`)
        .then(() => news.addToAll())
        // The connection broke: its end is noticed, and the next one listens on all channels.
        .catch(() => undefined);
    else this.#running = this.#run();
  }

  /** Ends with the last channel. */
  async remove(channel: string, news: News): Promise<void> {
    if (this.#channels.get(channel) === news) this.#channels.delete(channel);
    if (this.#channels.size > 0) return;
    this.#closing.abort();
    await this.#running;
  }

  get closed(): boolean {
    return this.#closing.signal.aborted;
  }

  has(channel: string): boolean {
    return this.#channels.has(channel);
  }

  async #run(): Promise<void> {
    // Reconnects. Waits end by their timeout, and the queries of the callers report an unavailable database.
    const failed = (): void => undefined;
    await keepRunning((listening) => this.#listenOnce(listening), {
      ...RETRY.call,
      signal: this.#closing.signal,
      failed,
    });
  }

  /** Listens until the connection ends or the last channel is removed. */
  async #listenOnce(listening: () => void): Promise<void> {
    const socket = new Socket();
    const client = new pg.Client({ ...sessionOptions(this.#database), stream: () => socket });
    const ended = new Promise<void>((resolve) => {
      client.on('error', () => resolve());
      client.on('end', () => resolve());
      this.#closing.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    client.on('notification', ({ channel, payload }) => this.#channels.get(channel)?.add(payload ?? ''));
    try {
      await client.connect();
      this.#client = client;
      for (const channel of [...this.#channels.keys()]) await client.query(`LISTEN ${channel}`);
      listening();
      for (const news of this.#channels.values()) news.addToAll();
      await ended;
    } finally {
      this.#client = null;
      await endClient(client);
      socket.destroy();
    }
  }
}

const connections = new WeakMap<Database, Connection[]>();

/** The first connection that does not listen on the channel yet, or a new one. */
function connectionFor(database: Database, channel: string): Connection {
  const open = (connections.get(database) ?? []).filter(({ closed }) => !closed);
  const free = open.find((one) => !one.has(channel));
  const connection = free ?? new Connection(database);
  connections.set(database, free ? open : [...open, connection]);
  return connection;
}

/**
 * Listens on a channel from the first `wait` on; the payload of a notification is its subject. Notifications are lost while
 * the connection is down, so every wait ends after its timeout at the latest and the caller queries again.
 * Channels of one pool share a connection.
 */
export function listen(database: Database, channel: string): Listener {
  const news = new News();
  let connection: Connection | undefined;
  let closed = false;

  return {
    seen: (subject) => news.count(subject),
    wake: (subject) => news.add(subject),
    async wait(subject, since, milliseconds, signal) {
      if (!connection && !closed) {
        connection = connectionFor(database, channel);
        connection.add(channel, news);
      }
      if (news.count(subject) === since) await news.next(subject, milliseconds, signal);
    },
    async close() {
      closed = true;
      await connection?.remove(channel, news);
    },
  };
}
