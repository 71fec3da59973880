/**
 * Reads the responses of outlets in child processes, each with a limit on its memory and on the time of one job. A page
 * that exceeds a limit ends its process and fails its own source; the service and the other sources go on. Threads would
 * be lighter, but one that runs out of memory can abort the process that it is in.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { PollError } from '../poll-error.ts';
import type { JobInput, JobMessage, JobName, JobResult, ReadingMessage } from './reading-jobs.ts';

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

interface Job {
  readonly message: JobMessage;
  readonly done: (result: unknown) => void;
  readonly failed: (error: unknown) => void;
}

interface ReadingProcess {
  readonly child: ChildProcess;
  ready: boolean;
  job: Job | null;
  timer: NodeJS.Timeout | undefined;
}

/** Milliseconds that a process may take to load its modules, also on a machine that has much else to do. */
const START_TIMEOUT = 60_000;
const PROGRAM = fileURLToPath(new URL('./reading-jobs.ts', import.meta.url));

/** The reading processes, and the jobs that wait for one. */
class ReadingProcesses implements PageReader {
  readonly #processes = new Set<ReadingProcess>();
  readonly #waiting: Job[] = [];
  readonly #options: Required<PageReaderOptions>;

  constructor(options: Required<PageReaderOptions>) {
    this.#options = options;
  }

  run<Name extends JobName>(name: Name, input: JobInput<Name>, signal?: AbortSignal): Promise<JobResult<Name>> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = (): void => {
        this.#giveUp(job);
        reject(signal?.reason);
      };
      const settle = (): void => signal?.removeEventListener('abort', abort);
      const job: Job = {
        message: { job: name, input: sendable(input) },
        done(result) {
          settle();
          resolve(result as JobResult<Name>);
        },
        failed(error) {
          settle();
          reject(error);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.push(job);
      this.#assign();
    });
  }

  start(): void {
    while (this.#processes.size < this.#options.processes) this.#startProcess();
  }

  #startProcess(): void {
    const child = fork(PROGRAM, [], {
      execArgv: [`--max-old-space-size=${this.#options.memoryMb}`, '--max-semi-space-size=8'],
      // The environment has secrets: hostile text must not reach it.
      env: {},
      serialization: 'advanced',
      // When memory runs out, V8 writes a long report.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const one: ReadingProcess = { child, ready: false, job: null, timer: undefined };
    this.#processes.add(one);
    setTimer(one, START_TIMEOUT, () => this.#end(one, failure('its process did not start in time')));
    child.on('message', (message) => this.#receive(one, message as ReadingMessage));
    child.on('error', (error) => this.#end(one, failure(error.message.slice(0, 300))));
    child.on('exit', (code, signal) => this.#end(one, meaningOf(code, signal)));
  }

  #receive(one: ReadingProcess, message: ReadingMessage): void {
    if (!this.#processes.has(one)) return;
    if ('ready' in message) one.ready = true;
    else {
      const { job } = one;
      one.job = null;
      if ('result' in message) job?.done(message.result);
      else {
        const { code, message: text, status, retryAt } = message.failed;
        job?.failed(new PollError(code, text, { ...(status === null ? {} : { status }), retryAt }));
      }
    }
    keepAlive(one.child, false);
    setTimer(one, this.#options.idleMs, () => this.#end(one, failure('its process was ended')));
    this.#assign();
  }

  /** Ends a process; its job fails with the reason. */
  #end(one: ReadingProcess, reason: PollError): void {
    if (!this.#processes.delete(one)) return;
    clearTimeout(one.timer);
    // A process that does not start fails a job, so that it is not retried for ever.
    const job = one.job ?? (one.ready ? undefined : this.#waiting.shift());
    job?.failed(reason);
    keepAlive(one.child, false);
    one.child.kill('SIGKILL');
    this.#assign();
  }

  /** Gives waiting jobs to processes that have none, and starts processes while there are too few. */
  #assign(): void {
    const { processes: maximum, deadlineMs } = this.#options;
    for (const one of this.#processes) {
      if (!one.ready || one.job) continue;
      const job = this.#waiting.shift();
      if (!job) return;
      one.job = job;
      keepAlive(one.child, true);
      setTimer(one, deadlineMs, () => {
        const message = `reading the response took more than ${deadlineMs / 1000} s and was aborted`;
        this.#end(one, new PollError('reading_timeout', message));
      });
      one.child.send(job.message, (error) => {
        if (error) this.#end(one, failure(error.message));
      });
    }
    const starting = [...this.#processes].filter(({ ready }) => !ready).length;
    for (let missing = this.#waiting.length - starting; missing > 0 && this.#processes.size < maximum; missing--)
      this.#startProcess();
  }

  /** The caller no longer waits: a job that has started goes on until its end or deadline, and keeps nothing alive. */
  #giveUp(job: Job): void {
    const place = this.#waiting.indexOf(job);
    if (place >= 0) this.#waiting.splice(place, 1);
    for (const one of this.#processes) if (one.job === job) keepAlive(one.child, false);
  }

  async close(): Promise<void> {
    const stopping = failure('the service is stopping');
    for (const job of this.#waiting.splice(0)) job.failed(stopping);
    const ending = [...this.#processes].map(async (one) => {
      const { child } = one;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      this.#end(one, stopping);
      child.ref();
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) await gone;
    });
    await Promise.all(ending);
  }
}

function setTimer(one: ReadingProcess, milliseconds: number, action: () => void): void {
  clearTimeout(one.timer);
  one.timer = setTimeout(action, milliseconds).unref();
}

/** Opens a page reader. No process is started before the first job. */
export const createPageReader = (options: PageReaderOptions = {}): PageReader =>
  new ReadingProcesses({ processes: 2, deadlineMs: 20_000, memoryMb: 160, idleMs: 60_000, ...options });

/** A reading process keeps this one alive only while a job waits for it. */
function keepAlive(child: ChildProcess, wanted: boolean): void {
  for (const one of [child, child.channel]) wanted ? one?.ref() : one?.unref();
}

const failure = (why: string): PollError => new PollError('reading_failed', `the response could not be read: ${why}`);

/** V8 aborts a process that runs out of memory; a SIGKILL that is not from here is from the system. */
function meaningOf(code: number | null, signal: NodeJS.Signals | null): PollError {
  if (signal !== null || code === 134)
    return new PollError('reading_out_of_memory', 'reading the response exceeded the memory limit');
  return failure(`its process ended with code ${code}`);
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
