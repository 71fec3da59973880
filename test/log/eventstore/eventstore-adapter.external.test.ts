/** The contract of the event store on servers in containers: each of EVENTSTORE_IMAGES, else the supported ones. */
import { afterAll, beforeAll, describe } from 'vitest';
import { eventStoreDb } from '../../../log/eventstore/eventstore-adapter.ts';
import {
  dockerRuns,
  EVENT_STORE_IMAGES,
  type RunningEventStore,
  startEventStoreContainer,
} from '../../harness/eventstore.ts';
import { eventStoreContract } from '../contract/event-store.ts';

const images = process.env.EVENTSTORE_IMAGES?.split(',') ?? EVENT_STORE_IMAGES;

const hasDocker = await dockerRuns();

describe.skipIf(!hasDocker).each(images)('the event store on %s', (image) => {
  let server: RunningEventStore;
  beforeAll(async () => {
    server = await startEventStoreContainer(image);
  });
  afterAll(() => server.stop());
  eventStoreContract(async () => ({ open: () => eventStoreDb({ url: server.url }), close: async () => undefined }));
});
