/** `clarity status`: the state of the whole service on one screen, and what needs attention. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { findEncoderProblem } from '../../ingest/understand/encoder/item-encoder.ts';
import { messageOf } from '../../log/errors.ts';
import { type ServerActivity, serverActivity } from '../../log/postgres/database.ts';
import { runningEmbeddedPostgres } from '../../log/postgres/embedded/embedded-postgres.ts';
import { percent } from '../../operations/oracle.ts';
import { oneLine } from '../../operations/terminal-text.ts';
import { spanInWords } from '../../presentation/quality.ts';
import { listHeld, listSignals } from '../../projector/models/signals-queries.ts';
import { healthSnapshot } from '../../projector/models/source-health-queries.ts';
import { type Configuration, readConfiguration } from '../../schemas/configuration.ts';
import { isMeasured, ORACLE_ENOUGH } from '../../schemas/oracle.ts';
import { type HealthSnapshot, SignalItem } from '../../schemas/resources.ts';
import {
  type Dependency,
  LOGS,
  measureServiceState,
  type ServiceState,
  unreachableOf,
} from '../observe/service-state.ts';
import { liveModels, type Services, unreachableLogs, withServices } from '../services.ts';

/** The state of the service at one moment, as `--json` prints it. */
export interface Look {
  readonly generated_at: string;
  readonly database: ServerActivity & { readonly milliseconds: number };
  /** Where topics and events are stored. */
  readonly topics: 'kafka' | 'postgres';
  readonly store: 'eventstore' | 'postgres';
  readonly standing: ServiceState;
  /** How items are understood on this machine: null with the encoder, else why not. */
  readonly encoder_problem: string | null;
  /** Configured servers that do not answer; their values are left out. */
  readonly unreachable: readonly { readonly dependency: Dependency; readonly reason: string }[];
  /** Of all sources in use; null when none was polled. */
  readonly last_polled_at: string | null;
  readonly troubled: readonly Pick<HealthSnapshot['sources'][number], 'id' | 'health' | 'last_error'>[];
  readonly held: number;
  readonly last_signal: Pick<SignalItem, 'id' | 'headline' | 'url' | 'published_at'> | null;
}

/** The parts whose state is shown, in whichever process they run. */
const PARTS = new Set(['understand', 'match', 'project', 'poll', 'oracle']);
/** Maximum held signals that are counted. */
const MAX_HELD = 1_000;

/** Milliseconds that the event store and Kafka have to answer before they are left out. */
const PROBE_TIMEOUT = 4_000;

/**
 * Collects what `clarity status` shows, without unreachable servers.
 * @throws the database's own error when it does not answer
 */
async function lookAt(services: Services, now: Date): Promise<Look> {
  const { database, configuration } = services;
  const [models, { unreachable }] = await Promise.all([
    liveModels(services),
    unreachableOf(services, LOGS, PROBE_TIMEOUT),
  ]);
  const start = performance.now();
  const activity = await serverActivity(database);
  const milliseconds = Math.round(performance.now() - start);
  const [standing, health, held, newest] = await Promise.all([
    measureServiceState(services, PARTS, now, models, undefined, unreachable),
    healthSnapshot(database, now),
    listHeld(database, MAX_HELD),
    listSignals(database, { limit: 1 }),
  ]);
  const [document] = newest.documents;
  const last = document ? SignalItem.parse(JSON.parse(document)) : null;
  const polled = health.sources.flatMap(({ last_polled_at }) => last_polled_at ?? []);
  return {
    generated_at: now.toISOString(),
    database: { ...activity, milliseconds, processes: activity.processes.filter(({ name }) => name !== 'status') },
    topics: configuration.KAFKA_BROKERS ? 'kafka' : 'postgres',
    store: configuration.EVENTSTORE_URL ? 'eventstore' : 'postgres',
    standing,
    encoder_problem: await findEncoderProblem(),
    unreachable: [...unreachable].map(([dependency, error]) => ({ dependency, reason: messageOf(error) })),
    last_polled_at: polled.toSorted().at(-1) ?? null,
    troubled: health.sources
      .filter((source) => source.health === 'failing' || source.health === 'silent')
      .map(({ id, health: state, last_error }) => ({ id, health: state, last_error })),
    held: held.length,
    last_signal: last && { id: last.id, headline: last.headline, url: last.url, published_at: last.published_at },
  };
}

interface Need {
  readonly what: string;
  readonly do: string;
}

