/** The connection to EventStoreDB: its connection string, its gRPC calls and their deadlines. */

import {
  type AllStreamResolvedEvent,
  convertToCommandError,
  EventStoreDBClient,
  type JSONType,
  jsonEvent,
  NO_STREAM,
  type ResolvedEvent,
  StreamDeletedError,
  streamNameFilter,
  UnavailableError,
} from '@eventstore/db-client';
import { ServerFeatures } from '@eventstore/db-client/dist/Client/ServerFeatures.js';
import { convertGrpcEvent } from '@eventstore/db-client/dist/utils/convertGrpcEvent.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams, { type ReadReq, type ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { CallOptions, Channel, ClientReadableStream, Metadata, ServiceError } from '@grpc/grpc-js';
import { backoff, pause } from '../backoff.ts';
import { findHindrance } from './eventstore-diagnosis.ts';
import { AttemptTimedOut, EventStoreUnavailable, isTransientFailure, StreamTombstoned } from './eventstore-errors.ts';
import { type Calls, hasLeader, nodesOf } from './eventstore-nodes.ts';
import type { Place, ProposedRecord } from './eventstore-records.ts';

// The connection string of an event store, read before its client does: the client would print it, password and all.

export interface Address {
  /** As the client takes it. */
  readonly connectionString: string;
  /** Scheme and hosts alone, which are safe to show. */
  readonly shown: string;
  readonly hosts: readonly string[];
  readonly tls: boolean;
  readonly caFile?: string;
  /** A text without the password, in whatever form the text contains it. */
  hide(text: string): string;
}

const SCHEMES = new Map([
  ['esdb', 'esdb'],
  ['esdb+discover', 'esdb+discover'],
  ['kurrentdb', 'esdb'],
  ['kurrentdb+discover', 'esdb+discover'],
]);
/** In the client's comparison: without case, hyphens and underscores. */
const OPTIONS = new Set(
  [
    'tls',
    'tlsCAFile',
    'userCertFile',
    'userKeyFile',
    'connectionName',
    'nodePreference',
    'defaultDeadline',
    'maxDiscoverAttempts',
    'discoveryInterval',
    'gossipTimeout',
    'keepAliveInterval',
    'keepAliveTimeout',
  ].map(flat),
);
const FORM =
  /^(?<scheme>[a-z+]+):\/\/(?:(?<user>[^:@/]+):(?<password>[^@]*)@)?(?<hosts>[^@/?]+)\/?(?:\?(?<query>.*))?$/;
const HOST = /^[A-Za-z0-9._-]+(?::\d{1,5})?$/;

function flat(option: string): string {
  return option.toLowerCase().replace(/[-_]/g, '');
}

const refuse = (why: string): never => {
  throw new EventStoreUnavailable(
    `EVENTSTORE_URL ${why}; it has the form esdb://user:password@host:2113?tls=true, ` +
      'with several hosts separated by commas, or esdb+discover:// and one name of a cluster',
    true,
  );
};

/**
 * Reads `esdb://`, `esdb+discover://` and the same with `kurrentdb`.
 * @throws EventStoreUnavailable saying what is wrong, never showing the password
 */
export function readAddress(url: string): Address {
  const parts = FORM.exec(url.trim())?.groups ?? refuse('cannot be read');
  const { scheme = '', user, password, hosts = '', query } = parts;
  const spoken = SCHEMES.get(scheme) ?? refuse(`begins with ${scheme}://, which is no scheme of an event store`);
  for (const host of hosts.split(',')) if (!HOST.test(host)) refuse(`has the host "${host}"`);
  for (const pair of query?.split('&') ?? []) {
    const [option = ''] = pair.split('=', 1);
    if (flat(option) === 'tlsverifycert')
      refuse('has the option tlsVerifyCert, which the client lacks: name the certificate by tlsCAFile');
    if (!OPTIONS.has(flat(option))) refuse(`has the unknown option "${option}"`);
  }
  const credentials = user === undefined ? '' : `${user}:${password}@`;
  const options = new Map(
    query?.split('&').map((pair) => [flat(pair.split('=')[0] ?? ''), pair.replace(/^[^=]*=?/, '')]),
  );
  const caFile = options.get(flat('tlsCAFile'));
  const secrets = password ? [...new Set([password, decoded(password), credentials.slice(0, -1)])] : [];
  return {
    connectionString: `${spoken}://${credentials}${hosts}${query ? `?${query}` : ''}`,
    shown: `${scheme}://${hosts}`,
    hosts: hosts.split(','),
    tls: options.get('tls')?.toLowerCase() !== 'false',
    ...(caFile ? { caFile: decodeURIComponent(caFile) } : {}),
    hide: (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text),
  };
}

