/** Traces of one process, for a collector. Where none is set nothing of it is loaded, and nobody listens. */
import type { Logger } from 'pino';
import { type Configuration, tracesAddress } from '../../schemas/configuration.ts';
import type { Services } from '../services.ts';

export interface Tracing {
  /** The same services, telling what is published and appended. */
  over(services: Services): Services;
  /** Sends what still waits, for two seconds at most. */
  close(): Promise<void>;
}

const NONE: Tracing = { over: (services) => services, close: async () => undefined };

/**
 * Begins to trace where `OTEL_EXPORTER_OTLP_ENDPOINT` is set.
 * @param name of the process
 */
export async function openTracing(name: string, configuration: Configuration, logger: Logger): Promise<Tracing> {
  const address = tracesAddress(configuration);
  if (address === null) return NONE;
  const { startTracing } = await import('./otel-provider.ts');
  return startTracing({ name, address, configuration, logger });
}
