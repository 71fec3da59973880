/**
 * What a service of some size needs, computed from the costs that the benches measured (`RESULTS.json`) and from
 * assumptions. Every line names its formula and the measurements in it.
 *
 * Sources of the formulas: requests in service are rate × time (Little's law); a core is used to `utilisation`, since waits
 * grow with 1 / (1 - utilisation) (M/M/1); the cost of a story with N matchers is c + (N - 1) f, as measured in
 * RESULTS.md, "Where the time of a matcher goes".
 */
import type { Costs, Input } from './recorded-figures.ts';

const SECONDS_OF_DAY = 86_400;
const MB = 1e6;
const GB = 1e9;

export interface Assumptions {
  readonly sources: number;
  /** Items a day of all sources together. */
  readonly items: number;
  /** The share of items that are moves, and become stories. */
  readonly moves: number;
  /** The busiest moment over the mean of the day. */
  readonly peak: number;
  /** Calls of the API a second, half of them lists, half single signals. */
  readonly reads: number;
  readonly accounts: number;
  /** Days that topics are kept. */
  readonly retention: number;
  /** Cores of a machine. */
  readonly cores: number;
  /** Connections that PostgreSQL accepts. */
  readonly connections: number;
  /** Signals of the whole history. */
  readonly signals: number;
  /** The share of the stories of the most reported brand. */
  readonly brand: number;
  /** Stories of a family in a minute of one `understand` above which the family is divided by kind and week. */
  readonly hot: number;
  /** The share of the commonest kind among the stories of such a family, all of one week. */
  readonly kind: number;
  /** How busy a core may be at the peak. */
  readonly utilisation: number;
}

export const AIM: Assumptions = {
  sources: 100_000,
  items: 10_000_000,
  moves: 0.2,
  peak: 10,
  reads: 10_000,
  accounts: 1_000_000,
  retention: 90,
  cores: 8,
  connections: 500,
  signals: 100_000_000,
  brand: 0.02,
  hot: 300,
  kind: 0.5,
  utilisation: 0.6,
};

export interface Line {
  readonly part: string;
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly formula: string;
  readonly measured: readonly string[];
}

export interface Limit {
  readonly name: string;
  /** By how much everything may grow before it breaks; below 1 it is broken now. */
  readonly factor: number;
  readonly formula: string;
  /** What to do then. */
  readonly remedy: string;
}

export interface Model {
  readonly lines: readonly Line[];
  /** The first one breaks first. */
  readonly limits: readonly Limit[];
}

/** Connections of a process: its pool, and two more for the locks and notifications of those that work (docs/operators.md). */
export const CONNECTIONS = { poll: 6, understand: 6, match: 6, project: 8, api: 10 } as const;

/** Milliseconds that a poll occupies one of the places of a poller: a request, and waiting at the host. Assumed. */
const POLL_TIME = 550;
const PLACES = 16;
/** Requests that one host gets in an hour, each 0.4 s and a second of pause. */
const HOST_REQUESTS = 3_600 / 1.4;
/** Days of signals that most reads are of: their rows and indexes are in memory. Assumed. */
const HOT_DAYS = 7;
const BROKERS = 3;
const FEED_BYTES = 25_000;
/** Events of the rebuild that is quoted. */
const BILLION = 1e9;

