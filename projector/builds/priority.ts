/** Long work steps back when readers want the processor. */
import { readFile, writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { setInterval } from 'node:timers/promises';
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';

/** A tenth of a reader's share where both want more than there is; all of it where nobody else does. */
const NICE = 10;

/** How often new helpers are looked for, in milliseconds: each lives for about a second. */
const LOOK = 40;

async function lower(pid: number): Promise<void> {
  setPriority(pid, NICE);
  // Every process of PostgreSQL is a session of its own, and where Linux shares the processor among sessions (autogroup)
  // its priority counts among its own processes alone: there it is the session that has to step back.
  await writeFile(`/proc/${pid}/autogroup`, String(NICE)).catch(() => undefined);
}

const titleOf = (pid: number | string): Promise<string> => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');

const Backend = z.object({ pid: z.int(), port: z.int().nullable() });

/**
 * Lowers the priority of a connection's process, where PostgreSQL runs on this machine and the system lets us. The
 * process ends with its connection, which therefore must not be handed back to a pool of readers.
 * @returns its number; null when it could not be lowered
 */
export async function yieldToReaders(client: Queryable): Promise<number | null> {
  try {
    const text = 'SELECT pg_backend_pid() AS pid, inet_client_port() AS port';
    const [backend] = await query(client, text, [], Backend);
    // The same number may be another process here when PostgreSQL runs elsewhere: its title tells our own port.
    const title = backend ? await titleOf(backend.pid) : '';
    if (!backend?.port || !title.startsWith('postgres: ') || !title.includes(`(${backend.port})`)) return null;
    await lower(backend.pid);
    return backend.pid;
  } catch {
    return null;
  }
}

/**
 * Lowers the processes that help a lowered connection as soon as they appear, while `work` runs. They are children of
 * the server and know nothing of the priority of whom they help.
 * @param backend the number of the connection's process, on this machine
 */
export async function withHelpersLowered<Result>(backend: number, work: () => Promise<Result>): Promise<Result> {
  const over = new AbortController();
  const lowering = lowerHelpers(backend, over.signal).catch(() => undefined);
  try {
    return await work();
  } finally {
    over.abort();
    await lowering;
  }
}

async function lowerHelpers(backend: number, signal: AbortSignal): Promise<void> {
  const stat = await readFile(`/proc/${backend}/stat`, 'latin1');
  const server = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
  const seen = new Set<string>();
  for await (const _ of setInterval(LOOK, undefined, { signal })) {
    const children = await readFile(`/proc/${server}/task/${server}/children`, 'latin1');
    for (const pid of children.trim().split(' ')) {
      if (seen.has(pid)) continue;
      const title = await titleOf(pid);
      // A process that was made this moment has the title of its parent still.
      if (title.startsWith('postgres: ')) seen.add(pid);
      if (title.includes(`parallel worker for PID ${backend}`)) await lower(Number(pid));
    }
  }
}

/** Lowers the priority of this process likewise: for one that does nothing but rebuild. */
export function yieldProcessToReaders(): void {
  try {
    setPriority(NICE);
  } catch {
    // The system does not let us: the rebuild is no less right for it.
  }
}
