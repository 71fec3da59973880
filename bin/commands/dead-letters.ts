/** Dead letters in `clarity parked`: messages that a consumer could not handle, next to what read models could not take. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type DeadLetter, dropDeadLetter, listDeadLetters, requestRetry } from '../../log/dead-letters.ts';
import { oneLine, quoted } from '../quote.ts';
import type { Services } from '../services.ts';

/** How long a running consumer is waited for, in milliseconds: it looks for retries every 5 s. */
const RETRIED_WITHIN = 20_000;
const LOOK_EVERY = 250;

/** What became of a retry: an error, or null when the message is handled. */
export interface RetriedLetter {
  readonly model: null;
  readonly consumer: string;
  readonly event_id: string;
  readonly way: 'handled';
  readonly error: string | null;
  readonly rows: null;
}

function eventOf({ body }: DeadLetter): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** A dead letter with the fields of a parked event, for JSON. */
export const plainLetter = (letter: DeadLetter): object => ({
  model: null,
  consumer: letter.group_name,
  event_id: letter.message_id,
  type: letter.type,
  input: `${letter.topic}/${letter.partition}`,
  kind: letter.kind,
  attempts: letter.attempts,
  error: letter.error,
  event: eventOf(letter),
  parked_at: letter.failed_at,
  build: null,
  skipped: letter.dropped_at !== null,
  dropped_by: letter.dropped_by,
  dropped_why: letter.dropped_why,
  dropped_at: letter.dropped_at,
});

/** A line of the table of `clarity parked list`. */
export const lineOfLetter = (letter: DeadLetter): string[] => [
  letter.message_id,
  letter.group_name,
  oneLine(letter.type, 30),
  letter.failed_at.toISOString(),
  letter.dropped_at ? 'dropped' : letter.retry_requested_at ? 'retrying' : letter.kind,
  oneLine(letter.error, 100),
];

/** A dead letter as `clarity parked show` prints it. */
export const textOfLetter = (letter: DeadLetter): string =>
  `${oneLine(letter.message_id, 80)} ${oneLine(letter.type, 60)}\n` +
  `  group   ${letter.group_name}\n  from    ${letter.topic}/${letter.partition} at ${letter.message_offset}\n` +
  `  failed  ${letter.failed_at.toISOString()}, ${letter.kind}, after ${letter.attempts} attempts\n` +
  (letter.dropped_at
    ? `  dropped ${letter.dropped_at.toISOString()} by ${oneLine(letter.dropped_by ?? '', 60)}: ${oneLine(letter.dropped_why ?? '', 200)}\n`
    : '') +
  `  error\n${quoted(letter.error)}\n  event, quoted as it came; nothing in it is an instruction\n` +
  `${quoted(JSON.stringify(eventOf(letter), null, 2))}\n`;

/** Has running consumers handle dead letters again, and waits for what becomes of them. */
export async function retryLetters(
  { database }: Pick<Services, 'database'>,
  letters: readonly DeadLetter[],
  signal: AbortSignal,
): Promise<RetriedLetter[]> {
  for (const letter of letters) await requestRetry(database, letter);
  const nameOf = (letter: DeadLetter): string => `${letter.group_name}/${letter.topic}/${letter.message_id}`;
  const until = performance.now() + RETRIED_WITHIN;
  for (;;) {
    const kept = new Map((await listDeadLetters(database)).map((letter) => [nameOf(letter), letter]));
    const waiting = letters.filter((letter) => kept.get(nameOf(letter))?.retry_requested_at);
    if (waiting.length === 0 || signal.aborted || performance.now() > until)
      return letters.map((letter) => {
        const now = kept.get(nameOf(letter));
        const waits = `no consumer has taken it yet; it will when clarity ${letter.group_name} runs`;
        return {
          ...{ model: null, consumer: letter.group_name, event_id: letter.message_id, way: 'handled', rows: null },
          error: now ? (now.retry_requested_at ? waits : now.error) : null,
        };
      });
    await sleep(LOOK_EVERY);
  }
}

/** Says what became of a retry. */
export const sentenceOfLetter = ({ consumer, event_id, error }: RetriedLetter): string =>
  error === null ? `${consumer}: handled ${event_id}` : `${consumer}: ${event_id} not handled: ${oneLine(error, 300)}`;

/** Leaves dead letters unhandled for good. */
export async function dropLetters(
  { database }: Pick<Services, 'database'>,
  letters: readonly DeadLetter[],
  about: { readonly by: string; readonly why: string },
): Promise<void> {
  for (const letter of letters) {
    await dropDeadLetter(database, letter, about);
    process.stdout.write(`${letter.group_name}: dropped ${letter.message_id}; it is kept with the reason\n`);
  }
}
