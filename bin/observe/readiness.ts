/** `/metrics`, `/livez` and `/readyz` on a port of their own, and what `/readyz` answers. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { UNDERSTAND_GROUP } from '../../ingest/understand/understand-consumer.ts';
import { ITEMS } from '../../schemas/item.ts';
import type { Services } from '../services.ts';

// What `/readyz` answers: whether this process can do its work now.

/** Milliseconds that something may take to answer before it counts as away. */
const PATIENCE = 2_000;

/** What a process may depend on, by the names that `/readyz` and `clarity status` use. */
export type Dependency = 'postgres' | 'event store' | 'kafka';

interface Readiness {
  readonly ready: boolean;
  readonly state: State;
  /** What the process needs: `ok`, or `away`. */
  readonly needs: Readonly<Partial<Record<Dependency, 'ok' | 'away'>>>;
}

export type State = 'starting' | 'running' | 'stopping';

type Asked = Pick<Services, 'database' | 'store' | 'topics' | 'configuration'>;

/** What each part needs beside PostgreSQL. What is not listed, such as the API and MCP, reads PostgreSQL alone. */
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
 * What work gives, within a time.
 * @param milliseconds until it counts as not answered
 * @throws what `work` throws, or an error that says that it took too long
 */
export async function within<Result>(milliseconds: number, work: () => Promise<Result>): Promise<Result> {
  const over = new AbortController();
  const late = sleep(milliseconds, null, { signal: over.signal, ref: false }).then(() => {
    throw new Error(`no answer within ${milliseconds / 1000} s`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([work(), late]);
  } finally {
    over.abort();
  }
}

/** How each dependency that is set is asked. In PostgreSQL, event store and topics are where it is. */
function questionsOf({ database, store, topics, configuration }: Asked): Map<Dependency, () => Promise<unknown>> {
  const asked = new Map<Dependency, () => Promise<unknown>>([['postgres', () => database.query('SELECT 1')]]);
  if (configuration.EVENTSTORE_URL) asked.set('event store', () => store.head());
  if (configuration.KAFKA_BROKERS) asked.set('kafka', () => topics.topic(ITEMS).lag(UNDERSTAND_GROUP));
  return asked;
}

/**
 * Asks what is set of the dependencies.
 * @param wanted those that are asked
 * @param patience milliseconds until one counts as unreachable
 * @returns those that do not answer, each with its error
 */
export async function unreachableOf(
  services: Asked,
  wanted: ReadonlySet<Dependency>,
  patience: number,
): Promise<{ readonly asked: readonly Dependency[]; readonly unreachable: ReadonlyMap<Dependency, unknown> }> {
  const questions = [...questionsOf(services)].filter(([dependency]) => wanted.has(dependency));
  const unreachable = new Map<Dependency, unknown>();
  await Promise.all(
    questions.map(([dependency, ask]) =>
      within(patience, ask).catch((error: unknown) => unreachable.set(dependency, error)),
    ),
  );
  return { asked: questions.map(([dependency]) => dependency), unreachable };
}

/**
 * Why something is away is in the log of whoever uses it: a probe's answer may be seen by others.
 * @param services null before the stores are open
 * @param needs what this process cannot work without
 */
export async function readinessOf(
  state: State,
  services: Asked | null,
  needs: ReadonlySet<Dependency>,
): Promise<Readiness> {
  if (!services) return { ready: false, state, needs: {} };
  const { asked, unreachable } = await unreachableOf(services, needs, PATIENCE);
  const found = asked.map((need) => [need, unreachable.has(need) ? 'away' : 'ok'] as const);
  const ready = state === 'running' && unreachable.size === 0;
  return { ready, state, needs: Object.fromEntries(found) };
}

// The port for machines that watch: `/metrics`, `/livez`, `/readyz`. Never the port of readers.

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
      : (answer?.() ?? Promise.resolve(plain(404, `there are ${Object.keys(answers).join(', ')}\n`)));
    // What fails here tells a stranger nothing.
    void found
      .catch(() => plain(500, 'failed\n'))
      .then(({ status, type, body }) => {
        response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
        response.end(request.method === 'HEAD' ? undefined : body);
      });
  });
  server.requestTimeout = 10_000;
  // It answers as long as the process lives, and never keeps it alive.
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
 * Listens on the port, else on any free one, else not at all: watching must never stop what is watched.
 * @param port 0 for any
 * @returns the port, with what was in the way; the port is null when there is none
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
