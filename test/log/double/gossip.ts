/** What a node says of its cluster. */
import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import type { Empty } from '@eventstore/db-client/generated/shared_pb.js';
import type { handleUnaryCall, Server } from '@grpc/grpc-js';

/** The states that nodes play: without a leader, each is a candidate. */
export type NodeState = 'LEADER' | 'FOLLOWER' | 'UNKNOWN';

/**
 * Offers the service.
 * @param members ports of the nodes, with their states at the moment of the call
 * @param slow waits as long as the double was asked to
 */
export function serveGossip(
  server: Server,
  members: () => readonly (readonly [port: number, state: NodeState])[],
  slow: () => Promise<void>,
): void {
  const read: handleUnaryCall<Empty, ClusterInfo> = async (_call, answer) => {
    await slow();
    const list = members().map(([port, state]) =>
      new gossip.MemberInfo()
        .setState(gossip.MemberInfo.VNodeState[state])
        .setIsAlive(true)
        .setHttpEndPoint(new gossip.EndPoint().setAddress('127.0.0.1').setPort(port)),
    );
    answer(null, new gossip.ClusterInfo().setMembersList(list));
  };
  server.addService(GossipService, { read });
}
