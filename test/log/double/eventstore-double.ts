/**
 * A double of EventStoreDB for tests where no server can run: it speaks the server's protocol, from the client
 * package's own service definitions, and keeps to its rules for appends, reads, subscriptions, checkpoints, deletion and
 * scavenging, with the faults that servers of its version have. Two of one store are a leader and its follower.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type { Empty } from '@eventstore/db-client/generated/shared_pb.js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
  DeleteReq,
  DeleteResp,
  ReadReq,
  ReadResp,
  TombstoneReq,
  TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import {
  type handleBidiStreamingCall,
  type handleClientStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type Metadata,
  Server,
  ServerCredentials,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { type Appending, type Hold, nameOf, receiveAppend } from './appending.ts';
import { accessDenied, noLeader, notLeader, type Refusal, thrownByHandler, unauthenticated } from './errors.ts';
import { type NodeState, serveGossip } from './gossip.ts';
import { serveOperations } from './operations.ts';
import { receiveRead, type Serving } from './reading.ts';
import type { Store } from './store.ts';
import { doubleUsers, type Right } from './users.ts';

export interface DoubleOptions {
  readonly store: Store;
  /** A free one when unset. */
  readonly port?: number;
  /** Milliseconds before each answer and each live event. */
  readonly latency?: number;
  /** Most bytes of an append, 15,000,000 when unset. */
  readonly maximumAppend?: number;
  /**
   * False: events that were there already are answered without their place, as servers do that have not indexed them yet.
   */
  readonly placesRepeats?: boolean;
  /** The leader of the same store: this one follows it, and answers reads from what it has by then. */
  readonly follows?: Pick<Double, 'port'>;
  /** The version that it plays, 24.10.0 when unset; null for one so old that it does not say. */
  readonly version?: string | null;
  /** Live events that wait for one subscriber before it is dropped as too slow, 10,000 when unset. */
  readonly liveBuffer?: number;
  /** Served over TLS with this certificate, to this user alone. */
  readonly secure?: {
    readonly key: string;
    readonly certificate: string;
    readonly user: string;
    readonly password: string;
    /** Set for a server of several users, by name and password: their rights are what its streams say. */
    readonly users?: Map<string, string>;
  };
}

type Method = 'read' | 'append';
/** `cut` ends all connections, as a crash in the middle of a call does; `lost`, of an append, does so once it is stored. */
type Fault = Refusal | 'cut' | 'lost';

export interface Double {
  readonly port: number;
  /** Calls that came so far; and appends that their client ended before they were answered. */
  readonly calls: Record<Method | 'batchAppend' | 'givenUp', number>;
  /** The addresses that calls came from: one for each connection. */
  readonly peers: ReadonlySet<string>;
  /** Refuses the next calls; 0 of them: refuses none any more. */
  refuse(method: Method, count: number, how: Fault): void;
  /**
   * Answers nothing until the function that it returns is called. Appends of the meantime may then time out.
   */
  hold(): (how?: 'appends time out') => void;
  /**
   * From now on a record is read so many milliseconds after it is written. The leader answers an append once it is read,
   * and knows the revision of its stream before.
   */
  lag(milliseconds: number): void;
  /** From now on a majority of the nodes is there, or is not: then no node is the leader, and reads alone are answered. */
  quorum(there: boolean): void;
  /** Cuts all connections, as a crash would; the store is kept. */
  kill(): void;
}