/** Maximum lag of a group in messages: some seconds of work. */
const MAX_LAG = 5_000;
/** Maximum lag of a read model in positions, which are bytes in EventStoreDB. */
const MAX_MODEL_LAG = { postgres: 10_000, eventstore: 10_000_000 };
/** Share of the roster. Some outlets always fail; a tenth has another cause. */
const TROUBLED_SHARE = 0.1;
/** Share of the connections from which a burst may use up the rest. */
const FULL_SHARE = 0.8;
const HOUR = 3_600_000;
const NAMES: Readonly<Record<Dependency, string>> = {
  postgres: 'PostgreSQL',
  'event store': 'the event store of EVENTSTORE_URL',
  kafka: 'Kafka of KAFKA_BROKERS',
};

/** What needs attention, and what to do about it. @param now reference for ages */
export const needsOf = (look: Look, now: Date): Need[] => [
  ...serverNeeds(look),
  ...consumerNeeds(look),
  ...modelNeeds(look),
  ...skippedNeeds(look),
  ...rosterNeeds(look, now),
];

type AddNeed = (what: string, todo: string) => void;

/** @param add calls `need` for each need */
function listNeeds(add: (need: AddNeed) => void): Need[] {
  const needs: Need[] = [];
  add((what, todo) => void needs.push({ what, do: todo }));
  return needs;
}

const runs = ({ database }: Look, part: string): boolean =>
  database.processes.some(({ name }) => name === 'up' || name === part);

function serverNeeds({ unreachable, database, encoder_problem }: Look): Need[] {
  return listNeeds((need) => {
    for (const { dependency, reason } of unreachable)
      need(
        `${NAMES[dependency]} does not answer: ${oneLine(reason, 200)}`,
        'check that it runs and that its settings are correct; its values are left out here',
      );
    const { used, maximum } = database.connections;
    if (used > maximum * FULL_SHARE)
      need(
        `PostgreSQL has ${used} of ${maximum} connections in use`,
        'raise max_connections, lower DATABASE_POOL, or put a pooler in front; see docs/operators.md, "Connections"',
      );
    if (encoder_problem)
      need(
        encoder_problem,
        'run clarity understand on Linux, Windows or macOS (x64 or arm64); see docs/operators.md, "The encoder"',
      );
  });
}

function consumerNeeds(look: Look): Need[] {
  return listNeeds((need) => {
    for (const { topic, group, lag } of look.standing.groups) {
      const part = group.startsWith('projector-') ? 'project' : group;
      if (lag > MAX_LAG) need(`${group} is ${lag} messages behind on ${topic}`, `start another: clarity ${part}`);
      // Processes are known by their connections to PostgreSQL, which consumers of Kafka may not have.
      else if (lag > 0 && look.topics === 'postgres' && !runs(look, part))
        need(`${lag} messages of ${topic} wait and no process runs ${part}`, `start it: npm start, or clarity ${part}`);
    }
  });
}

/** Why rebuilds wait for a parked event, by model. */
function waitingRebuilds({ standing: { rebuilds, parked } }: Look): ReadonlyMap<string, string> {
  const withParked = new Set(parked?.map(({ model }) => model));
  return new Map(
    rebuilds
      .filter(({ model, state }) => state === 'failed' && withParked.has(model))
      .flatMap(({ model, error }) => (error?.startsWith('the rebuild of ') ? [[model, error]] : [])),
  );
}

function modelNeeds(look: Look): Need[] {
  return listNeeds((need) => {
    const waiting = waitingRebuilds(look);
    for (const { model, version, live, lag, stopped_seconds } of look.standing.models) {
      const error = waiting.get(model);
      if (live !== version && error !== undefined)
        need(`${model} waits: ${oneLine(error, 400)}`, 'its live rows stay until then');
      else if (live === null && look.unreachable.length > 0) continue;
      else if (live === null)
        need(`the read model ${model} has not been built`, 'start clarity project, which builds it');
      else if (live !== version)
        need(
          `${model}: version ${live} is live, this release has ${version}`,
          'run one release everywhere; its clarity project builds its own version',
        );
      else if (stopped_seconds !== null)
        need(
          `${model} has not moved for ${stopped_seconds} s while the event store has`,
          runs(look, 'project') ? 'see the log of clarity project' : 'start clarity project',
        );
      else if (lag !== null && lag > MAX_MODEL_LAG[look.store])
        need(
          `${model} is ${lag} positions behind`,
          runs(look, 'project') ? 'see the log of clarity project' : 'start clarity project',
        );
    }
  });
}

