/** The commands of `clarity`, with what loads each. */
import type { Command } from 'commander';
import type { OperatorActions } from '../operations/operator-action.ts';

type AddCommand = (program: Command) => void;

const processes = () => import('./commands/processes.ts');

type Load = () => Promise<AddCommand>;

/** Loads commands that are derived from actions. */
const derived =
  <Name extends string>(load: () => Promise<Readonly<Record<Name, OperatorActions>>>, name: Name): Load =>
  async () => {
    const [{ addActions }, subjects] = await Promise.all([import('./operator-commands.ts'), load()]);
    return (program) => void addActions(program, subjects[name]);
  };

/** The commands in the order of the help. Only the one that is run is loaded: all of them together take a second or two. */
export const COMMANDS: Readonly<Record<string, readonly [summary: string, load: Load]>> = {
  up: [
    'run everything: poll, understand, match, project, API and pages',
    async () => (await import('./commands/up.ts')).addUp,
  ],
  poll: ['poll the sources of the roster', async () => (await processes()).addPoll],
  understand: [
    'classify items: a filter over JSON lines, or the process between items and stories',
    async () => (await processes()).addUnderstand,
  ],
  match: [
    'match stories to signals: a filter over pairs, or the process that appends signals',
    async () => (await processes()).addMatch,
  ],
  analyse: ['write why each new signal matters and what to watch', async () => (await processes()).addAnalyse],
  project: ['fold events into the read models', async () => (await processes()).addProject],
  api: ['serve the REST API and the pages', async () => (await processes()).addApi],
  brief: ['mail the morning brief to its subscribers', async () => (await import('./commands/brief.ts')).addBrief],
  mcp: ['serve assistants at /mcp in a process of its own', async () => (await processes()).addMcp],
  migrate: ['create or update the tables of logs and access', async () => (await processes()).addMigrate],
  status: [
    'show the state of the service and what needs attention',
    async () => (await import('./commands/status.ts')).addStatus,
  ],
  trace: ['show one item on its way from poll to page', derived(() => import('../operations/labels.ts'), 'TRACE')],
  sources: ['show, test and change the roster', derived(() => import('../operations/sources.ts'), 'SOURCES')],
  proposals: [
    'list, accept and reject sources that readers suggested',
    derived(() => import('../operations/proposals.ts'), 'PROPOSALS'),
  ],
  oracle: ['measure the coverage against the reference sources', async () => (await processes()).addOracle],
  keys: ['issue, list and revoke API keys', derived(() => import('../operations/accounts.ts'), 'KEYS')],
  accounts: [
    'list and erase accounts, set plans, review applications for keys',
    derived(() => import('../operations/accounts.ts'), 'ACCOUNTS'),
  ],
  signals: [
    'show the history of a signal; correct, split, retract, hold, release, merge and export signals',
    derived(() => import('../operations/signals.ts'), 'SIGNALS'),
  ],
  catalogue: [
    'list, show and change brands, themes and groups; export and import them',
    derived(() => import('../operations/catalogue.ts'), 'CATALOGUE'),
  ],
  brands: [
    'promote or refuse names that the catalogue lacks',
    derived(() => import('../operations/brands.ts'), 'BRANDS'),
  ],
  labels: [
    'export the decisions of operators as labelled items',
    derived(() => import('../operations/labels.ts'), 'LABELS'),
  ],
  replay: ['replay a topic or rebuild read models', async () => (await import('./commands/replay.ts')).addReplay],
  parked: ['list and retry parked events and dead letters', derived(() => import('../operations/parked.ts'), 'PARKED')],
  topics: ['list and trim the topics in PostgreSQL', derived(() => import('../operations/topics.ts'), 'TOPICS')],
  events: ['encrypt personal data in the event store', derived(() => import('../operations/events.ts'), 'EVENTS')],
  eventstore: [
    'check and prepare the server of EVENTSTORE_URL',
    derived(() => import('../operations/event-store.ts'), 'EVENT_STORE'),
  ],
};
