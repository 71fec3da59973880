/**
 * Reads the responses of outlets in child processes, each with a limit on its memory and on the time of one job. A page
 * that exceeds a limit ends its process and fails its own source; the service and the other sources go on. Threads would
 * be lighter, but one that runs out of memory can abort the process that it is in.
 */
import { ChildJobs, JobFailed } from '../../../log/child-jobs.ts';
import { PollError } from '../poll-error.ts';
import type { JobInput, JobMessage, JobName, JobOutcome, JobResult } from './reading-jobs.ts';

export interface PageReader {
  /**
   * Does a job of `READING_JOBS`.
   * @throws PollError what the job throws, or `reading_timeout`, `reading_out_of_memory`, `reading_failed`
   * @throws the signal's reason when it aborts first
   */
  run<Name extends JobName>(job: Name, input: JobInput<Name>, signal?: AbortSignal): Promise<JobResult<Name>>;
  /** Starts the processes before there is a job, so that the first ones need not wait for them. */
  start(): void;
  /** Ends the processes. Jobs that wait or run fail with `reading_failed`. */
  close(): Promise<void>;
}

export interface PageReaderOptions {
  /** Processes at most; they start when they are needed. Two by default, so that one slow page does not delay others. */
  readonly processes?: number;
  /** Milliseconds that one job may take; 20,000 by default, where the largest pages need 2,000. */
  readonly deadlineMs?: number;
  /** Megabytes of heap of one process; 160 by default. */
  readonly memoryMb?: number;
  /** Milliseconds after which a process without a job is ended; 60,000 by default. */
  readonly idleMs?: number;
}

const PROGRAM = new URL('./reading-jobs.ts', import.meta.url);

/** Opens a page reader. No process is started before the first job. */
export function createPageReader({
  processes = 2,
  deadlineMs = 20_000,
  memoryMb = 160,
  idleMs = 60_000,
}: PageReaderOptions = {}): PageReader {
  const flags = [`--max-old-space-size=${memoryMb}`, '--max-semi-space-size=8'];
  const jobs = new ChildJobs<JobMessage, JobOutcome>({ program: PROGRAM, flags, processes, deadlineMs, idleMs });
  const toPollError = (error: unknown): never => {
    if (!(error instanceof JobFailed)) throw error;
    if (error.reason === 'deadline')
      throw new PollError(
        'reading_timeout',
        `reading the response took more than ${deadlineMs / 1000} s and was aborted`,
      );
    if (error.reason === 'killed')
      throw new PollError('reading_out_of_memory', 'reading the response exceeded the memory limit');
    throw new PollError('reading_failed', `the response could not be read: ${error.message}`);
  };
  return {
    async run<Name extends JobName>(job: Name, input: JobInput<Name>, signal?: AbortSignal) {
      const outcome = await jobs.run({ job, input: sendable(input) }, signal).catch(toPollError);
      if ('result' in outcome) return outcome.result as JobResult<Name>;
      const { code, message, status, retryAt } = outcome.failed;
      throw new PollError(code, message, { ...(status === null ? {} : { status }), retryAt });
    },
    // Jobs that find no process fail by themselves.
    start: () => void jobs.start().catch(() => undefined),
    close: () => jobs.close(),
  };
}

/** Of a page only what reading needs is sent. */
function sendable(input: JobInput<JobName>): unknown {
  if (!('page' in input)) return input;
  const { url, headers, body } = input.page;
  return { ...input, page: { url, headers, body } };
}

let shared: PageReader | undefined;

/** The page reader of the process, for callers without one. It need not be closed: idle processes are ended. */
export const sharedPageReader = (): PageReader => (shared ??= createPageReader());
