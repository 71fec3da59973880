/** Memory of processes, as Linux tells it in /proc. */
import { readdir, readFile } from 'node:fs/promises';

/** Bytes. */
export interface Memory {
  /** Of the service's own process. */
  readonly resident: number;
  /** Its heap, with garbage that was not collected yet. */
  readonly heap: number;
  /** Buffers outside the heap. */
  readonly external: number;
  /** What the processes of PostgreSQL have for themselves, without the buffers that they share. */
  readonly postgres: number;
  /** Those buffers, as far as they were touched; `shared_buffers` bounds them. */
  readonly shared: number;
  readonly backends: number;
}

const field = (text: string, name: string): number =>
  1_024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);

const metric = (text: string, name: string): number => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);

async function childrenOf(pid: number): Promise<number[]> {
  const stat = async (entry: string): Promise<number | null> => {
    const text = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    // The name of a program stands in brackets and may hold anything.
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]) === pid ? Number(entry) : null;
  };
  const entries = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
  return (await Promise.all(entries.map(stat))).filter((child) => child !== null);
}

/** @param postmaster process id of PostgreSQL */
async function memoryOfPostgres(postmaster: number): Promise<Pick<Memory, 'postgres' | 'shared' | 'backends'>> {
  const backends = [postmaster, ...(await childrenOf(postmaster))];
  // A backend that just ended has no memory any more.
  const texts = await Promise.all(backends.map((pid) => readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')));
  const sum = (name: string): number => texts.reduce((total, text) => total + field(text, name), 0);
  return { postgres: sum('Pss_Anon'), shared: sum('Pss_Shmem'), backends: backends.length };
}

/**
 * @param pid of the service
 * @param metrics what its `/metrics` says now
 * @throws where there is no /proc
 */
export async function memoryOf(pid: number, metrics: string, postmaster: number): Promise<Memory> {
  return {
    resident: field(await readFile(`/proc/${pid}/status`, 'utf8'), 'VmRSS'),
    heap: metric(metrics, 'nodejs_heap_size_used_bytes'),
    external: metric(metrics, 'nodejs_external_memory_bytes'),
    ...(await memoryOfPostgres(postmaster)),
  };
}
