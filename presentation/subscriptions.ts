/**
 * The daily brief that the API, the tools, the pages and the morning mail show; follows and the inbox, as the API and
 * the pages offer them.
 */

import type { CommandServices } from '../access/account.ts';
import { markRead, type Target } from '../access/subscriptions.ts';
import { DAY, istDay } from '../language/days.ts';
import type { Queryable } from '../log/postgres/database.ts';
import { findTheme } from '../projector/models/brands-queries.ts';
import { briefCandidates, chooseBrief } from '../projector/models/brief-queries.ts';
import {
  countUnread,
  findItems,
  followsOf,
  type KeptFollow,
  type Waiting,
} from '../projector/models/follows-queries.ts';
import { findSource } from '../projector/models/source-health-queries.ts';
import type { AccountId } from '../schemas/access.ts';
import type { Directory } from '../schemas/directory.ts';
import { quoted, Refusal } from '../schemas/input-errors.ts';
import { SignalItem } from '../schemas/resources.ts';
import { type BrandSlug, SignalId, StoredBrandSlug } from '../schemas/scalar.ts';
import { SourceId } from '../schemas/source.ts';
import { BRIEF_ITEMS, type Brief, type FollowType, targetKey } from '../schemas/subscriptions.ts';
import { type BrandContext, findPublicBrand, findPublicSignal, provisionalBrands } from './public-records.ts';
import { formatLongDay } from './text.ts';

const HOUR = 3_600_000;
/** Candidates for all items: of several follow-ups of one event only one is chosen. */
const CANDIDATES = BRIEF_ITEMS * 4;

/** Hours before 07:30 IST that the morning brief covers. */
export const MORNING_HOURS = 24;
/** 07:30 IST, as the end of an RFC 3339 time. */
const MORNING = 'T07:30:00+05:30';

/** The moment of the morning brief of an IST day such as `2026-11-21`. */
export const morningOf = (day: string): Date => new Date(`${day}${MORNING}`);

/** The moment of the latest morning brief: 07:30 IST today, or yesterday before that time. */
export function latestBriefTime(now: Date): Date {
  const today = morningOf(istDay(now)).getTime();
  return new Date(today <= now.getTime() ? today : today - 24 * HOUR);
}

export interface BriefQuestion {
  /** Slugs, present or retired; empty for all. */
  readonly brands: readonly BrandSlug[];
  readonly themes: readonly string[];
  /** Where brands and themes are both given: a move has to match `both` (the default) or `either`. */
  readonly match?: 'both' | 'either';
  /** How far to look back, 1 to 72. */
  readonly hours: number;
  /** The moment at which the brief ends. */
  readonly now: Date;
  /** True for a moment in the past: later moves are left out. */
  readonly past?: boolean;
}

/** `Morning brief, Saturday 21 November 2026`. */
const briefLabel = (now: Date): string => `Morning brief, ${formatLongDay(now)}`;

/**
 * Composes a brief: at most 12 moves, ranked, and never two on one event.
 * @param question filters, hours and moment; see `BriefQuestion`
 */
export async function composeDailyBrief(
  { database, directory }: { readonly database: Queryable; readonly directory: Directory },
  { brands, themes, hours, now, match = 'both', past = false }: BriefQuestion,
): Promise<Brief> {
  const current = [...new Set(brands.map((slug) => directory.currentSlug(slug)))];
  const candidates = await briefCandidates(database, {
    since: new Date(now.getTime() - hours * HOUR),
    until: past ? now : undefined,
    brands: current.flatMap((slug) => directory.slugsOf(slug)),
    themes,
    match,
    limit: CANDIDATES,
  });
  return {
    date: istDay(now),
    label: briefLabel(now),
    window_hours: hours,
    until: now.toISOString(),
    filters: { brands: current, themes: [...themes] },
    items: chooseBrief(candidates, BRIEF_ITEMS),
  };
}

/** A brief, and the moment at which its hours end. */
export interface TimedBrief {
  readonly brief: Brief;
  readonly until: Date;
  /** False where it ends now: hours were asked for, or the morning's brief has nothing yet. */
  readonly isMorning: boolean;
}

/** Composes the brief of the latest 07:30 IST, or, with `hours` and for a young record, of the hours until now. */
export async function currentBrief(
  context: { readonly database: Queryable; readonly directory: Directory },
  {
    hours,
    now,
    ...filters
  }: Pick<BriefQuestion, 'brands' | 'themes' | 'now'> & { readonly hours?: number | undefined },
): Promise<TimedBrief> {
  if (hours === undefined) {
    const until = latestBriefTime(now);
    const brief = await composeDailyBrief(context, { ...filters, hours: MORNING_HOURS, now: until, past: true });
    if (brief.items.length > 0) return { brief, until, isMorning: true };
  }
  const brief = await composeDailyBrief(context, { ...filters, hours: hours ?? MORNING_HOURS, now });
  return { brief, until: now, isMorning: false };
}

/**
 * Finds the target of a follow, under its current slug when the one given was retired.
 * @throws Refusal `not_found`
 */
