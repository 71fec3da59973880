/** What the operating system says of a process. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const ask = (command: string, parameters: readonly string[]): string => {
  try {
    return execFileSync(command, parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
};

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there and belongs to somebody else.
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
