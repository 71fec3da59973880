/** Sources that readers propose: how a proposal is made, the proposals in the event store, and what an operator decides on them. */
import { changeStream, handleCommand } from '../../log/command-handler.ts';
import { type EventStore, pagesOf, type StoredEvent } from '../../log/event-store.ts';
import { mayBeSourceAddress } from '../../log/guarded-connection.ts';
import type { Queryable } from '../../log/postgres/database.ts';
import { sourcesOnHost } from '../../projector/models/source-health-queries.ts';
import { type DataOf, type KnownEvent, newEvent } from '../../schemas/events.ts';
import { quoted, Refusal } from '../../schemas/input-errors.ts';
import { eventId } from '../../schemas/scalar.ts';
import {
  PROPOSAL_PREFIX,
  type ProposeBody,
  proposalId,
  proposalStream,
  SourceId,
  type SourceKind,
} from '../../schemas/source.ts';
import type { FetchPage } from '../poll/fetch/fetch-page.ts';
import { canonicalUrl } from '../poll/normalise/read-items.ts';
import { PollError } from '../poll/poll-error.ts';
import { discoverFeeds, type TrialContext, trySource } from '../poll/try-source.ts';
import { chooseFreeId, findSourceByAddress, loadRoster, type RosterAuthor, readKnownEvents } from './roster.ts';
import { changeSource, type SourceFields } from './source-commands.ts';

// The proposals in the event store.

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
    readonly source_id: SourceId | null;
  } | null;
  /** The last revision of its stream. */
  readonly revision: number;
}

