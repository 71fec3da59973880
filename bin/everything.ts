/** The whole service in one process tree, on embedded defaults: what `clarity up` runs and prints. */
import { accountOfEmail, changeAccount, loadAccount } from '../access/account.ts';
import { newKey } from '../access/api-keys.ts';
import { isLoopbackHost } from '../access/sign-in.ts';
import { sharedPageReader } from '../ingest/poll/read/page-reader.ts';
import { loadRoster } from '../ingest/roster/roster.ts';
import { sharedEncoder } from '../ingest/understand/encoder/item-encoder.ts';
import { formatCount } from '../language/prose.ts';
import { pause } from '../log/backoff.ts';
import { oneLine } from '../operations/terminal-text.ts';
import { failureInWords } from '../presentation/quality.ts';

import { waitForPosition } from '../projector/model-progress.ts';
import { ACCOUNTS } from '../projector/models/accounts-read-model.ts';
import { countRecent } from '../projector/models/signals-queries.ts';
import { lastPolls, pollState, type RecentPoll } from '../projector/models/source-health-queries.ts';
import { GO_LIVE, readConfiguration } from '../schemas/configuration.ts';
import type { Source } from '../schemas/source.ts';
import { briefMailPart } from './commands/brief.ts';
import {
  analysePart,
  matchPart,
  oraclePart,
  pollPart,
  projectPart,
  retentionPart,
  searchIndexPart,
  sweepPart,
  understandPart,
} from './parts.ts';
import { openRoster } from './polled-sources.ts';
import { aborted, runProcess } from './process.ts';
import { listen } from './reader-server.ts';
import { catalogueInUse, openCatalogue, type Services } from './services.ts';
import type { Part } from './supervise.ts';

const PROGRESS_INTERVAL = 500;
/** Milliseconds after which the start stops waiting for sources that did not answer: some ask for a long pause. */
const LONGEST_WAIT = 300_000;
/** Sources that the last lines name. */
const NAMED = 5;

interface Answered {
  readonly source: Source;
  readonly poll: RecentPoll;
}

const isGood = ({ poll }: Answered): boolean => poll.outcome !== 'failed';

const line = ({ source, poll }: Answered): string =>
  isGood({ source, poll })
    ? `answered  ${source.id}  ${poll.items_found} items`
    : `failed    ${source.id}  ${failureInWords(poll).replace(/^were /, 'was ')}: ${oneLine(poll.error ?? '', 200)}`;

/**
 * Prints the result of each source that is due at the start, then a summary.
 * @param longest milliseconds until it stops waiting
 */
function rosterProgress(
  {
    store,
    database,
    now,
    dataDir,
    configuration,
  }: Pick<Services, 'store' | 'database' | 'now' | 'dataDir' | 'configuration'>,
  write: (text: string) => void = (text) => void process.stdout.write(text),
  longest = LONGEST_WAIT,
): Part {
  const started = now();
  // Before the first projector has run there is no read model.
  const stateOf = (id: Source['id']) => pollState(database, id).catch(() => null);

  /** The sources that the poller reads at once. */
  async function dueSources(): Promise<Source[]> {
    const { roster } = await loadRoster(store);
    const polled = [...roster.values()].filter(({ source, retired }) => !retired && !source.paused);
    const states = await Promise.all(
      polled.map(async ({ source }) => ({ source, next: (await stateOf(source.id))?.next_poll_at ?? '' })),
    );
    return states.filter(({ next }) => !(Date.parse(next) > started.getTime())).map(({ source }) => source);
  }

  function summary(answered: readonly Answered[], waiting: readonly Source[]): string {
    const failed = answered.filter((one) => !isGood(one)).length;
    const names = waiting.slice(0, NAMED).map(({ id }) => id);
    const more = waiting.length > NAMED ? ` and ${waiting.length - NAMED} more` : '';
    const place = dataDir ? `DATA_DIR=${configuration.DATA_DIR} ` : '';
    return (
      `${formatCount(answered.length - failed, 'source')} answered, ${failed} failed` +
      (waiting.length > 0 ? `, ${waiting.length} are not polled yet: ${names.join(', ')}${more}` : '') +
      `.\n  sources  ${configuration.BASE_URL}/operate/sources, or: ${place}npm run clarity -- sources list\n`
    );
  }

  return async (signal) => {
    let waiting = await dueSources();
    const total = waiting.length;
    const answered: Answered[] = [];
    while (!signal.aborted && waiting.length > 0 && now().getTime() - started.getTime() < longest) {
      const polled = await lastPolls(database).catch(() => null);
      for (const source of waiting) {
        if (!((polled?.get(source.id)?.getTime() ?? 0) >= started.getTime())) continue;
        const poll = (await stateOf(source.id))?.recent?.at(-1);
        if (!poll) continue;
        answered.push({ source, poll });
        write(`  ${String(answered.length).padStart(String(total).length)}/${total}  ${line({ source, poll })}\n`);
      }
      const answeredIds = new Set(answered.map(({ source }) => source.id));
      waiting = waiting.filter(({ id }) => !answeredIds.has(id));
      if (waiting.length > 0) await pause(PROGRESS_INTERVAL, signal);
    }
    if (!signal.aborted && total > 0) write(summary(answered, waiting));
    await aborted(signal);
  };
}

