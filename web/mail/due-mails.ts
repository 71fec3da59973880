/**
 * Which mails are due, and their rounds. The morning brief of a day is mailed to every subscriber who has not had it,
 * day after day; new stories of saved searches at once, daily or weekly. What is due of a search is opened as a row
 * with its stories first, and sent from there, so that a story is in one mail, whatever happens to the process.
 */

import {
  claimMail,
  type DueSearchMail,
  dueSearchMails,
  fixStories,
  type LatestMails,
  latestSearchMails,
  MAILS_AN_HOUR,
  mailedStories,
  openBriefMail,
  openSearchMail,
  settledAccounts,
  settleMail,
} from '../../access/mails.ts';
import { changeSearches } from '../../access/subscriptions.ts';
import { DAY, istDay } from '../../language/days.ts';
import { logError } from '../../log/errors.ts';
import type { Queryable } from '../../log/postgres/database.ts';
import { comparedBrands, describeFilter, ownFilter } from '../../presentation/filters.ts';
import { composeDailyBrief, followedNames, MORNING_HOURS, morningOf } from '../../presentation/subscriptions.ts';
import { slugToWords } from '../../presentation/text.ts';
import { competitorWatch } from '../../projector/models/brands-queries.ts';
import { briefSubscribers, type Subscriber } from '../../projector/models/brief-queries.ts';
import {
  type MailedSearch,
  mailedSearches,
  newStories,
  storiesOfMail,
} from '../../projector/models/saved-searches-queries.ts';
import type { Directory } from '../../schemas/directory.ts';
import { FREE_WATCH, type Watch } from '../../schemas/resources.ts';
import type { BrandSlug } from '../../schemas/scalar.ts';
import { boundFilter, filterAddress, type SignalQuery } from '../../schemas/signal-filter.ts';
import { type Brief, DIGESTS, type Digest } from '../../schemas/subscriptions.ts';
import { composeBrief, composeDigest } from './mail-message.ts';
import {
  logUndelivered,
  type MailRounds,
  type Outcome,
  type Retries,
  type RoundCount,
  type RoundOptions,
  roundsEvery,
  sendClaimed,
  sendEach,
} from './mail-rounds.ts';

/** Milliseconds after 07:30 IST until which a service that was down still sends. */
const SENDING_ENDS_AFTER = 4 * 3_600_000;

interface DueBrief {
  /** The IST day, `2026-11-21`. */
  readonly day: string;
  /** When it is due. */
  readonly at: Date;
}

/** The brief of the IST day of a moment. */
export function briefOfDay(now: Date): DueBrief {
  const day = istDay(now);
  return { day, at: morningOf(day) };
}

/** The brief to send at a moment; null before 07:30 IST and after the morning. */
export function dueBrief(now: Date): DueBrief | null {
  const brief = briefOfDay(now);
  const late = now.getTime() - brief.at.getTime();
  return late >= 0 && late < SENDING_ENDS_AFTER ? brief : null;
}

/** The moment at which the briefs of a day end: 07:30 IST, as on the page of that day; the present before that. */
export const briefEnd = (now: Date): Date => new Date(Math.min(now.getTime(), briefOfDay(now).at.getTime()));

interface BriefRecord {
  readonly database: Queryable;
  readonly directory: Directory;
}

/**
 * Makes a loader of the brief of each subscriber. The brief of the whole record is composed once for all of them.
 * @param now the end of the 24 hours of the briefs
 */
export function briefsAt(
  record: BriefRecord,
  now: Date,
): (subscriber: Pick<Subscriber, 'account' | 'scope'>) => Promise<Brief> {
  let whole: Promise<Brief> | undefined;
  const about = (brands: readonly BrandSlug[], themes: readonly string[]): Promise<Brief> =>
    composeDailyBrief(record, { brands, themes, match: 'either', hours: MORNING_HOURS, now, past: true });
  return async ({ account, scope }) => {
    const { brands, themes } = scope === 'followed' ? await followedNames(record, account) : { brands: [], themes: [] };
    if (brands.length + themes.length > 0) return about(brands, themes);
    // A subscriber who follows no brand and no theme gets everything rather than nothing.
    whole ??= about([], []);
    return whole;
  };
}

/** Seconds until a mail that was not sent is retried; each attempt adds as many. */
const RETRY_SECONDS = 60;

/** After so many attempts a mail is given up for the day. */
const RETRIES: Retries = {
  maximum: 6,
  seconds: (attempt) => RETRY_SECONDS * attempt,
  isForGood: ({ forGood }) => forGood,
};

