/** Append, one call each or many on one stream of calls (BatchAppend); delete and tombstone. */
import { setTimeout as wait } from 'node:timers/promises';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import status_pb from '@eventstore/db-client/generated/status_pb.js';
import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
  DeleteReq,
  TombstoneReq,
} from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import {
  type Metadata,
  type ServerDuplexStream,
  type ServerReadableStream,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import any_pb from 'google-protobuf/google/protobuf/any_pb.js';
import { accessDenied, commitTimeout, type Refusal, thrownByHandler, tombstoned, tooLarge } from './errors.ts';
import { appendReply } from './replies.ts';
import type { Expected, Outcome, Proposed, Store, Written } from './store.ts';

/** A time in which nothing is answered. */
export interface Hold {
  readonly promise: Promise<void>;
  /** Whether appends that waited for its end are refused then, within a second, half of them stored. */
  timesOut: boolean;
}

export interface Appending {
  readonly store: Store;
  /** Most bytes of one append; the server's setting MaxAppendSize. */
  readonly maximum: number;
  /** Whether events that were there already are answered with their place. */
  readonly placesRepeats: boolean;
  /** Whether the user of a call may append to a stream. */
  readonly mayAppend: (metadata: Metadata, stream: string) => boolean;
  /** Waits as long as the double was asked to. */
  readonly slow: () => Promise<void>;
  /** Waits until a record can be read. */
  readonly committed: (record: Written) => Promise<void>;
  readonly heldBy: () => Hold | undefined;
}

/** Milliseconds after a stall within which appends that waited are refused. */
const COMMIT_TIMEOUT = 1_000;

type Message = AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage;
type Revision = AppendReq.Options | DeleteReq.Options | TombstoneReq.Options;

export const nameOf = (identifier: shared.StreamIdentifier | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString();

const UUID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32})$/i;

/** A UUID in the form that the server stores, from those that .NET reads; empty for what is none, and for that of zeros. */
function idIn(text: string): string {
  const bare = text.trim().replace(/^\{(.{36})\}$|^\((.{36})\)$/, '$1$2');
  const digits = UUID.test(bare) ? bare.replaceAll('-', '').toLowerCase() : '';
  return /[^0]/.test(digits) ? digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : '';
}

