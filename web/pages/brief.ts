/** GET /brief and /brief/{date}: the brief that is mailed, of the latest morning or that of a day. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { DAY, formatDay, istDay } from '../../language/days.ts';
import { formatCount } from '../../language/prose.ts';
import { addressWith, fullTime, type Markup, outwardLink, timeTag } from '../../presentation/markup.ts';
import {
  type BriefQuestion,
  composeDailyBrief,
  currentBrief,
  followedNames,
  latestBriefTime,
  morningOf,
  type TimedBrief,
} from '../../presentation/subscriptions.ts';
import { formatLongDay, formatTime, MOVE_NAMES, parseDocument } from '../../presentation/text.ts';
import { findSignal, listSignals } from '../../projector/models/signals-queries.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { commaSeparated } from '../../schemas/parameters.ts';
import { SignalItem, SignalText } from '../../schemas/resources.ts';
import { BrandSlug, IstDay, Slug } from '../../schemas/scalar.ts';
import type { Brief, BriefItem } from '../../schemas/subscriptions.ts';
import { readQuery, shareButton } from '../forms.ts';
import { type Page, showPage } from '../layout.ts';
import { excerpt, listPart, subject } from '../parts.ts';
import type { Site } from '../site.ts';

const HOURS = 24;

const BriefQuery = z.object({
  date: IstDay.describe('a day such as 2026-11-20').optional(),
  brands: commaSeparated(BrandSlug, 50, 'slugs of brands, separated by commas').optional(),
  themes: commaSeparated(Slug, 50, 'slugs of themes, separated by commas').optional(),
});

/** An item of the brief with its signal, whose summary and place the brief does not have; null where it left the record since. */
interface BriefStory {
  readonly item: BriefItem;
  readonly signal: SignalText | null;
}

/** The analysis is shown where it is all that explains the headline. */
const sentence = ({ item, signal }: BriefStory): Markup | null => {
  const [text] = [signal?.summary, signal?.deck].filter((one) => one && one !== item.headline);
  if (text) return html`<p class="summary">${excerpt(text, 220)}</p>`;
  return item.why_it_matters ? html`<p class="note summary">${excerpt(item.why_it_matters, 220)}</p>` : null;
};

const storyOf = (story: BriefStory): Markup => {
  const { item, signal } = story;
  const reported = item.reported_at ?? item.published_at;
  return html`<li class="entry">
  <div class="particulars"><h3><a href="${new URL(item.url).pathname}">${excerpt(item.headline, 240)}</a></h3>
  ${sentence(story)}
  <p class="about">${signal ? html`<span class="kicker"><a href="${addressWith('/', { kind: signal.move })}">${MOVE_NAMES[signal.move]}</a></span>` : null}${item.brand ? html`<b>${excerpt(item.brand)}</b>` : null}
  <span class="byline">${outwardLink(item.source.url, excerpt(item.source.outlet ?? 'Original report'))}${item.other_outlets > 0 ? html` <span>and ${item.other_outlets} more</span>` : null} ${timeTag(reported, formatTime(reported))}</span></p></div>
  ${item.delta ? html`<p class="delta">${excerpt(item.delta, 40)}</p>` : null}
</li>`;
};

/** The IST day that is so many days later; earlier for a negative number. */
const dayAfter = (day: string, days: number): string => istDay(new Date(morningOf(day).getTime() + days * DAY));

interface Shown {
  readonly brief: Brief;
  /** The IST day of the brief; null for the current one. */
  readonly day: string | null;
  /** The IST day of the latest morning brief. */
  readonly latest: string;
  /** The IST day of the brief that has the newest entry before it; null where the brief has items, or nothing is older. */
  readonly newest: string | null;
  /** The filters as a query, such as `?brands=zudio`. */
  readonly narrowed: string;
  /** False where its hours end now. */
  readonly isMorning: boolean;
  /** The items about what the reader follows, as they are mailed: they lead. */
  readonly followed: readonly BriefStory[];
  readonly rest: readonly BriefStory[];
}

/** The days next to it, any other day, the mail. */
const actions = ({ day, latest, narrowed, isMorning }: Shown): Markup => {
  const current = day ?? latest;
  const next = dayAfter(current, 1);
  const step = (path: string, name: string, rel: string | null): Markup =>
    html`<a class="button plain" href="${path}${narrowed}"${rel ? html` rel="${rel}"` : null}>${name}</a>`;
  return html`${step(`/brief/${isMorning ? dayAfter(current, -1) : latest}`, isMorning ? '‹ Previous day' : '‹ This morning', 'prev')}
    ${day !== null && next <= latest ? step(`/brief/${next}`, 'Next day ›', 'next') : null}${day !== null ? step('/brief', 'Latest', null) : null}
    <form class="do" action="/brief" method="get"><span class="field"><input id="date" type="date" name="date" max="${latest}" value="${current}" required aria-label="Another day" aria-describedby="date-words"><small id="date-words">${formatDay(current)}</small></span><button type="submit" class="plain">Go</button></form>
    <a class="button" href="/brief/mail">Mail at 07:30</a>`;
};

const NOTHING_FOUND = { some: 'No moves of these brands and themes in these hours.', all: 'No moves in these hours.' };

