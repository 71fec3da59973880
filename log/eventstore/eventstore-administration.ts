/** What an operator asks of EventStoreDB: whether it is fit for the service, and a user with no more rights than needed. */
import {
  AccessDeniedError,
  BACKWARDS,
  END,
  type EventStoreDBClient,
  jsonEvent,
  LoginConflictError,
  MaxAppendSizeExceededError,
  NO_STREAM,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { ServerFeaturesClient } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { UsersClient } from '@eventstore/db-client/generated/users_grpc_pb.js';
import users from '@eventstore/db-client/generated/users_pb.js';
import type { Channel, ClientUnaryCall } from '@grpc/grpc-js';
import { z } from 'zod';
import { pause } from '../backoff.ts';
import { type Address, clientOf, closing, readAddress, unreachable, within } from './eventstore-connection.ts';
import { EventStoreUnavailable, isWrongPassword } from './eventstore-errors.ts';
import { type CallRest, type Calls, hasLeader, type Node, nodesOf, unary } from './eventstore-nodes.ts';

/** Milliseconds that one call may take. */
const DEADLINE = 8_000;
/** Milliseconds for which the nodes of a server may go on with passwords and rights that they have in memory. */
const PASSWORD_CACHE = 3_000;
const ASK_AGAIN = 250;
/** The setting of the server that the service asks for, in bytes. */
const APPEND_NEEDED = 15_000_000;
/** Events of an attempt to append so much, and the bytes of each: together just below it. */
const [PARTS, PART_BYTES] = [15, 990_000];
/** Never written to: appends to it name a revision that it cannot have. */
const PROBE_STREAM = 'clarity-check';
const IMPOSSIBLE_REVISION = BigInt(Number.MAX_SAFE_INTEGER);
/** Seconds that the clocks of two machines may differ. The server names whole seconds. */
const CLOCK_TOLERANCE = 5;

/** `unknown` where the server does not answer the question, such as for a user that it does not know. */
export type Right = 'allowed' | 'denied' | 'unknown';

export interface ServerReport {
  /** Scheme and hosts, without credentials. */
  readonly server: string;
  readonly version: string;
  readonly tls: boolean;
  /** The user of EVENTSTORE_URL; null without one. */
  readonly user: string | null;
  /** Members of the cluster, one for a server of its own; null when the server does not say. */
  readonly nodes: readonly Node[] | null;
  readonly append: Right;
  readonly read_all: Right;
  /** Bytes that one append may have: the server's limit, or `at_least` where the limit is not lower than needed. */
  readonly largest_append: { readonly bytes: number; readonly at_least: boolean } | null;
  /** Seconds that the server's clock is ahead of this machine's, to the second; null when the server does not say. */
  readonly clock_ahead_seconds: number | null;
  /** What has to change, with what to do; empty when the server is fit. */
  readonly problems: readonly string[];
}

interface Internals extends Calls {
  getChannel(): Promise<Channel>;
}

interface Opened {
  readonly client: EventStoreDBClient;
  readonly internals: Internals;
  readonly address: Address;
}

function open(url: string): Opened {
  const address = readAddress(url);
  const client = clientOf(address);
  return { client, internals: client as unknown as Internals, address };
}

const close = ({ client, internals }: Opened): Promise<void> =>
  closing(client.dispose().then(async () => (await internals.getChannel()).close()));

/** @throws AttemptTimedOut when nothing answers in time: the client's reads wait for ever */
const answered = <Answer>(work: Promise<Answer>, milliseconds = DEADLINE): Promise<Answer> =>
  within(work, milliseconds, 'a call');

const credentialsOf = (url: string): { readonly user: string; readonly password: string } | null => {
  const found = /^[a-z+]+:\/\/([^:@/]+):([^@]*)@/.exec(url.trim());
  return found ? { user: decodeURIComponent(found[1] ?? ''), password: decodeURIComponent(found[2] ?? '') } : null;
};

const withCredentials = (url: string, user: string, password: string): string =>
  url
    .trim()
    .replace(
      /^([a-z+]+:\/\/)(?:[^@/]*@)?/,
      (_, scheme: string) => `${scheme}${encodeURIComponent(user)}:${encodeURIComponent(password)}@`,
    );

/** Tries an append that the server has to refuse for its revision once it has allowed it for all else. */
async function tryAppend({ client }: Opened, parts: number, bytes: number): Promise<Right | number> {
  const events = Array.from({ length: parts }, () => jsonEvent({ type: 'Check', data: { text: 'x'.repeat(bytes) } }));
  try {
    await client.appendToStream(PROBE_STREAM, events, {
      expectedRevision: IMPOSSIBLE_REVISION,
      deadline: 4 * DEADLINE,
    });
    return 'unknown';
  } catch (error) {
    if (error instanceof WrongExpectedVersionError) return 'allowed';
    if (error instanceof MaxAppendSizeExceededError) return error.maxAppendSize;
    if (error instanceof AccessDeniedError) return isWrongPassword(error) ? 'unknown' : 'denied';
    throw error;
  }
}

async function tryReadAll({ client }: Opened): Promise<Right | 'wrong password'> {
  try {
    for await (const _ of client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 }, {}));
    return 'allowed';
  } catch (error) {
    if (error instanceof AccessDeniedError) return isWrongPassword(error) ? 'wrong password' : 'denied';
    throw error;
  }
}

