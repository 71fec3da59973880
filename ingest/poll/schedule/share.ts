/** The share of one poller in the roster, among all that run. */
import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { pause } from '../../../log/backoff.ts';
import { logError, retryUntilSuccess } from '../../../log/errors.ts';
import type { Group, Membership } from '../../../log/postgres/topics/consumer-group.ts';
import type { SourceId } from '../../../schemas/source.ts';

// Rendezvous hashing: a member that joins or leaves moves no names of other members. Hosts are shared, not sources: the
// pause between two requests to a host is kept in one process.

const weight = (member: string, name: string): bigint =>
  createHash('sha1').update(`${member}\n${name}`).digest().readBigUInt64BE();

/**
 * The member that owns a name: the one with the greatest weight for it.
 * @param members in any order
 * @returns null when there is none
 */
export function ownerOf(name: string, members: readonly string[]): string | null {
  let owner: string | null = null;
  let greatest = -1n;
  for (const member of members) {
    const weighed = weight(member, name);
    if (weighed < greatest || (weighed === greatest && owner !== null && member > owner)) continue;
    greatest = weighed;
    owner = member;
  }
  return owner;
}

export interface Share {
  /** True for a source that this poller polls. */
  owns(sourceId: SourceId): boolean;
  /** @returns a function that releases the source, or null while another poller polls it */
  claim: Membership['claim'];
}

/** The share of a single poller. */
const WHOLE_ROSTER: Share = { owns: () => true, claim: async () => async () => undefined };

const BEAT_INTERVAL = 1_000;

interface SharingOptions {
  readonly hostOf: (sourceId: SourceId) => string;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * Joins the group and works on the share until the signal aborts. When the membership is lost, as in a restart of the
 * database, the work is aborted, since others may poll the same sources by then, and started again.
 * @param hostOf the host of a source
 * @param work runs until its signal aborts; `onChange` registers what is called when the share changes
 */
export async function workOnShare(
  group: Group | undefined,
  { hostOf, logger, signal }: SharingOptions,
  work: (share: Share, signal: AbortSignal, onChange: (changed: () => void) => void) => Promise<void>,
): Promise<void> {
  if (!group) return work(WHOLE_ROSTER, signal, () => undefined);
  while (!signal.aborted) {
    const member = await retryUntilSuccess(() => group.join(), { what: 'joining the pollers', logger, signal });
    const lost = new AbortController();
    void member.ended.then(() => lost.abort(new Error('the membership of this poller was lost')));
    try {
      await workAsMember(member, { hostOf, logger, signal: AbortSignal.any([signal, lost.signal]) }, work);
    } catch (error) {
      if (!lost.signal.aborted) throw error;
    } finally {
      await member.leave();
    }
    if (!signal.aborted) logger.warn('lost the membership of the pollers, joining again');
  }
}

async function workAsMember(
  member: Membership,
  { hostOf, logger, signal }: SharingOptions,
  work: Parameters<typeof workOnShare>[2],
): Promise<void> {
  let members = await member.beat();
  let owners = new Map<string, boolean>();
  let changed = (): void => undefined;
  const owns = (id: SourceId): boolean => {
    const host = hostOf(id);
    const known = owners.get(host) ?? ownerOf(host, members) === member.id;
    owners.set(host, known);
    return known;
  };
  async function keepBeating(): Promise<void> {
    while (!signal.aborted) {
      await pause(BEAT_INTERVAL, signal);
      if (signal.aborted) return;
      const now = await member.beat();
      if (now.join() === members.join()) continue;
      members = now;
      owners = new Map();
      logger.info({ pollers: members.length }, 'the group of pollers changed');
      changed();
    }
  }
  const beating = keepBeating().catch((error: unknown) => {
    // The end of the connection ends the work; this is only for the log.
    if (!signal.aborted) logError(logger, error, {}, 'the heartbeat of a poller failed');
  });
  await work({ owns, claim: member.claim }, signal, (listener) => {
    changed = listener;
  });
  await beating;
}