function proposedIn(message: Message): Proposed {
  const metadata = message.getMetadataMap();
  return {
    id: idIn(message.getId()?.getString() ?? ''),
    type: metadata.get('type') ?? '',
    contentType: metadata.get('content-type') ?? '',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

export function expectedOf(options: Revision): Expected {
  if (options.hasNoStream()) return 'none';
  if (options.hasStreamExists()) return 'exists';
  return options.hasAny() ? 'any' : Number(options.getRevision());
}

function appendTo(
  { store, maximum, mayAppend }: Appending,
  metadata: Metadata,
  stream: string,
  events: readonly Proposed[],
  expected: Expected,
): Outcome | Refusal {
  if (!mayAppend(metadata, stream)) return accessDenied();
  const size = events.reduce((sum, { type, data, metadata }) => sum + type.length + data.length + metadata.length, 0);
  if (size > maximum) return tooLarge(maximum);
  if (stream === '' || events.some(({ id, type }) => id === '' || type === '')) return thrownByHandler();
  const outcome = store.append(stream, events, expected);
  return outcome.kind === 'tombstoned' ? tombstoned(stream) : outcome;
}

export function receiveAppend(
  call: ServerReadableStream<AppendReq, AppendResp>,
  answer: sendUnaryData<AppendResp>,
  appending: Appending,
): void {
  let stream = '';
  let expected: Expected = 'any';
  const events: Proposed[] = [];
  call.on('data', (request: AppendReq) => {
    const options = request.getOptions();
    const message = request.getProposedMessage();
    if (options) {
      stream = nameOf(options.getStreamIdentifier());
      expected = expectedOf(options);
    }
    if (message) events.push(proposedIn(message));
  });
  call.on('end', async () => {
    const hold = appending.heldBy();
    await appending.slow();
    const isStored = Math.random() < 0.5;
    if (hold?.timesOut) await wait(COMMIT_TIMEOUT * Math.random());
    if (hold?.timesOut && !isStored) return answer(commitTimeout());
    // A call that the client has given up is done all the same, once the server had received it.
    if (call.cancelled && !hold?.timesOut) return;
    const outcome = appendTo(appending, call.metadata, stream, events, expected);
    if (hold?.timesOut) return answer(commitTimeout());
    if (!('code' in outcome) && outcome.kind === 'success' && outcome.last) await appending.committed(outcome.last);
    if ('code' in outcome) answer(outcome);
    else answer(null, appendReply(outcome, expected, appending.placesRepeats));
  });
}

/** Many appends on one call, each answered under its own id, in the order in which they are done. */
export function receiveBatchAppend(call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>, appending: Appending) {
  const open = new Map<string, { options?: BatchAppendReq.Options; events: Proposed[] }>();
  call.on('error', () => undefined);
  call.on('data', async (request: BatchAppendReq) => {
    const id = request.getCorrelationId() ?? new shared.UUID();
    const key = Buffer.from(id.serializeBinary()).toString('hex');
    const append = open.get(key) ?? { events: [] };
    open.set(key, append);
    const options = request.getOptions();
    if (options) append.options = options;
    append.events.push(...request.getProposedMessagesList().map(proposedIn));
    if (!request.getIsFinal()) return;
    open.delete(key);
    await appending.slow();
    const identifier = append.options?.getStreamIdentifier();
    const [stream, expected] = [nameOf(identifier), batchExpected(append.options)];
    const outcome = appendTo(appending, call.metadata, stream, append.events, expected);
    const reply = batchReply(outcome, appending.maximum);
    call.write(reply.setCorrelationId(id).setStreamIdentifier(identifier ?? new shared.StreamIdentifier()));
  });
  call.on('end', () => call.end());
}

function batchExpected(options: BatchAppendReq.Options | undefined): Expected {
  if (options?.hasNoStream()) return 'none';
  if (options?.hasStreamExists()) return 'exists';
  return !options || options.hasAny() ? 'any' : Number(options.getStreamPosition());
}

/** A refusal as BatchAppend words it: not as the status of the call, which goes on. */
function batchError(outcome: Exclude<Outcome | Refusal, { kind: 'success' }>, maximum: number) {
  const error = (code: number, name: string, details: { serializeBinary(): Uint8Array }): status_pb.Status => {
    const packed = new any_pb.Any();
    packed.pack(details.serializeBinary(), `event_store.client.${name}`);
    return new status_pb.Status().setCode(code).setMessage(name).setDetails(packed);
  };
  if ('kind' in outcome && outcome.kind === 'wrong') {
    const wrong = new shared.WrongExpectedVersion();
    if (outcome.actual >= 0) wrong.setCurrentStreamRevision(String(outcome.actual));
    return error(status.ALREADY_EXISTS, 'WrongExpectedVersion', wrong);
  }
  const code = 'code' in outcome ? outcome.code : status.FAILED_PRECONDITION;
  if (code === status.PERMISSION_DENIED) return error(code, 'AccessDenied', new shared.AccessDenied());
  if (code === status.FAILED_PRECONDITION) return error(status.NOT_FOUND, 'StreamDeleted', new shared.StreamDeleted());
  if (code === status.INVALID_ARGUMENT)
    return error(code, 'MaximumAppendSizeExceeded', new shared.MaximumAppendSizeExceeded().setMaxappendsize(maximum));
  return error(status.INVALID_ARGUMENT, 'BadRequest', new shared.BadRequest().setMessage('refused'));
}

function batchReply(outcome: Outcome | Refusal, maximum: number): BatchAppendResp {
  const reply = new streams.BatchAppendResp();
  if (!('code' in outcome) && outcome.kind === 'success') {
    const success = new streams.BatchAppendResp.Success();
    if (outcome.last)
      success
        .setCurrentRevision(String(outcome.last.revision))
        .setPosition(
          new shared.AllStreamPosition()
            .setCommitPosition(String(outcome.last.position))
            .setPreparePosition(String(outcome.last.position)),
        );
    return reply.setSuccess(success);
  }
  return reply.setError(batchError(outcome, maximum));
}
