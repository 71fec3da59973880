/**
 * `clarity sources`: the roster and the health of its sources; and `clarity proposals`: sources that readers
 * suggested.
 */
import { type Command, InvalidArgumentError } from 'commander';
import { PollError } from '../../ingest/poll/poll-error.ts';
import { foldSources, hideHeaderValues, loadRoster, readKnownEvents } from '../../ingest/roster/roster.ts';
import { chosenSourceId, namedSource } from '../../ingest/roster/source-commands.ts';
import { acceptProposal, loadProposals, type Proposal, storeVerdict } from '../../ingest/roster/source-proposals.ts';
import { pause } from '../../log/backoff.ts';
import { recordOperation } from '../../log/event-store.ts';
import { type AnsweredPoll, answeredPoll, requestPoll } from '../../log/postgres/poll-requests.ts';
import { healthReason } from '../../presentation/quality.ts';
import {
  healthSnapshot,
  operatedSources,
  pollState,
  type RecentPoll,
} from '../../projector/models/source-health-queries.ts';
import { type SourceId, sourceStream } from '../../schemas/source.ts';
import { UserError } from '../errors.ts';
import { openFetcher } from '../polled-sources.ts';
import { type Services, withServices } from '../services.ts';
import { stopSignal } from '../supervise.ts';
import { type AuthorFlags, authorOf, oneLine, operatorName, printTable, withAuthor } from '../terminal.ts';
import {
  addApply,
  addChanges,
  addDiscover,
  addExchange,
  addTry,
  type FieldFlags,
  fieldsOf,
  withFields,
} from './source-changes.ts';

interface Flags {
  readonly json?: boolean;
  readonly health?: string;
  readonly retired?: boolean;
}

function addList(sources: Command): void {
  sources
    .command('list')
    .description('list sources with their health')
    .option('--health <state>', 'only sources that are healthy, degraded, failing, silent, paused or new')
    .option('--retired', 'sources that were removed from the roster')
    .option('--json', 'print JSON')
    .action((flags: Flags) => withServices('sources', (services) => list(services, flags)));
}

/** Projected health by source, with its reason; empty before the first projector has run. */
async function healthById({ database, now }: Services) {
  const all = { limit: Number.POSITIVE_INFINITY };
  const [snapshot, operated] = await Promise.all([
    healthSnapshot(database, now()).catch(() => null),
    operatedSources(database, now(), all).catch(() => null),
  ]);
  const reasons = new Map<string, string>(
    operated?.sources.map(({ id, cause, facts, polls }) => [
      id,
      healthReason(cause, facts, polls?.recent ?? [], now()),
    ]),
  );
  return new Map(snapshot?.sources.map((source) => [source.id, { ...source, reason: reasons.get(source.id) ?? null }]));
}

async function list(services: Services, { json, health, retired = false }: Flags): Promise<void> {
  const { roster } = await loadRoster(services.store);
  const known = await healthById(services);
  const rows = [...roster.values()]
    .filter((entry) => Boolean(entry.retired) === retired)
    .map(({ source }) => {
      const state = known.get(source.id);
      return {
        ...hideHeaderValues(source),
        reason: null,
        ...state,
        health: source.paused ? 'paused' : (state?.health ?? 'new'),
      };
    })
    .filter((source) => !health || source.health === health);
  if (json) return void process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  if (rows.length === 0) return void process.stdout.write('no sources\n');
  printTable(
    ['id', 'outlet', 'kind', 'role', 'health', 'items 24 h', 'reason'],
    rows.map((source) => [
      source.id,
      oneLine(source.outlet, 40),
      source.kind,
      source.role,
      source.health,
      String(source.items_24h ?? 0),
      oneLine(source.reason ?? '', 120),
    ]),
  );
}

function addShow(sources: Command): void {
  sources
    .command('show')
    .argument('<id>')
    .description('show a source: its fields, health, rhythm, and all changes with author and reason')
    .option('--json', 'print JSON')
    .action((id: string, { json }: { json?: boolean }) =>
      withServices('sources', async (services) => {
        const found = await detailsOf(services, namedSource(id));
        if (json) process.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
        else print(found);
      }),
    );
}

async function detailsOf(services: Services, id: SourceId) {
  const stored = await services.store.read(sourceStream(id));
  const entry = foldSources(readKnownEvents(stored)).get(id);
  if (!entry) throw new UserError(`no source has the id ${JSON.stringify(id)}; "clarity sources list" shows all`);
  const health = (await healthById(services)).get(id) ?? null;
  // Before the first projector has run there is no read model.
  const polls = await pollState(services.database, id).catch(() => null);
  const history = [...readKnownEvents(stored)].map(({ event }) => {
    const { by, why } = event.data as { by: string; why: string };
    return { time: event.time, change: event.type, by, why };
  });
  return {
    ...hideHeaderValues(entry.source),
    retired: entry.retired,
    health,
    usual_gap_seconds: polls?.usual_gap_seconds ?? null,
    hours: polls?.hours ?? [],
    history,
  };
}

