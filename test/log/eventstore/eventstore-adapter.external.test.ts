/** The contract of the event store on servers in containers: each of EVENTSTORE_IMAGES, else the supported ones. */
import { afterAll, describe, it } from 'vitest';
import { eventStoreDb } from '../../../log/eventstore/eventstore-adapter.ts';
import { dockerRuns, EVENT_STORE_IMAGES, startEventStoreContainer } from '../../harness/eventstore.ts';
import { eventStoreContract } from '../contract/event-store.ts';

const images = process.env.EVENTSTORE_IMAGES?.split(',') ?? EVENT_STORE_IMAGES;

if (await dockerRuns())
  for (const image of images) {
    const server = await startEventStoreContainer(image);
    afterAll(() => server.stop());
    describe(`on ${server.kind}`, () => {
      eventStoreContract(async () => ({ open: () => eventStoreDb({ url: server.url }), close: async () => undefined }));
    });
  }
else
  it('says that it needs Docker', () => {
    process.stdout.write(`not run on ${images.join(' and ')}: Docker does not run\n`);
  });
