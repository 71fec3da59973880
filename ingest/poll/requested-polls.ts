/** Polls that an operator requests. */
import type { Logger } from 'pino';
import { logError } from '../../log/errors.ts';
import type { PollRequests } from '../../log/postgres/poll-requests.ts';
import type { PollTrigger } from '../../schemas/poll.ts';
import type { SourceId } from '../../schemas/source.ts';

/** Milliseconds between two looks at the requests. */
const LOOK_INTERVAL = 1_000;

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
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** Creates it. Requests are served at once. */
export function createRequestedPolls(options: RequestedPollsOptions): RequestedPolls {
  const { requests, owns, pollNow, logger, signal, pause } = options;
  /** Sources whose next poll was requested. */
  const requested = new Set<SourceId>();
  /** Requests that were passed on already, so that a long poll is not started twice. */
  const passedOn = new Map<SourceId, number>();

  async function look(): Promise<void> {
    const waitingPolls = (await requests?.waiting()) ?? [];
    const waiting = new Map(waitingPolls.filter(({ source_id }) => owns(source_id)).map((one) => [one.source_id, one]));
    for (const id of passedOn.keys()) if (!waiting.has(id)) passedOn.delete(id);
    for (const { source_id, requested_at } of waiting.values()) {
      const time = requested_at.getTime();
      if (passedOn.get(source_id) === time) continue;
      passedOn.set(source_id, time);
      requested.add(source_id);
      pollNow(source_id);
    }
  }

  return {
    begin: (id) => (requested.delete(id) ? 'operator' : 'schedule'),
    forget(id) {
      requested.delete(id);
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