/** Sends the brief of a day to every subscriber who has not had it. Failed mails stay for a later round. Ends early when the signal aborts. */
export async function sendRound(options: RoundOptions, { day, at }: DueBrief): Promise<RoundCount> {
  const { database, now } = options;
  const settled = await settledAccounts(database, day, options.abandonedAfter);
  const waiting = (await briefSubscribers(database, at)).filter(({ account }) => !settled.has(account));
  const briefOf = briefsAt(options, briefEnd(now()));
  return sendEach(options, waiting, (subscriber) => sendBriefTo(options, day, subscriber, briefOf));
}

async function sendBriefTo(
  options: RoundOptions,
  day: string,
  subscriber: Subscriber,
  briefOf: ReturnType<typeof briefsAt>,
): Promise<Outcome> {
  const { database, settings, sender, now, abandonedAfter } = options;
  const { account, email } = subscriber;
  const mail = await openBriefMail(database, day, account);
  const attempt = await claimMail(database, mail, sender, abandonedAfter);
  if (attempt === null) return 'left';
  const brief = { ...(await briefOf(subscriber)), date: day };
  if (brief.items.length === 0) {
    await settleMail(database, mail, sender, { state: 'empty', answer: null });
    return 'empty';
  }
  const text = await composeBrief(brief, subscriber, settings, now());
  const delivery = await sendClaimed(options, mail, attempt, { to: email, text }, RETRIES);
  logUndelivered(options, delivery, account, 'a brief');
  return delivery.outcome;
}

/** The morning brief, every morning. */
export const briefMails: MailRounds = {
  name: 'morning brief',
  due(now) {
    const due = dueBrief(now);
    return due && ((options) => sendRound(options, due));
  },
};

const HOUR = 3_600_000;

/** Stories of a mail; it says how many more there are, and leads to them. */
export const DIGEST_STORIES = 20;
/** Stories that one mail counts; what is beyond comes with the next. */
const MAXIMUM_STORIES = 2_000;
/** Stories that are older are not mailed any more. Mails are kept for longer, so that none comes twice. */
const OLDEST_STORY = 15 * DAY;
/** Seconds that a mail at once waits for further stories. */
export const GATHER_SECONDS = 300;

/** Milliseconds after its time until which a digest is sent by a service that was down. */
const SENT_UNTIL = { daily: 4 * HOUR, weekly: DAY } as const;
const MONDAY = 1;

/**
 * The time of the digest that is to be sent at a moment; null before 07:00 IST and after the morning, and of weekly ones
 * on all days save Monday. One at once is always due.
 */
export function dueDigest(every: Digest, now: Date): Date | null {
  if (every === 'at_once') return now;
  const day = istDay(now);
  const at = new Date(`${day}T07:00:00+05:30`);
  if (every === 'weekly' && new Date(`${day}T00:00:00Z`).getUTCDay() !== MONDAY) return null;
  const late = now.getTime() - at.getTime();
  return late >= 0 && late < SENT_UNTIL[every] ? at : null;
}

/** Seconds until a mail at once goes out: it waits for further stories, and until the hour has room for it. */
export function waitOf({ opened }: Pick<LatestMails, 'opened'>, now: Date): number {
  const [before] = opened.slice(MAILS_AN_HOUR - 1);
  const room = before ? (before.getTime() + HOUR - now.getTime()) / 1_000 - GATHER_SECONDS : 0;
  return GATHER_SECONDS + Math.max(0, room);
}

/** The filter of a search without the days that it shows: a digest has days of its own. */
async function filterOf(search: MailedSearch, options: RoundOptions): Promise<SignalQuery> {
  const { days: _, sort: __, cursor: ___, ...filter } = await ownFilter(options, search);
  return filter;
}

/** The brands of a search that compares them, side by side; null for another search. */
async function watchOf(
  { database, directory, settings, now }: RoundOptions,
  filter: SignalQuery,
): Promise<Watch | null> {
  const brands = comparedBrands(filter).map((slug) => ({
    slug,
    name: directory.brand(slug)?.name ?? slugToWords(slug),
    slugs: directory.slugsOf(slug),
  }));
  if (brands.length === 0) return null;
  return competitorWatch(database, { brands, days: FREE_WATCH.days, now: now(), baseUrl: settings.baseUrl });
}

/** The stories of a search that no mail has had. @param until those published before it; null for all */
async function unmailedStories(
  options: RoundOptions,
  search: MailedSearch,
  until: Date | null,
  limit = MAXIMUM_STORIES,
): Promise<string[]> {
  const { database, directory, now } = options;
  const oldest = new Date(now().getTime() - OLDEST_STORY);
  const from = search.digest_since > oldest ? search.digest_since : oldest;
  const bound = boundFilter(await filterOf(search, options), { now: now(), directory });
  const since = [bound.since ?? '', from.toISOString()].toSorted().at(-1);
  const ends = [bound.until, until?.toISOString()].filter((end) => end !== undefined).toSorted()[0];
  const without = await mailedStories(database, search.key, oldest);
  return newStories(database, { ...bound, since, until: ends }, { without, limit });
}