function skippedNeeds({ standing: { parked, dead_letters } }: Look): Need[] {
  return listNeeds((need) => {
    for (const { model, events } of parked ?? [])
      need(
        `${events} events of ${model} are parked`,
        `clarity parked list ${model}; fix the cause, then run parked retry`,
      );
    for (const { group_name, kind, messages } of dead_letters ?? [])
      need(
        `${messages} messages of ${group_name} are dead letters (${kind})`,
        `clarity parked list --group ${group_name}; fix the cause, then run parked retry --all --group ${group_name}`,
      );
  });
}

/** Of the sources and what comes from them. */
function rosterNeeds(
  { standing: { sources, oracle }, unreachable, troubled, last_polled_at, last_signal }: Look,
  now: Date,
): Need[] {
  const since = (time: string): number => now.getTime() - Date.parse(time);
  return listNeeds((need) => {
    // A start that waits for a server has stored no roster yet.
    if (sources && sources.sources === 0 && unreachable.length === 0)
      need('the roster is empty', 'clarity sources apply FILE, or npm start for the demo');
    if (sources && troubled.length > sources.active * TROUBLED_SHARE)
      need(
        `${troubled.length} of ${sources.active} sources fail or are silent`,
        'clarity sources list --health failing (or silent); if many fail at once, check the network of the poller first',
      );
    if (sources && sources.active > 0 && last_polled_at && since(last_polled_at) > HOUR)
      need(`nothing has been polled since ${last_polled_at}`, 'start clarity poll, or see its log');
    if (sources && sources.active > 0 && last_signal && since(last_signal.published_at) > 24 * HOUR)
      need(
        `no signal since ${last_signal.published_at}`,
        'see clarity sources list, then the log of understand and match',
      );
    if (oracle && isMeasured(oracle) && oracle.miss_rate > oracle.slo)
      need(`${oracle.missed} of ${oracle.checked} moves of reference sources are missed`, 'see clarity oracle misses');
  });
}

/** The age in minutes, hours or days. */
function ago(time: string, now: string): string {
  const minutes = Math.max(0, Math.round((Date.parse(now) - Date.parse(time)) / 60_000));
  if (minutes < 120) return `${minutes} min ago`;
  return minutes < 2_880 ? `${Math.round(minutes / 60)} h ago` : `${Math.round(minutes / 1_440)} days ago`;
}

function modelLines({ standing: { models, rebuilds }, store }: Look): string {
  const unit = store === 'postgres' ? 'events' : 'bytes';
  const behind = models
    .filter(({ lag }) => lag !== null && lag > 0)
    .map(({ model, lag }) => `${model} ${lag} ${unit} behind`);
  const odd = models
    .filter(({ live, version }) => live !== version)
    .map(({ model, live }) => (live ? `${model} has version ${live}` : `${model} is not built`));
  const unknown = models.some(({ lag }) => lag === null) ? ['lag unknown'] : [];
  const rebuilt = rebuilds.flatMap(({ model, process: by, state, phase, share, per_second, seconds_left }) => {
    const at = `${Math.round(share * 100)} %`;
    if (state === 'interrupted')
      return `the rebuild of ${model} was interrupted at ${at}: its process (${oneLine(by, 40)}) ended`;
    if (state !== 'running') return [];
    const left = seconds_left === null ? '' : `, ${spanInWords(seconds_left * 1_000)} left`;
    const pace = phase === 'folding' ? `, ${Math.round(per_second)} events a second${left}` : '';
    return `${model} is being rebuilt in ${oneLine(by, 40)}: ${phase}, ${at}${pace}`;
  });
  const parts = [...behind, ...odd, ...unknown, ...rebuilt];
  return `${models.length}, ${parts.length > 0 ? parts.join(', ') : 'all up to date'}`;
}

