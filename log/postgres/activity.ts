/** The server as its operators see it. */
import { z } from 'zod';
import { type Queryable, query } from './database.ts';

const Server = z.object({ version: z.string(), bytes: z.bigint() });
const Connected = z.object({ name: z.string(), connections: z.int() });

export interface ServerActivity {
  readonly version: string;
  readonly bytes: number;
  /** Clarity's own processes that are connected to this database now, by name. An idle one may hold no connection. */
  readonly processes: readonly z.infer<typeof Connected>[];
}

/** Asks the server of what it knows of this database and who uses it. */
export async function serverActivity(database: Queryable): Promise<ServerActivity> {
  const [server] = await query(
    database,
    `SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS bytes`,
    [],
    Server,
  );
  const processes = await query(
    database,
    `SELECT substr(application_name, 9) AS name, count(*)::int AS connections FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'clarity _%' GROUP BY 1 ORDER BY 1`,
    [],
    Connected,
  );
  return { version: server?.version ?? '', bytes: Number(server?.bytes ?? 0n), processes };
}
