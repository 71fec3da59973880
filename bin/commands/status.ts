/** `clarity status`: the state of the whole service on one screen, and what needs attention. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type ServerActivity, serverActivity } from '../../log/postgres/database.ts';
import { runningEmbeddedPostgres } from '../../log/postgres/embedded/embedded-postgres.ts';
import { listHeld, listSignals } from '../../projector/models/signals-queries.ts';
import { healthSnapshot } from '../../projector/models/source-health-queries.ts';
import { type Configuration, readConfiguration } from '../../schemas/configuration.ts';
import { type HealthSnapshot, SignalItem } from '../../schemas/resources.ts';
import { type Dependency, unreachableOf } from '../observe/readiness.ts';
import { type Standing, standingOf } from '../observe/service-state.ts';
import { liveModels, type Services, unreachableLogs, withServices } from '../services.ts';
import { oneLine } from '../terminal.ts';

// One look at everything that a person would ask for in turn.

export interface Look {
  readonly generated_at: string;
  readonly database: ServerActivity & { readonly milliseconds: number };
  /** Where topics and events stand. */
  readonly topics: 'kafka' | 'postgres';
  readonly store: 'eventstore' | 'postgres';
  readonly standing: Standing;
  /** What is set and does not answer; its figures are left out. */
  readonly unreachable: readonly { readonly dependency: Dependency; readonly reason: string }[];
  /** Of all sources in use; null where none was ever polled. */
  readonly last_polled_at: string | null;
  readonly troubled: readonly Pick<HealthSnapshot['sources'][number], 'id' | 'health' | 'last_error'>[];
  readonly held: number;
  readonly last_signal: Pick<SignalItem, 'id' | 'headline' | 'url' | 'published_at'> | null;
}

/** What `status` asks of: every part, whoever runs it. */
const EVERYTHING = new Set(['understand', 'match', 'project', 'poll', 'oracle']);
/** Held signals that are counted; more are told as so many. */
const MOST_HELD = 1_000;

/** Milliseconds that the event store or Kafka may take to answer before the look goes on without. */
const PATIENCE = 4_000;
const LOGS: ReadonlySet<Dependency> = new Set(['event store', 'kafka']);

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Looks at everything that `clarity status` shows, without what cannot be reached.
 * @throws the database's own error when it does not answer
 */
