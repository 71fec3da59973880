/** Spans for the path of an event from poll to page. They contain ids and times only, never texts. */
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { type IdGenerator, type Sampler, SamplingDecision } from '@opentelemetry/sdk-trace';
import type { Event } from '../../schemas/events.ts';
import { eventHandled, eventsProjected, type Handling } from '../../schemas/observation.ts';
import { Poll } from '../../schemas/poll.ts';
import { SIGNAL_PREFIX } from '../../schemas/signal.ts';
import type { Services } from '../services.ts';
import { eachTopic } from './metrics.ts';

/**
 * Wraps a subscriber so that it never throws, which would end the process or fail a traced write. An event that cannot be
 * traced, such as a malformed one, is left out.
 */
export const harmless =
  <About extends readonly unknown[]>(listen: (...about: About) => void) =>
  (...about: About): void => {
    try {
      listen(...about);
    } catch {
      // The part that handles the event reports what is wrong with it.
    }
  };

// The ids of spans are computed from those of events: separate processes write one tree, and events carry nothing for it.

const hexOf = (uuid: string): string => uuid.replaceAll('-', '').toLowerCase();

/** The trace of an event: its correlation id, both being 128 bits. */
const traceIdOf = ({ correlation_id }: Pick<Event, 'correlation_id'>): string => hexOf(correlation_id);

/** The span that wrote an event: the first 64 bits of the event's id. */
export const writtenId = (eventId: string): string => hexOf(eventId).slice(0, 16);

const FIRST_DIGIT: Readonly<Record<Handling, string>> = { understand: 'a', match: 'b', analyse: 'c' };

/** The span of a part's work on an event: a digit of the part's own, and the last 60 bits of the event's id. */
export const handledId = (handling: Handling, eventId: string): string =>
  `${FIRST_DIGIT[handling]}${hexOf(eventId).slice(-15)}`;

/** The part that writes events of a type; the matcher writes all others that have a cause. */
const WRITERS: Readonly<Record<string, Handling>> = { StoryUnderstood: 'understand', SignalAnalysed: 'analyse' };

/**
 * The span that an event's writing follows from: the work on its cause, else, for what a poll found, that poll. Null
 * for the event with which a trace begins.
 */
export function parentIdOf({ id, type, causation_id, correlation_id }: Event): string | null {
  if (causation_id !== null) return handledId(WRITERS[type] ?? 'match', causation_id);
  return correlation_id === id ? null : writtenId(correlation_id);
}

interface Ids {
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

  /** @param start starts one span, synchronously */
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

/** A span whose place in its trace is known before it is begun. */
interface PlannedSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly traceId: string;
  /** Null where nothing follows from it. */
  readonly spanId: string | null;
  /** Null for the first of its trace. */
  readonly parentId: string | null;
  /** Both in milliseconds since 1970. */
  readonly started: number;
  readonly ended: number;
  readonly attributes: Attributes;
  readonly failed: boolean;
}

type Times = Pick<PlannedSpan, 'started' | 'ended'>;

const aboutEvent = ({ id, type }: Event): Attributes => ({ 'clarity.event.id': id, 'clarity.event.type': type });

/** The span of a poll. Its event is published at the end and contains the duration. */
function pollSpan(event: Event, poll: Poll): PlannedSpan {
  const started = Date.parse(poll.started_at);
  return {
    name: 'poll',
    kind: SpanKind.CLIENT,
    traceId: traceIdOf(event),
    spanId: writtenId(event.id),
    parentId: parentIdOf(event),
    started,
    ended: started + poll.duration_ms,
    attributes: {
      ...aboutEvent(event),
      'clarity.source.id': poll.source_id,
      'clarity.poll.outcome': poll.outcome,
      'clarity.poll.items_new': poll.items_new,
      ...(poll.error && { 'error.type': poll.error.code }),
    },
    failed: poll.outcome === 'failed',
  };
}

/** @param where the topic or stream */
function writtenSpan(event: Event, verb: 'publish' | 'append', where: string, times: Times): PlannedSpan {
  const poll = event.type === 'PollCompleted' ? Poll.safeParse(event.data) : null;
  if (poll?.success) return pollSpan(event, poll.data);
  const signal = where.startsWith(SIGNAL_PREFIX) ? { 'clarity.signal.id': where.slice(SIGNAL_PREFIX.length) } : {};
  return {
    name: `${verb} ${event.type}`,
    kind: SpanKind.PRODUCER,
    ...times,
    traceId: traceIdOf(event),
    spanId: writtenId(event.id),
    parentId: parentIdOf(event),
    attributes: { ...aboutEvent(event), ...signal },
    failed: false,
  };
}

