/** What an admin starts on the double: a scavenge. */
import { randomUUID } from 'node:crypto';
import { OperationsService } from '@eventstore/db-client/generated/operations_grpc_pb.js';
import type { StartScavengeReq } from '@eventstore/db-client/generated/operations_pb.js';
import operations from '@eventstore/db-client/generated/operations_pb.js';
import type { handleUnaryCall, Server } from '@grpc/grpc-js';
import type { Store } from './store.ts';

/** Offers the service. A scavenge is answered when it begins, and done soon after. */
export function serveOperations(server: Server, store: Store): void {
  const startScavenge: handleUnaryCall<StartScavengeReq, InstanceType<typeof operations.ScavengeResp>> = (
    _call,
    answer,
  ) => {
    answer(null, new operations.ScavengeResp().setScavengeId(randomUUID()));
    setImmediate(() => store.scavenge());
  };
  server.addService(OperationsService, { startScavenge });
}
