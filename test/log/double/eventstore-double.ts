/**
 * A double of EventStoreDB for tests where no server can run: it speaks the server's protocol, from the client
 * package's own service definitions, and keeps to its rules for appends, reads, subscriptions and checkpoints.
 * It is one process without a cluster; it offers no BatchAppend, so the client appends one call at a time.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type { Empty } from '@eventstore/db-client/generated/shared_pb.js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { AppendReq, AppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import {
  type handleClientStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type Metadata,
  Server,
  ServerCredentials,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { receiveAppend } from './appending.ts';
import { receiveRead } from './reading.ts';
import type { Store } from './store.ts';

export interface DoubleOptions {
  readonly store: Store;
  /** A free one when unset. */
  readonly port?: number;
  /** Milliseconds before each answer and each live event. */
  readonly latency?: number;
  /** Most bytes of an append, 15,000,000 when unset. */
  readonly maximumAppend?: number;
  /** Served over TLS with this certificate, to this user alone. */
  readonly secure?: {
    readonly key: string;
    readonly certificate: string;
    readonly user: string;
    readonly password: string;
  };
}

export interface Double {
  readonly port: number;
  /** Cuts all connections, as a crash would; the store is kept. */
  kill(): void;
}

/** Listens on loopback. */
export async function startDouble(options: DoubleOptions): Promise<Double> {
  const { store, latency = 0, maximumAppend = 15_000_000, secure } = options;
  const slow = async (): Promise<void> => void (latency > 0 && (await wait(latency)));
  const expected = secure && `Basic ${Buffer.from(`${secure.user}:${secure.password}`).toString('base64')}`;
  const refused = (metadata: Metadata): boolean => !!expected && metadata.get('authorization')[0] !== expected;
  const denied = { code: status.UNAUTHENTICATED, details: 'Unauthenticated' };

  const read: handleServerStreamingCall<ReadReq, ReadResp> = (call) => {
    if (refused(call.metadata)) call.emit('error', denied);
    else receiveRead(call, store, slow).catch((error) => call.emit('error', error));
  };
  const append: handleClientStreamingCall<AppendReq, AppendResp> = (call, answer) => {
    if (refused(call.metadata)) answer(denied);
    else receiveAppend(call, answer, { store, maximum: maximumAppend, slow });
  };
  const getSupportedMethods: handleUnaryCall<Empty, SupportedMethods> = (_call, answer) => {
    const offered = ['Read', 'Append'].map((name) =>
      new features.SupportedMethod().setServiceName('event_store.client.streams.streams').setMethodName(name),
    );
    answer(null, new features.SupportedMethods().setMethodsList(offered).setEventStoreServerVersion('24.10.0'));
  };

  const server = new Server({ 'grpc.max_receive_message_length': 32 * 1_048_576 });
  const streams: UntypedServiceImplementation = { read, append };
  server.addService(StreamsService, streams);
  server.addService(ServerFeaturesService, { getSupportedMethods });
  const credentials = secure
    ? ServerCredentials.createSsl(null, [
        { private_key: Buffer.from(secure.key), cert_chain: Buffer.from(secure.certificate) },
      ])
    : ServerCredentials.createInsecure();
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(`127.0.0.1:${options.port ?? 0}`, credentials, (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return { port, kill: () => server.forceShutdown() };
}
