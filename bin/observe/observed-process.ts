/** How a process is watched, from before its stores are open until it has put everything down. */
import type { Logger } from 'pino';
import type { Configuration } from '../../schemas/configuration.ts';
import type { Services } from '../services.ts';
import { countedStore, countedTopics, createMetrics } from './metrics.ts';
import {
  type Dependency,
  needsOfParts,
  openObservedServer,
  readinessOf,
  type State,
  unreachableOf,
  within,
} from './readiness.ts';
import { LagClock, type Standing, standingOf } from './service-state.ts';

export interface Watch {
  /** The same services, counting; from now on probes ask whether they answer. */
  over(services: Services): Services;
  /** The parts run: the process is ready as long as what it needs answers. */
  running(parts: readonly string[]): void;
  /** It is ready no more, and lives on until it is done. */
  stopping(): void;
  /** The port, null when none could be had. */
  readonly port: number | null;
  close(): Promise<void>;
}

/** Figures that a scrape asks the stores for are kept for so many milliseconds: whoever asks often costs no more. */
const KEPT = 5_000;
/** What is asked of before the figures are. */
const LOGS: ReadonlySet<Dependency> = new Set(['event store', 'kafka']);
/** Milliseconds that one of them may take to answer before its figures are left out of a scrape. */
const PROBE_PATIENCE = 2_000;
/** Milliseconds that all these figures may take; Prometheus gives up after 10 s where it is not told otherwise. */
const SCRAPE_PATIENCE = 7_000;

/** @param name of the process */
export async function openWatch(
  name: string,
  { METRICS_PORT, METRICS_HOST }: Pick<Configuration, 'METRICS_PORT' | 'METRICS_HOST'>,
  logger: Logger,
): Promise<Watch> {
  const metrics = createMetrics(name, () => watched?.now() ?? new Date());
  const clock = new LagClock();
  let state: State = 'starting';
  let watched: Services | null = null;
  let parts: ReadonlySet<string> = new Set();
  let kept: { readonly at: number; readonly standing: Promise<Standing | null> } | null = null;

  /** A dependency that is away costs its own figures alone. */
  const found = async (services: Services): Promise<Standing> => {
    // Who reads PostgreSQL alone reports nothing of the logs.
    const asked = needsOfParts(parts).size > 1 ? LOGS : new Set<Dependency>();
    const { unreachable } = await unreachableOf(services, asked, PROBE_PATIENCE);
    return standingOf(services, parts, services.now(), undefined, clock, unreachable);
  };
  const standing = (): Promise<Standing | null> => {
    const services = watched;
    if (!services || state !== 'running') return Promise.resolve(null);
    const at = performance.now();
    if (!kept || at - kept.at > KEPT) {
      const asked = within(SCRAPE_PATIENCE, () => found(services)).catch((error: unknown) => {
        logger.warn({ err: error }, 'the figures of the stores cannot be told; the others are');
        return null;
      });
      kept = { at, standing: asked };
    }
    return kept.standing;
  };
  const text = 'text/plain; charset=utf-8';
  const server = await openObservedServer(
    {
      '/metrics': async () => ({ status: 200, type: metrics.contentType, body: await metrics.text(await standing()) }),
      '/livez': async () => ({ status: 200, type: text, body: 'alive\n' }),
      '/readyz': async () => {
        const readiness = await readinessOf(state, watched, needsOfParts(parts));
        const body = `${JSON.stringify(readiness)}\n`;
        return { status: readiness.ready ? 200 : 503, type: 'application/json; charset=utf-8', body };
      },
    },
    METRICS_HOST,
    METRICS_PORT,
  );
  /** Told once the process runs: one that cannot start has other things to say. */
  const tellPort = (): void => {
    if (server.hindrance !== null) {
      const code = (server.hindrance as { code?: string }).code ?? String(server.hindrance);
      const instead = server.port === null ? 'nobody can watch this process' : `port ${server.port} serves instead`;
      logger.warn({ metrics_port: METRICS_PORT, code }, `METRICS_PORT cannot be had: ${instead}`);
    } else logger.info({ metrics_port: server.port }, 'metrics and probes are served');
  };
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
      tellPort();
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
