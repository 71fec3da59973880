/** `clarity proposals`: sources that readers suggested. */
import type { Command } from 'commander';
import { PollError } from '../../ingest/poll/poll-error.ts';
import { chosenSourceId } from '../../ingest/roster/source-commands.ts';
import { acceptProposal, loadProposals, type Proposal, storeVerdict } from '../../ingest/roster/source-proposals.ts';
import { UserError } from '../errors.ts';
import { openFetcher } from '../polled-sources.ts';
import { type Services, withServices } from '../services.ts';
import { stopSignal } from '../supervise.ts';
import { type AuthorFlags, authorOf, oneLine, printTable, withAuthor } from '../terminal.ts';
import { type FieldFlags, fieldsOf, withFields } from './source-changes.ts';

type AcceptFlags = AuthorFlags & FieldFlags & { readonly id?: string };

export function addProposals(program: Command): void {
  const proposals = program.command('proposals').description('list, accept and reject sources that readers suggested');
  proposals
    .command('list')
    .description('list pending proposals, oldest first')
    .option('--all', 'include decided proposals')
    .option('--json', 'print JSON')
    .action((flags: { all?: boolean; json?: boolean }) =>
      withServices('proposals', (services) => list(services, flags)),
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

async function list({ store }: Services, { all, json }: { all?: boolean; json?: boolean }): Promise<void> {
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