function print({ hours, history, health, retired, ...source }: Awaited<ReturnType<typeof detailsOf>>): void {
  const lines = Object.entries(source).map(([field, value]) => [
    field,
    typeof value === 'object' ? JSON.stringify(value) : value,
  ]);
  const state = Object.entries(health ?? {}).filter(([field]) => !(field in source));
  const rows = [
    ...lines,
    ...(retired ? [['retired', `by ${retired.by}: ${retired.why}`]] : []),
    ...(health ? state : [['health', 'not polled yet']]),
    [
      'items by hour, newest last',
      hours
        .slice(-24)
        .map(({ items }) => items)
        .join(' ') || 'none',
    ],
  ];
  for (const [field, value] of rows)
    process.stdout.write(`${String(field).padEnd(22)} ${oneLine(String(value ?? '-'), 300)}\n`);
  process.stdout.write('\nchanges\n');
  for (const { time, change, by, why } of history)
    process.stdout.write(`  ${time}  ${change.padEnd(14)} ${oneLine(by, 40)}: ${oneLine(why, 200)}\n`);
}

const CHECK_INTERVAL = 200;
const DEFAULT_WAIT_SECONDS = 60;

function seconds(text: string): number {
  const value = Number(text);
  if (!(value >= 1 && value <= 3_600)) throw new InvalidArgumentError('It must be a number from 1 to 3600.');
  return value;
}

function addHistory(sources: Command): void {
  sources
    .command('poll')
    .argument('<id>')
    .option('--wait <seconds>', `how long to wait for the poller; default ${DEFAULT_WAIT_SECONDS}`, seconds)
    .option('--json', 'print JSON')
    .description('have the poller read a source now, and print what it found')
    .action((id: string, flags: { json?: boolean; wait?: number }) =>
      withServices('sources', (services) => pollNow(services, namedSource(id), flags)),
    );
  sources
    .command('history')
    .argument('<id>')
    .option('--json', 'print JSON')
    .description('list the last 50 polls of a source: status, items, bytes and trigger')
    .action((id: string, { json }: { json?: boolean }) =>
      withServices('sources', (services) => history(services, namedSource(id), json)),
    );
}

async function pollNow(services: Services, id: SourceId, flags: { json?: boolean; wait?: number }): Promise<void> {
  const entry = (await loadRoster(services.store)).roster.get(id);
  if (!entry) throw new UserError(`no source has the id ${JSON.stringify(id)}; "clarity sources list" shows all`);
  if (entry.retired) throw new UserError(`the source ${id} is retired; add it again`);
  if (entry.source.paused) throw new UserError(`the source ${id} is paused; run clarity sources resume`);
  const { database, now } = services;
  const wait = flags.wait ?? DEFAULT_WAIT_SECONDS;
  const late = AbortSignal.any([stopSignal(), AbortSignal.timeout(wait * 1_000)]);
  await requestPoll(database, id, 'operator', now());
  await recordOperation(services, { operation: 'source_polled', subject: id, by: operatorName(), why: null });
  let poll: AnsweredPoll | null = null;
  while (!poll && !late.aborted) {
    poll = await answeredPoll(database, id);
    if (!poll) await pause(CHECK_INTERVAL, late);
  }
  if (!poll)
    throw new UserError(
      `no poller has read ${id} within ${wait} s; check that clarity poll or clarity up runs. The request stays open until then`,
    );
  if (flags.json) return void process.stdout.write(`${JSON.stringify(poll, null, 2)}\n`);
  const { items_found, items_new, items_edited, items_refused, http_status, bytes, error } = poll;
  process.stdout.write(
    error
      ? `${id}: failed: ${oneLine(`${error.code}: ${error.message}`, 500)}\n`
      : `${id}: HTTP ${http_status}, ${items_found} items, ${items_new} new, ${items_edited} edited, ${items_refused} refused, ${bytes ?? 0} bytes\n`,
  );
}