const handledSpan = (
  event: Event,
  { handling, outcome, failed }: { handling: Handling; outcome: string; failed: boolean },
  times: Times,
): PlannedSpan => ({
  name: handling,
  kind: SpanKind.CONSUMER,
  ...times,
  failed,
  traceId: traceIdOf(event),
  spanId: handledId(handling, event.id),
  parentId: writtenId(event.id),
  attributes: { ...aboutEvent(event), 'clarity.outcome': outcome },
});

/** The span of a projection, which ends when readers see the event. */
const projectedSpan = (
  event: Event,
  { model, parked, together }: { model: string; parked: boolean; together: number },
  times: Times,
): PlannedSpan => ({
  name: `project ${model}`,
  kind: SpanKind.CONSUMER,
  ...times,
  failed: parked,
  traceId: traceIdOf(event),
  spanId: null,
  parentId: writtenId(event.id),
  attributes: { ...aboutEvent(event), 'clarity.model': model, 'clarity.events_together': together },
});

/** Milliseconds: a rebuild projects old events, whose traces have ended. */
const OLDEST = 86_400_000;
const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;

interface EventTracing {
  /** Some events were written. @param started time of `performance.now()` */
  wrote(verb: 'publish' | 'append', where: string, events: readonly Event[], started: number): void;
  close(): void;
}

/** The wall clock as it is now, less what has passed: `performance` alone drifts from it over days. */
const until = (now: number, started: number): Times => ({ started: now - (performance.now() - started), ended: now });

export function traceEvents(tracer: Tracer, root: Sampler, ids: PlannedIds): EventTracing {
  const isKept = (event: Event, now: number): boolean => {
    const traceId = traceIdOf(event);
    if (!TRACE_ID.test(traceId) || !(Date.parse(event.time) > now - OLDEST)) return false;
    const { decision } = root.shouldSample(ROOT_CONTEXT, traceId, '', SpanKind.INTERNAL, {}, []);
    return decision === SamplingDecision.RECORD_AND_SAMPLED;
  };
  const parentOf = ({ traceId, parentId }: PlannedSpan): Context =>
    parentId === null
      ? ROOT_CONTEXT
      : trace.setSpanContext(ROOT_CONTEXT, {
          traceId,
          spanId: parentId,
          isRemote: true,
          traceFlags: TraceFlags.SAMPLED,
        });
  const write = (planned: PlannedSpan): void => {
    const { name, kind, started, ended, attributes, traceId, spanId, failed } = planned;
    const start = () => tracer.startSpan(name, { kind, attributes, startTime: started }, parentOf(planned));
    const span = spanId === null ? start() : ids.using({ traceId, spanId }, start);
    if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(ended);
  };
  const ends = [
    eventHandled.subscribe(
      harmless(({ event, started, failed = false, ...about }) => {
        const now = Date.now();
        if (isKept(event, now)) write(handledSpan(event, { ...about, failed }, until(now, started)));
      }),
    ),
    eventsProjected.subscribe(({ model, types, events, parked, started }) => {
      const now = Date.now();
      const times = until(now, started);
      const projected = harmless((event: Event) => {
        if (!types.includes(event.type) || !isKept(event, now)) return;
        const about = { model, parked: parked.includes(event.id), together: events.length };
        write(projectedSpan(event, about, times));
      });
      for (const event of events) projected(event);
    }),
  ];
  return {
    wrote(verb, where, events, started) {
      const now = Date.now();
      const times = until(now, started);
      const written = harmless((event: Event) => {
        if (isKept(event, now)) write(writtenSpan(event, verb, where, times));
      });
      for (const event of events) written(event);
    },
    close() {
      for (const end of ends) end();
    },
  };
}

export function tracedServices(services: Services, { wrote }: Pick<EventTracing, 'wrote'>): Services {
  const { topics, store } = services;
  return {
    ...services,
    topics: eachTopic(topics, (topic) => ({
      ...topic,
      async publish(messages) {
        const started = performance.now();
        await topic.publish(messages);
        const events = messages.map(({ event }) => event);
        wrote('publish', topic.name, events, started);
      },
    })),
    store: {
      ...store,
      async append(stream, events, expected) {
        const started = performance.now();
        const done = await store.append(stream, events, expected);
        wrote('append', stream, events, started);
        return done;
      },
    },
  };
}
