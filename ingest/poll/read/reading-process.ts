/** The program of a child process of a page reader: it receives jobs one after the other and sends their results. */
import { PollError } from '../poll-error.ts';
import { type JobInput, type JobName, READING_JOBS } from './reading-jobs.ts';

/** What the process is sent. */
export interface JobMessage {
  readonly job: JobName;
  readonly input: unknown;
}

/** What the process sends: that it is ready for jobs, the result of a job, or why there is none. */
export type ReadingMessage =
  | { readonly ready: true }
  | { readonly result: unknown }
  | {
      readonly failed: {
        readonly code: string;
        readonly message: string;
        readonly status: number | null;
        readonly retryAt: Date | null;
      };
    };

const send = (message: ReadingMessage): void => void process.send?.(message);

async function run({ job, input }: JobMessage): Promise<ReadingMessage> {
  try {
    // The sender is typed by the same table.
    const work = READING_JOBS[job] as (input: unknown) => unknown;
    return { result: await work(withBuffer(input)) };
  } catch (error) {
    if (error instanceof PollError) {
      const { code, message, status, retryAt } = error;
      return { failed: { code, message, status, retryAt } };
    }
    const message = `the page cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    return { failed: { code: 'unreadable', message: message.slice(0, 500), status: null, retryAt: null } };
  }
}

/** Bodies arrive as plain bytes. */
function withBuffer(input: unknown): unknown {
  const { page } = input as Partial<JobInput<'readPage'>>;
  if (!page) return input;
  const { buffer, byteOffset, byteLength } = page.body;
  return { ...(input as object), page: { ...page, body: Buffer.from(buffer, byteOffset, byteLength) } };
}

// SIGINT and SIGTERM are meant for the service, which ends this process when it is done.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
process.on('message', (message: JobMessage) => void run(message).then(send));
send({ ready: true });
