/**
 * Jobs in child processes: programs of this service that may crash, take too long or run out of memory without harm to
 * the process that needs them. Processes start when they are needed, and another one replaces one that ended.
 */
import { type ChildProcess, fork } from 'node:child_process';

/**
 * `thrown`: the job threw. `deadline`: it took too long. `killed`: a signal ended its process, as it does when memory runs
 * out. `ended`: its process ended by itself. `not started`: no process starts. `closed`: nothing is done any more.
 */
type FailureReason = 'thrown' | 'deadline' | 'killed' | 'ended' | 'not started' | 'closed';

/** A job without a result. */
export class JobFailed extends Error {
  override name = 'JobFailed';
  readonly reason: FailureReason;
  constructor(reason: FailureReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface ChildJobsOptions {
  /** A module that calls `serveJobs`. */
  readonly program: URL;
  readonly parameters?: readonly string[];
  /** Flags of Node for the processes. */
  readonly flags?: readonly string[];
  /** Processes at most; 1 when unset. */
  readonly processes?: number;
  /** Jobs that a process is given at once, which it does one after the other; 1 when unset. */
  readonly atOnce?: number;
  /** A job fails when as many processes have ended at it; 1 when unset. */
  readonly attempts?: number;
  /** Milliseconds that one job may take. */
  readonly deadlineMs: number;
  /** Milliseconds after which a process without a job is ended; never when unset. */
  readonly idleMs?: number | undefined;
  /** Called when a process is ready, before it is given jobs. */
  readonly onReady?: ((pid: number | undefined) => void) | undefined;
  /** Called when a process has failed. */
  readonly onFailure?: () => void;
}

interface Job {
  readonly input: unknown;
  readonly done: (result: unknown) => void;
  readonly failed: (error: JobFailed) => void;
  /** Processes that ended at it. */
  crashes: number;
  /** Nobody waits for it any more. */
  isAbandoned: boolean;
}

interface JobProcess {
  readonly child: ChildProcess;
  /** In the order in which it does them. */
  readonly jobs: Job[];
  isReady: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** What a process sends: that it is ready for jobs or never will be, then the outcome of each job. */
type Message =
  | { readonly ready: true }
  | { readonly unavailable: string }
  | { readonly result: unknown }
  | { readonly thrown: string };

/** Milliseconds that a process may take to load its modules, also on a machine that has much else to do. */
const START_TIMEOUT = 60_000;
/** As many processes in a row may end before they are ready. */
const MAXIMUM_STARTS = 3;

/** Child processes of one program, and the jobs that wait for one. */
export class ChildJobs<Input, Result> {
  readonly #options: ChildJobsOptions;
  readonly #processes = new Set<JobProcess>();
  readonly #started = Promise.withResolvers<void>();
  #waiting: Job[] = [];
  #failedStarts = 0;
  #isClosed = false;

  constructor(options: ChildJobsOptions) {
    this.#options = options;
    // Who runs a job learns of it from the job.
    this.#started.promise.catch(() => undefined);
  }

  /**
   * Does a job. One that has started goes on when the signal aborts, and keeps nothing alive.
   * @throws JobFailed, and the signal's reason when it aborts first
   */
  async run(input: Input, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new JobFailed('closed', 'the service is stopping');
    const { promise, resolve: done, reject: failed } = Promise.withResolvers<unknown>();
    const job: Job = { input, done, failed, crashes: 0, isAbandoned: false };
    const abandon = (): void => {
      job.isAbandoned = true;
      this.#waiting = this.#waiting.filter((other) => other !== job);
      for (const one of this.#processes) keepAliveWhileBusy(one);
      failed(signal?.reason);
    };
    signal?.addEventListener('abort', abandon, { once: true });
    this.#waiting.push(job);
    this.#assign();
    return promise.finally(() => signal?.removeEventListener('abort', abandon)) as Promise<Result>;
  }

  /** Starts the processes before there is a job. @throws JobFailed when none starts */
  start(): Promise<void> {
    const { processes = 1 } = this.#options;
    while (this.#processes.size < processes) this.#startProcess();
    return this.#started.promise;
  }

  /** Ends the processes. Jobs that wait or run fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const closed = new JobFailed('closed', 'the service is stopping');
    this.#failWaiting(closed);
    const ending = [...this.#processes].map(async (one) => {
      const { child, jobs } = one;
      for (const job of jobs.splice(0)) job.failed(closed);
      const gone = new Promise((resolve) => child.once('exit', resolve));
      this.#end(one);
      child.ref();
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) await gone;
    });
    await Promise.all(ending);
  }

  #startProcess(): void {
    const { program, parameters = [], flags = [] } = this.#options;
    const child = fork(program, parameters, {
      // Flags of this process, such as those of a test runner, are not for it.
      execArgv: [...flags],
      // The environment has secrets: hostile text must not reach it.
      env: {},
      serialization: 'advanced',
      // When memory runs out, V8 writes a long report.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const one: JobProcess = { child, jobs: [], isReady: false, timer: undefined };
    this.#processes.add(one);
    this.#watch(one);
    child.on('message', (message) => this.#receive(one, message as Message));
    child.on('error', (error) => this.#end(one, new JobFailed('ended', error.message.slice(0, 300))));
    child.on('exit', (code, signal) => this.#end(one, meaningOf(code, signal)));
  }

  #receive(one: JobProcess, message: Message): void {
    if (!this.#processes.has(one)) return;
    if ('unavailable' in message) {
      this.#end(one, new JobFailed('not started', message.unavailable));
      return;
    }
    if ('ready' in message) {
      one.isReady = true;
      this.#failedStarts = 0;
      this.#started.resolve();
      this.#options.onReady?.(one.child.pid);
    } else {
      const job = one.jobs.shift();
      if ('result' in message) job?.done(message.result);
      else job?.failed(new JobFailed('thrown', message.thrown));
    }
    this.#watch(one);
    this.#assign();
  }

  /** Restarts the timer of a process: of its start, of its job, or of its idleness. */
  #watch(one: JobProcess): void {
    const { deadlineMs, idleMs } = this.#options;
    clearTimeout(one.timer);
    const limit = (milliseconds: number, failure?: JobFailed): void => {
      one.timer = setTimeout(() => this.#end(one, failure), milliseconds).unref();
    };
    if (!one.isReady) limit(START_TIMEOUT, new JobFailed('ended', 'its process did not start in time'));
    else if (one.jobs.length > 0) limit(deadlineMs, new JobFailed('deadline', `it took more than ${deadlineMs} ms`));
    else if (idleMs !== undefined) limit(idleMs);
    keepAliveWhileBusy(one);
  }

  /** Ends a process. @param failure unset for one that has no job and is to be no more */
  #end(one: JobProcess, failure?: JobFailed): void {
    if (!this.#processes.delete(one)) return;
    clearTimeout(one.timer);
    keepAlive(one.child, false);
    one.child.kill('SIGKILL');
    if (!failure) return;
    const { attempts = 1, onFailure } = this.#options;
    onFailure?.();
    const [oldest] = one.jobs;
    if (oldest && ++oldest.crashes >= attempts) one.jobs.shift()?.failed(failure);
    this.#waiting.unshift(...one.jobs.filter(({ isAbandoned }) => !isAbandoned));
    if (!one.isReady) this.#countFailedStart(failure);
    this.#assign();
  }

  #countFailedStart(failure: JobFailed): void {
    this.#failedStarts += 1;
    if (failure.reason !== 'not started' && this.#failedStarts < MAXIMUM_STARTS) {
      this.#startProcess();
      return;
    }
    this.#failedStarts = 0;
    const notStarted = new JobFailed('not started', failure.message);
    this.#started.reject(notStarted);
    this.#failWaiting(notStarted);
  }

  #failWaiting(failure: JobFailed): void {
    for (const { failed } of this.#waiting.splice(0)) failed(failure);
  }

  /** Gives waiting jobs to processes that may have more, and starts processes while there are too few. */
  #assign(): void {
    const { processes = 1, atOnce = 1 } = this.#options;
    for (const one of this.#processes)
      while (one.isReady && one.jobs.length < atOnce) {
        const job = this.#waiting.shift();
        if (!job) return;
        this.#give(one, job);
      }
    const starting = [...this.#processes].filter(({ isReady }) => !isReady).length;
    for (let missing = this.#waiting.length - starting; missing > 0 && this.#processes.size < processes; missing--)
      this.#startProcess();
  }

  #give(one: JobProcess, job: Job): void {
    one.jobs.push(job);
    if (one.jobs.length === 1) this.#watch(one);
    else keepAliveWhileBusy(one);
    one.child.send(job.input as object, (error) => {
      if (error) this.#end(one, new JobFailed('ended', error.message));
    });
  }
}

/** Whether a process keeps this one alive. */
function keepAlive(child: ChildProcess, wanted: boolean): void {
  for (const one of [child, child.channel]) wanted ? one?.ref() : one?.unref();
}

/** A process keeps this one alive only while it starts or somebody waits for one of its jobs. */
const keepAliveWhileBusy = ({ child, isReady, jobs }: JobProcess): void =>
  keepAlive(child, !isReady || jobs.some(({ isAbandoned }) => !isAbandoned));

/** V8 aborts a process that runs out of memory; a SIGKILL that is not from here is from the system. */
const meaningOf = (code: number | null, signal: NodeJS.Signals | null): JobFailed =>
  signal !== null || code === 134
    ? new JobFailed('killed', `its process was ended by ${signal ?? 'SIGABRT'}`)
    : new JobFailed('ended', `its process ended with code ${code}`);

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 500);

/**
 * The program of a child process: does the jobs that it receives, one after the other, and sends their outcomes.
 * @param open gives the work; when it throws, no process of the program starts
 */
export async function serveJobs<Input, Result>(
  open: () => Promise<(input: Input) => Result | Promise<Result>>,
): Promise<void> {
  const send = (message: Message): void => void process.send?.(message);
  // SIGINT and SIGTERM are meant for the service, which needs the results until it has stopped, and then ends this process.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  process.on('disconnect', () => process.exit());
  try {
    const work = await open();
    let last = Promise.resolve();
    const answer = async (input: Input): Promise<void> => {
      try {
        send({ result: await work(input) });
      } catch (error) {
        send({ thrown: textOf(error) });
      }
    };
    process.on('message', (input: Input) => {
      last = last.then(() => answer(input));
    });
    send({ ready: true });
  } catch (error) {
    send({ unavailable: textOf(error) });
  }
}
