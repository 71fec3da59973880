/** GET /brief and /brief/{date}: the top moves of the last 24 hours, now or on the morning of a day. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { composeDailyBrief, latestBriefTime, morningOf } from '../../presentation/daily-brief.ts';
import { addressWith, fullTime, type Markup, outwardLink, timeTag } from '../../presentation/markup.ts';
import {
  clip,
  formatCount,
  formatLongDay,
  formatShortDay,
  formatTime,
  istDay,
  neutralise,
} from '../../presentation/text.ts';
import { listSignals } from '../../projector/models/signals-queries.ts';
import type { Brief, BriefItem } from '../../schemas/brief.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { commaSeparated } from '../../schemas/parameters.ts';
import { SignalItem } from '../../schemas/resources.ts';
import { BrandSlug, IstDay, Slug } from '../../schemas/scalar.ts';
import { readQuery, shareButton } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import type { Frame, Site } from '../site.ts';

const DAY = 86_400_000;
const HOURS = 24;

const BriefQuery = z.object({
  date: IstDay.describe('a day such as 2026-11-20').optional(),
  brands: commaSeparated(BrandSlug, 50, 'slugs of brands, separated by commas').optional(),
  themes: commaSeparated(Slug, 50, 'slugs of themes, separated by commas').optional(),
});

const shown = (text: string, maximum: number): string => clip(neutralise(text), maximum);

const item = (one: BriefItem): Markup => html`<li>
  <p class="kicker">${one.brand ? html`<span>${shown(one.brand, 60)}</span>` : html`<span>On the record</span>`}<span>${timeTag(one.published_at, `${formatTime(one.published_at)} IST`)}</span></p>
  <h2><a href="${new URL(one.url).pathname}">${shown(one.headline, 240)}</a></h2>
  ${one.delta ? html`<p class="delta">${shown(one.delta, 60)}</p>` : null}
  ${one.why_it_matters ? html`<p>${shown(one.why_it_matters, 600)}</p>` : null}
  ${one.what_to_watch ? html`<p><b>Watch:</b> ${shown(one.what_to_watch, 600)}</p>` : null}
  <p class="byline">${outwardLink(one.source.url, shown(one.source.outlet ?? 'Original report', 60))}${one.other_outlets > 0 ? ` and ${formatCount(one.other_outlets, 'more outlet')}` : ''}</p>
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
}

const steps = ({ day, latest, narrowed }: Shown): Markup => {
  const current = day ?? latest;
  const next = dayAfter(current, 1);
  return html`<nav class="steps" aria-label="Days">
    <a href="/brief/${day === null ? latest : dayAfter(current, -1)}${narrowed}" rel="prev">${day === null ? 'This morning' : 'Previous day'}</a>
    ${day !== null && next <= latest ? html`<a href="/brief/${next}${narrowed}" rel="next">Next day</a>` : null}
    ${day !== null ? html`<a href="/brief${narrowed}">Now</a>` : null}
  </nav>
  <form class="row" action="/brief" method="get"><div class="field"><label for="date">Another day</label>
    <input id="date" type="date" name="date" max="${latest}" value="${current}" required aria-describedby="date-words"><small id="date-words">${formatShortDay(current)}</small></div><button type="submit" class="plain">Go</button></form>`;
};

const render = (site: Frame, one: Shown): Promise<string> => {
  const { brief, day, narrowed } = one;
  const moment = day === null ? site.now().toISOString() : morningOf(day).toISOString();
  const path = day === null ? `/brief${narrowed}` : `/brief/${day}${narrowed}`;
  const named = [...brief.filters.brands, ...brief.filters.themes];
  return layout(site, {
    title: `${brief.label} · Clarity`,
    description: `The top moves in Indian retail: up to twelve from ${brief.window_hours} hours, each with its source.`,
    collection: { trail: [{ name: 'Morning brief', path: '/brief' }], entries: brief.items },
    path,
    body: html`<header class="subject"><p class="kicker"><span>Morning brief</span><span>${day === null ? 'now' : 'at 07:30 IST'}</span></p>
      <h1>${formatLongDay(moment)}</h1>
      <p>${formatCount(brief.items.length, 'move')} from the ${brief.window_hours} hours to ${fullTime(moment)}: most reported first, never two on one event.</p>
      ${named.length > 0 ? html`<p>Only ${named.join(', ')}. <a href="/brief${day === null ? '' : `/${day}`}">Show everything</a></p>` : null}</header>
    ${steps(one)}
    <p class="act"><a class="button plain" href="/brief/mail">Get it by mail every morning</a></p>${shareButton(brief.label, path)}
    ${
      brief.items.length === 0
        ? html`<div class="empty"><p>${named.length > 0 ? 'No moves of these brands and themes in these hours.' : 'No moves in these hours.'} <a href="/">The feed</a> goes further back${one.newest ? html`: the newest entry is of <a href="/brief/${one.newest}">${formatShortDay(one.newest)}</a>` : null}.</p></div>`
        : html`<ol class="briefing">${brief.items.map(item)}</ol>`
    }`,
  });
};

export function briefPage(server: FastifyInstance, site: Site): void {
  /** The day of the brief that has the newest signal before a moment. */
  const newestBefore = async (moment: Date, latest: string): Promise<string | null> => {
    const { documents } = await listSignals(site.database, { until: moment.toISOString(), limit: 1 });
    const [found] = documents.map((document) => SignalItem.parse(JSON.parse(document)));
    if (!found) return null;
    const own = istDay(found.published_at);
    const day = found.published_at < morningOf(own).toISOString() ? own : dayAfter(own, 1);
    return day <= latest ? day : null;
  };

  const show = async (query: unknown, day: string | null): Promise<string> => {
    const { brands = [], themes = [] } = readQuery(BriefQuery, query);
    const at = day === null ? site.now() : morningOf(day);
    const brief = await composeDailyBrief(site, { brands, themes, hours: HOURS, now: at, past: day !== null });
    const listed = (slugs: readonly string[]): string | undefined => (slugs.length > 0 ? slugs.join(',') : undefined);
    const narrowed = addressWith('', { brands: listed(brands), themes: listed(themes) });
    const latest = istDay(latestBriefTime(site.now()));
    const newest = brief.items.length > 0 ? null : await newestBefore(at, latest);
    return render(site, { brief, day, latest, newest, narrowed });
  };

  server.get('/brief', async (request, reply) => {
    const { date } = readQuery(BriefQuery, request.query);
    if (date !== undefined) return reply.redirect(`${site.baseUrl}/brief/${date}`, 302);
    return sendPage(reply, await show(request.query, null));
  });

  server.get<{ Params: { date: string } }>('/brief/:date', async (request, reply) => {
    const { date } = request.params;
    const isDay = IstDay.safeParse(date).success;
    if (!isDay || morningOf(date).getTime() > site.now().getTime())
      throw new Refusal('not_found', 'No brief exists for this day. A brief is composed at 07:30 IST.');
    return sendPage(reply, await show(request.query, date));
  });
}