/**
 * Asks the server of EVENTSTORE_URL what the service relies on. Stores nothing: the appends that are tried name a revision
 * that their stream cannot have.
 * @throws EventStoreUnavailable when no server answers or the URL cannot be used
 */
export async function checkEventStore(url: string, now: () => number = Date.now): Promise<ServerReport> {
  const opened = open(url);
  const { internals, address } = opened;
  try {
    const { value: features, date } = await internals.execute(ServerFeaturesClient, 'features', (grpc) =>
      unary<SupportedMethods>((answer) =>
        grpc.getSupportedMethods(new shared.Empty(), ...internals.callArguments({ deadline: DEADLINE }), answer),
      ),
    );
    const asked = now();
    const readAll = await answered(tryReadAll(opened));
    const small = await answered(tryAppend(opened, 1, 10));
    const append = typeof small === 'number' ? 'allowed' : small;
    const large = append === 'allowed' ? await answered(tryAppend(opened, PARTS, PART_BYTES), 4 * DEADLINE) : 'unknown';
    const report = {
      server: address.shown,
      version: features.getEventStoreServerVersion() || 'unknown',
      tls: address.tls,
      user: credentialsOf(url)?.user ?? null,
      nodes: await nodesOf(internals, DEADLINE),
      append,
      read_all: readAll === 'wrong password' ? ('unknown' as const) : readAll,
      largest_append:
        typeof large === 'number'
          ? { bytes: large, at_least: false }
          : large === 'allowed'
            ? { bytes: PARTS * PART_BYTES, at_least: true }
            : null,
      clock_ahead_seconds:
        date && !Number.isNaN(Date.parse(date)) ? Math.round((Date.parse(date) - asked) / 1_000) : null,
    };
    return { ...report, problems: problemsOf(report, readAll === 'wrong password') };
  } catch (error) {
    if (error instanceof AccessDeniedError && isWrongPassword(error))
      throw new EventStoreUnavailable(
        `the event store at ${address.shown} refuses the user or password of EVENTSTORE_URL: correct the URL`,
        true,
      );
    throw error instanceof EventStoreUnavailable ? error : await unreachable(error, address);
  } finally {
    await close(opened);
  }
}

function problemsOf(report: Omit<ServerReport, 'problems'>, wrongPassword: boolean): string[] {
  const { user, tls, nodes, append, read_all, largest_append, clock_ahead_seconds } = report;
  const who = user === null ? 'a caller without user' : `the user ${user}`;
  const found: string[] = [];
  if (wrongPassword) found.push(`the server refuses the user or password of EVENTSTORE_URL: correct the URL`);
  if (read_all === 'denied')
    found.push(`${who} may not read $all: run clarity eventstore prepare --as admin, or add it to "$r" of $all`);
  if (append === 'denied')
    found.push(`${who} may not append: run clarity eventstore prepare --as admin, or add it to "$w" of $settings`);
  if (!tls && user !== null)
    found.push('tls=false sends no credentials: the server knows every caller as anonymous; use tls=true');
  if (nodes && !hasLeader(nodes))
    found.push('no node is the leader, so nothing can be appended: see why the nodes do not elect one');
  for (const { address, state } of nodes?.filter(({ alive }) => !alive) ?? [])
    found.push(`the node ${address} is down (${state}): start it, or remove it from the cluster`);
  if (largest_append && !largest_append.at_least && largest_append.bytes < APPEND_NEEDED)
    found.push(
      `one append may have ${largest_append.bytes} bytes at most: set MaxAppendSize of the server to ${APPEND_NEEDED}`,
    );
  if (clock_ahead_seconds !== null && Math.abs(clock_ahead_seconds) > CLOCK_TOLERANCE)
    found.push(
      `the clock of the server is ${Math.abs(clock_ahead_seconds)} s ${clock_ahead_seconds > 0 ? 'ahead of' : 'behind'} ` +
        'that of this machine: synchronise both by NTP',
    );
  return found;
}

