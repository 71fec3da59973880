/** Tracing as it runs: OpenTelemetry's own provider and exporter, with ids that follow from those of the events. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { RandomIdGenerator, TracerProvider } from '@opentelemetry/sdk-trace';
import { ATTR_SERVICE_INSTANCE_ID, ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from '@opentelemetry/semantic-conventions';
import type { Logger } from 'pino';
import type { Configuration } from '../../../schemas/configuration.ts';
import { VERSION } from '../../../schemas/release.ts';
import type { Tracing } from '../tracing.ts';
import { delivery } from './delivery.ts';
import { traceEvents } from './events.ts';
import { PlannedIds } from './ids.ts';
import { traceRequests } from './requests.ts';
import { samplersOf } from './sampling.ts';
import { tracedServices } from './services.ts';

const PATIENCE = 2_000;
/** Characters of a value: ids are shorter, and nothing else is told. */
const LONGEST = 200;

export interface TracingOptions {
  readonly name: string;
  /** The whole address to which spans are sent. */
  readonly address: string;
  readonly configuration: Configuration;
  readonly logger: Logger;
  /** Milliseconds that a stopping process waits for the collector. */
  readonly patience?: number;
}

export function startTracing({ name, address, configuration, logger, patience = PATIENCE }: TracingOptions): Tracing {
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
    ...{ resource, sampler: requests, idGenerator: ids, spanProcessors: [processor] },
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
      // What waits longer is lost: a collector that is away must not keep a process from stopping.
      await Promise.race([provider.shutdown().catch(() => undefined), sleep(patience, undefined, { ref: false })]);
    },
  };
}
