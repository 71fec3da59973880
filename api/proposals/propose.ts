/** Takes a proposal of a source. */
import { canonicalUrl } from '../../ingest/poll/normalise/canonical-url.ts';
import { handleCommand } from '../../log/command-handler.ts';
import type { EventStore } from '../../log/event-store.ts';
import type { Queryable } from '../../log/postgres/database.ts';
import { sourcesOnHost } from '../../projector/models/source-health-queries.ts';
import { readEvent } from '../../schemas/events.ts';
import { type ProposeBody, proposalId, proposalStream } from '../../schemas/proposal.ts';
import { quoted, Refusal } from '../../schemas/refusal.ts';
import { proposalStatus, submission } from './decide.ts';

export interface Proposed {
  readonly id: string;
  readonly url: string;
  readonly status: 'pending' | 'listed' | 'rejected';
}

/**
 * The same address is the same proposal, however often and by whomever it is made.
 * @throws Refusal `invalid_request` for an address that cannot be a source
 */
export async function proposeSource(
  { database, store, now }: { readonly database: Queryable; readonly store: EventStore; readonly now: () => Date },
  body: ProposeBody,
): Promise<Proposed> {
  const url = canonicalUrl(body.url);
  if (url === null)
    throw new Refusal(
      'invalid_request',
      `url: ${quoted(body.url)} cannot be used. Allowed: the address of a feed or page.`,
    );
  const id = proposalId(url);
  const onHost = await sourcesOnHost(database, new URL(url).hostname);
  if (onHost.some((source) => canonicalUrl(source.url) === url)) return { id, url, status: 'listed' };
  const { decision } = await handleCommand(store, {
    stream: proposalStream(id),
    fold: (stored) => proposalStatus(stored.map((event) => readEvent(event))),
    decide: (known) => ({
      status: known ?? ('pending' as const),
      facts: known === null ? [{ type: 'ProposalSubmitted' as const, data: submission(id, url, body) }] : [],
    }),
    now: now(),
  });
  return { id, url, status: decision.status };
}
