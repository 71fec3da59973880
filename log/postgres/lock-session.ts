/**
 * The one session of a process that holds all its advisory locks: of models, partitions, groups. When it is lost, all locks
 * are lost, and all holders are notified immediately.
 *
 * Both sides have timeouts of their own, so that a frozen client or a broken network releases the locks too.
 * The client counts the session as lost after BEAT + ANSWER_TIMEOUT without an answer (8 s); the server ends a session
 * that is idle for 20 s. Work is stopped in between; the compare-and-set of checkpoints and offsets rejects late
 * writes.
 */
import { Socket } from 'node:net';
import pg from 'pg';
import { z } from 'zod';
import { type Database, endClient, type Queryable, query, sessionOptions } from './database.ts';

/** A lock by its number, or by a name that the server hashes. */
export type LockKey = { readonly number: string } | { readonly name: string };

/** The held locks are lost; holders have to take them again. */
export class LockSessionLost extends Error {
  override name = 'LockSessionLost';
}

/** A holder of locks of the session. Two holders of one process never hold the same lock. */
export interface LockHolder {
  /** Aborts when the session is lost, and every lock with it: another process may have them within seconds. */
  readonly lost: AbortSignal;
  /** Takes a free lock. @throws when the session is lost */
  tryLock(key: LockKey): Promise<boolean>;
  unlock(key: LockKey): Promise<void>;
  /** Runs statements on the session; they wait for their turn. @throws when the session is lost */
  run<Result>(work: (session: Queryable) => Promise<Result>): Promise<Result>;
  /** Releases all locks of this holder. The session ends with its last holder. */
  release(): Promise<void>;
}

/** Milliseconds between two signs of life. */
const BEAT = 3_000;
/** Milliseconds that the server may take to answer one. */
const ANSWER_TIMEOUT = 5_000;

/** How the server detects a client that is gone. Where a platform lacks one setting, the others remain. */
const SERVER_SETTINGS = {
  idle_session_timeout: '20s',
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '10000',
  client_connection_check_interval: '5s',
  statement_timeout: '0',
};

const Done = z.object({ done: z.boolean() });
const keyText = (key: LockKey): string => ('number' in key ? key.number : key.name);
const expressionOf = (key: LockKey): string => ('number' in key ? '$1::bigint' : 'hashtextextended($1, 0)');
const idOf = (key: LockKey): string => `${'number' in key ? 'number' : 'name'} ${keyText(key)}`;

class LockSession {
  readonly #client: pg.Client;
  readonly #socket = new Socket();
  readonly #lost = new AbortController();
  readonly #taken = new Set<string>();
  #holders = 0;
  #closing = false;
  #last: Promise<unknown> = Promise.resolve();
  #beat: NodeJS.Timeout | undefined;

  constructor(database: Database) {
    this.#client = new pg.Client({
      ...sessionOptions(database),
      connectionTimeoutMillis: ANSWER_TIMEOUT,
      query_timeout: ANSWER_TIMEOUT,
      stream: () => this.#socket,
    });
    const lose = (): void => this.#lose(new LockSessionLost('the session that holds the locks ended'));
    this.#client.on('error', lose);
    this.#client.on('end', lose);
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async open(): Promise<void> {
    try {
      await this.#client.connect();
      for (const [name, value] of Object.entries(SERVER_SETTINGS))
        await this.#client.query('SELECT set_config($1, $2, false)', [name, value]).catch((error: unknown) => {
          if ((error as { code?: unknown }).code === undefined) throw error;
        });
    } catch (error) {
      this.#lose(error);
      throw error;
    }
    // `run` counts the session as lost after a failure, which is what a sign of life is for.
    this.#beat = setInterval(() => void this.run((client) => client.query('SELECT 1')).catch(() => undefined), BEAT);
    this.#beat.unref();
  }

  #lose(reason: unknown): void {
    clearInterval(this.#beat);
    if (this.lost.aborted) return;
    this.#lost.abort(reason);
    this.#socket.destroy();
  }

  /** One after the other: a connection takes no second statement meanwhile, and the time of each counts alone. */
  run<Result>(work: (session: Queryable) => Promise<Result>): Promise<Result> {
    const result = this.#last.then(async () => {
      this.lost.throwIfAborted();
      try {
        return await work(this.#client as Queryable);
      } catch (error) {
        // Errors of the server have a code; without one the connection failed, or there was no answer in time.
        if ((error as { code?: unknown }).code === undefined) this.#lose(error);
        throw error;
      }
    });
    // The caller gets the failure; the next statement runs regardless.
    this.#last = result.catch(() => undefined);
    return result;
  }

  holder(): LockHolder {
    this.#holders++;
    const held = new Map<string, LockKey>();
    const unlock = async (key: LockKey): Promise<void> => {
      const id = idOf(key);
      if (!held.delete(id)) return;
      const text = `SELECT pg_advisory_unlock(${expressionOf(key)}) AS done`;
      try {
        await this.run((client) => query(client, text, [keyText(key)], Done));
      } finally {
        this.#taken.delete(id);
      }
    };
    let released = false;
    return {
      lost: this.lost,
      run: (work) => this.run(work),
      unlock,
      tryLock: async (key) => {
        this.lost.throwIfAborted();
        const id = idOf(key);
        // The server lets one session take a lock several times: who has it within the process is kept here.
        if (this.#taken.has(id)) return held.has(id);
        this.#taken.add(id);
        let done = false;
        try {
          const text = `SELECT pg_try_advisory_lock(${expressionOf(key)}) AS done`;
          const rows = await this.run((client) => query(client, text, [keyText(key)], Done));
          done = rows[0]?.done ?? false;
          if (done) held.set(id, key);
          return done;
        } finally {
          if (!done) this.#taken.delete(id);
        }
      },
      release: async () => {
        if (released) return;
        released = true;
        // A lock that cannot be released ends with the session, which is lost.
        for (const key of [...held.values()]) await unlock(key).catch(() => undefined);
        this.#holders--;
        if (this.#holders > 0) return;
        this.#closing = true;
        await this.#close();
      },
    };
  }

  /** False once it is lost or its last holder has left. */
  get isOpen(): boolean {
    return !this.lost.aborted && !this.#closing;
  }

  async #close(): Promise<void> {
    clearInterval(this.#beat);
    await this.#last;
    if (!this.lost.aborted) await endClient(this.#client);
    this.#lose(new LockSessionLost('the session that holds the locks was closed'));
  }
}

const sessions = new WeakMap<Database, Promise<LockSession>>();

/**
 * Becomes a holder of locks on the session that this process shares, which is opened for the first one.
 * @throws the driver's error when the server cannot be reached
 */
export async function holdLocks(database: Database): Promise<LockHolder> {
  for (;;) {
    const opening = sessions.get(database) ?? open(database);
    const session = await opening;
    if (session.isOpen) return session.holder();
    if (sessions.get(database) === opening) sessions.delete(database);
  }
}

function open(database: Database): Promise<LockSession> {
  const opening = (async () => {
    const session = new LockSession(database);
    await session.open();
    return session;
  })();
  sessions.set(database, opening);
  opening.catch(() => {
    if (sessions.get(database) === opening) sessions.delete(database);
  });
  return opening;
}