function decoded(password: string): string {
  try {
    return decodeURIComponent(password);
  } catch {
    // A URIError: the refusal says what is wrong.
    return refuse('has a password with a % that encodes nothing (write it as %25)');
  }
}

// The connection to EventStoreDB: the client of the server's maker, and what it lacks. Each call has a time limit and is
// retried while the server is unavailable. The only file, with eventstore.ts, that knows the client.
//
// - It appends by BatchAppend where the server offers that, and its answers are kept in one map for all connections of
//   the process. Appends are made one call each instead.
// - It does not filter reads of $all, which the server can do.
// - Its reads have no time limit, and closing it leaves the channel open.

/**
 * Milliseconds of silence after which the server is asked whether it is alive, and as many in which it has to answer.
 */
const SILENCE = 2_500;
/** Milliseconds that a read may be silent though the server is alive: a search through a very long log. */
const SEARCH = 300_000;
/** Milliseconds that the end of open calls is awaited. */
const CLOSING = 500;
/** Records that the server searches at once for one that matches. */
const SEARCH_WINDOW = 1_000;
/** Records read ahead of the consumer of a subscription. */
const READ_AHEAD = 256;
/** Streams that do not begin with $, which the server keeps for itself. */
const OURS = '^[^$]';
/** As prefixes of a read, all streams: unlike a read without a filter, it is refused where no record begins. */
export const EVERY: readonly string[] = [];

interface ReadAllRequest {
  readonly from: Place | 'start' | 'end';
  readonly backwards?: boolean;
  readonly maximum: number;
  /** Asks the leader of a cluster, the only node that certainly has all records. */
  readonly leader?: boolean;
  /** Prefixes of stream names; null for all but the server's own; unset for really all. */
  readonly prefixes?: readonly string[] | null;
}

/** What of the client is neither public nor private at run time. */
interface Internals extends Calls {
  GRPCStreamCreator<Stream>(
    client: typeof StreamsClient,
    name: string,
    create: (client: StreamsClient) => Stream,
  ): () => Promise<Stream>;
  getGRPCClient(client: typeof StreamsClient, name: string): Promise<StreamsClient>;
  callArguments(options: { requiresLeader?: boolean; deadline?: number }, call?: CallOptions): [Metadata, CallOptions];
  handleError(client: StreamsClient, error: Error): Promise<void>;
  supports(): Promise<boolean>;
  getChannel(): Promise<Channel>;
}

/** The client's own errors show the connection string, so they are not passed on. @throws EventStoreUnavailable */
export function clientOf(address: Address): EventStoreDBClient {
  try {
    const client = EventStoreDBClient.connectionString(address.connectionString);
    // Asked before each append whether the server offers BatchAppend: see docs/decisions/no-batch-append.md.
    (client as unknown as Internals).supports = async () => false;
    return client;
  } catch (error) {
    const why = error instanceof Error ? address.hide(error.message) : 'unknown';
    const about = address.caFile && /certificate file/i.test(why) ? ` (tlsCAFile=${address.caFile})` : '';
    throw new EventStoreUnavailable(`EVENTSTORE_URL cannot be used: ${why}${about}`, true);
  }
}

const LAST_RECORD = new streams.ReadReq.Options()
  .setAll(new streams.ReadReq.Options.AllOptions().setEnd(new shared.Empty()))
  .setReadDirection(1)
  .setCount('1')
  .setNoFilter(new shared.Empty());

/** How long work goes on while the server is unavailable, in all of its steps together. */
export interface Patience {
  readonly milliseconds: number;
  /** When the server became unavailable, by `performance.now()`; unset as long as nothing has failed. */
  since?: number;
}

export class Connection {
  readonly #address: Address;
  readonly #retryFor: number;
  /** Milliseconds. Once silent, once asked whether it is alive: then there is time for a second attempt. */
  readonly #silence: number;
  readonly #client: EventStoreDBClient;
  readonly #internals: Internals;
  #channel: Promise<Channel> | undefined;
  #closed = false;
  #probing: Promise<unknown> | undefined;
  /** True from an attempt without an answer to the next answer: meanwhile the server is asked sooner whether it is alive. */
  #isSilent = false;
  #reconnects = 0;
  /** Why the channel was closed last: calls that were on it fail for that reason, whatever their errors say. */
  #reason: AttemptTimedOut | undefined;

