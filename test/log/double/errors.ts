/** The responses of a server that refuses a call: the gRPC status, with the metadata by which the client distinguishes errors. */
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';

export type Refusal = Pick<ServiceError, 'code' | 'details'> & { readonly metadata?: Metadata };

function refusal(code: status, details: string, metadata: Record<string, string> = {}): Refusal {
  const sent = new Metadata();
  for (const [name, value] of Object.entries(metadata)) sent.set(name, value);
  return { code, details, metadata: sent };
}

export const unauthenticated = (): Refusal => refusal(status.UNAUTHENTICATED, 'Unauthenticated');
export const accessDenied = (): Refusal =>
  refusal(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });
export const loginConflict = (name: string): Refusal =>
  refusal(status.ALREADY_EXISTS, `User already exists: ${name}`, { exception: 'user-conflict', 'login-name': name });
export const notReady = (): Refusal => refusal(status.UNKNOWN, 'Server Is Not Ready');
export const tombstoned = (stream: string): Refusal =>
  refusal(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });
export const tooLarge = (maximum: number): Refusal =>
  refusal(status.INVALID_ARGUMENT, `Maximum Append Size of ${maximum} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(maximum),
  });
/** A read of $all at a place where no record begins. */
export const invalidPlace = (isFiltered: boolean): Refusal =>
  refusal(
    status.UNKNOWN,
    isFiltered ? 'Unexpected FilteredReadAllResult: InvalidPosition' : 'Unexpected ReadAllResult: Error',
  );
/** An append that was in progress when the server stalled; the record may be stored all the same. */
export const commitTimeout = (): Refusal => refusal(status.ABORTED, 'Operation timed out: Commit phase timeout');
/** A call that asks for the leader, answered by a follower. */
export const notLeader = (port: number): Refusal =>
  refusal(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': '127.0.0.1',
    'leader-endpoint-port': String(port),
  });
/** An append, or a call that asks for the leader, while no node is one. */
export const noLeader = (): Refusal => refusal(status.UNKNOWN, 'No leader info available in response');
export const consumerTooSlow = (): Refusal =>
  refusal(
    status.ABORTED,
    'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
  );
/** What .NET answers to an id that is no UUID, an event without a type, or a stream without a name. */
export const thrownByHandler = (): Refusal => refusal(status.UNKNOWN, 'Exception was thrown by handler.');
