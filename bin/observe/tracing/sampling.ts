/** Which traces are kept, by OpenTelemetry's names. */
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { Configuration } from '../../../schemas/configuration.ts';

export interface Samplers {
  /** Decides by the trace's id alone, so that all processes decide alike on one item. */
  readonly root: Sampler;
  /** For requests: a caller that traces has decided already, unless the setting says otherwise. */
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
