/** Traces of a process for a collector. Without one, nothing is loaded or subscribed. */
import type { Logger } from 'pino';
import { type Configuration, tracesAddress } from '../../schemas/configuration.ts';
import type { Services } from '../services.ts';

export interface Tracing {
  /** The same services, with spans for what is published and appended. */
  over(services: Services): Services;
  /** Sends waiting spans, for at most two seconds. */
  close(): Promise<void>;
}

const NONE: Tracing = { over: (services) => services, close: async () => undefined };

/**
 * Starts tracing when `OTEL_EXPORTER_OTLP_ENDPOINT` is set.
 * @param name of the process
 */
export async function openTracing(name: string, configuration: Configuration, logger: Logger): Promise<Tracing> {
  const address = tracesAddress(configuration);
  if (address === null) return NONE;
  const { startTracing } = await import('./otel-provider.ts');
  return startTracing({ name, address, configuration, logger });
}