export interface Preparation {
  /** The connection string of the service: its user is created. */
  readonly url: string;
  readonly admin: { readonly user: string; readonly password: string };
  /** Sets the password of a user that exists to that of the URL. */
  readonly resetPassword?: boolean;
}

const Acl = z.union([z.string(), z.array(z.string())]);
const METADATA_OF_ALL = '$$$all';
const StreamRights = z.looseObject({ $acl: z.record(z.string(), Acl).optional() });
const Settings = z.looseObject({ $userStreamAcl: z.record(z.string(), Acl).optional() });
/** By `$settings`, who may read, append to and read the metadata of streams that are not the server's own; everybody where nothing is set. */
const USER_STREAM_RIGHTS = ['$r', '$w', '$mr'] as const;
const EVERYBODY = '$all';
const rolesOf = (acl: z.infer<typeof Acl>): string[] => (typeof acl === 'string' ? [acl] : acl);

/**
 * Creates the user of the URL and grants what the service needs: to read $all, and to read and append to streams that are
 * not the server's own. Rights of others stay as they are. Done twice it changes nothing.
 * @returns what was done, and what was so already
 * @throws EventStoreUnavailable with what to do
 */
export async function prepareEventStore({ url, admin, resetPassword = false }: Preparation): Promise<string[]> {
  const own = credentialsOf(url);
  if (!own) throw new EventStoreUnavailable('EVENTSTORE_URL names no user: esdb://user:password@host:2113', true);
  if (!readAddress(url).tls)
    throw new EventStoreUnavailable('EVENTSTORE_URL has tls=false: a server without TLS has no users to prepare', true);
  if (own.user === admin.user)
    throw new EventStoreUnavailable(
      `EVENTSTORE_URL names ${admin.user} itself: name another user for the service`,
      true,
    );
  const opened = open(withCredentials(url, admin.user, admin.password));
  try {
    // Asked before: a server answers the creation of a user that exists like the first one.
    const exists = (await connected(url, tryReadAll)) !== 'wrong password';
    const done = exists ? [`the user ${own.user} exists`] : await createUser(opened, own, resetPassword);
    done.push(await grantReadAll(opened, own.user), await grantStreams(opened, own.user));
    await assertPassword(url, own.user);
    return done;
  } catch (error) {
    if (error instanceof EventStoreUnavailable) throw error;
    const { shown } = opened.address;
    if (error instanceof AccessDeniedError && isWrongPassword(error))
      throw new EventStoreUnavailable(`the event store at ${shown} refuses ${admin.user} or that password`, true);
    if (error instanceof AccessDeniedError)
      throw new EventStoreUnavailable(`${admin.user} may not manage the event store at ${shown}: name an admin`, true);
    if (error instanceof WrongExpectedVersionError)
      throw new EventStoreUnavailable(`the rights at ${shown} were changed at the same time: run it again`);
    throw await unreachable(error, opened.address);
  } finally {
    await close(opened);
  }
}

