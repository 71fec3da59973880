/** GET /brief and /brief/{date}: the moves of a day that matter most, now or as they stood in the morning. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { dailyBrief } from '../../presentation/daily-brief.ts';
import { clock, istDay, longDay } from '../../presentation/dates.ts';
import { addressWith, fullTime, type Markup, outwardLink, timeTag } from '../../presentation/markup.ts';
import { clip, counted, neutralise } from '../../presentation/text.ts';
import type { Brief, BriefItem } from '../../schemas/brief.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { commaSeparated } from '../../schemas/parameters.ts';
import { IstDay, Slug } from '../../schemas/scalar.ts';
import { readQuery } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import type { Frame, Site } from '../site.ts';

const DAY = 86_400_000;
const HOURS = 24;
/** When the brief goes out, in IST. */
const MORNING = 'T07:30:00+05:30';

const names = (what: string) => commaSeparated(Slug, 50, what).optional();
const BriefQuery = z.object({
  date: IstDay.describe('a day such as 2026-11-20').optional(),
  brands: names('slugs of brands, separated by commas'),
  themes: names('slugs of themes, separated by commas'),
});

const shown = (text: string, most: number): string => clip(neutralise(text), most);

const item = (one: BriefItem): Markup => html`<li>
  <p class="kicker">${one.brand ? html`<span>${shown(one.brand, 60)}</span>` : html`<span>On the record</span>`}<span>${timeTag(one.published_at, `${clock(one.published_at)} IST`)}</span></p>
  <h2><a href="${new URL(one.url).pathname}">${shown(one.headline, 240)}</a></h2>
  ${one.delta ? html`<p class="delta">${shown(one.delta, 60)}</p>` : null}
  ${one.why_it_matters ? html`<p>${shown(one.why_it_matters, 600)}</p>` : null}
  ${one.what_to_watch ? html`<p><b>Watch:</b> ${shown(one.what_to_watch, 600)}</p>` : null}
  <p class="byline">${outwardLink(one.source.url, shown(one.source.outlet ?? 'Original report', 60))}${one.other_outlets > 0 ? ` and ${counted(one.other_outlets, 'more outlet')}` : ''}</p>
</li>`;

const dayAfter = (day: string, days: number): string => istDay(new Date(Date.parse(`${day}${MORNING}`) + days * DAY));

/** The IST day whose 07:30 passed last. */
const lastMorning = (now: Date): string => {
  const today = istDay(now);
  return now.getTime() < Date.parse(`${today}${MORNING}`) ? dayAfter(today, -1) : today;
};

interface Shown {
  readonly brief: Brief;
  /** The IST day whose morning it is; null for the brief as it stands now. */
  readonly day: string | null;
  /** The last IST day whose morning is past. */
  readonly latest: string;
  /** What narrows it, as it stands in the address. */
  readonly narrowed: string;
}

const steps = ({ day, latest, narrowed }: Shown): Markup => {
  const current = day ?? latest;
  const next = dayAfter(current, 1);
  return html`<nav class="steps" aria-label="Days">
    <a href="/brief/${day === null ? latest : dayAfter(current, -1)}${narrowed}" rel="prev">${day === null ? 'As mailed in the morning' : 'The day before'}</a>
    ${day !== null && next <= latest ? html`<a href="/brief/${next}${narrowed}" rel="next">The day after</a>` : null}
    ${day !== null ? html`<a href="/brief${narrowed}">Now</a>` : null}
  </nav>
  <form class="row" action="/brief" method="get"><div class="field"><label for="date">Another day</label>
    <input id="date" type="date" name="date" max="${latest}" value="${current}" required></div><button type="submit" class="plain">Go</button></form>`;
};

const render = (site: Frame, one: Shown): Promise<string> => {
  const { brief, day, narrowed } = one;
  const moment = day === null ? site.now().toISOString() : `${day}${MORNING}`;
  const named = [...brief.filters.brands, ...brief.filters.themes];
  return layout(site, {
    title: `${brief.label} · Clarity`,
    description: `What mattered most in Indian retail: at most twelve moves of ${brief.window_hours} hours, each with its source.`,
    collection: { trail: [{ name: 'Morning brief', path: '/brief' }], entries: brief.items },
    path: day === null ? `/brief${narrowed}` : `/brief/${day}${narrowed}`,
    body: html`<header class="subject"><p class="kicker"><span>Morning brief</span><span>${day === null ? 'as it stands now' : 'as it stood at 07:30 IST'}</span></p>
      <h1>${longDay(moment)}</h1>
      <p>${counted(brief.items.length, 'move')} of the ${brief.window_hours} hours to ${fullTime(new Date(moment).toISOString())}: told by most outlets first, never two on one event.</p>
      ${named.length > 0 ? html`<p>Only ${named.join(', ')}. <a href="/brief${day === null ? '' : `/${day}`}">All of it</a></p>` : null}</header>
    ${steps(one)}
    <p class="note"><a href="/brief/mail">Have it mailed every morning</a></p>
    ${
      brief.items.length === 0
        ? html`<p class="empty">Nothing fits in these hours. <a href="/">The feed</a> goes further back.</p>`
        : html`<ol class="briefing">${brief.items.map(item)}</ol>`
    }`,
  });
};

export function briefPage(server: FastifyInstance, site: Site): void {
  const show = async (query: unknown, day: string | null): Promise<string> => {
    const { brands = [], themes = [] } = readQuery(BriefQuery, query);
    const at = day === null ? site.now() : new Date(`${day}${MORNING}`);
    const brief = await dailyBrief(site, { brands, themes, hours: HOURS, now: at, past: day !== null });
    const listed = (slugs: readonly string[]): string | undefined => (slugs.length > 0 ? slugs.join(',') : undefined);
    const narrowed = addressWith('', { brands: listed(brands), themes: listed(themes) });
    return render(site, { brief, day, latest: lastMorning(site.now()), narrowed });
  };

  server.get('/brief', async (request, reply) => {
    const { date } = readQuery(BriefQuery, request.query);
    if (date !== undefined) return reply.redirect(`${site.baseUrl}/brief/${date}`, 302);
    return sendPage(reply, await show(request.query, null));
  });

  server.get<{ Params: { date: string } }>('/brief/:date', async (request, reply) => {
    const { date } = request.params;
    const isDay = IstDay.safeParse(date).success;
    if (!isDay || Date.parse(`${date}${MORNING}`) > site.now().getTime())
      throw new Refusal('not_found', 'There is no brief of this day, or not yet: it is made at 07:30 IST.');
    return sendPage(reply, await show(request.query, date));
  });
}
