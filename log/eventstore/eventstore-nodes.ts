/** The nodes of the event store as the one that is connected sees them: no other is asked, and the connection stays where it is. */
import { convertToCommandError } from '@eventstore/db-client';
import { GossipClient } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip, { type ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { CallOptions, ClientUnaryCall, Metadata, ServiceError } from '@grpc/grpc-js';

export interface Node {
  readonly address: string;
  /** Leader, Follower and so on, as the server names its states. */
  readonly state: string;
  readonly alive: boolean;
}

/** What of the client is neither public nor private at run time. */
export interface Calls {
  execute<Client, Result>(
    client: new (...settings: never[]) => Client,
    name: string,
    action: (client: Client) => Promise<Result>,
  ): Promise<Result>;
  callArguments(options: { deadline: number }): [Metadata, CallOptions];
}

type Callback<Answer> = (error: ServiceError | null, value?: Answer) => void;
/** What follows the request in a call of gRPC. */
export type CallRest<Answer> = [Metadata, CallOptions, Callback<Answer>];

/** One call with one answer, and when the server says that it answered. */
export function unary<Answer>(
  call: (answer: Callback<Answer>) => ClientUnaryCall,
): Promise<{ readonly value: Answer; readonly date: string | undefined }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ value: Answer; date: string | undefined }>();
  let date: string | undefined;
  const calling = call((error, value) => {
    if (error || value === undefined) reject(error ? convertToCommandError(error) : new Error('an empty answer'));
    else resolve({ value, date });
  });
  calling.on('metadata', (metadata: Metadata) => {
    date = metadata.get('date')[0]?.toString();
  });
  return promise;
}

/**
 * Members of the cluster, one for a server of its own; null where the server does not say.
 * @param deadline milliseconds
 */
export async function nodesOf(calls: Calls, deadline: number): Promise<readonly Node[] | null> {
  try {
    const { value } = await calls.execute(GossipClient, 'gossip', (grpc) =>
      unary<ClusterInfo>((answer) => grpc.read(new shared.Empty(), ...calls.callArguments({ deadline }), answer)),
    );
    const names = Object.entries(gossip.MemberInfo.VNodeState);
    return value.getMembersList().map((member) => {
      const place = member.getHttpEndPoint();
      const state = names.find(([, number]) => number === member.getState())?.[0] ?? 'UNKNOWN';
      return {
        address: `${place?.getAddress() ?? ''}:${place?.getPort() ?? 0}`,
        state: `${state.slice(0, 1)}${state.slice(1).toLowerCase()}`,
        alive: member.getIsAlive(),
      };
    });
  } catch {
    // A server on its own may not offer it, and nothing depends on it.
    return null;
  }
}

/** Whether one of the nodes takes appends. */
export const hasLeader = (nodes: readonly Node[]): boolean =>
  nodes.some(({ state, alive }) => alive && state === 'Leader');
