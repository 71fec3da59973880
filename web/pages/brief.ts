/**
 * GET /brief and /brief/{date}: the top moves of the last 24 hours, now or on the morning of a day. GET and POST
 * /brief/mail: the morning brief by mail. GET and POST /unsubscribe/{token}: the link that ends it, or the digest of a
 * saved search (RFC 8058).
 */

import type { FastifyInstance, FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { changeSubscription, type SubscriptionCommand } from '../../access/mails.ts';
import { changeSearches } from '../../access/subscriptions.ts';
import { isToken, newToken, type Reader } from '../../access/web-sessions.ts';
import { formatDay, istDay } from '../../language/days.ts';
import { formatCount } from '../../language/prose.ts';
import { addressWith, fullTime, type Markup, outwardLink, timeTag } from '../../presentation/markup.ts';
import { composeDailyBrief, latestBriefTime, morningOf } from '../../presentation/subscriptions.ts';
import { clip, formatLongDay, formatTime, neutralise } from '../../presentation/text.ts';
import { waitForOwnWrite } from '../../projector/model-progress.ts';
import { type Subscriber, subscriptionOf, subscriptionOfToken } from '../../projector/models/brief-queries.ts';
import { BRIEF_SUBSCRIBERS } from '../../projector/models/mail-subscriptions-read-models.ts';
import { searchByDigestToken } from '../../projector/models/saved-searches-queries.ts';
import { listSignals } from '../../projector/models/signals-queries.ts';
import type { AccountId } from '../../schemas/access.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { commaSeparated, readParameters } from '../../schemas/parameters.ts';
import { SignalItem } from '../../schemas/resources.ts';
import { BrandSlug, IstDay, Slug } from '../../schemas/scalar.ts';
import { type Brief, type BriefItem, BriefScope } from '../../schemas/subscriptions.ts';
import { form, readForm, readQuery, registerForms, shareButton } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import { type Frame, redirectToSignIn, type Site } from '../site.ts';

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
    <input id="date" type="date" name="date" max="${latest}" value="${current}" required aria-describedby="date-words"><small id="date-words">${formatDay(current)}</small></div><button type="submit" class="plain">Go</button></form>`;
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
        ? html`<div class="empty"><p>${named.length > 0 ? 'No moves of these brands and themes in these hours.' : 'No moves in these hours.'} <a href="/">The feed</a> goes further back${one.newest ? html`: the newest entry is of <a href="/brief/${one.newest}">${formatDay(one.newest)}</a>` : null}.</p></div>`
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

const PATH = '/brief/mail';
const Wanted = z.object({ scope: BriefScope.describe('everything or followed') });

const SCOPES = {
  followed: 'Brands and themes that I follow (everything while I follow none)',
  everything: 'Everything',
} as const;

const choice = (scope: keyof typeof SCOPES, chosen: BriefScope): Markup =>
  html`<label><input type="radio" name="scope" value="${scope}"${scope === chosen ? html` checked` : null}> ${SCOPES[scope]}</label>`;

function part(reader: Reader, email: string, current: Subscriber | null): Markup {
  const choices = html`<fieldset class="choices"><legend>Content</legend>
    ${choice('followed', current?.scope ?? 'followed')}${choice('everything', current?.scope ?? 'followed')}</fieldset>
    <p><button>${current ? 'Save' : 'Subscribe'}</button></p>`;
  return html`<p>The brief ${current ? 'is' : 'will be'} sent at 07:30 IST to <strong>${clip(neutralise(email), 120)}</strong>,
    up to twelve moves, each with its source. Every mail has a link to unsubscribe.</p>
  ${form(reader, PATH, {}, choices, 'narrow')}
  ${current ? form(reader, `${PATH}/end`, {}, html`<button class="plain">Unsubscribe</button>`) : null}`;
}

async function body({ database, mails }: Site, reader: Reader): Promise<Markup> {
  const { email } = reader;
  const current = await subscriptionOf(database, reader.account.id);
  return html`<header class="subject"><p class="kicker">Morning brief</p><h1>By mail, every morning</h1></header>
  <div class="desk">
  ${mails ? null : html`<p class="wrong">This service sends no mail yet: its operator has to set <code>SMTP_URL</code>. Your choice is saved.</p>`}
  ${email === null ? html`<p>Your sign-in provided no verified e-mail address, so the brief cannot be sent.</p>` : part(reader, email, current)}
  <p class="said"><a href="/brief">Today's brief</a> · <a href="/inbox">What you follow</a></p></div>`;
}

