/** Settings of tracing, by the names that OpenTelemetry gives them. */
import { z } from 'zod';
import { Flag, WebAddress } from './scalar.ts';

const SAMPLERS = ['always_on', 'always_off', 'traceidratio'] as const;

export const TracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: WebAddress.optional().describe(
    'the collector of traces, such as http://collector:4318; without one nothing is traced',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: WebAddress.optional().describe('the whole address to which traces are sent'),
  // The package that sends reads these headers itself; here they are only known to be a setting, and a secret one.
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional().describe('name=value,… sent with the traces'),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.literal('http/json').optional(),
  OTEL_SERVICE_NAME: z.string().min(1).optional().describe('clarity- and the name of the process when unset'),
  OTEL_RESOURCE_ATTRIBUTES: z.string().optional().describe('name=value,… told of this process'),
  OTEL_TRACES_SAMPLER: z
    .enum([...SAMPLERS, ...SAMPLERS.map((name) => `parentbased_${name}` as const)])
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1).describe('share of traces for traceidratio'),
  OTEL_BSP_MAX_QUEUE_SIZE: z.coerce
    .number()
    .int()
    .min(512)
    .max(1_000_000)
    .default(8_192)
    .describe('spans that wait for the collector; what comes on top is left out'),
  OTEL_SDK_DISABLED: Flag.describe('turns tracing off whatever else is set'),
};

/** Where traces are sent; null when tracing is off. */
export function tracesAddress(settings: {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined;
  readonly OTEL_SDK_DISABLED: boolean;
}): string | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole } = settings;
  if (settings.OTEL_SDK_DISABLED) return null;
  // https://opentelemetry.io/docs/specs/otel/protocol/exporter/: the first is used as it is, to the second a path is added.
  return whole ?? (base ? `${base.replace(/\/+$/, '')}/v1/traces` : null);
}
