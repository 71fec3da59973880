/**
 * Detects a server that accepts statements and does not answer: a frozen machine, a network that drops packets. The driver
 * would wait forever, because the connection itself is intact.
 */
import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import pg from 'pg';
import { pause } from '../backoff.ts';

/** The server has not answered for too long. Transient: the same statement may succeed in some seconds. */
export class DatabaseUnresponsive extends Error {
  override name = 'DatabaseUnresponsive';
  /** The code of a network timeout, so that it counts as one. */
  readonly code = 'ETIMEDOUT';
  constructor() {
    super('PostgreSQL accepted the connection and does not answer');
  }
}

/** The part of a pool that is watched. */
interface Watched {
  readonly ended: boolean;
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** Milliseconds between two checks of the pool. */
const LOOK = 500;
/** Checks without a byte from the server, while statements are in progress, before the server is probed. */
const SILENT_LOOKS = 2;
/** Milliseconds between two probes of a server that does not answer. */
const AGAIN = 1_000;

/**
 * The sockets of one pool. While the server is unresponsive, all of them are destroyed and new ones fail at once: every
 * statement that waits, and every new one, is rejected with `DatabaseUnresponsive`, however many follow one another.
 */
export class Responsiveness {
  readonly #options: pg.ClientConfig;
  readonly #timeout: number;
  readonly #sockets = new Set<Socket>();
  #unresponsive = false;
  #received = 0;
  #silent = 0;
  #asking = false;

  /**
   * @param options how the server is reached
   * @param timeout milliseconds that the server may take to answer a `SELECT 1` on a new connection
   */
  constructor(options: pg.ClientConfig, timeout: number) {
    this.#options = options;
    this.#timeout = timeout;
  }

  /** A socket for a new connection: the option `stream` of the pool. */
  readonly socket = (): Socket => {
    const socket = new Socket();
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // Not at once: the driver has yet to listen for errors.
    if (this.#unresponsive) setImmediate(() => socket.destroy(new DatabaseUnresponsive()));
    return socket;
  };

  /** Watches until the pool has ended. It never keeps the process alive. */
  watch(pool: Watched): void {
    const timer = setInterval(() => {
      if (pool.ended) clearInterval(timer);
      else void this.#look(pool);
    }, LOOK);
    timer.unref();
  }

  async #look(pool: Watched): Promise<void> {
    if (this.#asking) return;
    const busy = pool.totalCount > pool.idleCount || pool.waitingCount > 0;
    const received = [...this.#sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    this.#silent = busy && received === this.#received ? this.#silent + 1 : 0;
    this.#received = received;
    if (this.#silent < SILENT_LOOKS) return;
    this.#asking = true;
    while (!pool.ended && !(await this.#answers())) {
      this.#unresponsive = true;
      for (const socket of this.#sockets) socket.destroy(new DatabaseUnresponsive());
      await pause(AGAIN);
    }
    this.#unresponsive = false;
    this.#silent = 0;
    this.#asking = false;
  }

  /** Probes the server on a separate connection. A refusal is an answer too: only silence counts. */
  async #answers(): Promise<boolean> {
    const socket = new Socket();
    // The time limit is applied here: the driver's own limit would be an error like a refusal.
    const client = new pg.Client({ ...this.#options, connectionTimeoutMillis: 0, stream: () => socket });
    client.on('error', () => undefined);
    const answered = (async () => {
      await client.connect();
      await client.query('SELECT 1');
    })().then(
      () => true,
      (error: unknown) => /^([0-9A-Z]{5}|ECONNREFUSED|ECONNRESET)$/.test(String((error as { code?: unknown }).code)),
    );
    const over = new AbortController();
    // If this process was busy, the answer may have arrived unread: sockets get their turn first.
    const late = pause(this.#timeout, over.signal).then(async () => {
      for (let turns = 0; turns < 3; turns++) await turn();
      return false;
    });
    try {
      return await Promise.race([answered, late]);
    } finally {
      over.abort();
      socket.destroy();
    }
  }
}
