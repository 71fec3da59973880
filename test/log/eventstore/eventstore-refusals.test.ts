/**
 * What a server refuses: ids that are no UUIDs, empty names, places between records, users whom it does not know, and calls
 * of users without the right. Everything here is true of a real server where there is one; users and rights need one with
 * TLS, whose `EVENTSTORE_URL` names an admin.
 */

import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  EventStoreDBClient,
  type JSONType,
  jsonEvent,
  LoginConflictError,
  StreamNotFoundError,
} from '@eventstore/db-client';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { UsersClient } from '@eventstore/db-client/generated/users_grpc_pb.js';
import users, { type CreateResp, type ResetPasswordResp } from '@eventstore/db-client/generated/users_pb.js';
import type { CallOptions, Metadata } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { EventStore } from '../../../log/event-store.ts';
import { eventStoreDb } from '../../../log/eventstore/eventstore-adapter.ts';
import { prepareEventStore } from '../../../log/eventstore/eventstore-administration.ts';
import { Connection, EVERY, readAddress } from '../../../log/eventstore/eventstore-connection.ts';
import { EventStoreUnavailable } from '../../../log/eventstore/eventstore-errors.ts';
import { ADMIN, startEventStore, startEventStoreWithUsers } from '../../harness/eventstore.ts';
import { eventually } from '../../harness/eventually.ts';
import { follow } from '../contract/event-store.ts';
import { someEvent } from '../contract/events.ts';

const { AppendReq } = streamsPb;
const server = await startEventStore();
const guarded = await startEventStoreWithUsers();
afterAll(async () => {
  await server.stop();
  await guarded?.stop();
});

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const clientOf = (url: string): EventStoreDBClient => {
  const client = EventStoreDBClient.connectionString(url);
  closers.push(() => client.dispose());
  return client;
};
const open = async (url: string): Promise<EventStore> => {
  const store = await eventStoreDb({ url });
  closers.push(() => store.close());
  return store;
};

// With credentials of its own a call is a single append; without, the client uses BatchAppend, as the service never does.
const { user: username, password } = guarded?.admin ?? ADMIN;
const credentials = { username, password };

describe(`ids and names, on ${server.kind}`, () => {
  const refusal = 'Exception was thrown by handler';
  const event = (changes: { id?: string; type?: string } = {}) => jsonEvent({ type: 'Tested', data: {}, ...changes });
  const append = (client: EventStoreDBClient, stream: string, one: ReturnType<typeof event>) =>
    client.appendToStream(stream, [event(), one, event()], { credentials });

  test.each([
    ['an id that is no UUID', { id: 'event-1' }],
    ['an empty id', { id: '' }],
    ['an id that is too short', { id: '4b1c4e0c-0f51-4b7e-9a1c-1d2f3a4b5c6' }],
    ['the id of zeros', { id: '00000000-0000-0000-0000-000000000000' }],
    ['an empty type', { type: '' }],
  ])('given %s, then the whole append is refused, and the next one is taken', async (_, changes) => {
    const client = clientOf(server.url);
    const stream = `refused-${randomUUID()}`;

    await expect(append(client, stream, event(changes))).rejects.toThrow(refusal);

    const store = await open(server.url);
    expect(await store.read(stream)).toEqual([]);
    expect((await append(client, stream, event())).nextExpectedRevision).toBe(2n);
  });

  test('given an empty stream name, then the append is refused', async () => {
    await expect(append(clientOf(server.url), '', event())).rejects.toThrow(refusal);
  });

  test.each([
    ['capitals', (id: string) => id.toUpperCase()],
    ['no hyphens', (id: string) => id.replaceAll('-', '')],
    ['braces', (id: string) => `{${id}}`],
  ])('given a UUID with %s, then it is the same id', async (_, written) => {
    const client = clientOf(server.url);
    const [stream, id] = [`written-${randomUUID()}`, randomUUID()];

    await append(client, stream, event({ id: written(id) }));

    const found: (string | undefined)[] = [];
    for await (const { event: stored } of client.readStream(stream)) found.push(stored?.id);
    expect(found[1]).toBe(id);
  });
});