/** Computes what a service needs. */
export function scaleModel(given: Assumptions, costs: Costs): Model {
  const lines: Line[] = [];
  /** Adds a line. @returns its value */
  function line(
    part: string,
    name: string,
    unit: string,
    value: number,
    formula: string,
    inputs: readonly Input[] = [],
  ) {
    const measured = inputs.map((input) => {
      const { value: cost, unit: of, from } = costs[input];
      return `${input} ${short(cost)} ${of} (${from})`;
    });
    lines.push({ part, name, value, unit, formula, measured });
    return value;
  }
  const cost = (input: Input): number => costs[input].value;
  const { utilisation: u } = given;
  const busy = (cores: number): number => Math.max(1, Math.ceil(cores / u - 1e-9));

  // Load.
  const polls = line(
    'load',
    'polls',
    '/s',
    (given.sources * cost('pollsOfDay')) / SECONDS_OF_DAY,
    'sources × pollsOfDay / 86,400',
    ['pollsOfDay'],
  );
  const pollPeak = (cost('busiestHour') * SECONDS_OF_DAY) / cost('polls');
  const pollsAtPeak = line(
    'load',
    'polls, busiest hour',
    '/s',
    polls * pollPeak,
    'polls × busiestHour × 86,400 / polls of the simulation',
    ['busiestHour', 'polls'],
  );
  const items = line('load', 'items', '/s', given.items / SECONDS_OF_DAY, 'items / 86,400');
  const itemsAtPeak = line('load', 'items, peak', '/s', items * given.peak, 'items × peak');
  const stories = itemsAtPeak * given.moves;
  line('load', 'stories, peak', '/s', stories, 'items at the peak × moves');
  const signalsOfDay = line(
    'load',
    'new signals',
    '/day',
    (given.items * given.moves) / cost('storiesOfSignal'),
    'items × moves / storiesOfSignal',
    ['storiesOfSignal'],
  );
  const events = line(
    'load',
    'events, peak',
    '/s',
    ((signalsOfDay * cost('eventsOfSignal')) / SECONDS_OF_DAY) * given.peak,
    'new signals × eventsOfSignal × peak / 86,400',
    ['eventsOfSignal'],
  );

  // Processes and cores.
  const readMs = cost('reading') * (1 + 1 / (costs.reading.ratio ?? 1));
  const bodies = Math.min(pollsAtPeak, itemsAtPeak);
  const pollCores = line(
    'cores',
    'poll',
    'cores',
    (pollsAtPeak * cost('scheduling')) / 1e6 + (bodies * readMs) / 1e3,
    'polls × scheduling + min(polls, items) × reading, in the poller and its readers (others are 304)',
    ['scheduling', 'reading'],
  );
  const pollers = line(
    'processes',
    'poll',
    'processes',
    Math.max(busy(pollCores), Math.ceil((pollsAtPeak * POLL_TIME) / 1e3 / PLACES)),
    'the greater of cores / utilisation and polls × 0.55 s (assumed) / 16 places',
  );
  const understandCores = line(
    'cores',
    'understand',
    'cores',
    itemsAtPeak / cost('encoded'),
    'items at the peak / encoded',
    ['encoded'],
  );
  const understanders = line('processes', 'understand', 'processes', busy(understandCores), 'cores / utilisation');
  const [c, more] = [cost('story') / 1e6, Math.max(0, cost('storyOfFour') - cost('story')) / 3e6];
  const reachable = u > stories * more;
  const matchers = line(
    'processes',
    'match',
    'processes',
    reachable ? Math.max(1, Math.ceil((stories * (c - more)) / (u - stories * more) - 1e-9)) : Number.POSITIVE_INFINITY,
    'the least N with N × utilisation ≥ stories × (c + (N - 1) f); c = story, f = (storyOfFour - story) / 3',
    ['story', 'storyOfFour'],
  );
  const matchCores = line(
    'cores',
    'match',
    'cores',
    stories * (c + (matchers - 1) * more),
    'stories × (c + (N - 1) f)',
  );
  const ofStory = Math.max(0.05, (cost('itemOfService') - 1e3 / cost('encoded')) / cost('storiesOfItem') - c * 1e3);
  const projectCores = line(
    'cores',
    'project',
    'cores',
    (stories * ofStory) / 1e3,
    'stories × ((itemOfService - 1 / encoded) / storiesOfItem - story): what is left of an item, all read models',
    ['itemOfService', 'encoded', 'storiesOfItem', 'story'],
  );
  const projectors = line(
    'processes',
    'project',
    'processes',
    busy(projectCores),
    'cores / utilisation, each with its own read models',
  );
  const readSeconds = (0.5 * 2) / cost('lists') + (0.5 * 2) / cost('details');
  const apiCores = line(
    'cores',
    'api',
    'cores',
    given.reads * readSeconds,
    'reads × (2 / lists + 2 / details) / 2: the two cores of the bench, PostgreSQL and the caller included',
    ['lists', 'details'],
  );
  const apis = line(
    'processes',
    'api',
    'processes',
    Math.max(2, busy(apiCores)),
    'cores / utilisation, two for safety',
  );
  const writeCores =
    (stories * cost('itemOfPostgres')) / cost('storiesOfItem') / 1e3 + (itemsAtPeak * 2) / cost('appends');
  const postgresCores = line(
    'cores',
    'PostgreSQL',
    'cores',
    writeCores + apiCores,
    'stories × itemOfPostgres / storiesOfItem + items × 2 / appends + as many as api (its share of a read is not measured apart)',
    ['itemOfPostgres', 'storiesOfItem', 'appends'],
  );
  const processCores = (pollCores + understandCores + matchCores + projectCores + apiCores) / u;
  line('cores', 'all, with room', 'cores', processCores + postgresCores / u, 'sum / utilisation');
  line(
    'machines',
    'of this many cores',
    'machines',
    Math.ceil(processCores / given.cores - 1e-9) + Math.ceil(postgresCores / u / given.cores - 1e-9),
    'cores of processes / utilisation / cores of a machine, and those of PostgreSQL apart',
  );

  // Memory.
  const pollMemory = pollers * cost('pollMemory') * MB + given.sources * cost('sourceMemory');
  line(
    'memory',
    'processes',
    'GB',
    (pollMemory +
      MB *
        (understanders * cost('understandMemory') +
          matchers * cost('matchMemory') +
          projectors * cost('projectMemory') +
          apis * cost('apiMemory'))) /
      GB,
    'processes × their memory + sources × sourceMemory',
    ['pollMemory', 'sourceMemory', 'understandMemory', 'matchMemory', 'projectMemory', 'apiMemory'],
  );
  const hot = Math.min(given.signals, signalsOfDay * HOT_DAYS);
  line(
    'memory',
    'PostgreSQL',
    'GB',
    (hot * (cost('modelBytes') + cost('indexBytes'))) / GB,
    `new signals × ${HOT_DAYS} days (assumed) × (modelBytes + indexBytes)`,
    ['modelBytes', 'indexBytes'],
  );

  // Disk.
  const ofSignal = line(
    'disk',
    'a signal',
    'bytes',
    cost('eventBytes') + cost('modelBytes') + cost('indexBytes'),
    'eventBytes + modelBytes + indexBytes',
    ['eventBytes', 'modelBytes', 'indexBytes'],
  );
  line('disk', 'signals, a year more', 'GB', (signalsOfDay * 365 * ofSignal) / GB, 'new signals × 365 × a signal');
  const history = line('disk', 'all signals', 'GB', (given.signals * ofSignal) / GB, 'signals × a signal');
  const topics = line(
    'disk',
    'topics',
    'GB',
    (given.items * given.retention * cost('topicBytes')) / GB,
    'items × retention × topicBytes',
    ['topicBytes'],
  );
  const accounts = line(
    'disk',
    'accounts',
    'GB',
    (given.accounts * cost('accountBytes')) / GB,
    'accounts × accountBytes',
    ['accountBytes'],
  );
  line('disk', 'all, one copy', 'GB', history + topics + accounts, 'signals + topics + accounts');

  // Connections, network, Kafka.
  const processes = { poll: pollers, understand: understanders, match: matchers, project: projectors, api: apis };
  const connections = line(
    'PostgreSQL',
    'connections',
    'connections',
    Object.entries(CONNECTIONS).reduce(
      (total, [name, each]) => total + processes[name as keyof typeof CONNECTIONS] * each,
      10,
    ),
    `processes × their connections + 10; ${Object.entries(CONNECTIONS)
      .map(([name, each]) => `${name} ${each}`)
      .join(', ')}`,
  );
  line(
    'network',
    'feeds, in',
    'Mbit/s',
    (bodies * FEED_BYTES * 8) / MB,
    'min(polls, items) × 25 KB, as the feeds of the bench, uncompressed',
  );
  line(
    'network',
    'reads, out',
    'Mbit/s',
    (given.reads * cost('pageBytes') * 8) / MB,
    'reads × pageBytes, uncompressed',
    ['pageBytes'],
  );
  const consumers = Math.max(understanders, matchers);
  line(
    'Kafka',
    'partitions of a topic',
    'partitions',
    Number.isFinite(consumers) ? Math.max(32, 2 ** Math.ceil(Math.log2(2 * consumers))) : Number.POSITIVE_INFINITY,
    'twice the consumers, a power of two, 32 at least',
  );
  line('Kafka', 'disk of a broker', 'GB', topics, `topics × ${BROKERS} copies / ${BROKERS} brokers`);

  // Rebuild.
  const rebuild = line(
    'rebuild',
    'a billion events, one read model',
    'hours',
    BILLION / cost('rebuilt') / 3_600,
    'events / rebuilt',
    ['rebuilt'],
  );
  const copied = cost('copied') / (costs.copied.ratio ?? 1);
  line(
    'rebuild',
    'the same from a snapshot of its rows',
    'hours',
    BILLION / copied / 3_600,
    'events / (copied / its ratio): COPY of the rows that they leave',
    ['copied'],
  );
  line(
    'rebuild',
    'a snapshot would save',
    'hours',
    Math.max(0, rebuild - BILLION / copied / 3_600),
    'the difference; events since the snapshot are folded on top',
  );
  const historyEvents = given.signals * cost('eventsOfSignal');
  const rebuildHistory = line(
    'rebuild',
    'the whole history, one read model',
    'hours',
    historyEvents / cost('rebuilt') / 3_600,
    'signals × eventsOfSignal / rebuilt',
    ['eventsOfSignal', 'rebuilt'],
  );

  const worldSources = cost('polls') / cost('pollsOfDay');
  const busiestHost = cost('busiestHost') * Math.sqrt(given.sources / worldSources);
  // Both sides grow together, so that growth of everything does not change whether the family is divided.
  const ofFamily = stories * given.brand;
  const ofPartition = (ofFamily * 60) / understanders > given.hot ? ofFamily * given.kind : ofFamily;
  const all: Limit[] = [
    {
      name: 'matchers together',
      factor: u / (stories * more),
      formula: 'utilisation / (stories × f): every matcher receives what the others wrote',
      remedy: 'match by partitions that do not receive what others write',
    },
    {
      name: 'stories of one brand',
      factor: u / (ofPartition * c),
      formula:
        'utilisation / (stories × brand × c): one partition; × kind where the brand has more than `hot` stories in a minute of one `understand`',
      remedy: 'lower the threshold (HOT) above which a family is divided by kind and week',
    },
    {
      name: 'appends of one primary server',
      factor: (cost('appends') * u) / events,
      formula: 'appends × utilisation / events at the peak',
      remedy: 'EventStoreDB (EVENTSTORE_URL)',
    },
    {
      name: 'cores of one PostgreSQL server',
      factor: (given.cores * u) / postgresCores,
      formula: 'cores of a machine × utilisation / cores of PostgreSQL',
      remedy: 'a larger server, replicas (DATABASE_READ_URL), Kafka for the topics',
    },
    {
      name: 'connections of PostgreSQL',
      factor: given.connections / connections,
      formula: 'connections that it accepts / connections',
      remedy: 'raise max_connections, or larger processes',
    },
    {
      name: 'one read model',
      factor: (cost('rebuilt') * u) / events,
      formula: 'rebuilt × utilisation / events at the peak: one process owns a model',
      remedy: 'divide the model',
    },
    {
      name: 'requests at one host',
      factor: HOST_REQUESTS / busiestHost,
      formula: '3,600 / 1.4 s / busiestHost, which grows with √sources in the simulation',
      remedy: 'fewer feeds of that host; its sources are polled late until then',
    },
    {
      name: 'a rebuild within a day',
      factor: 24 / rebuildHistory,
      formula: '24 h / rebuild of the whole history',
      remedy: 'snapshots of read models',
    },
  ];
  return { lines, limits: all.toSorted((one, other) => one.factor - other.factor) };
}

/** A number with three digits. */
export const short = (value: number): string =>
  Number.isFinite(value)
    ? Number(value.toPrecision(3)).toLocaleString('en-GB', { maximumFractionDigits: 6 })
    : 'not reachable';
