/** What an operator's word on a proposal leads to: pure. */
import { type KnownEvent, newEvent } from '../../schemas/events.ts';
import { eventId } from '../../schemas/identity.ts';
import type { RosterAuthor } from '../roster/plan-roster.ts';
import type { Proposal } from './fold-proposals.ts';

/** A proposal that cannot be decided so; the message says why. */
export class ProposalRefused extends Error {
  override name = 'ProposalRefused';
}

export type Verdict = { readonly verdict: 'accept'; readonly source_id: string } | { readonly verdict: 'reject' };

/**
 * Decides.
 * @param time RFC 3339 in UTC
 * @returns the event, or null when it was decided so before
 * @throws ProposalRefused for an accepted one that is to be rejected; a rejected one may still be accepted
 */
export function decideProposal(
  proposal: Proposal,
  decision: Verdict,
  { by, why }: RosterAuthor,
  time: string,
): KnownEvent | null {
  const { id: proposal_id, status, revision } = proposal;
  const about = { id: eventId('proposal', proposal_id, revision, decision.verdict), time };
  if (decision.verdict === 'accept') {
    if (status === 'accepted') return null;
    return newEvent('ProposalAccepted', { proposal_id, by, why, source_id: decision.source_id }, about);
  }
  if (status === 'accepted')
    throw new ProposalRefused(
      `${proposal_id} was accepted as ${proposal.decided?.source_id}; take it out of the roster with sources retire`,
    );
  return status === 'rejected' ? null : newEvent('ProposalRejected', { proposal_id, by, why }, about);
}
