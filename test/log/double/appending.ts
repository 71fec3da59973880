/** Append, one call each; delete and tombstone. */
import { setTimeout as wait } from 'node:timers/promises';
import type shared from '@eventstore/db-client/generated/shared_pb.js';
import type { AppendReq, AppendResp, DeleteReq, TombstoneReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { Metadata, ServerReadableStream, sendUnaryData } from '@grpc/grpc-js';
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

function proposedIn(message: AppendReq.ProposedMessage): Proposed {
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
