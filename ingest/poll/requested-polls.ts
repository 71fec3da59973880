/** Polls that are requested: by an operator, or by a hub that announces a change of a feed. */
import type { Logger } from 'pino';
import { logError } from '../../log/errors.ts';
import type { PollRequest, PollRequests } from '../../log/postgres/poll-requests.ts';
import type { PollTrigger } from '../../schemas/poll.ts';
import type { SourceId } from '../../schemas/source.ts';
import type { PollState } from './poll-state.ts';

/** Milliseconds between two looks at the requests. */
const LOOK_INTERVAL = 1_000;
/** Milliseconds between two polls of a source because of a hub, however often it announces changes. */
export const MIN_HUB_INTERVAL = 60_000;

export interface RequestedPolls {
  /** Called when a poll begins. @returns why it is made: a request is the reason of one poll only */
  begin(sourceId: SourceId): PollTrigger;
  forget(sourceId: SourceId): void;
  /** Looks at the requests every second until the signal aborts. */
  run(): Promise<void>;
}

export interface RequestedPollsOptions {
  readonly requests: PollRequests | undefined;
  readonly owns: (sourceId: SourceId) => boolean;
  /** Polls a source now. */
  readonly pollNow: (sourceId: SourceId) => void;
  /** Undefined where this process has not polled it yet. */
  readonly stateOf: (sourceId: SourceId) => PollState | null | undefined;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** Creates it. Requests of operators are served at once, those of hubs only while the outlet asks for no pause. */
export function createRequestedPolls(options: RequestedPollsOptions): RequestedPolls {
  const { requests, owns, pollNow, stateOf, clock, logger, signal, pause } = options;
  /** The triggers of the next polls of sources for which there are requests. */
  const triggers = new Map<SourceId, PollTrigger>();
  /** When each source was polled last, for those that were requested. */
  const lastBegan = new Map<SourceId, number>();
  /** Requests that were passed on already, so that a long poll is not started twice. */
  const passedOn = new Map<SourceId, number>();

  function mayPoll({ source_id, trigger }: PollRequest): boolean {
    if (trigger === 'operator') return true;
    const now = clock().getTime();
    const since = now - (lastBegan.get(source_id) ?? Number.NEGATIVE_INFINITY);
    if (since >= 0 && since < MIN_HUB_INTERVAL) return false;
    const state = stateOf(source_id);
    const isFailing = (state?.consecutive_failures ?? 0) > 0;
    return !(isFailing && Date.parse(state?.next_poll_at ?? '') > now);
  }

  async function look(): Promise<void> {
    const found = (await requests?.waiting()) ?? [];
    const waiting = new Map(found.filter(({ source_id }) => owns(source_id)).map((one) => [one.source_id, one]));
    for (const id of passedOn.keys()) if (!waiting.has(id)) passedOn.delete(id);
    for (const request of waiting.values()) {
      const requested = request.requested_at.getTime();
      if (passedOn.get(request.source_id) === requested || !mayPoll(request)) continue;
      passedOn.set(request.source_id, requested);
      triggers.set(request.source_id, request.trigger);
      pollNow(request.source_id);
    }
  }

  return {
    begin(id) {
      const trigger = triggers.get(id) ?? 'schedule';
      if (triggers.delete(id)) lastBegan.set(id, clock().getTime());
      return trigger;
    },
    forget(id) {
      triggers.delete(id);
      lastBegan.delete(id);
      passedOn.delete(id);
    },
    async run() {
      if (!requests) return;
      while (!signal.aborted) {
        await look().catch((error: unknown) => logError(logger, error, {}, 'reading poll requests failed'));
        await pause(LOOK_INTERVAL, signal);
      }
    },
  };
}