/** The proposal after an event of its stream. */
function evolveProposal(proposal: Proposal | null, event: KnownEvent, revision: number): Proposal | null {
  switch (event.type) {
    case 'ProposalSubmitted': {
      const { proposal_id, ...proposal } = event.data;
      return { ...proposal, id: proposal_id, status: 'pending', submitted_at: event.time, decided: null, revision };
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

/** The proposal of a stream; null where it does not exist. */
function foldProposal(stored: readonly StoredEvent[]): Proposal | null {
  let proposal: Proposal | null = null;
  for (const { event, revision } of readKnownEvents(stored)) proposal = evolveProposal(proposal, event, revision);
  return proposal;
}

/** All proposals, the oldest first. */
export async function loadProposals(store: Pick<EventStore, 'readAll'>): Promise<Proposal[]> {
  const proposals = new Map<string, Proposal>();
  for await (const page of pagesOf(store, { after: 0n, prefixes: [PROPOSAL_PREFIX] }))
    for (const { event, revision } of readKnownEvents(page.events)) {
      const id = (event.data as { proposal_id?: string }).proposal_id ?? '';
      const proposal = evolveProposal(proposals.get(id) ?? null, event, revision);
      if (proposal) proposals.set(id, proposal);
    }
  return [...proposals.values()];
}

/** A proposal that cannot be decided so; the message says why. */
class ProposalRefused extends Error {
  override name = 'ProposalRefused';
}

type Verdict = { readonly verdict: 'accept'; readonly source_id: SourceId } | { readonly verdict: 'reject' };

/**
 * Decides.
 * @param time RFC 3339 in UTC
 * @returns the event, or null when it was decided so before
 * @throws ProposalRefused for an accepted one that is to be rejected; a rejected one may still be accepted
 */
function decideProposal(
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

interface Probe {
  /** Of the feed itself, where the proposal named a site. */
  readonly url: string;
  readonly kind: SourceKind;
  /** The title of the feed; null where it has none. */
  readonly title: string | null;
  /** Entries that give items now. */
  readonly items: number;
}

/**
 * Polls the address once; where it is a web page, the first feed that it names.
 * @throws PollError when nothing at the address can be polled
 */
export async function probeAddress(url: string, context: TrialContext): Promise<Probe> {
  try {
    return await pollOnce(url, context);
  } catch (error) {
    if (!(error instanceof PollError) || error.code !== 'html_instead_of_feed') throw error;
    const [feed] = await discoverFeeds(url, context.fetchPage, context.signal, context.reader);
    if (!feed) throw new PollError('no_feed', 'the page links to no feed; add it with selectors by sources add');
    return pollOnce(feed.url, context);
  }
}

const PROBE = SourceId.parse('probe');

async function pollOnce(url: string, context: TrialContext): Promise<Probe> {
  const about = {
    id: PROBE,
    outlet: 'probe',
    role: 'news',
    authority: 0,
    language: 'en',
    themes: [],
    backlog_days: 0,
    articles: 'never',
    paused: false,
  } as const;
  const trial = await trySource({ ...about, themes: [], url }, context);
  const items = trial.entries.filter(({ item }) => item).length;
  if (items === 0) throw new PollError('nothing_listed', 'it can be read, but lists no article with title and address');
  return { url: trial.moved_to ?? url, kind: trial.kind, title: trial.title, items };
}

interface Proposals {
  readonly store: EventStore;
  readonly fetchPage: FetchPage;
  readonly signal: AbortSignal;
  readonly clock: () => Date;
}

/**
 * Stores what was decided on the proposal as it is now; nothing when it was decided so before.
 * @throws ProposalRefused, or StreamContention when others keep being faster
 */
export async function storeVerdict(
  { store, clock }: Pick<Proposals, 'store' | 'clock'>,
  proposal: Proposal,
  verdict: Verdict,
  author: RosterAuthor,
): Promise<void> {
  await changeStream(store, proposalStream(proposal.id), (stored) => {
    const event = decideProposal(foldProposal(stored) ?? proposal, verdict, author, clock().toISOString());
    return { events: event ? [event] : [] };
  });
}

/**
 * Polls the address once, and takes it in when that works.
 * @param wanted fields of the source as the operator wants them, and its id; what is unset is made from the proposal
 * @throws PollError when nothing at the address can be polled; SourceRefused, ProposalRefused
 */
export async function acceptProposal(
  context: Proposals,
  proposal: Proposal,
  wanted: { readonly id?: SourceId | undefined; readonly fields: SourceFields },
  author: RosterAuthor,
): Promise<Probe & { readonly source_id: SourceId }> {
  const { store, fetchPage, signal, clock } = context;
  const probe = await probeAddress(proposal.url, { fetchPage, signal, now: clock() });
  const { roster } = await loadRoster(store);
  const outlet = String(
    wanted.fields.outlet ?? proposal.outlet ?? probe.title ?? new URL(probe.url).hostname.replace(/^www\./, ''),
  );
  // Already there: as after a command that ended between the two events.
  const listed = findSourceByAddress(roster, [probe.url]);
  const source_id = listed?.id ?? wanted.id ?? chooseFreeId(outlet, roster);
  if (!listed) {
    const fields = { kind: probe.kind, ...wanted.fields, outlet, url: probe.url };
    const why = { ...author, why: `proposal ${proposal.id}: ${author.why}` };
    await changeSource(store, { do: 'add', id: source_id, fields }, why, clock);
  }
  await storeVerdict(context, proposal, { verdict: 'accept', source_id }, author);
  return { ...probe, source_id };
}

/** The event of a first proposal. @param url canonical */
const submission = (
  proposal_id: string,
  url: string,
  { outlet = null, reason = null, email = null }: Partial<Record<keyof ProposeBody, string | null | undefined>>,
): DataOf<'ProposalSubmitted'> => ({ proposal_id, url, outlet, reason, email });

export interface Proposed {
  readonly id: string;
  readonly url: string;
  readonly status: 'pending' | 'listed' | 'rejected';
}

interface ProposalContext {
  readonly database: Queryable;
  readonly store: EventStore;
  readonly now: () => Date;
  readonly privateSources: boolean;
}

/**
 * The same address is the same proposal, however often and by whomever it is made.
 * @param context `privateSources` is the setting ALLOW_PRIVATE_SOURCES
 * @throws Refusal `invalid_request` for an address that cannot be a source
 */
export async function proposeSource(
  { database, store, now, privateSources }: ProposalContext,
  body: ProposeBody,
): Promise<Proposed> {
  const url = canonicalUrl(body.url);
  if (url === null)
    throw new Refusal(
      'invalid_request',
      `url: ${quoted(body.url)} cannot be used. Allowed: the address of a feed or page.`,
    );
  if (!mayBeSourceAddress(url, privateSources))
    throw new Refusal(
      'invalid_request',
      `url: ${quoted(body.url)} is on a private or internal network. Allowed: an address on the public internet.`,
    );
  const id = proposalId(url);
  const onHost = await sourcesOnHost(database, new URL(url).hostname);
  if (onHost.some((source) => canonicalUrl(source.url) === url)) return { id, url, status: 'listed' };
  const { decision } = await handleCommand(store, {
    stream: proposalStream(id),
    fold: foldProposal,
    decide: (proposal) => ({
      // An accepted proposal is in the roster.
      status: proposal?.status === 'accepted' ? ('listed' as const) : (proposal?.status ?? ('pending' as const)),
      facts: proposal === null ? [{ type: 'ProposalSubmitted' as const, data: submission(id, url, body) }] : [],
    }),
    now: now(),
  });
  return { id, url, status: decision.status };
}
