/** OpenTelemetry's provider, sampling and exporter, with ids derived from those of the events, and the spans of requests. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attributes, ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { ExportResultCode, parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_SERVICE_INSTANCE_ID,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_VERSION,
} from '@opentelemetry/semantic-conventions';
import type { Logger } from 'pino';
import { type Configuration, VERSION } from '../../schemas/configuration.ts';
import { requestAnswered } from '../../schemas/observation.ts';
import { harmless, PlannedIds, tracedServices, traceEvents } from './event-tracing.ts';
import { METHODS } from './metrics.ts';
import type { Tracing } from './observed-process.ts';

/** Milliseconds that spans wait for their batch. */
const DELAY = 2_000;

/**
 * Sends spans in batches. An unreachable or slow collector costs spans, never time or memory. It is logged once when it
 * begins, and once when it ends, with the number of lost spans.
 * @param maximum spans that wait at once
 */
export function delivery(
  exporter: SpanExporter,
  maximum: number,
  logger: Pick<Logger, 'info' | 'warn'>,
): SpanProcessor {
  let waiting = 0;
  let lost = 0;
  let failing = false;
  const ended = (code: ExportResultCode, spans: number, error: Error | undefined): void => {
    if (code === ExportResultCode.SUCCESS) {
      if (lost > 0 || failing) logger.info({ lost }, 'the collector accepts traces again');
      failing = false;
      lost = 0;
      return;
    }
    lost += spans;
    if (failing) return;
    failing = true;
    const reason = error ? `${(error as { code?: unknown }).code ?? ''} ${error.message}`.trim() : 'no reason given';
    logger.warn({ reason }, 'traces cannot be delivered and are dropped; everything else continues');
  };
  const observed: SpanExporter = {
    export(spans, done) {
      waiting -= spans.length;
      exporter.export(spans, (result) => {
        ended(result.code, spans.length, result.error);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
  const batches = new BatchSpanProcessor({ exporter: observed, maxQueueSize: maximum, scheduledDelayMillis: DELAY });
  return {
    onStart: () => undefined,
    onEnd(span) {
      if (waiting >= maximum) {
        lost++;
        return;
      }
      waiting++;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}

/**
 * Writes a span for each request, in the trace of a caller that sends `traceparent`: route, status and request id, but no
 * address, which can contain a question, and no header, which can contain a key.
 * The names are those of https://opentelemetry.io/docs/specs/semconv/http/http-spans/.
 * @returns ends the subscription
 */
export const traceRequests = (tracer: Tracer): (() => void) =>
  requestAnswered.subscribe(
    harmless(({ method: sent, route, status, milliseconds, request_id, traceparent }) => {
      const ended = Date.now();
      const caller = traceparent === null ? null : parseTraceParent(traceparent);
      const parent = caller ? trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true }) : ROOT_CONTEXT;
      const method = METHODS.has(sent) ? sent : '_OTHER';
      const failed = status >= 500;
      const attributes: Attributes = {
        [ATTR_HTTP_REQUEST_METHOD]: method,
        [ATTR_HTTP_RESPONSE_STATUS_CODE]: status,
        ...(route !== 'none' && { [ATTR_HTTP_ROUTE]: route }),
        ...(failed && { [ATTR_ERROR_TYPE]: String(status) }),
        'clarity.request.id': request_id,
      };
      const name = `${method === '_OTHER' ? 'HTTP' : method}${route === 'none' ? '' : ` ${route}`}`;
      const startTime = ended - milliseconds;
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, startTime, attributes }, parent);
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(ended);
    }),
  );

export interface Samplers {
  /** Decides by the id of the trace, so that all processes decide the same for one item. */
  readonly root: Sampler;
  /** For requests: follows the decision of a caller that traces, unless the setting differs. */
  readonly requests: Sampler;
}

export function samplersOf({
  OTEL_TRACES_SAMPLER: name,
  OTEL_TRACES_SAMPLER_ARG: share,
}: Pick<Configuration, 'OTEL_TRACES_SAMPLER' | 'OTEL_TRACES_SAMPLER_ARG'>): Samplers {
  const root = name.endsWith('always_on')
    ? new AlwaysOnSampler()
    : name.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(share);
  return { root, requests: name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root };
}

const SHUTDOWN_TIMEOUT = 2_000;
/** Maximum characters of a value; ids are shorter, and nothing else is written. */
const LONGEST = 200;

export interface TracingOptions {
  readonly name: string;
  /** The whole address to which spans are sent. */
  readonly address: string;
  readonly configuration: Configuration;
  readonly logger: Logger;
  /** Milliseconds that a stopping process waits for the collector. */
  readonly shutdownTimeoutMs?: number;
}

export function startTracing({
  name,
  address,
  configuration,
  logger,
  shutdownTimeoutMs = SHUTDOWN_TIMEOUT,
}: TracingOptions): Tracing {
  const resource = resourceFromAttributes({
    [ATTR_SERVICE_NAME]: `clarity-${name}`,
    [ATTR_SERVICE_VERSION]: VERSION,
    [ATTR_SERVICE_INSTANCE_ID]: randomUUID(),
  }).merge(detectResources({ detectors: [envDetector] }));
  const { root, requests } = samplersOf(configuration);
  const ids = new PlannedIds(new RandomIdGenerator());
  const exporter = new OTLPTraceExporter({ url: address });
  const processor = delivery(exporter, configuration.OTEL_BSP_MAX_QUEUE_SIZE, logger);
  const provider = new TracerProvider({
    resource,
    sampler: requests,
    idGenerator: ids,
    spanProcessors: [processor],
    spanLimits: { attributeValueLengthLimit: LONGEST },
  });
  const tracer = provider.getTracer('clarity', VERSION);
  const events = traceEvents(tracer, root, ids);
  const endRequests = traceRequests(tracer);
  return {
    over: (services) => tracedServices(services, events),
    async close() {
      events.close();
      endRequests();
      // The rest is lost: an unreachable collector must not keep a process from stopping.
      await Promise.race([
        provider.shutdown().catch(() => undefined),
        sleep(shutdownTimeoutMs, undefined, { ref: false }),
      ]);
    },
  };
}