describe(`empty names, on ${server.kind}`, () => {
  test('given a read, a deletion or a tombstone of no stream, then it is refused', async () => {
    const client = clientOf(server.url);
    const read = async () => {
      for await (const _ of client.readStream('')) expect.unreachable();
    };
    const calls = [read(), client.deleteStream(''), client.tombstoneStream('')];
    await Promise.all(calls.map((call) => expect(call).rejects.toThrow('Exception was thrown by handler')));
  });

  test('given an append or a read of the event store, then it fails at once', async () => {
    const store = await open(server.url);
    await expect(store.append('', [someEvent(randomUUID())], 'none')).rejects.toThrow('thrown by handler');
    await expect(store.read('')).rejects.toThrow('thrown by handler');
  });
});

describe(`appends that are broken off, on ${server.kind}`, () => {
  /** What of the client is neither public nor private at run time. */
  interface Internals {
    getGRPCClient(client: typeof StreamsClient, name: string): Promise<StreamsClient>;
    callArguments(options: { credentials?: { username: string; password: string } }): [Metadata, CallOptions];
  }

  test('given a call that the client gives up while it sends events, then none of them is stored', async () => {
    const internals = clientOf(server.url) as unknown as Internals;
    const grpc = await internals.getGRPCClient(StreamsClient, 'append');
    const store = await open(server.url);
    const name = `broken-${randomUUID()}`;
    for (let turns = 0; turns < 40; turns++) {
      const given = Promise.withResolvers<unknown>();
      const call = grpc.append(...internals.callArguments({ credentials }), given.resolve);
      call.on('error', () => undefined);
      const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(name).toString('base64'));
      const options = new AppendReq.Options().setStreamIdentifier(identifier).setAny(new shared.Empty());
      call.write(new AppendReq().setOptions(options));
      for (let number = 0; number < 50; number++) {
        const message = new AppendReq.ProposedMessage().setId(new shared.UUID().setString(randomUUID()));
        message.setData(Buffer.alloc(2_000));
        message.getMetadataMap().set('type', 'Tested').set('content-type', 'application/octet-stream');
        call.write(new AppendReq().setProposedMessage(message));
      }
      for (let turn = 0; turn < turns; turn++) await setImmediate();
      call.cancel();
      expect(await given.promise).toMatchObject({ code: 1 });
    }
    expect(await store.head()).toBeGreaterThan(0n);
    const client = clientOf(server.url);
    const reading = async () => {
      for await (const _ of client.readStream(name)) expect.unreachable();
    };
    await expect(reading()).rejects.toBeInstanceOf(StreamNotFoundError);
  });
});

describe(`places, on ${server.kind}`, () => {
  const connectionOf = (url: string): Connection => {
    const connection = new Connection(readAddress(url), 10_000);
    closers.push(async () => connection.close());
    return connection;
  };

  test.each([
    ['all streams', EVERY],
    ['streams that are not the server’s own', null],
    ['streams of a prefix', ['between-']],
  ])('given a read of %s from between two records, then it is refused, and names another log', async (_, prefixes) => {
    const store = await open(server.url);
    const stream = `between-${randomUUID()}`;
    const { position } = await store.append(stream, [someEvent(`${stream} one`)], 'none');
    await store.append(stream, [someEvent(`${stream} two`)], 0);
    const commit = position / 2n + 1n;

    const read = connectionOf(server.url).readAll({ commit, prepare: commit }, 10, prefixes);

    await expect(read).rejects.toThrow(/Unexpected FilteredReadAllResult: InvalidPosition/);
    const about = prefixes?.length ? { after: position + 2n, prefixes } : { after: position + 2n };
    const before = server.double?.calls.read ?? 0;
    await expect(store.readAll(about)).rejects.toThrow(/no place of a record/);
    // At once: of the end of the log and of the page.
    if (server.double) expect(server.double.calls.read - before).toBe(2);
    expect(await store.has(position, null)).toBe(true);
    expect(await store.has(position + 2n, null)).toBe(false);
  });
});

