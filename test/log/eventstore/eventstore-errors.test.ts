import { describe, expect, test } from 'vitest';
import { kindOf } from '../../../log/errors.ts';
import {
  AttemptTimedOut,
  EventStoreUnavailable,
  ForeignPosition,
  isTransientFailure,
  StreamTombstoned,
} from '../../../log/eventstore/eventstore-errors.ts';

const raw = (code: number | string | undefined, message: string): Error => Object.assign(new Error(message), { code });

describe('errors of the event store', () => {
  test.each([
    ['a cancelled call, as gRPC throws it', raw(1, '1 CANCELLED: Call cancelled')],
    ['an exceeded deadline', raw(4, '4 DEADLINE_EXCEEDED: Deadline exceeded')],
    ['an unavailable server', raw(14, '14 UNAVAILABLE: read ECONNRESET')],
    ['a server that has just started', raw(2, '2 UNKNOWN: Server Is Not Ready')],
    ['a reset call', raw(13, '13 INTERNAL: Received RST_STREAM with code 2')],
    ['a broken connection', raw('ECONNRESET', 'read ECONNRESET')],
    ['a cluster without a node', raw(undefined, 'Failed to discover after 10 attempts.')],
    ['no response', new AttemptTimedOut('a read', 2_500)],
  ])('given %s, then it is retried, and transient for consumers', (_, error) => {
    expect(isTransientFailure(error)).toBe(true);
    expect(kindOf(new EventStoreUnavailable('no answer', false, { cause: error }))).toBe('transient');
  });

  test.each([
    ['a refused user', raw(16, '16 UNAUTHENTICATED: Unauthenticated')],
    ['a missing right', raw(7, '7 PERMISSION_DENIED: Access Denied')],
    ['a place between records', raw(2, '2 UNKNOWN: Unexpected ReadAllResult: Error')],
    ['a bad request', raw(3, '3 INVALID_ARGUMENT: the combination is invalid')],
    ['a fault of the program', new TypeError('undefined is not iterable')],
    ['no error', 'text'],
  ])('given %s, then it is not retried', (_, error) => {
    expect(isTransientFailure(error)).toBe(false);
  });

  test('given a tombstoned stream, then what is to be appended is refused; a position beyond the head may exist later', () => {
    expect(kindOf(new StreamTombstoned('signal-1'))).toBe('bad input');
    expect(kindOf(new ForeignPosition(9n, 'beyond the end'))).toBe('transient');
  });
});
