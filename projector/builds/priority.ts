/** Long work steps back when readers want the processor. */
import { readFile, writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';

/** A tenth of a reader's share where both want more than there is; all of it where nobody else does. */
const NICE = 10;

const Backend = z.object({ pid: z.int(), port: z.int().nullable() });

/**
 * Lowers the priority of a connection's process, where PostgreSQL runs on this machine and the system lets us. The
 * process ends with its connection, which therefore must not be handed back to a pool of readers.
 * @returns whether it was lowered
 */
export async function yieldToReaders(client: Queryable): Promise<boolean> {
  try {
    const text = 'SELECT pg_backend_pid() AS pid, inet_client_port() AS port';
    const [backend] = await query(client, text, [], Backend);
    // The same number may be another process here when PostgreSQL runs elsewhere: its title tells our own port.
    const title = backend ? await readFile(`/proc/${backend.pid}/cmdline`, 'latin1') : '';
    if (!backend?.port || !title.startsWith('postgres: ') || !title.includes(`(${backend.port})`)) return false;
    setPriority(backend.pid, NICE);
    // Every backend is a session of its own, and where Linux shares the processor among sessions (autogroup) its
    // priority counts among its own processes alone: there it is the session that has to step back.
    await writeFile(`/proc/${backend.pid}/autogroup`, String(NICE)).catch(() => undefined);
    return true;
  } catch {
    return false;
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
