/** GET /brief and /brief/{date}: the brief that is mailed, of the latest morning or that of a day. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { DAY, formatDay, istDay } from '../../language/days.ts';
import { formatCount } from '../../language/prose.ts';
import { addressWith, fullTime, type Markup, outwardLink } from '../../presentation/markup.ts';
import {
  type BriefQuestion,
  composeDailyBrief,
  currentBrief,
  latestBriefTime,
  morningOf,
  type TimedBrief,
} from '../../presentation/subscriptions.ts';
import { formatLongDay } from '../../presentation/text.ts';
import { listSignals } from '../../projector/models/signals-queries.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { commaSeparated } from '../../schemas/parameters.ts';
import { SignalItem } from '../../schemas/resources.ts';
import { BrandSlug, IstDay, Slug } from '../../schemas/scalar.ts';
import type { Brief, BriefItem } from '../../schemas/subscriptions.ts';
import { readQuery, shareButton } from '../forms.ts';
import { type Page, showPage } from '../layout.ts';
import { excerpt, subject } from '../parts.ts';
import type { Site } from '../site.ts';

const HOURS = 24;

const BriefQuery = z.object({
  date: IstDay.describe('a day such as 2026-11-20').optional(),
  brands: commaSeparated(BrandSlug, 50, 'slugs of brands, separated by commas').optional(),
  themes: commaSeparated(Slug, 50, 'slugs of themes, separated by commas').optional(),
});

const item = (one: BriefItem): Markup => html`<li>
  <p class="kicker">${one.brand ? html`<span>${excerpt(one.brand)}</span>` : html`<span>On the record</span>`}<span>${fullTime(one.reported_at ?? one.published_at)}</span></p>
  <h2><a href="${new URL(one.url).pathname}">${excerpt(one.headline, 240)}</a></h2>
  ${one.delta ? html`<p class="delta">${excerpt(one.delta)}</p>` : null}
  ${one.why_it_matters ? html`<p>${excerpt(one.why_it_matters, 600)}</p>` : null}
  ${one.what_to_watch ? html`<p><b>Watch:</b> ${excerpt(one.what_to_watch, 600)}</p>` : null}
  <p class="byline">${outwardLink(one.source.url, excerpt(one.source.outlet ?? 'Original report'))}${one.other_outlets > 0 ? ` and ${formatCount(one.other_outlets, 'more outlet')}` : ''}</p>
</li>`;

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
  /** The end of its hours. */
  readonly until: Date;
  /** False where its hours end now. */
  readonly isMorning: boolean;
}

const steps = ({ day, latest, narrowed, isMorning }: Shown): Markup => {
  const current = day ?? latest;
  const next = dayAfter(current, 1);
  return html`<nav class="steps" aria-label="Days">
    <a href="/brief/${isMorning ? dayAfter(current, -1) : latest}${narrowed}" rel="prev">${isMorning ? 'Previous day' : 'This morning'}</a>
    ${day !== null && next <= latest ? html`<a href="/brief/${next}${narrowed}" rel="next">Next day</a>` : null}
    ${day !== null ? html`<a href="/brief${narrowed}">Latest</a>` : null}
  </nav>
  <form class="row" action="/brief" method="get"><div class="field"><label for="date">Another day</label>
    <input id="date" type="date" name="date" max="${latest}" value="${current}" required aria-describedby="date-words"><small id="date-words">${formatDay(current)}</small></div><button type="submit" class="plain">Go</button></form>`;
};

const NOTHING_FOUND = { some: 'No moves of these brands and themes in these hours.', all: 'No moves in these hours.' };

const briefView = (shown: Shown): Page => {
  const { brief, day, narrowed, newest, until, isMorning } = shown;
  const { items, window_hours, label, filters } = brief;
  const moment = until.toISOString();
  const path = day === null ? `/brief${narrowed}` : `/brief/${day}${narrowed}`;
  const names = [...filters.brands, ...filters.themes];
  const introduction = html`<p>${formatCount(items.length, 'move')} from the ${window_hours} hours to ${fullTime(moment)}: most reported first, never two on one event.</p>
      ${names.length > 0 ? html`<p>Only ${names.join(', ')}. <a href="/brief${day === null ? '' : `/${day}`}">Show everything</a></p>` : null}`;
  const nothing = html`<div class="empty"><p>${names.length > 0 ? NOTHING_FOUND.some : NOTHING_FOUND.all} <a href="/">The feed</a> goes further back${newest ? html`: the newest entry is of <a href="/brief/${newest}">${formatDay(newest)}</a>` : null}.</p></div>`;
  return {
    title: label,
    description: `The top moves in Indian retail: up to twelve from ${window_hours} hours, each with its source.`,
    collection: { trail: [{ name: 'Morning brief', path: '/brief' }], entries: items },
    path,
    body: html`${subject(html`<span>Morning brief</span><span>${isMorning ? 'at 07:30 IST' : 'now'}</span>`, formatLongDay(moment), introduction)}
    ${steps(shown)}
    <p class="act"><a class="button plain" href="/brief/mail">Get it by mail every morning</a></p>${shareButton(label, path)}
    ${items.length === 0 ? nothing : html`<ol class="briefing">${items.map(item)}</ol>`}`,
  };
};

export function briefPage(server: FastifyInstance, site: Site): void {
  /** The day of the brief that has the newest signal before a moment. */
  const newestBefore = async (moment: Date, latest: string): Promise<string | null> => {
    const { documents } = await listSignals(site.database, { until: moment.toISOString(), limit: 1 });
    const [newest] = documents.map((document) => SignalItem.parse(JSON.parse(document)));
    if (!newest) return null;
    const own = istDay(newest.published_at);
    const day = newest.published_at < morningOf(own).toISOString() ? own : dayAfter(own, 1);
    return day <= latest ? day : null;
  };

  const briefOfDay = async (day: string, filters: Pick<BriefQuestion, 'brands' | 'themes'>): Promise<TimedBrief> => {
    const until = morningOf(day);
    const brief = await composeDailyBrief(site, { ...filters, hours: HOURS, now: until, past: true });
    return { brief, until, isMorning: true };
  };

  const load = async (query: unknown, day: string | null): Promise<Page> => {
    const { brands = [], themes = [] } = readQuery(BriefQuery, query);
    const { brief, until, isMorning } =
      day === null
        ? await currentBrief(site, { brands, themes, now: site.now() })
        : await briefOfDay(day, { brands, themes });
    const listed = (slugs: readonly string[]): string | undefined => (slugs.length > 0 ? slugs.join(',') : undefined);
    const narrowed = addressWith('', { brands: listed(brands), themes: listed(themes) });
    const latest = istDay(latestBriefTime(site.now()));
    const newest = brief.items.length > 0 ? null : await newestBefore(until, latest);
    return briefView({ brief, day, latest, newest, narrowed, until, isMorning });
  };

  server.get('/brief', async (request, reply) => {
    const { date } = readQuery(BriefQuery, request.query);
    if (date !== undefined) return reply.redirect(`${site.baseUrl}/brief/${date}`, 302);
    return showPage(reply, site, await load(request.query, null));
  });

  server.get<{ Params: { date: string } }>('/brief/:date', async (request, reply) => {
    const { date } = request.params;
    const isDay = IstDay.safeParse(date).success;
    if (!isDay || morningOf(date).getTime() > site.now().getTime())
      throw new Refusal('not_found', 'No brief exists for this day. A brief is composed at 07:30 IST.');
    return showPage(reply, site, await load(request.query, date));
  });
}