async function lookAt(services: Services, now: Date): Promise<Look> {
  const { database, configuration } = services;
  const [models, { unreachable }] = await Promise.all([liveModels(services), unreachableOf(services, LOGS, PATIENCE)]);
  const asked = performance.now();
  const activity = await serverActivity(database);
  const milliseconds = Math.round(performance.now() - asked);
  const [standing, health, held, newest] = await Promise.all([
    standingOf(services, EVERYTHING, now, models, undefined, unreachable),
    healthSnapshot(database, now),
    listHeld(database, MOST_HELD),
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
    unreachable: [...unreachable].map(([dependency, error]) => ({ dependency, reason: reasonOf(error) })),
    last_polled_at: polled.toSorted().at(-1) ?? null,
    troubled: health.sources
      .filter((source) => source.health === 'failing' || source.health === 'silent')
      .map(({ id, health: state, last_error }) => ({ id, health: state, last_error })),
    held: held.length,
    last_signal: last && { id: last.id, headline: last.headline, url: last.url, published_at: last.published_at },
  };
}

// What of a look needs a hand, and what the hand has to do.

interface Need {
  readonly what: string;
  readonly do: string;
}

/** Messages that a group may be behind: some seconds of work. */
const MOST_LAG = 5_000;
/** Positions that a read model may be behind; EventStoreDB counts bytes. */
const MOST_MODEL_LAG = { postgres: 10_000, eventstore: 10_000_000 };
/** Of the roster. One outlet or another is always in trouble; a tenth is more than outlets alone do. */
const TROUBLED_SHARE = 0.1;
const HOUR = 3_600_000;
const NAMES: Readonly<Record<Dependency, string>> = {
  postgres: 'PostgreSQL',
  'event store': 'the event store of EVENTSTORE_URL',
  kafka: 'Kafka of KAFKA_BROKERS',
};

/** @param now decides what is long ago */
export function needsOf(look: Look, now: Date): Need[] {
  const { standing, database } = look;
  const needs: Need[] = [];
  const need = (what: string, todo: string): void => void needs.push({ what, do: todo });
  const since = (time: string): number => now.getTime() - Date.parse(time);
  const runs = (part: string): boolean => database.processes.some(({ name }) => name === 'up' || name === part);

  for (const { dependency, reason } of look.unreachable)
    need(
      `${NAMES[dependency]} does not answer: ${oneLine(reason, 200)}`,
      'see that it runs and that its settings are right; what is shown here is without it',
    );
  for (const { topic, group, lag } of standing.groups) {
    const part = group.startsWith('projector-') ? 'project' : group;
    if (lag > MOST_LAG) need(`${group} is ${lag} messages behind on ${topic}`, `start another: clarity ${part}`);
    // Consumers of Kafka may hold no connection to PostgreSQL, by which they are known here.
    else if (lag > 0 && look.topics === 'postgres' && !runs(part))
      need(`${lag} messages of ${topic} wait and nobody runs ${part}`, `start it: npm start, or clarity ${part}`);
  }
  for (const { model, version, live, lag } of standing.models) {
    if (live === null) need(`the read model ${model} was never built`, 'start clarity project, which builds it');
    else if (live !== version)
      need(
        `${model}: version ${live} is live, this program makes ${version}`,
        'run one release everywhere; clarity project of the newer one builds its own',
      );
    else if (lag !== null && lag > MOST_MODEL_LAG[look.store])
      need(
        `${model} is ${lag} positions behind`,
        runs('project') ? 'read the log of clarity project' : 'start clarity project',
      );
  }
  for (const { model, events } of standing.parked ?? [])
    need(`${events} events of ${model} are parked`, `clarity parked list ${model}; mend the cause, then parked retry`);
  for (const { group_name, kind, messages } of standing.dead_letters ?? [])
    need(
      `${messages} messages of ${group_name} are dead letters (${kind})`,
      `clarity parked list --group ${group_name}; correct the cause, then parked retry --all --group ${group_name}`,
    );
  const { sources, oracle } = standing;
  if (sources && sources.sources === 0)
    need('the roster is empty', 'clarity sources apply FILE, or npm start for the demo');
  if (sources && look.troubled.length > sources.active * TROUBLED_SHARE)
    need(
      `${look.troubled.length} of ${sources.active} sources fail or are silent`,
      'clarity sources list --health failing (or silent); many at once: look at the network of the poller first',
    );
  if (sources && sources.active > 0 && look.last_polled_at && since(look.last_polled_at) > HOUR)
    need(`nothing was polled since ${look.last_polled_at}`, 'start clarity poll, or read its log');
  if (sources && sources.active > 0 && look.last_signal && since(look.last_signal.published_at) > 24 * HOUR)
    need(
      `no signal since ${look.last_signal.published_at}`,
      'clarity sources list; then the log of understand and match',
    );
  if (oracle && oracle.miss_rate > oracle.slo)
    need(`${oracle.missed} of ${oracle.checked} moves of reference sources are missed`, 'clarity oracle misses');
  return needs;
}

// A look in words.

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** Minutes, hours or days, whichever reads best. */
function ago(time: string, now: string): string {
  const minutes = Math.max(0, Math.round((Date.parse(now) - Date.parse(time)) / 60_000));
  if (minutes < 120) return `${minutes} min ago`;
  return minutes < 2_880 ? `${Math.round(minutes / 60)} h ago` : `${Math.round(minutes / 1_440)} days ago`;
}

function modelLines({ standing: { models }, store }: Look): string {
  const unit = store === 'postgres' ? 'events' : 'bytes';
  const behind = models
    .filter(({ lag }) => lag !== null && lag > 0)
    .map(({ model, lag }) => `${model} ${lag} ${unit} behind`);
  const odd = models
    .filter(({ live, version }) => live !== version)
    .map(({ model, live }) => (live ? `${model} is of version ${live}` : `${model} is not built`));
  const unknown = models.some(({ lag }) => lag === null) ? ['how far behind is not known'] : [];
  const told = [...behind, ...odd, ...unknown];
  return `${models.length}, ${told.length > 0 ? told.join(', ') : 'all up to date'}`;
}

/** The lines of a look, without a line end at the end. */
export function lookInWords(look: Look, needs: readonly Need[]): string {
  const { database, standing, last_signal: last, generated_at: now } = look;
  const { sources, oracle, groups, parked } = standing;
  const away = new Set(look.unreachable.map(({ dependency }) => dependency));
  const line = (name: string, text: string): string => `${name.padEnd(12)}${text}`;
  const lines = [
    line(
      'processes',
      database.processes.length > 0 ? database.processes.map(({ name }) => name).join(', ') : 'none is connected',
    ),
    line(
      'PostgreSQL',
      `${database.version}, ${Math.round(database.bytes / 1_048_576)} MB, answered in ${database.milliseconds} ms`,
    ),
    line(
      `topics`,
      away.has('kafka')
        ? 'in kafka, which does not answer'
        : `in ${look.topics}; behind: ${groups.map(({ group, topic, lag }) => `${group.replace(/^projector-.*/, 'projector')} ${lag} of ${topic}`).join(', ')}`,
    ),
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
      oracle
        ? `missed ${oracle.missed} of ${oracle.checked}, ${percent(oracle.miss_rate)} (at most ${percent(oracle.slo)}), measured ${ago(oracle.measured_at, now)}`
        : 'nothing was measured',
    ),
    '',
    ...(needs.length === 0 ? ['Nothing needs a hand.'] : ['Needs a hand:']),
    ...needs.map((need) => `  ${need.what}\n    ${need.do}`),
  );
  return lines.join('\n');
}