  /**
   * Opens no connection yet: the first call does.
   * @param retryFor milliseconds that a call is retried while the server is unavailable
   * @throws EventStoreUnavailable when the address cannot be used
   */
  constructor(address: Address, retryFor: number) {
    this.#address = address;
    this.#retryFor = retryFor;
    this.#silence = Math.min(SILENCE, retryFor / 4);
    this.#client = clientOf(address);
    this.#internals = this.#client as unknown as Internals;
    const { getChannel } = this.#internals;
    this.#internals.getChannel = () => {
      this.#channel = getChannel();
      return this.#channel;
    };
  }

  /** Records of $all in the order of the read. */
  async readAll(request: ReadAllRequest): Promise<readonly AllStreamResolvedEvent[]> {
    const records = await this.#collect(allOptions(request), request.leader ?? false);
    return (records ?? []) as AllStreamResolvedEvent[];
  }

  /**
   * Records of a stream; none for a stream that is not there.
   * @throws StreamTombstoned
   */
  async readStream(stream: string, from: number, leader: boolean): Promise<readonly ResolvedEvent[]> {
    const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(stream).toString('base64'));
    const place = new streams.ReadReq.Options.StreamOptions().setStreamIdentifier(identifier);
    const options = new streams.ReadReq.Options()
      .setStream(from === 0 ? place.setStart(new shared.Empty()) : place.setRevision(String(from)))
      .setReadDirection(0)
      .setCount(String(Number.MAX_SAFE_INTEGER))
      .setNoFilter(new shared.Empty());
    try {
      return (await this.#collect(options, leader)) ?? [];
    } catch (error) {
      throw error instanceof StreamDeletedError ? new StreamTombstoned(stream) : error;
    }
  }

  /** @param after the revision after which to append, -1 for a stream without events */
  append(stream: string, events: readonly ProposedRecord[], after: number) {
    const appended = this.#client.appendToStream(stream, events.map(written), {
      expectedRevision: after < 0 ? NO_STREAM : BigInt(after),
      deadline: this.#retryFor,
    });
    return whileAlive(appended, `an append to ${stream}`, this.#life());
  }

  subscribe(from: Place | 'start', prefixes: readonly string[] | null) {
    const maxSearchWindow = SEARCH_WINDOW;
    const filter = prefixes
      ? streamNameFilter({ maxSearchWindow, prefixes: [...prefixes] })
      : streamNameFilter({ maxSearchWindow, regex: OURS });
    const stream = this.#client.subscribeToAll({ fromPosition: from, filter }, { highWaterMark: READ_AHEAD });
    // Also after it was abandoned: an error event without a listener would end the process.
    stream.on('error', () => undefined);
    return stream;
  }

  /** The version of the server, such as 24.10.0; unknown before 21.10. */
  async version(): Promise<string> {
    // Not the client's `capabilities`: it keeps a failure for ever.
    const features = this.#internals.execute(...ServerFeatures.createServerFeatures);
    return (await within(features, 2 * this.#silence, 'the version of the server')).serverVersion;
  }

  /** Whether appends are taken, as far as the server says so. */
  async takesAppends(): Promise<boolean> {
    const nodes = await nodesOf(this.#internals, this.#silence);
    return nodes === null || hasLeader(nodes);
  }

  /** For one piece of work. */
  readonly patience = (): Patience => ({ milliseconds: this.#retryFor });

  /**
   * Repeats work while the server is unavailable, for a limited time. All work is idempotent: reads, and appends of ids
   * that are stored once.
   * @throws EventStoreUnavailable when it still was at the end; other errors as they come
   */
  async retried<Result>(work: () => Promise<Result>, patience = this.patience()): Promise<Result> {
    for (let failures = 0; ; failures++) {
      const [began, reconnects] = [performance.now(), this.#reconnects];
      try {
        const result = await work();
        this.#isSilent = false;
        return result;
      } catch (failure) {
        if (this.#closed || !isTransientFailure(failure)) throw failure;
        const isSilence = failure instanceof AttemptTimedOut;
        // Others have connected again meanwhile, which ended this attempt too: the next one begins at once.
        const isFresh = reconnects === this.#reconnects;
        const now = performance.now();
        patience.since ??= isSilence ? Math.max(began, now - 2 * this.#silence) : now;
        // An error that the server answers shows that it is back; what it had begun before times out a moment later.
        const limit = patience.milliseconds + (isSilence && isFresh ? 0 : this.#silence);
        const wait = isFresh || isSilence ? backoff(failures, { base: 50, maximum: 1_000 }, Math.random) : 0;
        if (now + wait > patience.since + limit) {
          const { shown, hide } = this.#address;
          const error = this.reasonOf(failure);
          const message = `the event store at ${shown} does not answer: ${hide(error.message)}`;
          throw new EventStoreUnavailable(message, false, { cause: error });
        }
        // The next attempt shows whether the server is reached; its error is the one that counts.
        if (isSilence && isFresh) await this.#reconnect(failure).catch(() => undefined);
        await pause(wait);
      }
    }
  }

  /** What an error is due to: the silence for which the channel was closed, where it says no more than that it was. */
  reasonOf(error: unknown): Error {
    if (!(error instanceof Error)) return new Error(String(error));
    return this.#reason && /channel (has been )?(closed|shut down)/i.test(error.message) ? this.#reason : error;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await closing(Promise.allSettled([this.#client.dispose(), this.#channel?.then((opened) => opened.close())]));
  }

  /** Makes the client connect again, to another node where there are several: what it is connected to is silent. */
  async #reconnect(reason: AttemptTimedOut): Promise<void> {
    this.#reconnects++;
    this.#isSilent = true;
    this.#reason = reason;
    this.#probing = undefined;
    const silent = Object.assign(new Error('silent'), { code: 14, details: '', metadata: undefined });
    const grpc = await within(this.#internals.getGRPCClient(StreamsClient, 'streams'), this.#silence, 'the connection');
    await this.#internals.handleError(grpc, new UnavailableError(silent as unknown as ServiceError));
  }

  #life(): SignOfLife {
    const reconnects = this.#reconnects;
    return {
      after: this.#isSilent ? this.#silence / 10 : this.#silence,
      // An answer on the next connection says nothing about a call on the one before.
      probe: () => (reconnects === this.#reconnects ? this.#probe() : Promise.reject(this.#reason)),
    };
  }

  /** One for all calls that wait at the same time. */
  readonly #probe = (): Promise<unknown> => {
    if (this.#probing) return this.#probing;
    const read = collect(this.#open(LAST_RECORD, false), this.#silence);
    const probing = within(read, this.#silence, 'a read of the last record').finally(() => {
      if (this.#probing === probing) this.#probing = undefined;
    });
    this.#probing = probing;
    return probing;
  };

  #collect(options: ReadReq.Options, leader: boolean): Promise<ResolvedEvent[] | null> {
    return collect(this.#open(options, leader), this.#silence, this.#life());
  }

  #open(options: ReadReq.Options, leader: boolean): Promise<ClientReadableStream<ReadResp>> {
    const ids = new streams.ReadReq.Options.UUIDOption().setString(new shared.Empty());
    const request = new streams.ReadReq().setOptions(options.setResolveLinks(false).setUuidOption(ids));
    const call = { deadline: Number.POSITIVE_INFINITY };
    return this.#internals.GRPCStreamCreator(StreamsClient, 'read', (grpc) =>
      grpc.read(request, ...this.#internals.callArguments(leader ? { requiresLeader: true } : {}, call)),
    )();
  }
}

/** The client's type asks for an object or a list; the wire takes any JSON. */
const written = ({ data, ...rest }: ProposedRecord) => jsonEvent({ ...rest, data: data as JSONType });

function allOptions({ from, backwards = false, maximum, prefixes }: ReadAllRequest): ReadReq.Options {
  const all = new streams.ReadReq.Options.AllOptions();
  if (from === 'start') all.setStart(new shared.Empty());
  else if (from === 'end') all.setEnd(new shared.Empty());
  else
    all.setPosition(
      new streams.ReadReq.Options.Position()
        .setCommitPosition(String(from.commit))
        .setPreparePosition(String(from.prepare)),
    );
  const options = new streams.ReadReq.Options()
    .setAll(all)
    .setReadDirection(backwards ? 1 : 0)
    .setCount(String(maximum));
  if (prefixes === undefined) return options.setNoFilter(new shared.Empty());
  const expression = new streams.ReadReq.Options.FilterOptions.Expression();
  if (prefixes?.length) expression.setPrefixList([...prefixes]);
  else expression.setRegex(prefixes === EVERY ? '.*' : OURS);
  return options.setFilter(
    new streams.ReadReq.Options.FilterOptions()
      .setStreamIdentifier(expression)
      .setMax(SEARCH_WINDOW)
      .setCheckpointintervalmultiplier(1),
  );
}

/** Waits for the end of calls for a moment only: the client never learns of that of a call that is no longer read. */
export async function closing(ended: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  await Promise.race([ended.catch(() => undefined), pause(CLOSING, done.signal)]);
  done.abort();
}

/** The error that no server is reached, with what hinders the connection where that can be found, else with the last error. */
export async function unreachable(error: unknown, address: Address): Promise<EventStoreUnavailable> {
  const { shown, hide } = address;
  const why = (await findHindrance(address)) ?? hide(error instanceof Error ? error.message : String(error));
  return new EventStoreUnavailable(`no event store answers at ${shown} (EVENTSTORE_URL): ${why}`);
}

/** @throws AttemptTimedOut when the work takes longer; its result is ignored then */
export async function within<Result>(work: Promise<Result>, milliseconds: number, what: string): Promise<Result> {
  const done = new AbortController();
  const late = pause(milliseconds, done.signal).then(() => {
    throw new AttemptTimedOut(what, milliseconds);
  });
  // The loser of the race below is not awaited by anyone.
  late.catch(() => undefined);
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
  }
}

/** How a silent server is asked whether it is alive. */
interface SignOfLife {
  /** Milliseconds of silence before it is asked. */
  readonly after: number;
  /** Rejects when it does not answer. */
  readonly probe: () => Promise<unknown>;
}

/**
 * Waits for work while the server is alive. A server that is busy answers late, and would be busier for a second attempt;
 * one that is hung answers nothing.
 * @throws AttemptTimedOut
 */
async function whileAlive<Result>(work: Promise<Result>, what: string, { after, probe }: SignOfLife): Promise<Result> {
  for (;;) {
    try {
      return await within(work, after, what);
    } catch (error) {
      if (!(error instanceof AttemptTimedOut)) throw error;
      await Promise.race([probe(), work]).catch(() => {
        throw error;
      });
    }
  }
}

/**
 * Reads a call to its end.
 * @param silence milliseconds that the opening of the call may take
 * @param life unset, a silence of as long is a failure at once
 * @returns null for a stream that is not there
 * @throws what the server answers, as an error of the client; AttemptTimedOut
 */
async function collect(
  opening: Promise<ClientReadableStream<ReadResp>>,
  silence: number,
  life?: SignOfLife,
): Promise<ResolvedEvent[] | null> {
  // A call that is opened too late is ended unread.
  let wanted = true;
  opening.then(
    (call) => {
      call.on('error', () => undefined);
      if (!wanted) call.cancel();
    },
    () => undefined,
  );
  const call = await within(opening, silence, 'the opening of a read').catch((error) => {
    wanted = false;
    throw error;
  });
  const { promise, resolve, reject } = Promise.withResolvers<ResolvedEvent[] | null>();
  const found: ResolvedEvent[] = [];
  let missing = false;
  let settled = false;
  let lastAnswer = performance.now();
  const hung = (): void => {
    reject(new AttemptTimedOut('a read', silence));
    call.cancel();
  };
  const timer = setTimeout(() => {
    if (life && performance.now() - lastAnswer < SEARCH) life.probe().then(() => settled || timer.refresh(), hung);
    else hung();
  }, life?.after ?? silence);
  call.on('data', (response: ReadResp) => {
    if (settled) return;
    lastAnswer = performance.now();
    timer.refresh();
    missing ||= response.hasStreamNotFound();
    const event = response.getEvent();
    if (event) found.push(convertGrpcEvent(event));
  });
  call.on('end', () => resolve(missing ? null : found));
  call.on('error', (error) => reject(clientError(error)));
  try {
    return await promise;
  } finally {
    settled = true;
    clearTimeout(timer);
  }
}

/** The error in the client's own classes, which name what the server says. */
function clientError(error: Error): Error {
  // Without them it is an error of the connection, for which the client has no class.
  if (!('metadata' in error) || !('details' in error)) return error;
  return convertToCommandError(error);
}
