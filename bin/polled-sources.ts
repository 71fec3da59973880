/**
 * Which sources are polled: those of `ROSTER`, else those of the last start, else the demo newsroom; and how this
 * installation reaches them.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, join, resolve } from 'node:path';
import { startNewsroom } from '../demo/newsroom.ts';
import { createFetchPage, createHostGate, type FetchPage, type SecretLookup } from '../ingest/poll/fetch/fetch-page.ts';
import { respectRobots } from '../ingest/poll/fetch/robots.ts';
import { PRODUCT, userAgent } from '../ingest/poll/poller.ts';
import { applyRoster, FILE_AUTHOR, loadRoster, type RosterEntry } from '../ingest/roster/roster.ts';
import { readRoster } from '../ingest/roster/roster-file.ts';
import { pause } from '../log/backoff.ts';
import { isUnavailable } from '../log/errors.ts';
import { createAddressRule } from '../log/guarded-connection.ts';
import { type Configuration, readConfiguration } from '../schemas/configuration.ts';
import type { Source } from '../schemas/source.ts';
import { UserError } from './errors.ts';
import type { Services } from './services.ts';

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * The address at which outlets reach the operator: CONTACT, else the first address of OPERATORS, else the service itself where it is
 * public.
 * @returns a `mailto:` or web address; undefined where the configuration has none
 */
export function contactOf({
  CONTACT,
  OPERATORS,
  BASE_URL,
}: Pick<Configuration, 'CONTACT' | 'OPERATORS' | 'BASE_URL'>): string | undefined {
  const address = CONTACT ?? OPERATORS[0];
  if (address) return /^https?:/.test(address) ? address : `mailto:${address}`;
  return LOOPBACK.test(URL.parse(BASE_URL)?.hostname ?? 'localhost') ? undefined : BASE_URL;
}

/** The value of `${SOURCE_…}` in a header of a source; other settings are not readable. */
export const sourceSecret: SecretLookup = (name) => (name.startsWith('SOURCE_') ? process.env[name] : undefined);

/** A fetcher for commands, with the guards and rate limits of the poller. @param now default: the clock of the machine */
export const openFetcher = (configuration: Configuration, now = () => new Date()): FetchPage =>
  respectRobots(
    createFetchPage({
      allowAddress: createAddressRule(() => configuration.ALLOW_PRIVATE_SOURCES),
      userAgent: userAgent(contactOf(configuration)),
      gate: createHostGate(),
      secrets: sourceSecret,
    }),
    PRODUCT,
    now,
  );

const PREFERRED_PORT = 8090;

const isFree = (port: number): Promise<boolean> =>
  new Promise((answer) => {
    const probe = createServer();
    probe.once('error', () => answer(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => answer(true)));
  });

/**
 * The port of the last start, because the addresses of the articles contain it, else 8090, else any free port. It is
 * stored in `DATA_DIR`.
 */
async function choosePort({ DEMO_PORT, DATA_DIR }: Configuration): Promise<number> {
  if (DEMO_PORT) return DEMO_PORT;
  const file = join(resolve(DATA_DIR), 'demo-port');
  const kept = Number(await readFile(file, 'utf8').catch(() => ''));
  for (const port of [kept, PREFERRED_PORT]) if (port > 0 && (await isFree(port))) return keep(file, port);
  return keep(file, 0);
}

async function keep(file: string, port: number): Promise<number> {
  if (port === 0) return 0;
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, `${port}\n`);
  return port;
}

async function startDemo(
  configuration: Configuration,
): Promise<{ url: string; port: number; sources: readonly Source[]; close(): Promise<void> }> {
  const { url, sources, close } = await startNewsroom({ port: await choosePort(configuration) });
  const port = Number(new URL(url).port);
  await keep(join(resolve(configuration.DATA_DIR), 'demo-port'), port);
  return { url, port, sources, close };
}

const DEMO_AUTHOR = 'demo newsroom';

/** The rosters that come with the program, by name. */
const SHIPPED: Readonly<Record<string, string>> = {
  india: resolve(import.meta.dirname, '../deploy/roster.india.yaml'),
};

/**
 * The settings of a start with `--roster`: the file, and a data directory for its record alone, `.data/NAME`.
 * @param named a shipped roster, or a file
 * @param given the environment: a data directory or database that it names stays
 * @throws RosterError when the file is invalid; nothing is created then
 */