/** The state as text, without a final line end. */
export function lookInWords(look: Look, needs: readonly Need[]): string {
  const { database, standing, last_signal: last, generated_at: now } = look;
  const { sources, oracle, groups, parked } = standing;
  const unreachable = new Set(look.unreachable.map(({ dependency }) => dependency));
  const line = (name: string, text: string): string => `${name.padEnd(12)}${text}`;
  const lines = [
    line(
      'processes',
      database.processes.length > 0 ? database.processes.map(({ name }) => name).join(', ') : 'none connected',
    ),
    line(
      'PostgreSQL',
      `${database.version}, ${Math.round(database.bytes / 1_048_576)} MB, ${database.connections.used} of ${database.connections.maximum} connections, answered in ${database.milliseconds} ms`,
    ),
    line(
      `topics`,
      unreachable.has('kafka')
        ? 'in kafka, which does not answer'
        : `in ${look.topics}; behind: ${groups.map(({ group, topic, lag }) => `${group.replace(/^projector-.*/, 'projector')} ${lag} of ${topic}`).join(', ')}`,
    ),
    line('understand', look.encoder_problem ? 'linear models alone' : 'encoder and linear models'),
    line('read models', modelLines(look)),
    line('parked', String((parked ?? []).reduce((sum, { events }) => sum + events, 0))),
  ];
  if (sources)
    lines.push(
      line(
        'sources',
        `${sources.sources}: ${(['healthy', 'degraded', 'failing', 'silent', 'paused'] as const)
          .filter((state) => sources[state] > 0)
          .map((state) => `${sources[state]} ${state}`)
          .join(', ')}; ${sources.items_per_hour} items an hour`,
      ),
    );
  lines.push(
    line('signals', `${sources?.signals_24h ?? 0} in the last day, ${look.held} held`),
    line('last signal', last ? `${ago(last.published_at, now)}  ${last.id}  > ${oneLine(last.headline, 90)}` : 'none'),
    line(
      'oracle',
      oracle && isMeasured(oracle)
        ? `missed ${oracle.missed} of ${oracle.checked}, ${percent(oracle.miss_rate)} (maximum ${percent(oracle.slo)}), measured ${ago(oracle.measured_at, now)}`
        : `not measured yet${oracle ? `: ${oracle.checked} could be compared, ${ORACLE_ENOUGH} are needed` : ''}`,
    ),
    '',
    ...(needs.length === 0 ? ['Nothing needs attention.'] : ['Needs attention:']),
    ...needs.map((need) => `  ${need.what}\n    ${need.do}`),
  );
  return lines.join('\n');
}

/** Exit code for scripts. */
const NEEDS_ATTENTION = 1;

export function addStatus(program: Command): void {
  program
    .command('status')
    .description('show the state of database, topics, read models, sources, parked events, Oracle and last signal')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExit code 0 when all is well, 1 when something needs attention; the output ends with what to do.',
    )
    .action(async ({ json = false }: { json?: boolean }) => {
      const { look, needs } = await currentState();
      const text = json
        ? JSON.stringify({ ok: needs.length === 0, needs, ...(look ?? {}) }, null, 2)
        : look
          ? lookInWords(look, needs)
          : needs.map((need) => `${need.what}\n  ${need.do}`).join('\n');
      process.stdout.write(`${text}\n`);
      if (needs.length > 0) process.exitCode = NEEDS_ATTENTION;
    });
}

/** Error codes of a server that is unreachable or refuses the connection. */
const UNREACHABLE = /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|57P0\d|28\w{3}|3D000)$/;

async function currentState(): Promise<{ look: Look | null; needs: readonly Need[] }> {
  const configuration = readConfiguration(process.env);
  const { DATABASE_URL, DATA_DIR } = configuration;
  // The status must not start the service.
  if (!DATABASE_URL && !(await runningEmbeddedPostgres(DATA_DIR)))
    return {
      look: null,
      needs: [
        {
          what: `no service runs on ${resolve(DATA_DIR)}`,
          do: 'run npm start, or set DATA_DIR or DATABASE_URL to those of the running service',
        },
      ],
    };
  try {
    return await withServices('status', async (services) => {
      const look = await lookAt(services, services.now());
      return { look, needs: needsOf(look, services.now()) };
    });
  } catch (error) {
    const { code = '', name = '', message } = error as { code?: string; name?: string; message?: string };
    if (name !== 'DatabaseUnavailable' && !UNREACHABLE.test(code)) throw error;
    const what =
      name === 'DatabaseUnavailable'
        ? (message ?? name)
        : `PostgreSQL of ${DATABASE_URL ? 'DATABASE_URL' : DATA_DIR} does not answer (${code})`;
    const needs = [
      { what, do: 'check that it runs, and that DATABASE_URL is correct' },
      ...(await logNeeds(configuration)),
    ];
    return { look: null, needs };
  }
}

/** When PostgreSQL does not answer: the other configured servers that do not answer either. */
async function logNeeds(configuration: Configuration): Promise<Need[]> {
  const unreachable = await unreachableLogs(configuration);
  return unreachable.map(({ dependency, reason }) => ({
    what: `${NAMES[dependency]} does not answer: ${oneLine(reason, 200)}`,
    do: 'check that it runs and that its settings are correct',
  }));
}