// `clarity status`: one look at everything.

/** What a shell script may act on. */
const NEEDS_A_HAND = 1;

export function addStatus(program: Command): void {
  program
    .command('status')
    .description('one look at everything: database, topics, read models, sources, parked events, Oracle, last signal')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nEnds with 0 when all is well, 1 when something needs a hand: what, and what to do, stands at the end.',
    )
    .action(async ({ json = false }: { json?: boolean }) => {
      const { look, needs } = await found();
      const text = json
        ? JSON.stringify({ ok: needs.length === 0, needs, ...(look ?? {}) }, null, 2)
        : look
          ? lookInWords(look, needs)
          : needs.map((need) => `${need.what}\n  ${need.do}`).join('\n');
      process.stdout.write(`${text}\n`);
      if (needs.length > 0) process.exitCode = NEEDS_A_HAND;
    });
}

/** Errors by which a server says that it is not there, or not for us. */
const AWAY = /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|57P0\d|28\w{3}|3D000)$/;

async function found(): Promise<{ look: Look | null; needs: readonly Need[] }> {
  const configuration = readConfiguration(process.env);
  const { DATABASE_URL, DATA_DIR } = configuration;
  // To look must not start what is looked at.
  if (!DATABASE_URL && !(await runningEmbeddedPostgres(DATA_DIR)))
    return {
      look: null,
      needs: [
        {
          what: `nothing runs on ${resolve(DATA_DIR)}`,
          do: 'npm start, or set DATA_DIR or DATABASE_URL to where it runs',
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
    if (name !== 'DatabaseUnavailable' && !AWAY.test(code)) throw error;
    const what =
      name === 'DatabaseUnavailable'
        ? (message ?? name)
        : `PostgreSQL of ${DATABASE_URL ? 'DATABASE_URL' : DATA_DIR} does not answer (${code})`;
    const needs = [
      { what, do: 'see that it runs, and that DATABASE_URL is right' },
      ...(await logNeeds(configuration)),
    ];
    return { look: null, needs };
  }
}

/** Where PostgreSQL does not answer: whether the other servers that are set do. */
async function logNeeds(configuration: Configuration): Promise<Need[]> {
  const unreachable = await unreachableLogs(configuration);
  return unreachable.map(({ dependency, reason }) => ({
    what: `${NAMES[dependency]} does not answer: ${oneLine(reason, 200)}`,
    do: 'see that it runs and that its settings are right',
  }));
}