/** Opens the mail of a search that is due and has new stories. */
async function openDue(options: RoundOptions, search: MailedSearch, at: Date, latest: LatestMails): Promise<void> {
  const { database, now } = options;
  const { key, account, digest } = search;
  const isAtOnce = digest === 'at_once';
  const [last] = latest.opened;
  if (latest.is_open || (!isAtOnce && last && last >= at)) return;
  const stories = await unmailedStories(options, search, isAtOnce ? null : at, isAtOnce ? 1 : MAXIMUM_STORIES);
  if (stories.length === 0) return;
  await openSearchMail(database, {
    search: key,
    number: latest.number + 1,
    account,
    // What comes while it waits is added.
    ...(isAtOnce ? { stories: null, wait: waitOf(latest, now()) } : { stories, wait: 0 }),
    opened_at: now(),
  });
}

const FIRST_RETRY_SECONDS = 60;
const LONGEST_RETRY_SECONDS = 4 * 3_600;

/** Pauses grow to four hours; after three days of refusals, or once the address is refused for good, the digest is paused. */
const retriesOf = (options: RoundOptions, { key, account }: MailedSearch): Retries => ({
  maximum: 24,
  seconds: (attempt) => Math.min(LONGEST_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** (attempt - 1)),
  // What else a server refuses for good, such as the sender, is no fault of the reader's address.
  isForGood: ({ forGood, ofRecipient }) => forGood && ofRecipient,
  async onGivenUp() {
    const command = { do: 'end_digest', id: key, by: 'undeliverable' } as const;
    await changeSearches({ store: options.store, account, now: options.now() }, command);
  },
});

async function sendDigest(
  options: RoundOptions,
  { search: key, number, stories: chosen }: DueSearchMail,
  search: MailedSearch | undefined,
): Promise<Outcome> {
  const { database, directory, settings, sender, now, abandonedAfter } = options;
  const mail = { of: 'search', search: key, number } as const;
  const attempt = await claimMail(database, mail, sender, abandonedAfter);
  if (attempt === null) return 'left';
  const settledEmpty = async (answer: string): Promise<'empty'> => {
    await settleMail(database, mail, sender, { state: 'empty', answer });
    return 'empty';
  };
  if (!search) return settledEmpty('the digest has ended');
  const stories = chosen ?? (await fixStories(database, mail, sender, await unmailedStories(options, search, null)));
  if (stories === null) return 'left';
  const { items, total } = await storiesOfMail(database, stories, DIGEST_STORIES);
  if (total === 0) return settledEmpty('no story of it is public');
  const filter = await filterOf(search, options);
  const watch = await watchOf(options, filter);
  const address = watch
    ? `/watch?b=${watch.brands.map(({ slug }) => slug).join(',')}`
    : filterAddress('/', { ...filter, sort: 'time' });
  const text = await composeDigest(
    {
      search,
      number,
      items,
      total,
      filter: describeFilter(filter, directory),
      url: `${settings.baseUrl}${address}`,
      watch,
    },
    settings,
    now(),
  );
  const letter = { to: search.digest_email, text };
  const delivery = await sendClaimed(options, mail, attempt, letter, retriesOf(options, search));
  logUndelivered(options, delivery, search.account, 'a digest');
  return delivery.outcome;
}

/** Opens the digests that are due, and sends all that are open; a search that cannot be read is reported. */
export async function sendSearchRound(options: RoundOptions): Promise<RoundCount> {
  const { database, now, signal, logger, abandonedAfter } = options;
  const searches = new Map((await mailedSearches(database, DIGESTS)).map((search) => [search.key, search]));
  const moment = now();
  const due = [...searches.values()].flatMap((search) => {
    const at = dueDigest(search.digest, moment);
    return at ? [{ search, at }] : [];
  });
  const latest = await latestSearchMails(
    database,
    due.map(({ search }) => search.key),
  );
  const latestOf = new Map(latest.map((one) => [one.search, one]));
  const reported = (account: string, error: unknown): void =>
    logError(logger, error, { account }, 'a digest of a saved search failed; it is retried');
  for (const { search, at } of due) {
    if (signal.aborted) break;
    const mails = latestOf.get(search.key);
    if (mails) await openDue(options, search, at, mails).catch((error) => reported(search.account, error));
  }
  return sendEach(options, await dueSearchMails(database, abandonedAfter), (mail) => {
    const search = searches.get(mail.search);
    return sendDigest(options, mail, search).catch((error) => {
      reported(search?.account ?? 'none', error);
      return 'left';
    });
  });
}

/** The digests of saved searches, every minute. @param interval milliseconds between two rounds */
export const searchMails = (interval?: number): MailRounds => roundsEvery('saved searches', sendSearchRound, interval);
