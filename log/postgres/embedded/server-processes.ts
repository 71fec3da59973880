/** The processes around a data directory: its owner, and a postmaster that outlived its owner. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { pause } from '../../backoff.ts';
import type { Place } from './data-directory.ts';
import type { Binaries } from './postgres-programs.ts';

const ask = (command: string, parameters: readonly string[]): string => {
  try {
    return execFileSync(command, parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    // The command is missing or knows no such process.
    return '';
  }
};

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** `state` and start time of `/proc/<pid>/stat`: the third and the 22nd field; the second may hold spaces. */
function linuxStat(pid: number): { state: string; started: string } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { state: fields[0] ?? '', started: `${boot} ${fields[19]}` };
  } catch {
    // The process has ended.
    return null;
  }
}

/**
 * When a process started, as text to compare: a later process with the same pid has another one.
 * @returns null when there is no such process (one that died and was not yet reaped counts as gone); an empty text
 * where the system does not say
 */
export function processStart(pid: number): string | null {
  if (!Number.isSafeInteger(pid) || pid <= 0 || !exists(pid)) return null;
  if (process.platform === 'linux') {
    const stat = linuxStat(pid);
    return stat && stat.state !== 'Z' && stat.state !== 'X' ? stat.started : null;
  }
  if (process.platform === 'win32') return '';
  const line = ask('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
  return line === '' || line.startsWith('Z') ? null : line.replace(/^\S+\s+/, '');
}

/** The command line of a process, empty when it cannot be seen. */
export function commandLine(pid: number): string {
  if (process.platform === 'win32') return '';
  if (process.platform !== 'linux') return ask('ps', ['-o', 'command=', '-p', String(pid)]);
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // The process has ended.
    return '';
  }
}

/** Waits until a process is gone, looking every 20 ms. @returns whether it went in time */
export async function goneWithin(pid: number, milliseconds: number): Promise<boolean> {
  const end = performance.now() + milliseconds;
  while (processStart(pid) !== null) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}

// One owner of a directory at a time, identified by pid and start time. Every claim is a file of its own with its own
// name. A process that sees the claim of another running process after it wrote its own withdraws. So no running process
// ever loses its claim, and a crash at any point leaves only claims of ended processes, which are ignored.

const Claim = z.object({ pid: z.int().positive(), started: z.string(), settled: z.boolean() });
type Claim = z.infer<typeof Claim>;

/** Another living process runs PostgreSQL in the directory. */
export class DirectoryInUse extends Error {
  override name = 'DirectoryInUse';
  readonly pid: number;
  constructor(directory: string, pid: number) {
    super(
      `the data directory ${directory} is in use by process ${pid}: stop that one first, ` +
        'or set DATA_DIR to another directory, or set DATABASE_URL for all to share one PostgreSQL',
    );
    this.pid = pid;
  }
}

const PREFIX = 'owner-';
// Two claims of one process would else look like one.
const isAlive = (claim: Claim): boolean => processStart(claim.pid) === claim.started;

async function readClaim(path: string): Promise<Claim | null> {
  try {
    return Claim.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    // The claim was removed, or is only partly written: it does not count.
    return null;
  }
}

/** Living claims of a directory, by file name. */
async function living(directory: string): Promise<Map<string, Claim>> {
  const claims = new Map<string, Claim>();
  for (const name of await readdir(directory)) {
    if (!name.startsWith(PREFIX)) continue;
    const claim = await readClaim(join(directory, name));
    if (claim && isAlive(claim)) claims.set(name, claim);
  }
  return claims;
}

/** Who owns the directory now: the pid of a living process, or null. */
export async function ownerOf(directory: string): Promise<number | null> {
  const claims = await living(directory).catch(() => new Map<string, Claim>());
  return [...claims.values()].find((claim) => claim.settled)?.pid ?? null;
}

async function write(path: string, claim: Claim): Promise<void> {
  // A name without the prefix until it is complete: no process ever reads a partial claim.
  const partial = `${path.slice(0, path.lastIndexOf(PREFIX))}partial-${randomUUID()}`;
  await writeFile(partial, JSON.stringify(claim), { mode: 0o600 });
  await rename(partial, path);
}

async function clear(directory: string, keep: string): Promise<void> {
  for (const name of await readdir(directory))
    if (name.startsWith(PREFIX) && name !== keep) {
      const claim = await readClaim(join(directory, name));
      if (claim && !isAlive(claim)) await rm(join(directory, name), { force: true });
    }
}

/**
 * Takes the directory for this process.
 * @param directory an existing directory that this user may write
 * @returns what gives it back
 * @throws DirectoryInUse naming the directory and the pid of its owner
 */
export async function own(directory: string): Promise<() => Promise<void>> {
  const claim = { pid: process.pid, started: processStart(process.pid) ?? '' };
  for (let attempt = 0; ; attempt++) {
    const name = `${PREFIX}${process.pid}-${randomUUID()}`;
    const path = join(directory, name);
    await write(path, { ...claim, settled: false });
    const others = [...(await living(directory))].filter(([other]) => other !== name).map(([, other]) => other);
    if (others.length === 0) {
      await write(path, { ...claim, settled: true });
      await clear(directory, name);
      return () => rm(path, { force: true });
    }
    await rm(path, { force: true });
    const holder = others.find((other) => other.settled) ?? (attempt < 30 ? undefined : others[0]);
    if (holder) throw new DirectoryInUse(directory, holder.pid);
    // Several claim at once and none has it yet: step back for a random while and try again.
    await pause(5 + Math.random() * 60);
  }
}

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
  for (const [mode, timeoutMs] of [
    ['fast', 1_500],
    ['immediate', 5_000],
  ] as const) {
    try {
      stopPostmaster(pid, mode, place, binaries);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH')
        throw new Error(`PostgreSQL still runs in ${place.cluster} as process ${pid} and cannot be stopped: ${error}`);
    }
    if (await goneWithin(pid, timeoutMs)) return pid;
  }
  throw new Error(`PostgreSQL still runs in ${place.cluster} as process ${pid} and does not stop; end it by hand`);
}
