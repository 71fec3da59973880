/** `clarity sources poll` and `clarity sources history`: read a source now, and how its last polls went. */
import { type Command, InvalidArgumentError } from 'commander';
import { loadRoster } from '../../../ingest/roster/load-roster.ts';
import { pause } from '../../../log/backoff.ts';
import { type AnsweredPoll, answeredPoll, requestPoll } from '../../../log/postgres/poll-requests.ts';
import { pollState, type RecentPoll } from '../../../projector/models/source_health/queries.ts';
import { UserError } from '../../errors.ts';
import { oneLine } from '../../quote.ts';
import { type Services, withServices } from '../../services.ts';
import { stopSignal } from '../../supervise.ts';
import { printTable } from '../../table.ts';

const LOOK_EVERY = 200;
const DEFAULT_WAIT_SECONDS = 60;

function seconds(text: string): number {
  const value = Number(text);
  if (!(value >= 1 && value <= 3_600)) throw new InvalidArgumentError('It must be a number from 1 to 3600.');
  return value;
}

export function addHistory(sources: Command): void {
  sources
    .command('poll')
    .argument('<id>')
    .option('--wait <seconds>', `how long to wait for the poller; ${DEFAULT_WAIT_SECONDS} when unset`, seconds)
    .option('--json', 'print JSON')
    .description('have the poller read a source now, and say what it found')
    .action((id: string, flags: { json?: boolean; wait?: number }) =>
      withServices('sources', (services) => pollNow(services, id, flags)),
    );
  sources
    .command('history')
    .argument('<id>')
    .option('--json', 'print JSON')
    .description('the last 30 polls of a source: status, items, bytes, and why each was made')
    .action((id: string, { json }: { json?: boolean }) =>
      withServices('sources', (services) => history(services, id, json)),
    );
}

async function pollNow(services: Services, id: string, flags: { json?: boolean; wait?: number }): Promise<void> {
  const entry = (await loadRoster(services.store)).roster.get(id);
  if (!entry) throw new UserError(`no source has the id ${JSON.stringify(id)}; sources list shows them`);
  if (entry.retired) throw new UserError(`the source ${id} is retired; add it again first`);
  if (entry.source.paused) throw new UserError(`the source ${id} is paused; use sources resume first`);
  const { database, now } = services;
  const wait = flags.wait ?? DEFAULT_WAIT_SECONDS;
  const late = AbortSignal.any([stopSignal(), AbortSignal.timeout(wait * 1_000)]);
  await requestPoll(database, id, 'operator', now());
  let poll: AnsweredPoll | null = null;
  while (!poll && !late.aborted) {
    poll = await answeredPoll(database, id);
    if (!poll) await pause(LOOK_EVERY, late);
  }
  if (!poll)
    throw new UserError(
      `no poller has read ${id} within ${wait} s; does clarity poll or clarity up run? The request stays until one does`,
    );
  if (flags.json) return void process.stdout.write(`${JSON.stringify(poll, null, 2)}\n`);
  const { items_found, items_new, items_edited, items_refused, http_status, bytes, error } = poll;
  process.stdout.write(
    error
      ? `${id}: failed: ${oneLine(`${error.code}: ${error.message}`, 500)}\n`
      : `${id}: HTTP ${http_status}, ${items_found} items, ${items_new} new, ${items_edited} edited, ${items_refused} refused, ${bytes ?? 0} bytes\n`,
  );
}

async function history(services: Services, id: string, json: boolean | undefined): Promise<void> {
  // Before the first projector there is no read model, and no poll is known.
  const polls = (await pollState(services.database, id).catch(() => null))?.recent ?? [];
  if (json) return void process.stdout.write(`${JSON.stringify(polls, null, 2)}\n`);
  if (polls.length === 0) {
    if (!(await loadRoster(services.store)).roster.has(id))
      throw new UserError(`no source has the id ${JSON.stringify(id)}; sources list shows them`);
    return void process.stdout.write('no poll is known yet\n');
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
