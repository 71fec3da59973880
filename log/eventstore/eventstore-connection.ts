/** The connection to EventStoreDB: its connection string, its gRPC calls and their deadlines. */
import {
  AccessDeniedError,
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
import { convertGrpcEvent } from '@eventstore/db-client/dist/utils/convertGrpcEvent.js';
import { GossipClient } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip, { type ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import { ServerFeaturesClient } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams, { type ReadReq, type ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type {
  CallOptions,
  Channel,
  ClientReadableStream,
  ClientUnaryCall,
  Client as GrpcClient,
  Metadata,
  ServiceError,
} from '@grpc/grpc-js';
import { backoff, pause, within } from '../backoff.ts';
import { findHindrance } from './eventstore-diagnosis.ts';
import {
  AttemptTimedOut,
  EventStoreUnavailable,
  isTransientFailure,
  isWrongPassword,
  StreamTombstoned,
} from './eventstore-errors.ts';
import type { Place, ProposedRecord } from './eventstore-records.ts';

// The connection string of an event store, read before its client does: the client would print it, password and all.

export type Credentials = Readonly<Record<'user' | 'password', string>>;

export interface Address {
  /** As the client takes it. */
  readonly connectionString: string;
  /** Scheme and hosts alone, which are safe to show. */
  readonly shown: string;
  readonly hosts: readonly string[];
  readonly tls: boolean;
  readonly caFile?: string;
  readonly credentials: Credentials | null;
  /** A text without the password, in whatever form the text contains it. */
  hide(text: string): string;
}

const SCHEME = /^(esdb|kurrentdb)(\+discover)?$/;
/** In the client's comparison: without case, hyphens and underscores. */
const flat = (option: string): string => option.toLowerCase().replace(/[-_]/g, '');
const OPTIONS = new Set(
  [
    'tls tlsCAFile userCertFile userKeyFile connectionName nodePreference defaultDeadline maxDiscoverAttempts',
    'discoveryInterval gossipTimeout keepAliveInterval keepAliveTimeout',
  ].flatMap((names) => names.split(' ').map(flat)),
);
const FORM =
  /^(?<scheme>[a-z+]+):\/\/(?:(?<user>[^:@/]+):(?<password>[^@]*)@)?(?<hosts>[^@/?]+)\/?(?:\?(?<query>.*))?$/;
const HOST = /^[A-Za-z0-9._-]+(?::\d{1,5})?$/;

const refuse = (why: string): never => {
  throw new EventStoreUnavailable(
    `EVENTSTORE_URL ${why}; it has the form esdb://user:password@host:2113?tls=true, ` +
      'with several hosts separated by commas, or esdb+discover:// and one name of a cluster',
    true,
  );
};

/**
 * Reads `esdb://`, `esdb+discover://` and the same with `kurrentdb`.
 * @param as credentials to use instead of those in the URL
 * @throws EventStoreUnavailable saying what is wrong, never showing the password
 */
export function readAddress(url: string, as?: Credentials): Address {
  const parts = FORM.exec(url.trim())?.groups ?? refuse('cannot be read');
  const { scheme = '', user, password = '', hosts = '', query } = parts;
  if (!SCHEME.test(scheme)) refuse(`begins with ${scheme}://, which is no scheme of an event store`);
  for (const host of hosts.split(',')) if (!HOST.test(host)) refuse(`has the host "${host}"`);
  const options = new Map<string, string>();
  for (const pair of query?.split('&') ?? []) {
    const [option = '', ...value] = pair.split('=');
    if (flat(option) === 'tlsverifycert')
      refuse('has the option tlsVerifyCert, which the client lacks: name the certificate by tlsCAFile');
    if (!OPTIONS.has(flat(option))) refuse(`has the unknown option "${option}"`);
    options.set(flat(option), value.join('='));
  }
  const credentials = as ?? (user === undefined ? null : { user: decoded(user), password: decoded(password) });
  const login = credentials ? [credentials.user, credentials.password].map(encodeURIComponent) : [];
  const secrets = [login.join(':'), password, credentials?.password, login[1]].filter((secret) => !!secret);
  const caFile = options.get(flat('tlsCAFile'));
  return {
    connectionString:
      `${scheme.replace('kurrentdb', 'esdb')}://${login.join(':')}${credentials ? '@' : ''}${hosts}` +
      (query ? `?${query}` : ''),
    shown: `${scheme}://${hosts}`,
    hosts: hosts.split(','),
    tls: options.get('tls')?.toLowerCase() !== 'false',
    ...(caFile ? { caFile: decodeURIComponent(caFile) } : {}),
    credentials,
    hide: (text) => secrets.reduce((shown: string, secret = '') => shown.replaceAll(secret, '***'), text),
  };
}

function decoded(secret: string): string {
  try {
    return decodeURIComponent(secret);
  } catch {
    // A URIError: the refusal says what is wrong.
    return refuse('has a user or password with a % that encodes nothing (write it as %25)');
  }
}

// The connection to EventStoreDB: the client of the server's maker, and what it lacks. Each call has a time limit and is
// retried while the server is unavailable. Of the client:
// - It appends by BatchAppend where the server offers that, and its answers are kept in one map for all connections of
//   the process. Appends are made one call each instead.
// - It does not filter reads of $all, which the server can do.
// - Its reads have no time limit, and closing it leaves the channel open.

/** Milliseconds of silence after which the server is asked whether it is alive, and as many to answer. */
const SILENCE = 2_500;
/** Milliseconds that a call may take though the server is alive: a search through a very long log. */
const LONGEST = 300_000;
/** Records that the server searches at once for one that matches. */
const SEARCH_WINDOW = 1_000;
/** Records read ahead of the consumer of a subscription. */
const READ_AHEAD = 256;
/** Streams that do not begin with $, which the server keeps for itself. */
const OURS = '^[^$]';
/** As prefixes of a read, all streams: unlike a read without a filter, it is refused where no record begins. */
export const EVERY: readonly string[] = [];

/** What follows the request in a call of gRPC with one answer. */
type CallRest<Answer> = [Metadata, CallOptions, (error: ServiceError | null, answer?: Answer) => void];

/** What of the client is neither public nor private at run time. */
interface Internals {
  execute<Client, Result>(
    client: new (...settings: never[]) => Client,
    name: string,
    action: (client: Client) => Promise<Result>,
  ): Promise<Result>;
  getGRPCClient(client: typeof StreamsClient, name: string): Promise<StreamsClient>;
  callArguments(options: { requiresLeader?: boolean; deadline: number }): [Metadata, CallOptions];
  handleError(client: StreamsClient, error: Error): Promise<void>;
  supports(): Promise<boolean>;
  getChannel(): Promise<Channel>;
}

const LAST_RECORD = new streams.ReadReq.Options()
  .setAll(new streams.ReadReq.Options.AllOptions().setEnd(new shared.Empty()))
  .setReadDirection(1)
  .setCount('1')
  .setNoFilter(new shared.Empty());

export interface Node {
  readonly address: string;
  /** Leader, Follower and so on, as the server names its states. */
  readonly state: string;
  readonly alive: boolean;
}

/** Whether one of the nodes takes appends. */
export const hasLeader = (nodes: readonly Node[]): boolean =>
  nodes.some(({ state, alive }) => alive && state === 'Leader');

/** How long work goes on while the server is unavailable, in all of its steps together. */
export interface Patience {
  readonly milliseconds: number;
  /** When the server became unavailable, by `performance.now()`; unset as long as nothing has failed. */
  since?: number;
}

export class Connection {
  readonly address: Address;
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
  #reason: Error | undefined;

  /**
   * Opens no connection yet: the first call does.
   * @param retryFor milliseconds that a call is retried while the server is unavailable
   * @throws EventStoreUnavailable when the address cannot be used
   */
  constructor(address: Address, retryFor: number) {
    this.address = address;
    this.#retryFor = retryFor;
    this.#silence = Math.min(SILENCE, retryFor / 4);
    try {
      this.#client = EventStoreDBClient.connectionString(address.connectionString);
    } catch (error) {
      // The client's own error shows the connection string, so it is not passed on.
      const why = error instanceof Error ? address.hide(error.message) : 'unknown';
      const about = address.caFile && /certificate file/i.test(why) ? ` (tlsCAFile=${address.caFile})` : '';
      throw new EventStoreUnavailable(`EVENTSTORE_URL cannot be used: ${why}${about}`, true);
    }
    this.#internals = this.#client as unknown as Internals;
    // Asked before each append whether the server offers BatchAppend: see docs/decisions/no-batch-append.md.
    this.#internals.supports = async () => false;
    const { execute, getChannel } = this.#internals;
    this.#internals.execute = (kind, name, action) =>
      execute(kind, name, (grpc) => {
        // 4, shut down: there the client's append throws where nobody catches it.
        const isShutDown = (grpc as GrpcClient).getChannel().getConnectivityState(false) === 4;
        return isShutDown ? Promise.reject(new Error('Channel has been shut down')) : action(grpc);
      });
    this.#internals.getChannel = () => {
      this.#channel = getChannel();
      return this.#channel;
    };
  }

  /**
   * Records of $all in their order.
   * @param prefixes of stream names; null for all but the server's own
   */
  async readAll(
    from: Place | 'start',
    maximum: number,
    prefixes: readonly string[] | null,
  ): Promise<readonly ResolvedEvent[]> {
    const all = new streams.ReadReq.Options.AllOptions();
    if (from === 'start') all.setStart(new shared.Empty());
    else
      all.setPosition(
        new streams.ReadReq.Options.Position()
          .setCommitPosition(String(from.commit))
          .setPreparePosition(String(from.prepare)),
      );
    const expression = new streams.ReadReq.Options.FilterOptions.Expression();
    if (prefixes?.length) expression.setPrefixList([...prefixes]);
    else expression.setRegex(prefixes === EVERY ? '.*' : OURS);
    const filter = new streams.ReadReq.Options.FilterOptions()
      .setStreamIdentifier(expression)
      .setMax(SEARCH_WINDOW)
      .setCheckpointintervalmultiplier(1);
    return this.#collect(
      new streams.ReadReq.Options().setAll(all).setReadDirection(0).setCount(String(maximum)).setFilter(filter),
    );
  }

  /** The last record of all, of the server itself too; undefined where nothing is stored. */
  async lastRecord(): Promise<ResolvedEvent | undefined> {
    return (await this.#collect(LAST_RECORD))[0];
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
      return await this.#collect(options, leader);
    } catch (error) {
      throw error instanceof StreamDeletedError ? new StreamTombstoned(stream) : error;
    }
  }

  /** @param after the revision after which to append, -1 for a stream without events */
  append(stream: string, events: readonly ProposedRecord[], after: number) {
    // The client's type asks for an object or a list; the wire takes any JSON.
    const records = events.map(({ data, ...rest }) => jsonEvent({ ...rest, data: data as JSONType }));
    // Not ended where it is given up: over TLS, the server takes that in the middle of the events for the end of them.
    const appended = this.#client.appendToStream(stream, records, {
      expectedRevision: after < 0 ? NO_STREAM : BigInt(after),
      deadline: LONGEST,
    });
    return whileAlive(inTime(appended, this.#retryFor, 'an append'), `an append to ${stream}`, this.#life());
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

  /** The version of the server, such as 24.10.0, unknown before 21.10; and when it says that it answered. */
  async version(): Promise<{ readonly version: string; readonly date: string | undefined }> {
    // Not the client's `capabilities`: it keeps a failure for ever.
    const ask = (grpc: ServerFeaturesClient, ...rest: CallRest<SupportedMethods>) =>
      grpc.getSupportedMethods(new shared.Empty(), ...rest);
    try {
      const { answer, date } = await this.unary(ServerFeaturesClient, 'the version of the server', ask);
      return { version: answer.getEventStoreServerVersion() || 'unknown', date };
    } catch (error) {
      // Of gRPC: not implemented.
      if ((error as { code?: unknown }).code === 12) return { version: 'unknown', date: undefined };
      throw error;
    }
  }

  /** Whether appends are taken, as far as the server says so. */
  async takesAppends(): Promise<boolean> {
    const nodes = await this.nodes();
    return nodes === null || hasLeader(nodes);
  }

  /**
   * Members of the cluster as the one that is connected sees them, one for a server of its own; null where the server does
   * not say. No other is asked, and the connection stays where it is.
   */
  async nodes(): Promise<readonly Node[] | null> {
    const ask = (grpc: GossipClient, ...rest: CallRest<ClusterInfo>) => grpc.read(new shared.Empty(), ...rest);
    // A server on its own may not offer it, and nothing depends on it.
    const reply = await this.unary(GossipClient, 'gossip', ask).catch(() => null);
    const names = Object.entries(gossip.MemberInfo.VNodeState);
    const members = reply?.answer.getMembersList().map((member): Node => {
      const place = member.getHttpEndPoint();
      const state = names.find(([, number]) => number === member.getState())?.[0] ?? 'UNKNOWN';
      const address = `${place?.getAddress() ?? ''}:${place?.getPort() ?? 0}`;
      return { address, state: `${state.slice(0, 1)}${state.slice(1).toLowerCase()}`, alive: member.getIsAlive() };
    });
    return members ?? null;
  }

  /** One call with one answer, and when the server says that it answered. */
  async unary<Client, Answer>(
    client: new (...settings: never[]) => Client,
    what: string,
    ask: (client: Client, ...rest: CallRest<Answer>) => ClientUnaryCall,
  ): Promise<{ readonly answer: Answer; readonly date: string | undefined }> {
    const deadline = 2 * this.#silence;
    let date: string | undefined;
    const answered = this.#internals.execute(client, what, (grpc) => {
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      ask(grpc, ...this.#internals.callArguments({ deadline }), (error, answer) => {
        if (error || answer === undefined) reject(error ? convertToCommandError(error) : new Error('an empty answer'));
        else resolve(answer);
      }).on('metadata', (metadata: Metadata) => {
        date = metadata.get('date')[0]?.toString();
      });
      return promise;
    });
    return { answer: await inTime(answered, deadline, what), date };
  }

  /** For one piece of work. */
  readonly patience = (): Patience => ({ milliseconds: this.#retryFor });

  /**
   * Repeats work while the server is unavailable, for a limited time. All work is idempotent: reads, and appends of ids
   * that are stored once.
   * @throws EventStoreUnavailable when it still was at the end; other errors as they come
   */
  async retried<Result>(work: () => Promise<Result>, what = READ_ALL, patience = this.patience()): Promise<Result> {
    for (let failures = 0; ; failures++) {
      const [began, reconnects] = [performance.now(), this.#reconnects];
      try {
        const result = await work();
        this.#isSilent = false;
        return result;
      } catch (failure) {
        if (failure instanceof AccessDeniedError) throw refused(this.address, failure, what);
        if (this.#closed || !isTransientFailure(failure)) throw failure;
        const error = this.reasonOf(failure);
        const isSilence = failure instanceof AttemptTimedOut;
        // Others have connected again meanwhile, which ended this attempt too: the next one begins at once.
        const isFresh = reconnects === this.#reconnects;
        const now = performance.now();
        patience.since ??= isSilence ? Math.max(began, now - 2 * this.#silence) : now;
        // An error that the server answers shows that it is back; what it had begun before times out a moment later.
        const limit = patience.milliseconds + (isSilence && isFresh ? 0 : this.#silence);
        const wait = isFresh || isSilence ? backoff(failures, { base: 50, maximum: 1_000 }, Math.random) : 0;
        if (now + wait > patience.since + limit) {
          const { shown, hide } = this.address;
          const message = `the event store at ${shown} does not answer: ${hide(error.message)}`;
          throw new EventStoreUnavailable(message, false, { cause: error });
        }
        // The next attempt shows whether the server is reached; its error is the one that counts.
        if (isSilence && isFresh) await this.#reconnect().catch(() => undefined);
        await pause(wait);
      }
    }
  }

  /** What an error is due to: the failure for which the channel was closed, where it says no more than that it was. */
  reasonOf(error: unknown): Error {
    if (!(error instanceof Error)) return new Error(String(error));
    const isClosed = /channel (has been )?(closed|shut down)/i.test(error.message);
    if (!isClosed && isTransientFailure(error)) this.#reason = error;
    return (isClosed && this.#reason) || error;
  }

  /** Not awaited: the client never learns of the end of a call that is no longer read. */
  close(): void {
    this.#closed = true;
    for (const end of [this.#client.dispose(), this.#channel?.then((channel) => channel.close())])
      end?.catch(() => undefined);
  }

  /** Makes the client connect again, to another node where there are several: what it is connected to is silent. */
  async #reconnect(): Promise<void> {
    this.#reconnects++;
    this.#isSilent = true;
    this.#probing = undefined;
    const silent = Object.assign(new Error('silent'), { code: 14, details: '', metadata: undefined });
    const grpc = await inTime(this.#internals.getGRPCClient(StreamsClient, 'streams'), this.#silence, 'the connection');
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
  #probe(): Promise<unknown> {
    this.#probing ??= this.#collect(LAST_RECORD, false, { after: this.#silence, probe: () => Promise.reject() })
      .catch((error) => {
        // A refusal is a sign of life too.
        if (isTransientFailure(error)) throw error;
      })
      .finally(() => {
        this.#probing = undefined;
      });
    return this.#probing;
  }

  /**
   * Reads a call to its end; a stream that is not there has no records.
   * @throws what the server answers, as an error of the client; AttemptTimedOut
   */
  async #collect(options: ReadReq.Options, leader = false, life = this.#life()): Promise<ResolvedEvent[]> {
    const ids = new streams.ReadReq.Options.UUIDOption().setString(new shared.Empty());
    const request = new streams.ReadReq().setOptions(options.setResolveLinks(false).setUuidOption(ids));
    const about = { requiresLeader: leader, deadline: LONGEST };
    let call: ClientReadableStream<ReadResp> | undefined;
    let isOver = false;
    const reading = this.#internals.execute(StreamsClient, 'read', async (grpc) => {
      // One that is opened too late is not read.
      if (isOver) return [];
      call = grpc.read(request, ...this.#internals.callArguments(about));
      call.on('error', () => undefined);
      const records: ResolvedEvent[] = [];
      for await (const response of call as AsyncIterable<ReadResp>) {
        const event = response.getEvent();
        if (event) records.push(convertGrpcEvent(event));
      }
      return records;
    });
    try {
      return await whileAlive(reading, 'a read', life);
    } catch (error) {
      throw clientError(error);
    } finally {
      isOver = true;
      call?.cancel();
    }
  }
}

/** What the service cannot do without, as its refusal names it. */
export const READ_ALL = 'read $all';

export const refused = ({ shown }: Address, error: AccessDeniedError, what = READ_ALL): EventStoreUnavailable =>
  new EventStoreUnavailable(
    isWrongPassword(error)
      ? `the event store at ${shown} refuses the user or password of EVENTSTORE_URL`
      : `the event store at ${shown} does not allow the user of EVENTSTORE_URL to ${what}; ` +
          'clarity eventstore prepare --as admin grants what is needed',
    true,
  );

/** The error that no server is reached, with what hinders the connection where that can be found, else with the last error. */
export async function unreachable(error: unknown, address: Address): Promise<EventStoreUnavailable> {
  const { shown, hide } = address;
  const why = (await findHindrance(address)) ?? hide(error instanceof Error ? error.message : String(error));
  return new EventStoreUnavailable(`no event store answers at ${shown} (EVENTSTORE_URL): ${why}`);
}

/** @throws AttemptTimedOut when the work takes longer; its result is ignored then */
export const inTime = <Result>(work: Promise<Result>, milliseconds: number, what: string): Promise<Result> =>
  within(work, milliseconds, () => new AttemptTimedOut(what, milliseconds));

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
      return await inTime(work, after, what);
    } catch (error) {
      if (!(error instanceof AttemptTimedOut)) throw error;
      await Promise.race([probe(), work]).catch(() => {
        throw error;
      });
    }
  }
}

/** The error in the client's own classes, which name what the server says. */
function clientError(error: unknown): unknown {
  // Without them it is an error of the connection, for which the client has no class.
  return error instanceof Error && 'metadata' in error && 'details' in error ? convertToCommandError(error) : error;
}
