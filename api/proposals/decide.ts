/** What follows from a proposal of a source. Pure. */
import type { DataOf, KnownEvent } from '../../schemas/events.ts';
import type { PROPOSAL_STATUSES, ProposeBody } from '../../schemas/proposal.ts';

type Status = (typeof PROPOSAL_STATUSES)[number];

/** Where a proposal stands; null when nobody made it yet. */
export function proposalStatus(events: readonly KnownEvent[]): Status | null {
  let status: Status | null = null;
  for (const { type } of events) {
    if (type === 'ProposalSubmitted') status = 'pending';
    if (type === 'ProposalAccepted') status = 'listed';
    if (type === 'ProposalRejected') status = 'rejected';
  }
  return status;
}

/** What a first proposal says. @param url canonical */
export const submission = (
  proposal_id: string,
  url: string,
  { outlet = null, reason = null, email = null }: Partial<Record<keyof ProposeBody, string | null | undefined>>,
): DataOf<'ProposalSubmitted'> => ({ proposal_id, url, outlet, reason, email });
