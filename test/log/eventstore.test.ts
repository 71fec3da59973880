import { eventStoreDb } from '../../log/eventstore.ts';
import { eventStoreContract } from './contract/event-store.ts';
import { startDouble } from './double/eventstore-double.ts';
import { doubleStore } from './double/store.ts';

eventStoreContract(async () => {
  const double = await startDouble({ store: doubleStore() });
  return {
    open: () => eventStoreDb({ url: `esdb://127.0.0.1:${double.port}?tls=false` }),
    close: async () => double.kill(),
  };
});
