/**
 * What became of the report of a reader who left an address, in one mail. Addresses are in the stream of the reported
 * signal alone; once all have been written to, an event there says so, and no process writes again.
 */
import { addressesIn, NoSuchSignal, readSignal } from '../../ingest/review-signals.ts';
import { DAY } from '../../language/days.ts';
import { handleCommand } from '../../log/command-handler.ts';
import { type MistakeOutcome, openOutcomes } from '../../projector/models/review-queries.ts';
import { readEvent } from '../../schemas/events.ts';
import { ERASED_EMAIL } from '../../schemas/personal.ts';
import { mistakeStream } from '../../schemas/signal.ts';
import { composeOutcome } from './mail-message.ts';
import {
  logUndelivered,
  type MailRounds,
  type Outcome,
  type RoundCount,
  type RoundOptions,
  roundsEvery,
  sendEach,
} from './mail-rounds.ts';

const IN_WORDS: Readonly<Record<MistakeOutcome['outcome'], string>> = {
  confirmed: 'An operator compared the entry with its reports and found nothing wrong.',
  corrected: 'An operator corrected the entry.',
  split: 'An operator moved a report that is about another event to an entry of its own.',
  held: 'An operator took the entry off the pages until it is clear.',
  released: 'An operator read the entry and left it public.',
  retracted: 'An operator withdrew the entry.',
  merged: 'An operator merged the entry with another one about the same event.',
};

const MAXIMUM_OF_ROUND = 100;
/** After so many milliseconds without a mail server the outcome is no news. */
const GIVEN_UP_AFTER = 3 * DAY;

/** Mails one outcome to all who asked for it. */
async function sendOutcome(options: RoundOptions, one: MistakeOutcome): Promise<Outcome> {
  const { store, settings, server, now } = options;
  const { mistake_id, signal_id, decided, at, outcome, why } = one;
  const stream = mistakeStream(signal_id);
  const events = (await store.read(stream)).map((event) => readEvent(event));
  const addresses = addressesIn(events, mistake_id).filter((address) => address !== ERASED_EMAIL);
  const state = await readSignal(store, decided).catch((error) => {
    if (error instanceof NoSuchSignal) return null;
    throw error;
  });
  let last: Outcome = 'empty';
  for (const to of state ? addresses : []) {
    const { headline } = state?.understanding ?? { headline: '' };
    const url = `${settings.baseUrl}/signal/${state?.slug}`;
    const text = await composeOutcome(
      { to, mistake: mistake_id, headline, url, outcome: IN_WORDS[outcome], why },
      settings,
      now(),
    );
    const delivery = await server.deliver({ from: settings.from, to }, text);
    last = delivery.outcome;
    if (delivery.outcome === 'accepted') continue;
    logUndelivered(options, delivery, 'none', 'the outcome of a report');
    const isFinal = delivery.outcome === 'refused' && delivery.forGood && delivery.ofRecipient;
    if (!isFinal && now().getTime() - at.getTime() < GIVEN_UP_AFTER) return last;
  }
  await handleCommand(store, {
    stream,
    fold: (stored) =>
      addressesIn(
        stored.map((event) => readEvent(event)),
        mistake_id,
      ).length > 0,
    decide: (isOpen) => ({
      facts: isOpen ? [{ type: 'MistakeAnswered' as const, data: { mistake_id, signal_id, decided } }] : [],
    }),
    now: now(),
  });
  return last;
}

/** Mails the outcomes that are open. */
export const sendOutcomeRound = async (options: RoundOptions): Promise<RoundCount> =>
  sendEach(options, await openOutcomes(options.database, MAXIMUM_OF_ROUND), (one) => sendOutcome(options, one));

/** The outcomes of reported mistakes, every minute. @param interval milliseconds between two rounds */
export const outcomeMails = (interval?: number): MailRounds =>
  roundsEvery('outcomes of reports', sendOutcomeRound, interval);
