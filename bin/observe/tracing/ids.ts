/**
 * The ids of spans, computed from those of events: so processes that know nothing of each other write one tree, and no
 * event carries anything for it.
 */
import type { IdGenerator } from '@opentelemetry/sdk-trace';
import type { Event } from '../../../schemas/envelope.ts';
import type { Handling } from '../../../schemas/observation.ts';

const hexOf = (uuid: string): string => uuid.replaceAll('-', '').toLowerCase();

/** The trace of an event: its correlation id, both being 128 bits. */
export const traceIdOf = ({ correlation_id }: Pick<Event, 'correlation_id'>): string => hexOf(correlation_id);

/** The span that wrote an event: the first 64 bits of the event's id. */
export const writtenId = (eventId: string): string => hexOf(eventId).slice(0, 16);

const FIRST_DIGIT: Readonly<Record<Handling, string>> = { understand: 'a', match: 'b', analyse: 'c' };

/** The span of a part's work on an event: a digit of the part's own, and the last 60 bits of the event's id. */
export const handledId = (handling: Handling, eventId: string): string =>
  `${FIRST_DIGIT[handling]}${hexOf(eventId).slice(-15)}`;

/** Which part writes events of a type because of another event; all others that have a cause are the matcher's. */
const WRITERS: Readonly<Record<string, Handling>> = { StoryUnderstood: 'understand', SignalAnalysed: 'analyse' };

/**
 * The span that an event's writing follows from: the work on its cause, else, for what a poll found, that poll. Null
 * for the event with which a trace begins.
 */
export function parentIdOf({ id, type, causation_id, correlation_id }: Event): string | null {
  if (causation_id !== null) return handledId(WRITERS[type] ?? 'match', causation_id);
  return correlation_id === id ? null : writtenId(correlation_id);
}

export interface Ids {
  readonly traceId: string;
  readonly spanId: string;
}

/** Gives the next span the ids that were planned for it, and random ones to every other. */
export class PlannedIds implements IdGenerator {
  readonly #random: IdGenerator;
  #planned: Ids | null = null;

  constructor(random: IdGenerator) {
    this.#random = random;
  }

  /** @param start starts one span, without waiting for anything */
  using<Result>(ids: Ids, start: () => Result): Result {
    this.#planned = ids;
    try {
      return start();
    } finally {
      this.#planned = null;
    }
  }

  generateTraceId(): string {
    return this.#planned?.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.#planned?.spanId ?? this.#random.generateSpanId();
  }
}