describe.skipIf(!guarded)(`users, on ${guarded?.kind}`, () => {
  if (!guarded) return;
  const { admin, urlOf } = guarded;
  const connectionOf = (user: string, password: string): Connection => {
    const connection = new Connection(readAddress(urlOf(user, password)), 10_000);
    closers.push(async () => connection.close());
    return connection;
  };
  const create = async (user: string, password: string): Promise<unknown> => {
    const options = new users.CreateReq.Options().setLoginName(user).setPassword(password).setGroupsList([]);
    return connectionOf(admin.user, admin.password).unary<UsersClient, CreateResp>(
      UsersClient,
      'a user',
      (grpc, ...rest) => grpc.create(new users.CreateReq().setOptions(options.setFullName(user)), ...rest),
    );
  };
  const reset = async (user: string, password: string): Promise<unknown> => {
    const options = new users.ResetPasswordReq.Options().setLoginName(user).setNewPassword(password);
    return connectionOf(admin.user, admin.password).unary<UsersClient, ResetPasswordResp>(
      UsersClient,
      'a password',
      (grpc, ...rest) => grpc.resetPassword(new users.ResetPasswordReq().setOptions(options), ...rest),
    );
  };
  /** Whether the server knows a user with that password: an answer to what is asked first at a start. */
  const isKnown = (user: string, password: string): Promise<boolean> =>
    connectionOf(user, password)
      .version()
      .then(
        () => true,
        (error: Error) => {
          expect(error).toMatchObject({ code: 16 });
          return false;
        },
      );
  const someone = () => [`somebody-${randomUUID().slice(0, 8)}`, randomUUID(), randomUUID()] as const;
  const known = (user: string, password: string) =>
    eventually(async () => expect(await isKnown(user, password)).toBe(true));

  test('given a user who is unknown, or another password, then the version is refused already', async () => {
    const [user, password, other] = someone();
    expect(await isKnown(user, password)).toBe(false);
    await create(user, password);
    await known(user, password);
    expect(await isKnown(user, other)).toBe(false);
  });

  test('given a user who is created again, then it is answered like the first time, with another password as a conflict', async () => {
    const [user, password, other] = someone();
    await create(user, password);
    await create(user, password);
    await expect(create(user, other)).rejects.toBeInstanceOf(LoginConflictError);
  });

  test('given a new password, then it is accepted a moment later, and the former one is no more', async () => {
    const [user, password, other] = someone();
    await create(user, password);
    await known(user, password);
    await reset(user, other);
    await known(user, other);
    await eventually(async () => expect(await isKnown(user, password)).toBe(false));
  });

  test('given a user with another password, then only a reset prepares it, and the start that follows works', async () => {
    const [user, former, password] = someone();
    await create(user, former);
    await known(user, former);
    const url = urlOf(user, password);
    await expect(prepareEventStore(url, admin)).rejects.toThrow(/exists with another password/);
    expect(await prepareEventStore(url, admin, true)).toContain(`the user ${user} exists; set its password`);
    await (await open(url)).head();
    expect(await prepareEventStore(url, admin)).toEqual([
      `the user ${user} exists`,
      `${user} may read $all`,
      `${user} may read and append to streams`,
    ]);
  });
});

