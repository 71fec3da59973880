/**
 * What the responses of a source mean for the roster: a permanent redirect that lasts is adopted, a source that is gone
 * permanently is retired. Polls are counted in the poll state, so the count survives a restart and a change of the poller.
 */
import type { EventStore } from '../../log/event-store.ts';
import { newEvent } from '../../schemas/events.ts';
import type { AddressChange } from '../../schemas/poll.ts';
import { eventId } from '../../schemas/scalar.ts';
import { type Source, sourceStream } from '../../schemas/source.ts';
import type { PollResult } from './poll-source.ts';

const AUTHOR = 'poller';
/** A redirect is permanent after so many consecutive polls over at least a day. */
const POLLS_OF_MOVE = 3;
const DAY = 86_400_000;
/** Consecutive responses of 410 after which a source counts as gone. */
const POLLS_OF_GONE = 3;
/** A longer address is followed, but not adopted: it would be stored with every poll. */
const MAX_ADDRESS_LENGTH = 2_000;

/**
 * Counts what a response means for the address of its source.
 * @param url the address that was polled
 * @param before what the polls before said
 * @param response `movedTo` is the address that permanent redirects led to, `errorCode` that of a failed poll
 * @param at the beginning of the poll
 * @returns null where the address is good
 */
export function nextAddressChange(
  url: string,
  before: AddressChange | null,
  response: { readonly movedTo: string | null; readonly errorCode: string | null },
  at: string,
): AddressChange | null {
  const gone = response.errorCode === 'gone';
  // Any other failure means nothing for the address.
  if (response.errorCode !== null && !gone) return before;
  const to =
    gone || response.movedTo === url || (response.movedTo?.length ?? 0) > MAX_ADDRESS_LENGTH ? null : response.movedTo;
  if (!gone && to === null) return null;
  const kind = gone ? 'gone' : 'moved';
  return before?.kind === kind && before.to === to
    ? { ...before, polls: before.polls + 1 }
    : { kind, to, since: at, polls: 1 };
}

/**
 * Stores a change of the address in the roster once it has lasted.
 * @returns a function that handles a poll; it is idempotent
 */
export const adoptAddressChanges =
  (store: Pick<EventStore, 'append'>) =>
  async (source: Source, { poll }: PollResult): Promise<void> => {
    const { address_change: change, started_at: time } = poll.data;
    if (!change) return;
    const { kind, to, since, polls } = change;
    const event = { id: eventId('source', source.id, source.url, to ?? kind, since), time };
    if (kind === 'gone' && poll.data.error?.code === 'gone' && polls >= POLLS_OF_GONE) {
      const why = `its server answered 410 Gone ${polls} times in a row`;
      const retired = newEvent('SourceRetired', { source_id: source.id, by: AUTHOR, why }, event);
      await store.append(sourceStream(source.id), [retired], 'any');
    } else if (to !== null && polls >= POLLS_OF_MOVE && Date.parse(time) - Date.parse(since) >= DAY) {
      const why = `a permanent redirect that lasted ${polls} polls`;
      const moved = { source_id: source.id, from: source.url, to, by: AUTHOR, why };
      await store.append(sourceStream(source.id), [newEvent('SourceMoved', moved, event)], 'any');
    }
  };
