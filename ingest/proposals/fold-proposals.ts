/** Proposals as the event store tells them. */
import type { EventStore, Position } from '../../log/event-store.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { PROPOSAL_PREFIX } from '../../schemas/proposal.ts';
import { readable } from '../roster/load-roster.ts';

export interface Proposal {
  readonly id: string;
  readonly url: string;
  readonly outlet: string | null;
  readonly reason: string | null;
  readonly email: string | null;
  readonly status: 'pending' | 'accepted' | 'rejected';
  /** RFC 3339 in UTC. */
  readonly submitted_at: string;
  /** Null while it waits. `source_id` is the source that it became. */
  readonly decided: {
    readonly by: string;
    readonly why: string;
    readonly at: string;
    readonly source_id: string | null;
  } | null;
  /** The last revision of its stream. */
  readonly revision: number;
}

/** Folds one event of a proposal's stream. */
export function foldProposal(proposal: Proposal | null, event: KnownEvent, revision: number): Proposal | null {
  switch (event.type) {
    case 'ProposalSubmitted': {
      const { proposal_id, ...said } = event.data;
      return { ...said, id: proposal_id, status: 'pending', submitted_at: event.time, decided: null, revision };
    }
    case 'ProposalAccepted':
    case 'ProposalRejected': {
      const { by, why } = event.data;
      const accepted = event.type === 'ProposalAccepted';
      const source_id = event.type === 'ProposalAccepted' ? event.data.source_id : null;
      const decided = { by, why, at: event.time, source_id };
      return proposal && { ...proposal, status: accepted ? 'accepted' : 'rejected', decided, revision };
    }
    default:
      return proposal;
  }
}

/** All proposals, the oldest first. */
export async function loadProposals(store: Pick<EventStore, 'readAll'>): Promise<Proposal[]> {
  const proposals = new Map<string, Proposal>();
  for (let position: Position = 0n; ; ) {
    const page = await store.readAll({ after: position, prefixes: [PROPOSAL_PREFIX] });
    for (const { event, revision } of readable(page.events)) {
      const id = (event.data as { proposal_id?: string }).proposal_id ?? '';
      const proposal = foldProposal(proposals.get(id) ?? null, event, revision);
      if (proposal) proposals.set(id, proposal);
    }
    if (page.events.length === 0 && page.position === position) return [...proposals.values()];
    position = page.position;
  }
}