describe.skipIf(!guarded)(`rights, on ${guarded?.kind}`, () => {
  if (!guarded) return;
  const [user, password] = [`clarity-${randomUUID().slice(0, 8)}`, randomUUID()];
  const url = guarded.urlOf(user, password);
  let admin: EventStoreDBClient;
  let grantedBefore: unknown;

  beforeAll(async () => {
    admin = EventStoreDBClient.connectionString(guarded.urlOf(guarded.admin.user, guarded.admin.password));
    const options = { direction: 'backwards', fromRevision: 'end', maxCount: 1 } as const;
    try {
      for await (const { event } of admin.readStream('$$$all', options)) grantedBefore = event?.data;
    } catch (error) {
      if (!(error instanceof StreamNotFoundError)) throw error;
    }
    await prepareEventStore(url, guarded.admin);
  });
  afterAll(async () => {
    await grant('$all', grantedBefore ?? {});
    await admin.dispose();
  });
  const grant = (stream: string, metadata: unknown) =>
    admin.appendToStream(`$$${stream}`, jsonEvent({ type: '$metadata', data: metadata as JSONType }), { credentials });
  const readers = (...$r: string[]) => ({ $acl: { $r } });
  const deniedTo = (what: string) => ({
    name: 'EventStoreUnavailable',
    message: expect.stringMatching(
      new RegExp(`does not allow the user of EVENTSTORE_URL to ${what}; clarity eventstore prepare --as admin`),
    ),
  });

  test.each([
    ['nothing', {}],
    ['admins alone', readers('$admins')],
    ['another user', readers('$admins', `${user}-other`)],
    ['nobody', readers()],
  ])('given $all that is granted to %s, then the start names the right that is missing', async (_, metadata) => {
    await grant('$all', metadata);

    const opening = eventStoreDb({ url });

    await expect(opening).rejects.toBeInstanceOf(EventStoreUnavailable);
    await expect(opening).rejects.toMatchObject(deniedTo('read \\$all'));
    await (await open(guarded.urlOf(guarded.admin.user, guarded.admin.password))).head();
  });

  test.each([
    ['the user', readers('$admins', user)],
    ['everybody', { $acl: { $r: '$all' } }],
  ])('given $all that is granted to %s, then reads and subscriptions work', async (_, metadata) => {
    await grant('$all', metadata);
    const store = await open(url);
    const stream = `granted-${randomUUID()}`;
    const after = await store.head();
    const seen = follow(store, { after, prefixes: [stream] }, ({ length }) => length === 1);

    await store.append(stream, [someEvent(stream)], 'none');

    expect((await seen).map(({ revision }) => revision)).toEqual([0]);
    expect((await store.readAll({ after, prefixes: [stream] })).events).toHaveLength(1);
  });

  test('given a right to $all that is revoked, then reads of $all name it, and streams are unaffected', async () => {
    await grant('$all', readers('$admins', user));
    const store = await open(url);
    const stream = `taken-${randomUUID()}`;
    await store.append(stream, [someEvent(stream)], 'none');

    await grant('$all', readers('$admins'));

    const subscribed = async () => {
      const { signal } = new AbortController();
      for await (const _ of store.subscribe({ after: 0n, prefixes: [stream], signal })) expect.unreachable();
    };
    const calls = [store.head(), store.readAll({ after: 0n }), subscribed()];
    await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject(deniedTo('read \\$all'))));
    expect((await store.append(stream, [someEvent(`${stream} more`)], 0)).revision).toBe(1);
    expect(await store.read(stream)).toHaveLength(2);
  });

  test.each([
    ['$r', 'read'],
    ['$w', 'append to'],
  ])(
    'given a stream whose %s is for admins, then its refusal names the stream, and others work',
    async (right, what) => {
      await grant('$all', readers('$admins', user));
      const store = await open(url);
      const stream = `reserved-${randomUUID()}`;
      await store.append(stream, [someEvent(stream)], 'none');
      await grant(stream, { $acl: { [right]: '$admins' } });

      const call = right === '$r' ? store.read(stream) : store.append(stream, [someEvent(`${stream} more`)], 0);

      await expect(call).rejects.toMatchObject(deniedTo(`${what} ${stream}`));
      expect((await store.append(`${stream}-other`, [someEvent('other')], 'none')).revision).toBe(0);
      expect(await store.read(`${stream}-other`)).toHaveLength(1);
    },
  );

  test('given a user who is no admin, then streams of the server are neither changed nor deleted', async () => {
    const client = clientOf(url);
    const [stream, event] = [`$clarity-${randomUUID()}`, jsonEvent({ type: 'Tested', data: {} })];
    const credentials = { username: user, password };
    for (const name of [stream, `$$${stream}`])
      await expect(client.appendToStream(name, event, { credentials })).rejects.toMatchObject({
        type: 'access-denied',
      });
    const calls = [client.deleteStream(stream), client.tombstoneStream(stream)];
    await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject({ type: 'access-denied' })));
  });
});