export async function rosterSettings(
  named: string,
  given: Readonly<Record<string, string | undefined>>,
): Promise<Readonly<Record<'ROSTER' | 'DATA_DIR', string>>> {
  const ROSTER = SHIPPED[named] ?? named;
  await readRoster(resolve(ROSTER), { allowPrivate: readConfiguration(given).ALLOW_PRIVATE_SOURCES });
  const name = basename(named)
    .replace(/\.ya?ml$/i, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  // `.data/postgres` is the record of the demo newsroom.
  const folder = name === '' || name === 'postgres' ? `roster-${name}` : name;
  return { ROSTER, DATA_DIR: given.DATA_DIR || join('.data', folder) };
}

/** Where the record is, for messages; never the address of a database, which may have a password. */
const placeOf = ({ DATABASE_URL, DATA_DIR }: Configuration): string =>
  DATABASE_URL ? 'the database of DATABASE_URL' : DATA_DIR;

/** @throws UserError when the record was filled from the demo newsroom: invented and real stories are never mixed */
async function refuseDemoRecord({ configuration, store }: Pick<Services, 'configuration' | 'store'>): Promise<void> {
  if (!(await readsDemo(store))) return;
  const own = configuration.DATABASE_URL ? 'set DATABASE_URL to an empty database' : 'set DATA_DIR to an empty folder';
  throw new UserError(
    `the record in ${placeOf(configuration)} was filled from the demo newsroom, and invented stories are never mixed with ` +
      `real ones. Start with "npm start -- --roster ${configuration.ROSTER}", which has a record of its own, or ${own}`,
  );
}

/** @throws UserError when the record has stories of real sources */
async function refuseRealRecord({ configuration, store }: Pick<Services, 'configuration' | 'store'>): Promise<void> {
  const rostered = [...(await loadRoster(store)).roster.values()];
  const isDemo = ({ wantedBy, retired }: RosterEntry): boolean =>
    Object.hasOwn(wantedBy, DEMO_AUTHOR) || retired?.by === DEMO_AUTHOR;
  if (rostered.length === 0 || rostered.some(isDemo)) return;
  throw new UserError(
    `the record in ${placeOf(configuration)} has stories of real sources, which were all retired; the demo newsroom is not ` +
      'mixed with them. Set ROSTER to the sources to be polled, or DATA_DIR to an empty folder',
  );
}

interface OpenRoster {
  /** One line that says what is polled. */
  readonly about: string;
  /** The port on loopback that may be polled in spite of the guards; null without the demo newsroom. */
  readonly demoPort: number | null;
  close(): Promise<void>;
}

const opened = (about: string): OpenRoster => ({ about, demoPort: null, close: async () => undefined });

/**
 * Brings the store's roster in line with the settings.
 * @throws RosterError when the roster file has errors; nothing is applied then
 * @throws UserError when real and invented stories would be mixed in one record
 */
export async function openRoster({
  configuration,
  store,
  now,
}: Pick<Services, 'configuration' | 'store' | 'now'>): Promise<OpenRoster> {
  if (configuration.ROSTER) {
    const file = resolve(configuration.ROSTER);
    const sources = await readRoster(file, { allowPrivate: configuration.ALLOW_PRIVATE_SOURCES });
    await refuseDemoRecord({ configuration, store });
    await applyRoster(store, sources, { by: FILE_AUTHOR, why: `applied ${configuration.ROSTER} at start` }, now);
    return opened(`${sources.length} sources of ${configuration.ROSTER}`);
  }
  const own = await ownSources(store);
  if (own > 0) return opened(`${own} sources of the last start (ROSTER is not set)`);
  await refuseRealRecord({ configuration, store });
  const demo = await startDemo(configuration);
  try {
    await applyRoster(store, demo.sources, { by: DEMO_AUTHOR, why: 'no roster is set' }, now);
  } catch (error) {
    await demo.close();
    throw error;
  }
  return {
    about: `${demo.sources.length} outlets of the demo newsroom at ${demo.url}; everything they report is invented`,
    demoPort: demo.port,
    close: demo.close,
  };
}

const inUse = async (store: Services['store']) =>
  [...(await loadRoster(store)).roster.values()].filter(({ retired }) => !retired);

/** Sources in use that are not from the demo: their data must not be mixed. An operator can change both. */
async function ownSources(store: Services['store']): Promise<number> {
  const sources = await inUse(store);
  return sources.filter(({ wantedBy }) => !Object.hasOwn(wantedBy, DEMO_AUTHOR)).length;
}

/** Milliseconds between two requests to an event store that does not answer. */
const RETRY_INTERVAL = 5_000;

/**
 * Finds out whether the demo newsroom is polled, for a process that works without the event store: while that is
 * unreachable the answer is no, and the request is retried until it answers.
 */
export async function demoNotice(store: Services['store'], signal: AbortSignal): Promise<() => boolean> {
  let demo = false;
  const ask = async (): Promise<boolean> => {
    try {
      demo = await readsDemo(store);
      return true;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return false;
    }
  };
  const asking = async (): Promise<void> => {
    while (!signal.aborted && !(await ask())) await pause(RETRY_INTERVAL, signal);
  };
  // Other errors than an unavailable store are reported by the parts that use it.
  if (!(await ask())) void asking().catch(() => undefined);
  return () => demo;
}

/** True while the invented outlets of the demo newsroom are polled: pages say so. */
export const readsDemo = async (store: Services['store']): Promise<boolean> =>
  (await inUse(store)).some(({ wantedBy }) => Object.hasOwn(wantedBy, DEMO_AUTHOR));
