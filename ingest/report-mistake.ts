/** Reports of readers that something is wrong with a signal. */
import { handleCommand } from '../log/command-handler.ts';
import type { EventStore } from '../log/event-store.ts';
import { readEvent } from '../schemas/events.ts';
import { Refusal } from '../schemas/input-errors.ts';
import type { SignalId } from '../schemas/scalar.ts';
import { type MistakeBody, mistakeId, mistakeStream } from '../schemas/signal.ts';

/** Reports of one signal that are stored: an operator who has read so many has seen what is wrong. */
const MAXIMUM = 200;
const IST = 5.5 * 3_600_000;

/**
 * Stores the report of a reader. It is stored when this resolves; sent twice on one day it is one report.
 * @param signal a public one
 * @returns its id
 * @throws Refusal when the signal has very many reports; StreamContention
 */
export async function reportMistake(
  { store, now }: { readonly store: Pick<EventStore, 'append' | 'read'>; readonly now: () => Date },
  signal: SignalId,
  body: MistakeBody,
): Promise<string> {
  const at = now();
  const id = mistakeId(signal, body, new Date(at.getTime() + IST).toISOString().slice(0, 10));
  await handleCommand(store, {
    stream: mistakeStream(signal),
    fold: (stored) =>
      stored.map((event) => readEvent(event)).flatMap(({ type, data }) => (type === 'MistakeReported' ? data : [])),
    decide: (reported) => {
      if (reported.some((one) => one.mistake_id === id)) return { facts: [] };
      if (reported.length >= MAXIMUM)
        throw new Refusal(
          'invalid_request',
          'This entry was reported many times already. An operator will look at it.',
        );
      const { what, note = null } = body;
      return { facts: [{ type: 'MistakeReported' as const, data: { mistake_id: id, signal_id: signal, what, note } }] };
    },
    now: at,
  });
  return id;
}
