/** One poller's share of the roster among all that live. */
import type { Logger } from 'pino';
import { pause } from '../../../log/backoff.ts';
import { logError } from '../../../log/errors.ts';
import type { Group, Membership } from '../../../log/group.ts';
import { persistently } from '../persistently.ts';
import { ownerOf } from './rendezvous.ts';

export interface Share {
  /** True for a source that this poller is to poll. */
  owns(sourceId: string): boolean;
  /** @returns what gives the source back, or null while another poller is still at it */
  claim: Membership['claim'];
}

/** A poller that is alone has all. */
export const WHOLE: Share = { owns: () => true, claim: async () => async () => undefined };

const BEAT = 1_000;

/**
 * Joins the group and works on the share until the signal aborts. When the membership is lost, as in a restart of the
 * database, the work is aborted, since others may poll the same sources by then, and begun anew.
 * @param work runs until its signal aborts; calls back through `changed` to learn that the share is another
 */
export async function sharing(
  group: Group | undefined,
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
  work: (share: Share, signal: AbortSignal, onChange: (changed: () => void) => void) => Promise<void>,
): Promise<void> {
  if (!group) return work(WHOLE, signal, () => undefined);
  while (!signal.aborted) {
    const member = await persistently(() => group.join(), { what: 'joining the pollers', logger, signal });
    const lost = new AbortController();
    void member.ended.then(() => lost.abort(new Error('the membership of this poller was lost')));
    try {
      await shared(member, AbortSignal.any([signal, lost.signal]), logger, work);
    } catch (error) {
      if (!lost.signal.aborted) throw error;
    } finally {
      await member.leave();
    }
    if (!signal.aborted) logger.warn('lost the membership of the pollers, joining again');
  }
}

async function shared(
  member: Membership,
  signal: AbortSignal,
  logger: Logger,
  work: Parameters<typeof sharing>[2],
): Promise<void> {
  let members = await member.beat();
  let owners = new Map<string, boolean>();
  let changed = (): void => undefined;
  const owns = (id: string): boolean => {
    const known = owners.get(id) ?? ownerOf(id, members) === member.id;
    owners.set(id, known);
    return known;
  };
  async function keepBeating(): Promise<void> {
    while (!signal.aborted) {
      await pause(BEAT, signal);
      if (signal.aborted) return;
      const now = await member.beat();
      if (now.join() === members.join()) continue;
      members = now;
      owners = new Map();
      logger.info({ pollers: members.length }, 'the pollers are others now');
      changed();
    }
  }
  const beating = keepBeating().catch((error: unknown) => {
    // The connection says by its end what is to be done; this is for the log alone.
    if (!signal.aborted) logError(logger, error, {}, 'a poller could not say that it is alive');
  });
  await work({ owns, claim: member.claim }, signal, (tell) => {
    changed = tell;
  });
  await beating;
}
