/** Listens to what becomes of events in this process, and writes a span for each step. */
import {
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { type Sampler, SamplingDecision } from '@opentelemetry/sdk-trace';
import type { Event } from '../../../schemas/envelope.ts';
import { eventHandled, eventsProjected } from '../../../schemas/observation.ts';
import { handledSpan, type PlannedSpan, projectedSpan, type Times, writtenSpan } from './event-spans.ts';
import { harmless } from './harmless.ts';
import { type PlannedIds, traceIdOf } from './ids.ts';

/** Milliseconds: a read model that is built anew goes over old events, whose traces ended long ago. */
const OLDEST = 86_400_000;
const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;

export interface EventTracing {
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
          ...{ traceId, spanId: parentId, isRemote: true },
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
    eventHandled.hear(
      harmless(({ event, started, failed = false, ...about }) => {
        const now = Date.now();
        if (isKept(event, now)) write(handledSpan(event, { ...about, failed }, until(now, started)));
      }),
    ),
    eventsProjected.hear(({ model, types, events, parked, started }) => {
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
