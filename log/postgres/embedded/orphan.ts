/** A postmaster that outlived the program that started it. */
import { execFileSync } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries } from './binaries.ts';
import type { Place } from './place.ts';
import { commandLine, goneWithin, processStart } from './processes.ts';

/** The pid that PostgreSQL wrote into its data directory, null when it is not running. */
async function postmaster(cluster: string): Promise<number | null> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return Number.isNaN(pid) || processStart(pid) === null ? null : pid;
}

/**
 * Stops a postmaster: `fast` ends sessions and writes a checkpoint, `immediate` leaves recovery to the next start.
 * @throws Error when this user may not stop it
 */
export function stopPostmaster(pid: number, mode: 'fast' | 'immediate', place: Place, binaries: Binaries): void {
  // Windows has no signals: there pg_ctl asks by a named pipe.
  if (process.platform === 'win32')
    execFileSync(binaries.pgCtl, ['stop', '-D', place.cluster, '-m', mode, '-W'], { stdio: 'ignore' });
  else process.kill(pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
}

/**
 * Ends the orphan of a dead owner, so that a new postmaster can start in its place. Only the owner of the directory
 * may call this. A pid that meanwhile belongs to some other program is left alone and its stale note removed.
 */
export async function stopOrphan(place: Place, binaries: Binaries): Promise<number | null> {
  const pid = await postmaster(place.cluster);
  if (pid === null) return null;
  const command = commandLine(pid);
  if (command !== '' && !command.includes(place.cluster)) {
    await rm(join(place.cluster, 'postmaster.pid'), { force: true });
    return null;
  }
  for (const [mode, patience] of [
    ['fast', 1_500],
    ['immediate', 5_000],
  ] as const) {
    try {
      stopPostmaster(pid, mode, place, binaries);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH')
        throw new Error(`PostgreSQL still runs in ${place.cluster} as process ${pid} and cannot be stopped: ${error}`);
    }
    if (await goneWithin(pid, patience)) return pid;
  }
  throw new Error(`PostgreSQL still runs in ${place.cluster} as process ${pid} and does not stop; end it by hand`);
}
