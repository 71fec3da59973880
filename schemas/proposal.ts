/** Sources that readers suggested. Stream `proposal-<id>`; the same address is always the same proposal. */
import { z } from 'zod';
import { prefixedId, trimmedText, WebAddress } from './scalar.ts';
import { SourceId } from './source.ts';

export const ProposalId = z.string().regex(/^prp_[0-9a-f]{16}$/, 'must be prp_ and 16 hexadecimal characters');

/** Who decided, and why. */
const Decided = z.object({ proposal_id: ProposalId, by: z.string().min(1), why: z.string() });

export const ProposalEvents = {
  ProposalSubmitted: {
    1: z.object({
      proposal_id: ProposalId,
      /** Canonical. */
      url: WebAddress,
      outlet: z.string().nullable(),
      reason: z.string().nullable(),
      /** Where the proposer may be asked; never shown to readers. */
      email: z.string().nullable(),
    }),
  },
  ProposalAccepted: { 1: Decided.extend({ source_id: SourceId }) },
  ProposalRejected: { 1: Decided },
} as const;

/** The id of the proposal of a source. @param canonicalUrl the address without parts that do not distinguish sources */
export const proposalId = (canonicalUrl: string): string => prefixedId('prp', canonicalUrl);
export const proposalStream = (id: string): string => `proposal-${id}`;
export const PROPOSAL_PREFIX = 'proposal-';

export const ProposeBody = z.strictObject({
  url: WebAddress.describe('an http or https address of at most 2,048 characters'),
  outlet: trimmedText(1, 120).optional().describe('the publisher, 1 to 120 characters'),
  reason: trimmedText(1, 1_000).optional().describe('why it matters, 1 to 1,000 characters'),
  email: z.email().max(320).optional().describe('an e-mail address where we may ask'),
});
export type ProposeBody = z.infer<typeof ProposeBody>;

export const PROPOSAL_STATUSES = ['pending', 'listed', 'rejected'] as const;
export const ProposalAnswer = z.object({
  proposal: z.object({
    id: ProposalId,
    url: z.string(),
    status: z.enum(PROPOSAL_STATUSES).describe('listed: the roster has it already'),
  }),
});
