/** Append: a header, the events, one answer. */
import type { AppendReq, AppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { Metadata, type ServerReadableStream, type sendUnaryData, status } from '@grpc/grpc-js';
import { appendReply } from './replies.ts';
import type { Expected, Proposed, Store } from './store.ts';

export interface Appending {
  readonly store: Store;
  /** Most bytes of one append; the server's setting MaxAppendSize. */
  readonly maximum: number;
  /** Waits as long as the double is told to. */
  readonly slow: () => Promise<void>;
}

export function receiveAppend(
  call: ServerReadableStream<AppendReq, AppendResp>,
  answer: sendUnaryData<AppendResp>,
  { store, maximum, slow }: Appending,
): void {
  let stream = '';
  let expected: Expected = 'any';
  const events: Proposed[] = [];
  call.on('data', (request: AppendReq) => {
    const options = request.getOptions();
    const message = request.getProposedMessage();
    if (options) {
      stream = Buffer.from(options.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
      expected = expectedOf(options);
    }
    if (message) {
      const metadata = message.getMetadataMap();
      events.push({
        id: message.getId()?.getString() ?? '',
        type: metadata.get('type') ?? '',
        contentType: metadata.get('content-type') ?? '',
        data: message.getData_asU8(),
        metadata: message.getCustomMetadata_asU8(),
      });
    }
  });
  call.on('end', async () => {
    await slow();
    const size = events.reduce((sum, { type, data, metadata }) => sum + type.length + data.length + metadata.length, 0);
    if (size > maximum) answer(tooLarge(maximum));
    else answer(null, appendReply(store.append(stream, events, expected)));
  });
}

function expectedOf(options: AppendReq.Options): Expected {
  if (options.hasNoStream()) return 'none';
  if (options.hasStreamExists()) return 'exists';
  return options.hasAny() ? 'any' : Number(options.getRevision());
}

function tooLarge(maximum: number) {
  const metadata = new Metadata();
  metadata.set('exception', 'maximum-append-size-exceeded');
  metadata.set('maximum-append-size', String(maximum));
  return { code: status.INVALID_ARGUMENT, details: `Maximum Append Size of ${maximum} Exceeded.`, metadata };
}