/** Listens on loopback. */
export async function startDouble(options: DoubleOptions): Promise<Double> {
  const { store, latency = 0, maximumAppend = 15_000_000, secure, liveBuffer = 10_000, follows } = options;
  const version = options.version === undefined ? '24.10.0' : options.version;
  const [year = 0, month = 0] = (version ?? '').split('.').map(Number);
  let held: Hold | undefined;
  let lag = 0;
  let hasQuorum = true;
  const slow = async (): Promise<void> => {
    if (latency > 0) await wait(latency);
    await held?.promise;
  };
  const known = secure?.users && doubleUsers(store, secure.users);
  const expected = secure && `Basic ${Buffer.from(`${secure.user}:${secure.password}`).toString('base64')}`;
  const calls = { read: 0, append: 0, batchAppend: 0, givenUp: 0 };
  const peers = new Set<string>();
  const refusals: { method: Method; how: Fault }[] = [];
  const server = new Server({ 'grpc.max_receive_message_length': 32 * 1_048_576 });

  /** Why a call is not served, null when it is. */
  const refusalOf = (method: Method, metadata: Metadata): Fault | null => {
    calls[method]++;
    const unknownUser = known?.refusal(metadata);
    if (unknownUser) return unknownUser;
    if (expected && !known && metadata.get('authorization')[0] !== expected) return unauthenticated();
    const wantsLeader = method !== 'read' || metadata.get('requires-leader')[0] === 'true';
    if (!hasQuorum && wantsLeader) return noLeader();
    if (follows && metadata.get('requires-leader')[0] === 'true') return notLeader(follows.port);
    const index = refusals.findIndex((refusal) => refusal.method === method);
    return index < 0 ? null : (refusals.splice(index, 1)[0]?.how ?? null);
  };

  const may = (metadata: Metadata, right: Right, stream: string): boolean =>
    known?.may(metadata, right, stream) ?? true;
  const serving: Serving = {
    store,
    slow,
    liveBuffer,
    lag: () => lag,
    version: [year, month],
    mayRead: (metadata, stream) => may(metadata, '$r', stream),
  };
  const appending: Appending = {
    store,
    maximum: maximumAppend,
    placesRepeats: options.placesRepeats ?? true,
    slow,
    committed: async ({ time }) => {
      const missing = time + lag - performance.now();
      if (missing > 0 && !follows) await wait(missing);
    },
    heldBy: () => held,
    mayAppend: (metadata, stream) => may(metadata, '$w', stream),
  };
  const read: handleServerStreamingCall<ReadReq, ReadResp> = (call) => {
    peers.add(call.getPeer());
    const refusal = refusalOf('read', call.metadata);
    if (refusal === 'cut' || refusal === 'lost') cut();
    else if (refusal) call.emit('error', refusal);
    else receiveRead(call, serving).catch((error) => call.emit('error', error));
  };
  const append: handleClientStreamingCall<AppendReq, AppendResp> = (call, callback) => {
    peers.add(call.getPeer());
    const giveUp = (): void => void calls.givenUp++;
    call.once('cancelled', giveUp);
    const answer: typeof callback = (...reply) => {
      call.off('cancelled', giveUp);
      callback(...reply);
    };
    const refusal = refusalOf('append', call.metadata);
    if (refusal === 'cut') cut();
    else if (refusal === 'lost') receiveAppend(call, cut, appending);
    else if (refusal) answer(refusal);
    else receiveAppend(call, answer, appending);
  };
  /** Offered, as servers do, and counted: a client that uses it fails. */
  const batchAppend: handleBidiStreamingCall<BatchAppendReq, BatchAppendResp> = (call) => {
    calls.batchAppend++;
    call.emit('error', thrownByHandler());
  };
  /** Why a stream is not deleted, null when it is. */
  const keptFor = (metadata: Metadata, stream: string): Refusal | null => {
    const unknownUser = known?.refusal(metadata);
    if (unknownUser) return unknownUser;
    if (!may(metadata, '$d', stream)) return accessDenied();
    return stream === '' ? thrownByHandler() : null;
  };
  const remove: handleUnaryCall<DeleteReq, DeleteResp> = ({ metadata, request }, answer) => {
    const stream = nameOf(request.getOptions()?.getStreamIdentifier());
    const refusal = keptFor(metadata, stream);
    if (refusal) return answer(refusal);
    store.delete(stream);
    answer(null, new streamsPb.DeleteResp());
  };
  const tombstone: handleUnaryCall<TombstoneReq, TombstoneResp> = ({ metadata, request }, answer) => {
    const stream = nameOf(request.getOptions()?.getStreamIdentifier());
    const refusal = keptFor(metadata, stream);
    if (refusal) return answer(refusal);
    store.tombstone(stream);
    answer(null, new streamsPb.TombstoneResp());
  };
  const getSupportedMethods: handleUnaryCall<Empty, SupportedMethods> = async ({ metadata }, answer) => {
    await slow();
    // Credentials are not needed; wrong ones are refused all the same.
    const unknownUser = metadata.get('authorization').length > 0 ? known?.refusal(metadata) : null;
    if (unknownUser) return answer(unknownUser);
    const offered = ['Read', 'Append', 'BatchAppend', 'Delete', 'Tombstone'].map((name) =>
      new features.SupportedMethod()
        .setServiceName('event_store.client.streams.streams')
        .setMethodName(name.toLowerCase()),
    );
    answer(null, new features.SupportedMethods().setMethodsList(offered).setEventStoreServerVersion(version ?? ''));
  };

  const streams: UntypedServiceImplementation = { read, append, batchAppend, delete: remove, tombstone };
  server.addService(StreamsService, streams);
  if (version !== null) server.addService(ServerFeaturesService, { getSupportedMethods });
  known?.serve(server);
  const members = (): [number, NodeState][] => [
    [port, hasQuorum ? (follows ? 'FOLLOWER' : 'LEADER') : 'UNKNOWN'],
    ...(follows && hasQuorum ? [[follows.port, 'LEADER'] as [number, NodeState]] : []),
  ];
  serveGossip(server, members, slow);
  serveOperations(server, store);
  const credentials = secure
    ? ServerCredentials.createSsl(null, [
        { private_key: Buffer.from(secure.key), cert_chain: Buffer.from(secure.certificate) },
      ])
    : ServerCredentials.createInsecure();
  const port: number = await new Promise<number>((resolve, reject) =>
    server.bindAsync(`127.0.0.1:${options.port ?? 0}`, credentials, (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  /** Ends the connections of now; new ones are taken. */
  const cut = (): void => server.drain(`127.0.0.1:${port}`, 0);
  return {
    port,
    calls,
    peers,
    refuse: (method, count, how) => {
      const kept = count > 0 ? refusals : refusals.filter((refusal) => refusal.method !== method);
      refusals.splice(0, Infinity, ...kept, ...Array.from({ length: count }, () => ({ method, how })));
    },
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const hold: Hold = { promise, timesOut: false };
      held = hold;
      return (how) => {
        hold.timesOut = how === 'appends time out';
        held = undefined;
        resolve();
      };
    },
    lag: (milliseconds) => {
      lag = milliseconds;
    },
    quorum: (there) => {
      hasQuorum = there;
    },
    kill: () => server.forceShutdown(),
  };
}
