/** The port of `/metrics`, `/livez` and `/readyz`, which is never the public one, and what `/readyz` answers. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { UNDERSTAND_GROUP } from '../../ingest/understand/understander.ts';
import { ITEMS } from '../../schemas/poll.ts';
import type { Services } from '../services.ts';

/** Milliseconds that a dependency has to answer before it counts as unreachable. */
const PROBE_TIMEOUT = 2_000;

/** What a process may depend on, by the names that `/readyz` and `clarity status` use. */
export type Dependency = 'postgres' | 'event store' | 'kafka';

interface Readiness {
  readonly ready: boolean;
  readonly state: State;
  /** The dependencies of the process. */
  readonly needs: Readonly<Partial<Record<Dependency, 'ok' | 'unreachable'>>>;
}

export type State = 'starting' | 'running' | 'stopping';

type Asked = Pick<Services, 'database' | 'store' | 'topics' | 'configuration'>;

/** What each part needs in addition to PostgreSQL. Other parts, such as the API and MCP, only read PostgreSQL. */
const NEEDS: Readonly<Record<string, readonly Dependency[]>> = {
  poll: ['kafka', 'event store'],
  understand: ['kafka'],
  match: ['kafka', 'event store'],
  analyse: ['event store'],
  project: ['kafka', 'event store'],
  oracle: ['event store'],
};

/**
 * What the parts of a process depend on.
 * @param parts names of parts, such as `understand`
 */
export const needsOfParts = (parts: Iterable<string>): ReadonlySet<Dependency> =>
  new Set(['postgres', ...[...parts].flatMap((part) => NEEDS[part] ?? [])] as const);

/**
 * Awaits work with a timeout.
 * @param milliseconds until it counts as not answered
 * @throws what `work` throws, or an error that names the timeout
 */
export async function within<Result>(milliseconds: number, work: () => Promise<Result>): Promise<Result> {
  const over = new AbortController();
  const late = sleep(milliseconds, null, { signal: over.signal, ref: false }).then(() => {
    throw new Error(`no answer within ${milliseconds / 1000} s`);
  });
  // Awaited below; when the work ends first, the timeout is not an error.
  late.catch(() => undefined);
  try {
    return await Promise.race([work(), late]);
  } finally {
    over.abort();
  }
}

/** How each configured dependency is checked. Event store and topics in PostgreSQL need no check of their own. */
function questionsOf({ database, store, topics, configuration }: Asked): Map<Dependency, () => Promise<unknown>> {
  const asked = new Map<Dependency, () => Promise<unknown>>([['postgres', () => database.query('SELECT 1')]]);
  if (configuration.EVENTSTORE_URL) asked.set('event store', () => store.head());
  if (configuration.KAFKA_BROKERS) asked.set('kafka', () => topics.topic(ITEMS).lag(UNDERSTAND_GROUP));
  return asked;
}

/**
 * Checks the configured dependencies.
 * @param wanted those to check
 * @param timeout milliseconds until one counts as unreachable
 * @returns those that do not answer, each with its error
 */
export async function unreachableOf(
  services: Asked,
  wanted: ReadonlySet<Dependency>,
  timeout: number,
): Promise<{ readonly asked: readonly Dependency[]; readonly unreachable: ReadonlyMap<Dependency, unknown> }> {
  const questions = [...questionsOf(services)].filter(([dependency]) => wanted.has(dependency));
  const unreachable = new Map<Dependency, unknown>();
  await Promise.all(
    questions.map(([dependency, ask]) =>
      within(timeout, ask).catch((error: unknown) => unreachable.set(dependency, error)),
    ),
  );
  return { asked: questions.map(([dependency]) => dependency), unreachable };
}

/**
 * What `/readyz` answers. The reason why a dependency is unreachable is only in the log: others can see the answer of a probe.
 * @param services null before the stores are open
 * @param needs what this process cannot work without
 */
export async function readinessOf(
  state: State,
  services: Asked | null,
  needs: ReadonlySet<Dependency>,
): Promise<Readiness> {
  if (!services) return { ready: false, state, needs: {} };
  const { asked, unreachable } = await unreachableOf(services, needs, PROBE_TIMEOUT);
  const found = asked.map((need) => [need, unreachable.has(need) ? 'unreachable' : 'ok'] as const);
  const ready = state === 'running' && unreachable.size === 0;
  return { ready, state, needs: Object.fromEntries(found) };
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** By path. */
type Answers = Readonly<Record<string, () => Promise<Answer>>>;

const plain = (status: number, body: string): Answer => ({ status, type: 'text/plain; charset=utf-8', body });

function serverOf(answers: Answers): Server {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const reads = request.method === 'GET' || request.method === 'HEAD';
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined;
    const found = !reads
      ? Promise.resolve(plain(405, 'only GET\n'))
      : (answer?.() ?? Promise.resolve(plain(404, `available: ${Object.keys(answers).join(', ')}\n`)));
    // The error is not sent: strangers can reach this port.
    void found
      .catch(() => plain(500, 'failed\n'))
      .then(({ status, type, body }) => {
        response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
        response.end(request.method === 'HEAD' ? undefined : body);
      });
  });
  server.requestTimeout = 10_000;
  // It answers while the process lives, and does not keep it alive.
  server.unref();
  return server;
}

async function listening(answers: Answers, host: string, port: number): Promise<Server> {
  const server = serverOf(answers);
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

/**
 * Listens on the port, else on any free one, else not at all: monitoring must never stop the service.
 * @param port 0 for any
 * @returns the port, null when none is available, and the error code of the wanted one
 */
export async function openObservedServer(
  answers: Answers,
  host: string,
  port: number,
): Promise<{ port: number | null; hindrance: unknown; close(): Promise<void> }> {
  let hindrance: unknown = null;
  for (const wanted of new Set([port, 0])) {
    try {
      const server = await listening(answers, host, wanted);
      const close = async (): Promise<void> => {
        server.close();
        server.closeAllConnections();
      };
      return { port: (server.address() as AddressInfo).port, hindrance, close };
    } catch (error) {
      hindrance = error;
    }
  }
  return { port: null, hindrance, close: async () => undefined };
}
