/** Takes a proposed source into the roster. */
import { changeStream } from '../../log/command-handler.ts';
import type { EventStore } from '../../log/event-store.ts';
import { proposalStream } from '../../schemas/proposal.ts';
import type { FetchPage } from '../poll/fetch/fetch-page.ts';
import { changeSource } from '../roster/change-source.ts';
import type { SourceFields } from '../roster/decide-source.ts';
import { freeId } from '../roster/free-id.ts';
import { loadRoster, readable } from '../roster/load-roster.ts';
import type { RosterAuthor } from '../roster/plan-roster.ts';
import { sourceAtAddress } from '../roster/source-address.ts';
import { decideProposal, type Verdict } from './decide-proposal.ts';
import { foldProposal, type Proposal } from './fold-proposals.ts';
import { type Probe, probe } from './probe.ts';

export interface Proposals {
  readonly store: EventStore;
  readonly fetchPage: FetchPage;
  readonly signal: AbortSignal;
  readonly clock: () => Date;
}

/**
 * Stores what was decided on the proposal as it is now; nothing when it was decided so before.
 * @throws ProposalRefused, or StreamContention when others keep being faster
 */
export async function settleProposal(
  { store, clock }: Pick<Proposals, 'store' | 'clock'>,
  proposal: Proposal,
  verdict: Verdict,
  author: RosterAuthor,
): Promise<void> {
  await changeStream(store, proposalStream(proposal.id), (stored) => {
    let now: Proposal | null = null;
    for (const { event, revision } of readable(stored)) now = foldProposal(now, event, revision);
    const event = decideProposal(now ?? proposal, verdict, author, clock().toISOString());
    return { events: event ? [event] : [] };
  });
}

/**
 * Polls the address once, and takes it in when that works.
 * @param wanted fields of the source as the operator wants them, and its id; what is unset is made from the proposal
 * @throws PollError when nothing that can be polled stands there; SourceRefused, ProposalRefused
 */
export async function acceptProposal(
  context: Proposals,
  proposal: Proposal,
  wanted: { readonly id?: string | undefined; readonly fields: SourceFields },
  author: RosterAuthor,
): Promise<Probe & { readonly source_id: string }> {
  const { store, fetchPage, signal, clock } = context;
  const found = await probe(proposal.url, { fetchPage, signal, now: clock() });
  const { roster } = await loadRoster(store);
  const outlet = String(
    wanted.fields.outlet ?? proposal.outlet ?? found.title ?? new URL(found.url).hostname.replace(/^www\./, ''),
  );
  // Already there: as after a command that ended between the two events.
  const listed = sourceAtAddress(roster, [found.url]);
  const source_id = listed?.id ?? wanted.id ?? freeId(outlet, roster);
  if (!listed) {
    const fields = { kind: found.kind, ...wanted.fields, outlet, url: found.url };
    const why = { ...author, why: `proposal ${proposal.id}: ${author.why}` };
    await changeSource(store, { do: 'add', id: source_id, fields }, why, clock);
  }
  await settleProposal(context, proposal, { verdict: 'accept', source_id }, author);
  return { ...found, source_id };
}
