/** Makes a new cluster, whole or not at all. */
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries } from './binaries.ts';
import { postgresEnvironment } from './environment.ts';
import type { Place } from './place.ts';

/** The password of the superuser, drawn once and kept readable by this program's user alone. */
async function password(place: Place): Promise<string> {
  const kept = await readFile(place.password, 'utf8').catch(() => null);
  if (kept) return kept.trim();
  if (existsSync(place.cluster))
    throw new Error(
      `${place.password} is missing, and without it nobody gets into the data of ${place.cluster}: ` +
        'put it back, or set DATA_DIR to another directory',
    );
  const drawn = randomBytes(24).toString('base64url');
  const partial = `${place.password}.${randomUUID()}`;
  await writeFile(partial, drawn, { mode: 0o600, flush: true });
  await rename(partial, place.password);
  return drawn;
}

async function run(program: string, parameters: readonly string[], place: Place): Promise<void> {
  const child = spawn(program, parameters, {
    ...place.account,
    cwd: place.account ? '/' : place.folder,
    env: postgresEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) throw new Error(`initdb ended with code ${code}: ${said.trim().slice(-2_000)}`);
}

/**
 * Makes the cluster when there is none: UTF-8, locale C, SCRAM passwords, no durable writes while making it when
 * `careless`. Made under another name and renamed, so that a crash leaves no half of one.
 * @returns the password of the superuser `clarity`
 */
export async function initialise(place: Place, binaries: Binaries, careless: boolean): Promise<string> {
  const secret = await password(place);
  if (existsSync(place.cluster)) return secret;
  for (const name of await readdir(place.folder))
    if (name.startsWith('making-')) await rm(join(place.folder, name), { recursive: true, force: true });
  const making = join(place.folder, `making-${randomUUID()}`);
  await mkdir(making, { mode: 0o755 });
  const cluster = join(making, 'cluster');
  const secretFile = join(making, 'secret');
  await mkdir(cluster, { mode: 0o700 });
  await writeFile(secretFile, `${secret}\n`, { mode: 0o600 });
  if (place.account) for (const path of [cluster, secretFile]) await chown(path, place.account.uid, place.account.gid);
  const parameters = [
    `--pgdata=${cluster}`,
    `--pwfile=${secretFile}`,
    '--username=clarity',
    '--encoding=UTF8',
    '--locale=C',
    '--auth=scram-sha-256',
    ...(careless ? ['--no-sync'] : []),
  ];
  await run(binaries.initdb, parameters, place);
  await rename(cluster, place.cluster);
  await rm(making, { recursive: true, force: true });
  return secret;
}
