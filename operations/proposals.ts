/** `clarity proposals`: sources that readers suggested. */
import { z } from 'zod';
import { PollError } from '../ingest/poll/poll-error.ts';
import { chosenSourceId } from '../ingest/roster/source-commands.ts';
import { acceptProposal, loadProposals, type Proposal, storeVerdict } from '../ingest/roster/source-proposals.ts';
import type { EventStore } from '../log/event-store.ts';
import { quoted, Refusal } from '../schemas/input-errors.ts';
import { defineOperatorAction, type OperatorActions } from './operator-action.ts';
import { givenFields, SOURCE_FIELDS } from './source-fields.ts';
import { oneLine, tableText } from './terminal-text.ts';

async function find(store: EventStore, id: string): Promise<Proposal> {
  const proposal = (await loadProposals(store)).find((one) => one.id === id);
  if (proposal) return proposal;
  throw new Refusal('invalid_request', `no proposal has the id ${quoted(id)}; "clarity proposals list" shows all`);
}

const list = defineOperatorAction({
  name: 'list',
  summary: 'list pending proposals, oldest first',
  input: z.object({ all: z.boolean().default(false).describe('include decided proposals') }),
  audit: 'nothing',
  run: async ({ all }, { store }) => (await loadProposals(store)).filter(({ status }) => all || status === 'pending'),
  text(proposals) {
    if (proposals.length === 0) return 'no pending proposals';
    return tableText(
      ['id', 'state', 'submitted', 'address', 'outlet', 'reason'],
      proposals.map(({ id, status, submitted_at, url, outlet, reason, decided }) => [
        id,
        status,
        submitted_at,
        oneLine(url, 200),
        oneLine(outlet ?? '', 40),
        oneLine(decided?.why ?? reason ?? '', 120),
      ]),
    );
  },
});

const PROPOSAL = z.string().max(60).meta({ description: 'prp_…', placeholder: 'proposal' });

export const accept = defineOperatorAction({
  name: 'accept',
  summary: 'poll the address once, and add it to the roster if that succeeds',
  input: z.object({
    proposal: PROPOSAL,
    id: z.string().optional().describe('id of the source; default: derived from the outlet'),
    ...SOURCE_FIELDS,
  }),
  positional: ['proposal'],
  audit: 'events',
  reason: 'optional',
  async run({ proposal: named, id, ...fields }, context) {
    const { store, fetchPage, signal, now: clock } = context;
    const proposal = await find(store, named);
    const wanted = { id: id === undefined ? undefined : chosenSourceId(id), fields: givenFields(fields) };
    const author = context.author('accepted by command');
    try {
      return {
        proposal: named,
        ...(await acceptProposal({ store, fetchPage, signal, clock }, proposal, wanted, author)),
      };
    } catch (error) {
      if (!(error instanceof PollError)) throw error;
      const reason = `${error.code}: ${oneLine(error.message, 400)}`;
      throw new Refusal('invalid_request', `${proposal.url}: ${reason}; ${named} is still pending`);
    }
  },
  text: ({ proposal, source_id, url, items }) => `accepted ${proposal} as ${source_id}: ${url} lists ${items} items`,
});

export const reject = defineOperatorAction({
  name: 'reject',
  summary: 'reject the proposal, with a reason',
  input: z.object({ proposal: PROPOSAL }),
  positional: ['proposal'],
  audit: 'events',
  reason: 'on pages',
  async run({ proposal: named }, context) {
    const { store, now: clock } = context;
    const proposal = await find(store, named);
    await storeVerdict({ store, clock }, proposal, { verdict: 'reject' }, context.author('rejected by command'));
    return { proposal: named };
  },
  text: ({ proposal }) => `rejected ${proposal}`,
});

export const PROPOSALS: OperatorActions = {
  name: 'proposals',
  summary: 'list, accept and reject sources that readers suggested',
  actions: [list, accept, reject],
};
