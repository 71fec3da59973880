/** Answers on the wire. */
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { AppendResp, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Place } from './places.ts';
import type { Expected, Outcome, Written } from './store.ts';

export function eventReply(record: Written): ReadResp {
  const { id, stream, revision, position, type, contentType, data, metadata } = record;
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(id))
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream).toString('base64')))
    .setStreamRevision(String(revision))
    .setCommitPosition(String(position))
    .setPreparePosition(String(position))
    .setData(data)
    .setCustomMetadata(metadata);
  recorded.getMetadataMap().set('type', type).set('content-type', contentType).set('created', '0');
  const event = new streams.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(String(position));
  return new streams.ReadResp().setEvent(event);
}

export const confirmationReply = (): ReadResp =>
  new streams.ReadResp().setConfirmation(new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId('double'));

export const caughtUpReply = (): ReadResp => new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());

export const checkpointReply = ({ commit, prepare }: Place): ReadResp =>
  new streams.ReadResp().setCheckpoint(
    new streams.ReadResp.Checkpoint().setCommitPosition(String(commit)).setPreparePosition(String(prepare)),
  );

export function notFoundReply(name: string): ReadResp {
  const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(name).toString('base64'));
  return new streams.ReadResp().setStreamNotFound(
    new streams.ReadResp.StreamNotFound().setStreamIdentifier(identifier),
  );
}

/**
 * @param outcome no refusal, which is no reply
 * @param placesRepeats whether events that were there already are answered with their place
 */
export function appendReply(outcome: Outcome, expected: Expected, placesRepeats: boolean): AppendResp {
  if (outcome.kind === 'success') {
    const success = new streams.AppendResp.Success();
    if (!outcome.last) return new streams.AppendResp().setSuccess(success.setNoStream(new shared.Empty()));
    const { position, revision } = outcome.last;
    success.setCurrentRevision(String(revision));
    if (outcome.repeated && !placesRepeats)
      return new streams.AppendResp().setSuccess(success.setNoPosition(new shared.Empty()));
    const place = new streams.AppendResp.Position()
      .setCommitPosition(String(position))
      .setPreparePosition(String(position));
    return new streams.AppendResp().setSuccess(success.setPosition(place));
  }
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  if (outcome.kind === 'tombstoned' || outcome.actual < 0) wrong.setCurrentNoStream(new shared.Empty());
  else wrong.setCurrentRevision(String(outcome.actual));
  if (expected === 'none') wrong.setExpectedNoStream(new shared.Empty());
  else if (expected === 'exists') wrong.setExpectedStreamExists(new shared.Empty());
  else if (expected === 'any') wrong.setExpectedAny(new shared.Empty());
  else wrong.setExpectedRevision(String(expected));
  return new streams.AppendResp().setWrongExpectedVersion(wrong);
}