async function createUser(
  { internals }: Opened,
  { user, password }: { readonly user: string; readonly password: string },
  resetPassword: boolean,
): Promise<string[]> {
  const call = <Answer>(ask: (client: UsersClient, ...rest: CallRest<Answer>) => ClientUnaryCall) =>
    internals.execute(UsersClient, 'users', (grpc) =>
      unary<Answer>((answer) => ask(grpc, ...internals.callArguments({ deadline: DEADLINE }), answer)),
    );
  const options = new users.CreateReq.Options()
    .setLoginName(user)
    .setPassword(password)
    .setFullName('Clarity')
    .setGroupsList([]);
  try {
    await call((grpc, ...rest) => grpc.create(new users.CreateReq().setOptions(options), ...rest));
    return [`created the user ${user}`];
  } catch (error) {
    if (!(error instanceof LoginConflictError)) throw error;
  }
  if (!resetPassword) return [`the user ${user} exists`];
  const reset = new users.ResetPasswordReq.Options().setLoginName(user).setNewPassword(password);
  await call((grpc, ...rest) => grpc.resetPassword(new users.ResetPasswordReq().setOptions(reset), ...rest));
  return [`the user ${user} exists; set its password`];
}

/** The last event of a stream. The client's own reading of metadata takes its place in the log for its revision. */
async function lastOf({ client }: Opened, stream: string) {
  let last: { readonly revision: bigint; readonly data: unknown } | null = null;
  try {
    for await (const { event } of client.readStream(stream, { direction: BACKWARDS, fromRevision: END, maxCount: 1 }))
      if (event) last = { revision: event.revision, data: event.data };
  } catch (error) {
    if (!(error instanceof StreamNotFoundError)) throw error;
  }
  return last;
}

async function grantReadAll(opened: Opened, user: string): Promise<string> {
  const last = await answered(lastOf(opened, METADATA_OF_ALL));
  const metadata = StreamRights.safeParse(last?.data ?? {});
  if (!metadata.success)
    throw new EventStoreUnavailable('the metadata of $all cannot be read: correct it by the tools of the server');
  const { $acl = {} } = metadata.data;
  // Without a list it is the admins who may; a list replaces that default.
  const readers = rolesOf($acl.$r ?? '$admins');
  if (readers.includes(user) || readers.includes(EVERYBODY)) return `${user} may read $all`;
  const data = { ...metadata.data, $acl: { ...$acl, $r: [...readers, user] } };
  await opened.client.appendToStream(METADATA_OF_ALL, jsonEvent({ type: '$metadata', data }), {
    expectedRevision: last?.revision ?? NO_STREAM,
  });
  return `granted ${user} to read $all`;
}

async function grantStreams(opened: Opened, user: string): Promise<string> {
  const [stream, already] = ['$settings', `${user} may read and append to streams`];
  const last = await answered(lastOf(opened, stream));
  const settings = Settings.safeParse(last?.data);
  const acl = settings.data?.$userStreamAcl;
  if (!last || !acl) return already;
  const lacking = USER_STREAM_RIGHTS.filter((right) => {
    const roles = rolesOf(acl[right] ?? EVERYBODY);
    return !roles.includes(user) && !roles.includes(EVERYBODY);
  });
  if (lacking.length === 0) return already;
  const granted = Object.fromEntries(lacking.map((right) => [right, [...rolesOf(acl[right] ?? []), user]]));
  const data = { ...settings.data, $userStreamAcl: { ...acl, ...granted } };
  await opened.client.appendToStream(stream, jsonEvent({ type: 'settings', data }), {
    expectedRevision: last.revision,
  });
  return `granted ${user} to read and append to streams`;
}

async function connected<Result>(url: string, work: (opened: Opened) => Promise<Result>): Promise<Result> {
  const opened = open(url);
  try {
    return await answered(work(opened));
  } finally {
    await close(opened);
  }
}

async function assertPassword(url: string, user: string): Promise<void> {
  const end = performance.now() + PASSWORD_CACHE;
  let right = await connected(url, tryReadAll);
  while (right !== 'allowed' && performance.now() < end) {
    await pause(ASK_AGAIN);
    right = await connected(url, tryReadAll);
  }
  if (right === 'wrong password')
    throw new EventStoreUnavailable(
      `the user ${user} exists with another password than that of EVENTSTORE_URL: correct the URL, or add --reset-password`,
      true,
    );
  if (right !== 'allowed')
    throw new EventStoreUnavailable(`the user ${user} still may not read $all: see the metadata of $all`, true);
}

/** Hides the events of a stream before a revision, so that the next scavenge removes them. */
export const truncateStream = async (url: string, stream: string, before: number): Promise<void> =>
  void (await connected(url, ({ client }) => client.setStreamMetadata(stream, { truncateBefore: before })));