/** The brief is sent only to the address that the issuer verified, so that a user cannot subscribe others. */
export function briefMailPage(server: FastifyInstance, site: Site): void {
  const change = async (account: AccountId, command: SubscriptionCommand): Promise<void> => {
    const position = await changeSubscription(site.store, account, command, site.now());
    await waitForOwnWrite(site.database, [BRIEF_SUBSCRIBERS], position);
  };
  server.get(PATH, async (request, reply) => {
    const { reader } = request;
    if (!reader) return redirectToSignIn(request, reply);
    const page = { title: 'Morning brief by mail · Clarity', description: 'The morning brief by mail.', path: null };
    return sendPage(reply, await layout(site, { ...page, body: await body(site, reader) }));
  });
  registerForms(server, site, (own) => {
    own.post(PATH, async (request, reply) => {
      const { reader } = request;
      if (!reader) return redirectToSignIn(request, reply, PATH);
      const { email, account } = reader;
      if (email === null) throw new Refusal('invalid_request', 'Your sign-in provided no verified e-mail address.');
      const { scope } = readParameters(Wanted, readForm(request));
      await change(account.id, { do: 'subscribe', email, scope, token: newToken() });
      return reply.redirect(PATH, 303);
    });
    own.post(`${PATH}/end`, async (request, reply) => {
      const { reader } = request;
      if (!reader) return redirectToSignIn(request, reply, PATH);
      await change(reader.account.id, { do: 'unsubscribe', by: 'page' });
      return reply.redirect(PATH, 303);
    });
  });
}

/** A subscription that a link ends: what it is of, and how. */
interface Ending {
  readonly name: string;
  /** The same within a question. */
  readonly what: string;
  /** What the reader gets until then. */
  readonly now: string;
  readonly hasEnded: boolean;
  /** Where it is chosen again. */
  readonly page: string;
  end(): Promise<void>;
}

const ended = ({ page }: Ending): Markup =>
  html`<p>You will receive no more of these mails. <a href="${page}">Choose them again</a>, or <a href="/brief">read today's
  brief</a>.</p>`;

const asked = ({ now }: Ending, token: string): Markup => html`<p>${now}</p>
<form method="post" action="/unsubscribe/${token}"><input type="hidden" name="List-Unsubscribe" value="One-Click">
<p><button>Unsubscribe</button></p></form>`;

/** GET changes nothing: programs that check links open every one. */
export function unsubscribePage(server: FastifyInstance, site: Site): void {
  const { database, store, now } = site;

  async function find(token: string): Promise<Ending> {
    const [brief, search] = isToken(token)
      ? await Promise.all([subscriptionOfToken(database, token), searchByDigestToken(database, token)])
      : [null, null];
    if (brief)
      return {
        name: 'Morning brief by mail',
        what: 'the morning brief',
        now: 'You receive the morning brief at 07:30 IST.',
        hasEnded: brief.ended_at !== null,
        page: '/brief/mail',
        async end() {
          const command = { do: 'unsubscribe', by: 'one_click' } as const;
          const position = await changeSubscription(store, brief.account, command, now());
          await waitForOwnWrite(database, [BRIEF_SUBSCRIBERS], position);
        },
      };
    if (!search) throw new Refusal('not_found', 'No subscription has this link. What it ended may have been removed.');
    const { key: id, account } = search;
    return {
      name: 'Mails of a saved search',
      what: 'the mails of this search',
      now: `You receive the new entries of the saved search “${clip(neutralise(search.name), 80)}”.`,
      hasEnded: search.digest_ended_by !== null,
      page: `/searches/${id}`,
      async end() {
        const command = { do: 'end_digest', id, by: 'one_click' } as const;
        const { position } = await changeSearches({ store, account, now: now() }, command);
        await waitForOwnWrite(database, ['saved_searches'], position);
      },
    };
  }
  const show = async (reply: FastifyReply, name: string, title: string, body: Markup): Promise<FastifyReply> =>
    sendPage(
      reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer'),
      await layout(site, {
        title: `${title} · Clarity`,
        description: 'Unsubscribe from mails.',
        path: null,
        body: html`<article class="notice"><p class="kicker">${name}</p><h1>${title}</h1>${body}</article>`,
      }),
    );

  server.register(async (own) => {
    // Mail programs send forms of different types; only the address matters.
    own.removeAllContentTypeParsers();
    own.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 4_096 }, (_request, _body, done) => done(null, {}));

    own.get<{ Params: { token: string } }>('/unsubscribe/:token', async ({ params }, reply) => {
      const ending = await find(params.token);
      return ending.hasEnded
        ? show(reply, ending.name, 'You are unsubscribed', ended(ending))
        : show(reply, ending.name, `Unsubscribe from ${ending.what}?`, asked(ending, params.token));
    });

    own.post<{ Params: { token: string } }>('/unsubscribe/:token', async ({ params }, reply) => {
      const ending = await find(params.token);
      await ending.end();
      return show(reply, ending.name, 'You are unsubscribed', ended(ending));
    });
  });
}
