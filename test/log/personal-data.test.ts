/** An event store that encrypts personal data keeps the contract of the store that it wraps. */
import { migrateAccess } from '../../access/access.ts';
import { personalKeys } from '../../access/erase-account.ts';
import { protectPersonalData } from '../../log/personal-data.ts';
import { type Database, openDatabase } from '../../log/postgres/database.ts';
import { postgresEventStore } from '../../log/postgres/postgres-event-store.ts';
import { logDatabase } from '../harness/database.ts';
import { eventStoreContract } from './contract/event-store.ts';

eventStoreContract(
  async () => {
    const it = await logDatabase();
    await migrateAccess(it.database);
    const pools: Database[] = [];
    return {
      async open() {
        const pool = openDatabase(it.url, { max: 4 });
        pools.push(pool);
        return protectPersonalData(postgresEventStore(pool), personalKeys(pool));
      },
      async close() {
        for (const pool of pools) await pool.end();
        await it.close();
      },
    };
  },
  { many: 10_000 },
);