const briefView = (shown: Shown): Page => {
  const { brief, day, narrowed, newest, followed, rest } = shown;
  const { window_hours, label, filters, until: moment } = brief;
  const path = day === null ? `/brief${narrowed}` : `/brief/${day}${narrowed}`;
  const names = [...filters.brands, ...filters.themes];
  const introduction = html`<p>${formatCount(followed.length + rest.length, 'move')} of the ${window_hours} hours to ${fullTime(moment)}, most reported first${names.length > 0 ? html`. Only ${names.join(', ')}. <a href="/brief${day === null ? '' : `/${day}`}">Show everything</a>` : null}</p>`;
  const nothing = html`<div class="empty"><p>${names.length > 0 ? NOTHING_FOUND.some : NOTHING_FOUND.all} <a href="/">The feed</a> goes further back${newest ? html`: the newest entry is of <a href="/brief/${newest}">${formatDay(newest)}</a>` : null}.</p></div>`;
  return {
    title: day === null ? `${label}, latest` : label,
    description: `The top moves in Indian retail: up to twelve from ${window_hours} hours, each with its source.`,
    path,
    body: html`${subject(null, formatLongDay(moment), introduction, html`${actions(shown)}${shareButton(label, path)}`)}
    ${followed.length + rest.length === 0 ? nothing : null}
    ${listPart('Your brands', followed, (list) => html`<ol class="briefing">${list.map(storyOf)}</ol>`)}
    ${listPart(followed.length > 0 ? 'Everything else' : html`<span class="unseen">Moves</span>`, rest, (list) => html`<ol class="briefing">${list.map(storyOf)}</ol>`, followed.length > 0 ? 'part' : null)}`,
  };
};

/** The day of the brief that has the newest signal before a moment. */
async function newestBefore({ database }: Site, moment: Date, latest: string): Promise<string | null> {
  const { documents } = await listSignals(database, { until: moment.toISOString(), limit: 1 });
  const [newest] = documents.map((document) => SignalItem.parse(JSON.parse(document)));
  if (!newest) return null;
  const own = istDay(newest.published_at);
  const day = newest.published_at < morningOf(own).toISOString() ? own : dayAfter(own, 1);
  return day <= latest ? day : null;
}

async function briefOfDay(
  site: Site,
  day: string,
  filters: Pick<BriefQuestion, 'brands' | 'themes'>,
): Promise<TimedBrief> {
  const until = morningOf(day);
  const brief = await composeDailyBrief(site, { ...filters, hours: HOURS, now: until, past: true });
  return { brief, until, isMorning: true };
}

async function withSignal({ database }: Site, item: BriefItem): Promise<BriefStory> {
  const stored = await findSignal(database, item.id);
  return { item, signal: stored && 'document' in stored ? parseDocument(stored.document, SignalText) : null };
}

/** The brief of what the reader follows, as it is mailed; null for a reader who follows nothing. */
async function followedBrief(
  site: Site,
  { reader }: FastifyRequest,
  { until, isMorning }: TimedBrief,
): Promise<Brief | null> {
  if (!reader) return null;
  const { brands, themes } = await followedNames(site, reader.account.id);
  if (brands.length + themes.length === 0) return null;
  return composeDailyBrief(site, { brands, themes, match: 'either', hours: HOURS, now: until, past: isMorning });
}

export function briefPage(server: FastifyInstance, site: Site): void {
  const load = async (request: FastifyRequest, day: string | null): Promise<Page> => {
    const { brands = [], themes = [] } = readQuery(BriefQuery, request.query);
    const { brief, until, isMorning } =
      day === null
        ? await currentBrief(site, { brands, themes, now: site.now() })
        : await briefOfDay(site, day, { brands, themes });
    const listed = (slugs: readonly string[]): string | undefined => (slugs.length > 0 ? slugs.join(',') : undefined);
    const narrowed = addressWith('', { brands: listed(brands), themes: listed(themes) });
    const latest = istDay(latestBriefTime(site.now()));
    const newest = brief.items.length > 0 ? null : await newestBefore(site, until, latest);
    const isNarrowed = brands.length + themes.length > 0;
    const followed = isNarrowed ? null : await followedBrief(site, request, { brief, until, isMorning });
    const own = followed?.items ?? [];
    const rest = brief.items.filter(({ id }) => !own.some((one) => one.id === id));
    const [followedStories, stories] = await Promise.all(
      [own, rest].map((items) => Promise.all(items.map((item) => withSignal(site, item)))),
    );
    return briefView({
      brief,
      day,
      latest,
      newest,
      narrowed,
      isMorning,
      followed: followedStories ?? [],
      rest: stories ?? [],
    });
  };

  server.get('/brief', async (request, reply) => {
    const { date } = readQuery(BriefQuery, request.query);
    if (date !== undefined) return reply.redirect(`${site.baseUrl}/brief/${date}`, 302);
    return showPage(reply, site, await load(request, null));
  });

  server.get<{ Params: { date: string } }>('/brief/:date', async (request, reply) => {
    const { date } = request.params;
    const isDay = IstDay.safeParse(date).success;
    if (!isDay || morningOf(date).getTime() > site.now().getTime())
      throw new Refusal('not_found', 'No brief exists for this day. A brief is composed at 07:30 IST.');
    return showPage(reply, site, await load(request, date));
  });
}
