/** `clarity proposals`: sources that readers suggested. */
import type { Command } from 'commander';
import { PollError } from '../../ingest/poll/poll-error.ts';
import { decideProposal, type Verdict } from '../../ingest/proposals/decide-proposal.ts';
import { loadProposals, type Proposal } from '../../ingest/proposals/fold-proposals.ts';
import { probe } from '../../ingest/proposals/probe.ts';
import { changeSource } from '../../ingest/roster/change-source.ts';
import { freeId } from '../../ingest/roster/free-id.ts';
import { loadRoster } from '../../ingest/roster/load-roster.ts';
import { proposalStream } from '../../schemas/proposal.ts';
import { type AuthorFlags, authorOf, withAuthor } from '../author.ts';
import { UserError } from '../errors.ts';
import { openFetcher } from '../fetcher.ts';
import { now } from '../parts.ts';
import { oneLine } from '../quote.ts';
import { type Services, withServices } from '../services.ts';
import { stopSignal } from '../supervise.ts';
import { printTable } from '../table.ts';
import { type FieldFlags, fieldsOf, withFields } from './sources/fields.ts';

type AcceptFlags = AuthorFlags & FieldFlags & { readonly id?: string };

export function addProposals(program: Command): void {
  const proposals = program.command('proposals').description('sources that readers suggested: look, accept, reject');
  proposals
    .command('list')
    .description('those that wait, oldest first')
    .option('--all', 'those that were decided too')
    .option('--json', 'print JSON')
    .action((flags: { all?: boolean; json?: boolean }) =>
      withServices('proposals', (services) => list(services, flags)),
    );
  withAuthor(withFields(proposals.command('accept')))
    .argument('<proposal>', 'prp_…')
    .option('--id <id>', 'id of the source; made from the outlet when unset')
    .description('poll the address once, and take it into the roster when that works')
    .action((id: string, flags: AcceptFlags) => withServices('proposals', (services) => accept(services, id, flags)));
  withAuthor(proposals.command('reject'))
    .argument('<proposal>', 'prp_…')
    .description('keep it out, with a reason')
    .action((id: string, flags: AuthorFlags) =>
      withServices('proposals', async (services) => {
        const proposal = await find(services, id);
        await decide(services, proposal, { verdict: 'reject' }, flags);
        process.stdout.write(`rejected ${proposal.id}\n`);
      }),
    );
}

async function list({ store }: Services, { all, json }: { all?: boolean; json?: boolean }): Promise<void> {
  const found = (await loadProposals(store)).filter(({ status }) => all || status === 'pending');
  if (json) return void process.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
  if (found.length === 0) return void process.stdout.write('no proposal waits\n');
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
  if (!found) throw new UserError(`no proposal has the id ${JSON.stringify(id)}; proposals list shows them`);
  return found;
}

async function decide({ store }: Services, proposal: Proposal, decision: Verdict, flags: AuthorFlags): Promise<void> {
  const author = authorOf(flags, `${decision.verdict}ed by command`);
  const event = decideProposal(proposal, decision, author, now().toISOString());
  if (event) await store.append(proposalStream(proposal.id), [event], proposal.revision);
}

async function accept(services: Services, id: string, flags: AcceptFlags): Promise<void> {
  const proposal = await find(services, id);
  const context = { fetchPage: openFetcher(services.configuration), signal: stopSignal(), now: now() };
  const found = await probe(proposal.url, context).catch((error: unknown) => {
    if (!(error instanceof PollError)) throw error;
    throw new UserError(`${proposal.url}: ${error.code}: ${oneLine(error.message, 400)}; ${id} still waits`);
  });
  const { roster } = await loadRoster(services.store);
  const outlet = flags.outlet ?? proposal.outlet ?? new URL(found.url).hostname.replace(/^www\./, '');
  // Already there: as after a command that ended between the two events.
  const listed = [...roster.values()].find(({ source, retired }) => !retired && source.url === found.url);
  const source_id = listed?.source.id ?? flags.id ?? freeId(outlet, roster);
  if (!listed) {
    const fields = { kind: found.kind, ...fieldsOf(flags), outlet, url: found.url };
    await changeSource(services.store, { do: 'add', id: source_id, fields }, authorOf(flags, `proposal ${id}`), now);
  }
  await decide(services, proposal, { verdict: 'accept', source_id }, flags);
  process.stdout.write(`accepted ${id} as ${source_id}: ${found.url} lists ${found.items} items\n`);
}
