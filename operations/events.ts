/** `clarity events`: the encryption of personal data that was stored as it was. */
import { z } from 'zod';
import { personalKeys } from '../access/erase-account.ts';
import { type EventStore, pagesOf } from '../log/event-store.ts';
import { sealStored } from '../log/personal-data.ts';
import { postgresEventStore, rewriteEvents } from '../log/postgres/postgres-event-store.ts';
import { ACCOUNT_PREFIX } from '../schemas/access.ts';
import { readEvent } from '../schemas/events.ts';
import { defineTerminalAction, type OperatorActions } from './operator-action.ts';

const seal = defineTerminalAction({
  name: 'seal',
  summary: 'encrypt personal data that earlier releases stored as it was; run it once after an upgrade',
  help: `Examples:
  clarity events seal
Reads all events, and encrypts the personal fields that are not encrypted yet: with the key of their account, or with one
that nobody keeps where the account is erased. The service may run. Ctrl-C stops, and the next run begins again; a second
run changes nothing.
EventStoreDB cannot change an event. There the turns of erased accounts are hidden, and its next scavenge removes them;
run it again after each erasure until no plain event is left.`,
  input: z.object({}),
  audit: ['events_sealed'],
  async run(_, context) {
    const { database, configuration, signal } = context;
    const url = configuration.EVENTSTORE_URL;
    const store = url ? await openPlainEventStore(url) : postgresEventStore(database);
    const head = Number(await store.head());
    const show = context.progress('events', url ? 'bytes' : 'events');
    await context.record('events_sealed', `up to position ${head}`);
    try {
      return await sealStored(
        {
          read: (stream) => store.read(stream),
          readAll: (options) => store.readAll(options),
          rewrite: async (events) => (url ? 0 : rewriteEvents(database, events)),
          hide: async (stream, before) => {
            if (url) await hideEvents(url, stream, before);
          },
        },
        personalKeys(database),
        {
          erased: await erasedAccounts(context.store),
          progress(position) {
            signal.throwIfAborted();
            show('read', Math.min(Number(position), head), head);
          },
        },
      );
    } finally {
      await store.close();
    }
  },
  text: ({ sealed, hidden, plain }) =>
    [
      `${sealed} events are encrypted now`,
      plain > 0
        ? `${plain} events are in EventStoreDB as they were written: of ${hidden} of them, of erased accounts, the stream ` +
          'is truncated; scavenge the server to remove them. The others can be read until their accounts are erased'
        : '',
    ]
      .filter(Boolean)
      .join('\n'),
});

/** The accounts whose last word in the log is that they were erased. */
async function erasedAccounts(store: Pick<EventStore, 'readAll'>): Promise<ReadonlySet<string>> {
  const erased = new Set<string>();
  for await (const { events } of pagesOf(store, { after: 0n, prefixes: [ACCOUNT_PREFIX] }))
    for (const { type, data } of events.map((event) => readEvent(event))) {
      if (type === 'AccountErased') erased.add(data.account_id);
      if (type === 'AccountOpened') erased.delete(data.account_id);
    }
  return erased;
}

async function hideEvents(url: string, stream: string, before: number): Promise<void> {
  const { truncateStream } = await import('../log/eventstore/eventstore-administration.ts');
  await truncateStream(url, stream, before);
}

async function openPlainEventStore(url: string): Promise<EventStore> {
  // The client of EventStoreDB is loaded only where it is used.
  const { eventStoreDb } = await import('../log/eventstore/eventstore-adapter.ts');
  return eventStoreDb({ url });
}

export const EVENTS: OperatorActions = {
  name: 'events',
  summary: 'encrypt personal data in the event store',
  actions: [seal],
};
