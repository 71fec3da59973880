/**
 * One owner of a directory at a time, told by pid and start time. Every claim is a file of its own with a name of its
 * own; whoever sees the claim of another living process after writing its own steps back. So no claim is ever taken
 * away from a living process, and a crash at any point leaves only claims of the dead, which count for nothing.
 */
import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { pause } from '../../backoff.ts';
import { processStart } from './processes.ts';

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
    return null;
  }
}

/** Living claims of a directory, by file name. */
async function living(directory: string): Promise<Map<string, Claim>> {
  const found = new Map<string, Claim>();
  for (const name of await readdir(directory)) {
    if (!name.startsWith(PREFIX)) continue;
    const claim = await readClaim(join(directory, name));
    if (claim && isAlive(claim)) found.set(name, claim);
  }
  return found;
}

/** Who owns the directory now: the pid of a living process, or null. */
export async function ownerOf(directory: string): Promise<number | null> {
  const claims = await living(directory).catch(() => new Map<string, Claim>());
  return [...claims.values()].find((claim) => claim.settled)?.pid ?? null;
}

async function write(path: string, claim: Claim): Promise<void> {
  // A name without the prefix until it is whole: nobody ever reads half a claim.
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
