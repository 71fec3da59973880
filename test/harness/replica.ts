/** A real primary with a real replica: a copy of its cluster that follows its write-ahead log, as `pg_basebackup` would make it. */
import { chmod, chown, cp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../../log/postgres/database.ts';
import { findPlace } from '../../log/postgres/embedded/data-directory.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
  startServer,
} from '../../log/postgres/embedded/embedded-postgres.ts';
import { findBinaries } from '../../log/postgres/embedded/postgres-programs.ts';
import { dataFolder } from './data-folder.ts';
import { freePort } from './free-port.ts';

export interface Replicated {
  readonly primary: string;
  readonly replica: string;
  /** While it is paused, the replica stays as it is. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}

const SETTINGS = { fsync: 'off', wal_level: 'replica', max_wal_senders: '4' };

/** Starts both, empty except for the system databases. */
export async function startReplicated(): Promise<Replicated> {
  const folder = await dataFolder('clarity-replica');
  const server = await startEmbeddedPostgres({ dataDir: join(folder, 'primary'), settings: SETTINGS });
  try {
    return await replicate(server, folder);
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function replicate(server: EmbeddedPostgres, folder: string): Promise<Replicated> {
  const place = await findPlace(join(folder, 'replica'));
  const port = await freePort();
  const url = Object.assign(new URL(server.url), { port: String(port) });

  const pool = openDatabase(server.url, { max: 1 });
  // A backup belongs to one session: the pool would close a returned connection during a long copy.
  const backup = await pool.connect();
  await backup.query(`SELECT pg_backup_start('replica', fast => true)`);
  const transient = /postmaster\.(pid|opts)$/;
  await cp(join(server.dataDir, 'cluster'), place.cluster, {
    recursive: true,
    filter: (path) => !transient.test(path),
  });
  const { rows } = await backup.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
  backup.release();
  await pool.end();
  await writeFile(join(place.cluster, 'backup_label'), rows[0]?.labelfile ?? '');
  await writeFile(join(place.cluster, 'standby.signal'), '');
  const { account } = place;
  const copied = await readdir(place.cluster, { recursive: true });
  if (account) for (const path of ['', ...copied]) await chown(join(place.cluster, path), account.uid, account.gid);
  await chmod(place.cluster, 0o700);

  const { username, password, hostname, port: from } = new URL(server.url);
  const primary_conninfo = `host=${hostname} port=${from} user=${username} password=${decodeURIComponent(password)}`;
  const running = await startServer(place, await findBinaries(account), {
    url: url.href,
    port,
    settings: { ...SETTINGS, primary_conninfo, hot_standby: 'on', max_standby_streaming_delay: '200ms' },
  });
  const admin = openDatabase(url.href, { max: 1 });
  return {
    primary: server.url,
    replica: url.href,
    pause: async () => void (await admin.query('SELECT pg_wal_replay_pause()')),
    resume: async () => void (await admin.query('SELECT pg_wal_replay_resume()')),
    async stop() {
      await admin.end();
      running.child.kill('SIGINT');
      await running.ended;
      await server.stop();
      for (const path of [folder, server.dataDir, place.folder]) await rm(path, { recursive: true, force: true });
    },
  };
}
