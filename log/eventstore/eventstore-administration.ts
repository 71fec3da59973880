/** What an operator asks of EventStoreDB: whether it is fit for the service, and a user with no more rights than needed. */
import { randomUUID } from 'node:crypto';
import {
  AccessDeniedError,
  LoginConflictError,
  MaxAppendSizeExceededError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { UsersClient } from '@eventstore/db-client/generated/users_grpc_pb.js';
import users, { type CreateResp, type ResetPasswordResp } from '@eventstore/db-client/generated/users_pb.js';
import { z } from 'zod';
import { pause } from '../backoff.ts';
import {
  type Address,
  Connection,
  type Credentials,
  hasLeader,
  type Node,
  readAddress,
  unreachable,
} from './eventstore-connection.ts';
import { EventStoreUnavailable, isWrongPassword } from './eventstore-errors.ts';

/** Milliseconds that the largest append may take. */
const LARGEST_APPEND = 32_000;
/** Milliseconds for which the nodes of a server may go on with passwords and rights that they have in memory. */
const PASSWORD_CACHE = 3_000;
const ASK_AGAIN = 250;
/** The setting of the server that the service asks for, in bytes. */
const APPEND_NEEDED = 15_000_000;
/** Events of an attempt to append so much, and the bytes of each: together just below it. */
const [PARTS, PART_BYTES] = [15, 990_000];
/** Never written to: appends to it name a revision that it cannot have. */
const PROBE_STREAM = 'clarity-check';
const IMPOSSIBLE_REVISION = Number.MAX_SAFE_INTEGER;
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

/** @throws EventStoreUnavailable when the server is not reached, or refuses the user; other refusals as they come */
async function connected<Result>(
  address: Address,
  work: (connection: Connection) => Promise<Result>,
  user = 'the user or password of EVENTSTORE_URL: correct the URL',
): Promise<Result> {
  const connection = new Connection(address, LARGEST_APPEND);
  try {
    return await work(connection);
  } catch (error) {
    const isRefusal = error instanceof AccessDeniedError || error instanceof WrongExpectedVersionError;
    if (error instanceof AccessDeniedError && isWrongPassword(error))
      throw new EventStoreUnavailable(`the event store at ${address.shown} refuses ${user}`, true);
    throw isRefusal || error instanceof EventStoreUnavailable ? error : await unreachable(error, address);
  } finally {
    connection.close();
  }
}

/** Tries an append that the server has to refuse for its revision once it has allowed it for all else. */
async function tryAppend(connection: Connection, parts: number, bytes: number): Promise<Right | number> {
  const data = { text: 'x'.repeat(bytes) };
  const events = Array.from({ length: parts }, () => ({ id: randomUUID(), type: 'Check', data }));
  try {
    await connection.append(PROBE_STREAM, events, IMPOSSIBLE_REVISION);
    return 'unknown';
  } catch (error) {
    if (error instanceof WrongExpectedVersionError) return 'allowed';
    if (error instanceof MaxAppendSizeExceededError) return error.maxAppendSize;
    if (error instanceof AccessDeniedError) return isWrongPassword(error) ? 'unknown' : 'denied';
    throw error;
  }
}

async function tryReadAll(connection: Connection): Promise<Right | 'wrong password'> {
  try {
    await connection.lastRecord();
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
  const address = readAddress(url);
  return connected(address, (connection) => reportOf(connection, address, now));
}

async function reportOf(connection: Connection, address: Address, now: () => number): Promise<ServerReport> {
  const { version, date } = await connection.version();
  const ahead = Math.round((Date.parse(date ?? '') - now()) / 1_000);
  const readAll = await tryReadAll(connection);
  const small = await tryAppend(connection, 1, 10);
  const append = typeof small === 'number' ? 'allowed' : small;
  const large = append === 'allowed' ? await tryAppend(connection, PARTS, PART_BYTES) : 'unknown';
  const bytes = large === 'allowed' ? PARTS * PART_BYTES : large;
  const report = {
    server: address.shown,
    version,
    tls: address.tls,
    user: address.credentials?.user ?? null,
    nodes: await connection.nodes(),
    append,
    read_all: readAll === 'wrong password' ? ('unknown' as const) : readAll,
    largest_append: typeof bytes === 'number' ? { bytes, at_least: large === 'allowed' } : null,
    clock_ahead_seconds: Number.isNaN(ahead) ? null : ahead,
  };
  return { ...report, problems: problemsOf(report, readAll === 'wrong password') };
}

function problemsOf(report: Omit<ServerReport, 'problems'>, wrongPassword: boolean): string[] {
  const { user, tls, nodes, append, read_all, largest_append, clock_ahead_seconds } = report;
  const who = user === null ? 'a caller without user' : `the user ${user}`;
  const problems: string[] = [];
  if (wrongPassword) problems.push(`the server refuses the user or password of EVENTSTORE_URL: correct the URL`);
  if (read_all === 'denied')
    problems.push(`${who} may not read $all: run clarity eventstore prepare --as admin, or add it to "$r" of $all`);
  if (append === 'denied')
    problems.push(`${who} may not append: run clarity eventstore prepare --as admin, or add it to "$w" of $settings`);
  if (!tls && user !== null)
    problems.push('tls=false sends no credentials: the server knows every caller as anonymous; use tls=true');
  if (nodes && !hasLeader(nodes))
    problems.push('no node is the leader, so nothing can be appended: see why the nodes do not elect one');
  for (const { address, state } of nodes?.filter(({ alive }) => !alive) ?? [])
    problems.push(`the node ${address} is down (${state}): start it, or remove it from the cluster`);
  if (largest_append && !largest_append.at_least && largest_append.bytes < APPEND_NEEDED)
    problems.push(
      `one append may have ${largest_append.bytes} bytes at most: set MaxAppendSize of the server to ${APPEND_NEEDED}`,
    );
  if (clock_ahead_seconds !== null && Math.abs(clock_ahead_seconds) > CLOCK_TOLERANCE)
    problems.push(
      `the clock of the server is ${Math.abs(clock_ahead_seconds)} s ${clock_ahead_seconds > 0 ? 'ahead of' : 'behind'} ` +
        'that of this machine: synchronise both by NTP',
    );
  return problems;
}

const Acl = z.union([z.string(), z.array(z.string())]);
const Rights = z.record(z.string(), Acl);
/** The last event of `$settings`, or of the metadata of a stream. */
const Settings = z.looseObject({ $acl: Rights.optional(), $userStreamAcl: Rights.optional() });
/** By `$settings`, who may read, append to and read the metadata of streams that are not the server's own; everybody where nothing is set. */
const USER_STREAM_RIGHTS = ['$r', '$w', '$mr'] as const;
const EVERYBODY = '$all';
const METADATA = '$metadata';
const rolesOf = (acl: z.infer<typeof Acl>): string[] => (typeof acl === 'string' ? [acl] : acl);

/**
 * Creates the user of the URL and grants what the service needs: to read $all, and to read and append to streams that are
 * not the server's own. Rights of others stay as they are. Done twice it changes nothing.
 * @param resetPassword sets the password of a user that exists to that of the URL
 * @returns what was done, and what was so already
 * @throws EventStoreUnavailable with what to do
 */
export async function prepareEventStore(url: string, admin: Credentials, resetPassword = false): Promise<string[]> {
  const { credentials: own, tls, shown } = readAddress(url);
  if (!own) throw new EventStoreUnavailable('EVENTSTORE_URL names no user: esdb://user:password@host:2113', true);
  if (!tls)
    throw new EventStoreUnavailable('EVENTSTORE_URL has tls=false: a server without TLS has no users to prepare', true);
  if (own.user === admin.user)
    throw new EventStoreUnavailable(
      `EVENTSTORE_URL names ${admin.user} itself: name another user for the service`,
      true,
    );
  const prepare = async (connection: Connection): Promise<string[]> => {
    // Asked before: a server answers the creation of a user that exists like the first one.
    const exists = (await connected(readAddress(url), tryReadAll)) !== 'wrong password';
    const done = exists ? [`the user ${own.user} exists`] : await createUser(connection, own, resetPassword);
    done.push(await grantReadAll(connection, own.user), await grantStreams(connection, own.user));
    await assertPassword(url, own.user);
    return done;
  };
  try {
    return await connected(readAddress(url, admin), prepare, `${admin.user} or that password`);
  } catch (error) {
    if (error instanceof AccessDeniedError)
      throw new EventStoreUnavailable(`${admin.user} may not manage the event store at ${shown}: name an admin`, true);
    if (error instanceof WrongExpectedVersionError)
      throw new EventStoreUnavailable(`the rights at ${shown} were changed at the same time: run it again`);
    throw error;
  }
}

async function createUser(
  connection: Connection,
  { user, password }: Credentials,
  resetPassword: boolean,
): Promise<string[]> {
  const options = new users.CreateReq.Options()
    .setLoginName(user)
    .setPassword(password)
    .setFullName('Clarity')
    .setGroupsList([]);
  try {
    await connection.unary<UsersClient, CreateResp>(UsersClient, 'the creation of a user', (grpc, ...rest) =>
      grpc.create(new users.CreateReq().setOptions(options), ...rest),
    );
    return [`created the user ${user}`];
  } catch (error) {
    if (!(error instanceof LoginConflictError)) throw error;
  }
  if (!resetPassword) return [`the user ${user} exists`];
  const reset = new users.ResetPasswordReq.Options().setLoginName(user).setNewPassword(password);
  await connection.unary<UsersClient, ResetPasswordResp>(UsersClient, 'a new password', (grpc, ...rest) =>
    grpc.resetPassword(new users.ResetPasswordReq().setOptions(reset), ...rest),
  );
  return [`the user ${user} exists; set its password`];
}

/**
 * Changes what the last event of a stream sets. Of two changes at once the second fails.
 * @param change gives the new settings, null where nothing is to change
 */
async function amend(
  connection: Connection,
  stream: string,
  type: string,
  change: (settings: z.infer<typeof Settings>) => object | null,
): Promise<boolean> {
  const last = (await connection.readStream(stream, 0, true)).at(-1)?.event;
  const settings = Settings.safeParse(last?.data ?? {});
  if (!settings.success)
    throw new EventStoreUnavailable(`${stream} cannot be read: correct it by the tools of the server`);
  const data = change(settings.data);
  if (data) await connection.append(stream, [{ id: randomUUID(), type, data }], Number(last?.revision ?? -1));
  return data !== null;
}

async function grantReadAll(connection: Connection, user: string): Promise<string> {
  const isGranted = await amend(connection, '$$$all', METADATA, ({ $acl = {}, ...rest }) => {
    // Without a list it is the admins who may; a list replaces that default.
    const readers = rolesOf($acl.$r ?? '$admins');
    if (readers.includes(user) || readers.includes(EVERYBODY)) return null;
    return { ...rest, $acl: { ...$acl, $r: [...readers, user] } };
  });
  return isGranted ? `granted ${user} to read $all` : `${user} may read $all`;
}

async function grantStreams(connection: Connection, user: string): Promise<string> {
  const isGranted = await amend(connection, '$settings', 'settings', ({ $userStreamAcl: acl, ...rest }) => {
    if (!acl) return null;
    const lacking = USER_STREAM_RIGHTS.filter((right) => {
      const roles = rolesOf(acl[right] ?? EVERYBODY);
      return !roles.includes(user) && !roles.includes(EVERYBODY);
    });
    const granted = Object.fromEntries(lacking.map((right) => [right, [...rolesOf(acl[right] ?? []), user]]));
    return lacking.length > 0 ? { ...rest, $userStreamAcl: { ...acl, ...granted } } : null;
  });
  return isGranted ? `granted ${user} to read and append to streams` : `${user} may read and append to streams`;
}

async function assertPassword(url: string, user: string): Promise<void> {
  const end = performance.now() + PASSWORD_CACHE;
  const right = await connected(readAddress(url), async (connection) => {
    for (;;) {
      const granted = await tryReadAll(connection);
      if (granted === 'allowed' || performance.now() > end) return granted;
      await pause(ASK_AGAIN);
    }
  });
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
  void (await connected(readAddress(url), (connection) =>
    amend(connection, `$$${stream}`, METADATA, (metadata) => ({ ...metadata, $tb: before })),
  ));
