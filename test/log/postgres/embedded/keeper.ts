/** Runs an embedded PostgreSQL in a process of its own, to be killed: prints its address, or why there is none. */
import { startEmbeddedPostgres } from '../../../../log/postgres/embedded/embedded-postgres.ts';

const [dataDir = ''] = process.argv.slice(2);
try {
  const server = await startEmbeddedPostgres({ dataDir, settings: { shared_buffers: '16MB' } });
  console.log(JSON.stringify({ url: server.url, dataDir: server.dataDir }));
  process.once('SIGTERM', () => void server.stop().then(() => process.exit(0)));
} catch (error) {
  console.log(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }));
  process.exitCode = 1;
}
