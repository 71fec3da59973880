/** Metrics and probes of a process, from before its stores are open until it has stopped. */
import type { Logger } from 'pino';
import { logError } from '../../log/errors.ts';
import { stoppedModels } from '../../projector/model-progress.ts';
import { unbuiltModels } from '../../projector/promote-build.ts';
import type { Configuration } from '../../schemas/configuration.ts';
import { liveModels, type Services } from '../services.ts';
import { countedStore, countedTopics, createMetrics } from './metrics.ts';
import {
  appends,
  type Dependency,
  LagClock,
  LOGS,
  measureServiceState,
  needsOfParts,
  openObservedServer,
  readinessOf,
  type ServiceState,
  type State,
  unreachableOf,
  within,
} from './service-state.ts';

export interface Watch {
  /** The same services with metrics; from now on probes check that they answer. */
  over(services: Services): Services;
  /** The parts run: the process is ready as long as its dependencies answer. */
  running(parts: readonly string[]): void;
  /** The process is no longer ready, and is alive until it ends. */
  stopping(): void;
  /** The port; null when none was available. */
  readonly port: number | null;
  close(): Promise<void>;
}

/** Milliseconds that measurements of the stores are cached, so that frequent scrapes cost no more. */
const KEPT = 5_000;
/** Milliseconds that a dependency has to answer before its measurements are left out of a scrape, which answers within a second. */
const PROBE_TIMEOUT = 500;
/** Maximum milliseconds of all measurements; the default scrape timeout of Prometheus is 10 s. */
const SCRAPE_TIMEOUT = 7_000;

/** The state of the service as one process measures it, at most once in `KEPT` milliseconds. */
function stateMeasurement(
  logger: Logger,
): (services: Services, parts: ReadonlySet<string>) => Promise<ServiceState | null> {
  const clock = new LagClock();
  let kept: { readonly at: number; readonly state: Promise<ServiceState | null> } | null = null;

  /** An unreachable dependency only affects its own measurements. */
  const measure = async (services: Services, parts: ReadonlySet<string>): Promise<ServiceState> => {
    // A process that only reads PostgreSQL reports nothing about the logs.
    const dependencies = needsOfParts(parts).size > 1 ? LOGS : new Set<Dependency>();
    const { unreachable } = await unreachableOf(services, dependencies, PROBE_TIMEOUT);
    return measureServiceState(services, parts, services.now(), undefined, clock, unreachable);
  };
  return (services, parts) => {
    const at = performance.now();
    if (!kept || at - kept.at > KEPT) {
      const state = within(SCRAPE_TIMEOUT, () => measure(services, parts)).catch((error: unknown) => {
        logError(logger, error, {}, 'the metrics of the stores are unavailable; the others are served');
        return null;
      });
      kept = { at, state };
    }
    return kept.state;
  };
}

/** Logs the port of the metrics, or why they have another one or none. */
function logPort(logger: Logger, wanted: number, server: Awaited<ReturnType<typeof openObservedServer>>): void {
  if (server.hindrance === null) {
    logger.info({ metrics_port: server.port }, 'metrics and probes are served');
    return;
  }
  const code = (server.hindrance as { code?: string }).code ?? String(server.hindrance);
  const instead =
    server.port === null ? 'this process has no metrics and probes' : `port ${server.port} serves instead`;
  logger.warn({ metrics_port: wanted, code }, `METRICS_PORT is not available: ${instead}`);
}

/** Processes whose readers need the read models of this release: an older one answers until they are built. */
const READERS: ReadonlySet<string> = new Set(['api', 'mcp']);

const stoppedOf = async (services: Services): Promise<string[]> => [
  ...(await stoppedModels(services, await services.store.head())).keys(),
];

const unbuiltForReaders = async (services: Services): Promise<string[]> =>
  unbuiltModels(services.database, await liveModels(services));

/** @param name of the process */
export async function openWatch(
  name: string,
  { METRICS_PORT, METRICS_HOST }: Pick<Configuration, 'METRICS_PORT' | 'METRICS_HOST'>,
  logger: Logger,
): Promise<Watch> {
  const metrics = createMetrics(name, () => watched?.now() ?? new Date());
  const measured = stateMeasurement(logger);
  let state: State = 'starting';
  let watched: Services | null = null;
  let parts: ReadonlySet<string> = new Set();
  let hasModels = false;

  const text = 'text/plain; charset=utf-8';
  const server = await openObservedServer(
    {
      '/metrics': async () => {
        const serviceState = watched && state === 'running' ? await measured(watched, parts) : null;
        return { status: 200, type: metrics.contentType, body: await metrics.text(serviceState) };
      },
      '/livez': async () => ({ status: 200, type: text, body: 'alive\n' }),
      '/readyz': async () => {
        const services = watched;
        const unbuilt = READERS.has(name) && services && !hasModels ? () => unbuiltForReaders(services) : undefined;
        const stopped = services && parts.has('project') ? () => stoppedOf(services) : undefined;
        const demands = { needs: needsOfParts(parts), appends: appends(parts) };
        const readiness = await readinessOf(state, services, demands, unbuilt, stopped);
        // A process that had them goes on when those of the next release are swapped in.
        hasModels ||= readiness.ready;
        const body = `${JSON.stringify(readiness)}\n`;
        return { status: readiness.ready ? 200 : 503, type: 'application/json; charset=utf-8', body };
      },
    },
    METRICS_HOST,
    METRICS_PORT,
  );
  return {
    over(services) {
      watched = services;
      metrics.watchPool(services.database);
      const topics = countedTopics(services.topics, metrics, logger);
      return { ...services, topics, store: countedStore(services.store, metrics, logger) };
    },
    running(names) {
      parts = new Set(names);
      state = 'running';
      // Only now: a process that cannot start has other errors to report.
      logPort(logger, METRICS_PORT, server);
    },
    stopping() {
      state = 'stopping';
    },
    port: server.port,
    async close() {
      await server.close();
      metrics.close();
    },
  };
}