async function history(services: Services, id: SourceId, json: boolean | undefined): Promise<void> {
  // Before the first projector has run there is no read model.
  const polls = (await pollState(services.database, id).catch(() => null))?.recent ?? [];
  if (json) return void process.stdout.write(`${JSON.stringify(polls, null, 2)}\n`);
  if (polls.length === 0) {
    if (!(await loadRoster(services.store)).roster.has(id))
      throw new UserError(`no source has the id ${JSON.stringify(id)}; "clarity sources list" shows all`);
    return void process.stdout.write('no polls yet\n');
  }
  printTable(
    ['time', 'why', 'status', 'found', 'new', 'edited', 'refused', 'bytes', 'ms', 'outcome'],
    polls.map((poll) => [
      poll.started_at,
      poll.trigger ?? '-',
      String(poll.http_status ?? '-'),
      ...[poll.items_found, poll.items_new, poll.items_edited, poll.items_refused].map(String),
      String(poll.bytes ?? '-'),
      String(poll.duration_ms),
      poll.error ? oneLine(poll.error, 100) : poll.outcome,
    ]),
  );
  process.stdout.write(`\n${summary(polls)}\n`);
}

function summary(polls: readonly RecentPoll[]): string {
  const count = (fits: (poll: RecentPoll) => boolean): number => polls.filter(fits).length;
  const bytes = polls.reduce((sum, poll) => sum + (poll.bytes ?? 0), 0);
  return [
    `${polls.length} polls`,
    `${count(({ items_new }) => items_new > 0)} with new items`,
    `${count(({ http_status }) => http_status === 304)} times 304`,
    `${count(({ error }) => error !== null)} failed`,
    `${bytes} bytes read`,
  ].join(', ');
}

export function addSources(program: Command): void {
  const sources = program.command('sources').description('show, test, change, import and export the roster');
  addList(sources);
  addShow(sources);
  addHistory(sources);
  addTry(sources);
  addDiscover(sources);
  addChanges(sources);
  addApply(sources);
  addExchange(sources);
}

type AcceptFlags = AuthorFlags & FieldFlags & { readonly id?: string };

export function addProposals(program: Command): void {
  const proposals = program.command('proposals').description('list, accept and reject sources that readers suggested');
  proposals
    .command('list')
    .description('list pending proposals, oldest first')
    .option('--all', 'include decided proposals')
    .option('--json', 'print JSON')
    .action((flags: { all?: boolean; json?: boolean }) =>
      withServices('proposals', (services) => listProposals(services, flags)),
    );
  withAuthor(withFields(proposals.command('accept')))
    .argument('<proposal>', 'prp_…')
    .option('--id <id>', 'id of the source; default: derived from the outlet')
    .description('poll the address once, and add it to the roster if that succeeds')
    .action((id: string, flags: AcceptFlags) => withServices('proposals', (services) => accept(services, id, flags)));
  withAuthor(proposals.command('reject'))
    .argument('<proposal>', 'prp_…')
    .description('reject the proposal, with a reason')
    .action((id: string, flags: AuthorFlags) =>
      withServices('proposals', async (services) => {
        const proposal = await find(services, id);
        await storeVerdict(
          { ...services, clock: services.now },
          proposal,
          { verdict: 'reject' },
          authorOf(flags, 'rejected by command'),
        );
        process.stdout.write(`rejected ${proposal.id}\n`);
      }),
    );
}

async function listProposals({ store }: Services, { all, json }: { all?: boolean; json?: boolean }): Promise<void> {
  const found = (await loadProposals(store)).filter(({ status }) => all || status === 'pending');
  if (json) return void process.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
  if (found.length === 0) return void process.stdout.write('no pending proposals\n');
  printTable(
    ['id', 'state', 'submitted', 'address', 'outlet', 'reason'],
    found.map(({ id, status, submitted_at, url, outlet, reason, decided }) => [
      id,
      status,
      submitted_at,
      oneLine(url, 200),
      oneLine(outlet ?? '', 40),
      oneLine(decided?.why ?? reason ?? '', 120),
    ]),
  );
}

async function find({ store }: Services, id: string): Promise<Proposal> {
  const found = (await loadProposals(store)).find((proposal) => proposal.id === id);
  if (!found) throw new UserError(`no proposal has the id ${JSON.stringify(id)}; "clarity proposals list" shows all`);
  return found;
}

async function accept(services: Services, id: string, flags: AcceptFlags): Promise<void> {
  const proposal = await find(services, id);
  const { store, configuration, now } = services;
  const context = { store, fetchPage: openFetcher(configuration, now), signal: stopSignal(), clock: now };
  const wanted = { id: flags.id === undefined ? undefined : chosenSourceId(flags.id), fields: fieldsOf(flags) };
  const author = authorOf(flags, 'accepted by command');
  const taken = await acceptProposal(context, proposal, wanted, author).catch((error: unknown) => {
    if (!(error instanceof PollError)) throw error;
    throw new UserError(`${proposal.url}: ${error.code}: ${oneLine(error.message, 400)}; ${id} is still pending`);
  });
  process.stdout.write(`accepted ${id} as ${taken.source_id}: ${taken.url} lists ${taken.items} items\n`);
}