export async function findTarget(context: BrandContext, type: FollowType, slug: string): Promise<Target> {
  const { database, directory, baseUrl, now } = context;
  if (type === 'brand') {
    const profile = await findPublicBrand(context, slug);
    if ('redirect' in profile) return findTarget(context, type, profile.redirect);
    return { type, slug, name: profile.brand.name, signal_id: null };
  }
  if (type === 'signal') {
    const signal = await findPublicSignal(database, slug);
    if ('redirect' in signal) return findTarget(context, type, signal.redirect);
    const { id, headline } = SignalItem.pick({ id: true, headline: true }).parse(JSON.parse(signal.document));
    return { type, slug, name: headline, signal_id: SignalId.parse(id) };
  }
  if (type === 'theme') {
    const theme = directory.theme(slug) ?? (await findTheme(database, slug, { now: now(), baseUrl }));
    if (theme) return { type, slug, name: theme.name, signal_id: null };
  } else {
    const id = SourceId.safeParse(slug);
    const source = id.success ? await findSource(database, id.data) : null;
    if (source) return { type, slug, name: source.outlet, signal_id: null };
  }
  throw new Refusal('not_found', `No ${type} has the slug ${quoted(slug)}.`);
}

/** @property hasPage false for a brand whose name an operator refused since then */
export type ActiveFollow = KeptFollow & { readonly hasPage: boolean };

/** What an account follows, in every form in which signals may name it. */
interface AccountFollows {
  /** Active follows, newest first. */
  readonly active: readonly ActiveFollow[];
  /** Active and ended follows: an ended one keeps the entries that it delivered. */
  readonly waiting: readonly Waiting[];
}

/** Days before a follow whose signals it delivers too, as read. */
export const DAYS_BEFORE = 14;

/** Loads the follows of an account. A brand or theme matches under its current slug and its retired ones. */
export async function loadAccountFollows(
  database: Queryable,
  directory: Directory,
  account: AccountId,
): Promise<AccountFollows> {
  const follows = await followsOf(database, account);
  const targets = ({ type, slug, target }: KeptFollow): string[] =>
    type === 'brand'
      ? directory.slugsOf(directory.currentSlug(StoredBrandSlug.parse(slug))).map((one) => targetKey('brand', one))
      : type === 'theme'
        ? directory.themeSlugsOf(directory.theme(slug)?.slug ?? slug).map((one) => targetKey('theme', one))
        : [target];
  const active = follows.filter(({ removed_at }) => removed_at === null);
  const brands = active.flatMap(({ type, slug }) => (type === 'brand' ? [StoredBrandSlug.parse(slug)] : []));
  const pageless = await provisionalBrands({ database, directory }, brands);
  return {
    active: active.map((follow) => ({ ...follow, hasPage: follow.type !== 'brand' || !pageless.has(follow.slug) })),
    waiting: follows.map((follow) => ({
      id: follow.id,
      targets: targets(follow),
      // What a follow found when it began leaves with it.
      since: new Date(follow.added_at.getTime() - (follow.removed_at === null ? DAYS_BEFORE * DAY : 0)),
      added: follow.added_at,
      until: follow.removed_at,
    })),
  };
}

/** Brands, by their current slugs, and themes. */
interface FollowedNames {
  readonly brands: readonly BrandSlug[];
  readonly themes: readonly string[];
}

/** The brands and themes that an account follows: the one list of My brands, the brief, its mail and saved searches. */
export async function followedNames(
  { database, directory }: { readonly database: Queryable; readonly directory: Directory },
  account: AccountId,
): Promise<FollowedNames> {
  const follows = (await followsOf(database, account)).filter(({ removed_at }) => removed_at === null);
  const slugs = (type: FollowType): string[] => follows.filter((one) => one.type === type).map(({ slug }) => slug);
  return {
    brands: [...new Set(slugs('brand').map((slug) => directory.currentSlug(StoredBrandSlug.parse(slug))))],
    themes: [...new Set(slugs('theme').map((slug) => directory.theme(slug)?.slug ?? slug))],
  };
}

/** What marking entries as read needs. */
interface InboxContext extends CommandServices {
  readonly directory: Directory;
}

/**
 * Marks entries of an inbox as read, and waits until the account sees it.
 * @param read ids of items, or the item up to which all is read
 * @returns the number of entries that stay unread
 * @throws Refusal `not_found` for an item that the inbox does not have
 */
export async function markItemsRead(
  context: InboxContext,
  account: AccountId,
  read: { readonly ids: readonly string[] } | { readonly up_to: string },
): Promise<number> {
  const { database, directory } = context;
  const { waiting } = await loadAccountFollows(database, directory, account);
  const ids = 'ids' in read ? read.ids : [read.up_to];
  const items = await findItems(database, account, waiting, ids);
  const missing = ids.filter((id) => !items.some((item) => item.id === id));
  if (missing.length > 0) throw new Refusal('not_found', `Your inbox has no item ${missing.slice(0, 5).join(', ')}.`);
  const mark = 'up_to' in read ? items[0] : undefined;
  const fresh = items.filter(({ read_at }) => read_at === null).map(({ id }) => id);
  if (mark || fresh.length > 0) {
    const marked = mark ? { delivered_at: mark.delivered_at.toISOString(), signal_id: mark.id } : null;
    await markRead(context, { account, signal_ids: mark ? [] : fresh, up_to: marked });
  }
  return countUnread(database, account, waiting);
}