const ACCOUNT = accountOfEmail('demo@localhost');
/** Milliseconds to wait until the projector knows the key: a key that is shown must work, on a busy machine too. */
const PROJECTION_TIMEOUT = 60_000;

/**
 * Creates a Pro key for the demo account.
 * @returns the key; null when the account already has one, which is not stored and cannot be shown again
 */
async function createFirstKey({
  store,
  database,
  now,
}: Pick<Services, 'store' | 'database' | 'now'>): Promise<string | null> {
  const { account } = await loadAccount(store, ACCOUNT.id);
  if (account.keys.length > 0) return null;
  const { key, ...kept } = newKey();
  const name = 'made at the first start of the demo';
  const command = { command: 'issue_key', key: kept, name, scopes: null, expires_at: null, plan: 'pro' } as const;
  const commander = { role: 'operator', by: 'first start' } as const;
  const { position } = await changeAccount(store, ACCOUNT, command, { commander, now: now() });
  if (position !== null) await waitForPosition(database, ACCOUNTS, position, PROJECTION_TIMEOUT);
  return key;
}

const CHECK_INTERVAL = 250;

/** How to call the API: with the key of the first start of the demo, else with a key to be issued. */
async function howToCall(services: Services, url: string, demo: boolean): Promise<string> {
  const canCreate = demo && isLoopbackHost(services.configuration.HOST);
  const failed = (error: unknown): null => {
    services.logger.warn({ err: error }, 'no API key was created for the demo');
    return null;
  };
  const key = canCreate ? await createFirstKey(services).catch(failed) : null;
  const call = `curl -H 'Authorization: Bearer ${key ?? '<key>'}' '${url}/api/v1/signals?limit=5'`;
  return key
    ? `  API      ${call}\n           the key is shown only once\n`
    : `  API      ${call}\n           npm run clarity -- keys issue --account you@example.com --plan pro   creates a key\n`;
}

/**
 * Prints where the service is, then one line when the first signals are on the page.
 * @param demo whether the demo newsroom is polled
 */
function welcome(services: Services, roster: string, port: number, demo: boolean): Part {
  const { configuration, database, dataDir } = services;
  const url = configuration.PORT === 0 ? `http://localhost:${port}` : configuration.BASE_URL;
  return async (signal) => {
    process.stdout.write(
      `Clarity is at ${url}\n` +
        `  polling  ${roster}\n` +
        `  data     ${dataDir ?? 'the PostgreSQL of DATABASE_URL'}\n` +
        '  stop     Ctrl-C; the next start continues from here\n',
    );
    process.stdout.write(await howToCall(services, url, demo));
    if (demo) process.stdout.write(`  real     ${GO_LIVE}   reads the real outlets, in a record of their own\n`);
    process.stdout.write(`  MCP      ${url}/mcp   tools for assistants, without a key; see docs/mcp.md\n`);
    while (!signal.aborted) {
      // Before the first projector has run there is no read model.
      const signals = await countRecent(database, new Date(0)).catch(() => 0);
      if (signals > 0) {
        // `performance.now()` counts from the start of the process.
        const seconds = (performance.now() / 1000).toFixed(1);
        process.stdout.write(`The first signals are on the page (after ${seconds} s).\n`);
        break;
      }
      await pause(CHECK_INTERVAL, signal);
    }
    await aborted(signal);
  };
}

/** Runs all parts in this process until SIGTERM or SIGINT; the settings come from the environment. */
export async function runEverything(): Promise<void> {
  const { CATALOGUE } = readConfiguration(process.env);
  // What takes processor time loads while PostgreSQL starts. What fails is met where it is used.
  sharedEncoder().catch(() => undefined);
  sharedPageReader().start();
  openCatalogue(CATALOGUE).catch(() => undefined);
  await runProcess('up', async (services, closing) => {
    // A faulty catalogue ends the start before anything is stored.
    await catalogueInUse(services);
    const understanding = understandPart(services);
    // Its failure is met where it is awaited.
    understanding.catch(() => undefined);
    const roster = await openRoster(services);
    closing.add(roster.close);
    const mails = services.configuration.SMTP_URL !== undefined;
    const brief: Record<string, Part> = mails ? { brief: await briefMailPart(services) } : {};
    const port = await listen(services, closing);
    const understand = await understanding;
    return {
      welcome: welcome(services, roster.about, port, roster.demoPort !== null),
      poll: pollPart(services, roster.demoPort),
      understand,
      match: matchPart(services),
      analyse: analysePart(services),
      project: projectPart(services),
      retention: retentionPart(services),
      ...searchIndexPart(services),
      oracle: await oraclePart(services),
      sweep: sweepPart(services),
      ...(roster.demoPort === null ? { roster: rosterProgress(services) } : {}),
      ...brief,
    };
  });
}
