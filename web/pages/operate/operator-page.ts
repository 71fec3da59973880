/**
 * Pages for operators and reviewers, whom the settings OPERATORS and REVIEWERS name: each lists open cases with a form
 * for every decision. A table has every route below /operate with the role that it needs; the guard refuses the rest.
 * GET /operate lists the open cases of every kind.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import type { Reader } from '../../../access/web-sessions.ts';
import { loadProposals } from '../../../ingest/roster/source-proposals.ts';
import type { Markup } from '../../../presentation/markup.ts';
import { clip, neutralise } from '../../../presentation/text.ts';
import { listAccounts } from '../../../projector/models/accounts-queries.ts';
import { reviewQueue } from '../../../projector/models/review-queries.ts';
import { listHeld } from '../../../projector/models/signals-queries.ts';
import { healthSnapshot } from '../../../projector/models/source-health-queries.ts';
import { listParked } from '../../../projector/parked-events.ts';
import { mayActAs, type Role } from '../../../schemas/access.ts';
import { GO_LIVE } from '../../../schemas/configuration.ts';
import { Refusal } from '../../../schemas/input-errors.ts';
import { type Form, readForm, registerForms } from '../../forms.ts';
import { layout, sendPage } from '../../layout.ts';
import { redirectToSignIn, type Site } from '../../site.ts';

/** By method and address of the route. A reviewer decides on single signals and names, an operator on everything. */
export const OPERATE_ROLES: Readonly<Record<string, Role>> = {
  'GET /operate': 'reviewer',
  'GET /operate/review': 'reviewer',
  'POST /operate/review/confirm': 'reviewer',
  'POST /operate/review/correct': 'reviewer',
  'POST /operate/review/retract': 'reviewer',
  'POST /operate/review/hold': 'reviewer',
  'POST /operate/review/merge': 'reviewer',
  'POST /operate/review/split': 'reviewer',
  'GET /operate/brands': 'reviewer',
  'GET /operate/catalogue/candidates': 'reviewer',
  'POST /operate/catalogue/candidates/promote': 'reviewer',
  'POST /operate/catalogue/candidates/refuse': 'reviewer',
  'POST /operate/catalogue/candidates/accept': 'operator',
  'POST /operate/catalogue/candidates/alias': 'operator',
  'GET /operate/catalogue': 'operator',
  'POST /operate/catalogue/import': 'operator',
  'GET /operate/catalogue/export.yaml': 'operator',
  'GET /operate/catalogue/preview': 'operator',
  'POST /operate/catalogue/preview/confirm': 'operator',
  'GET /operate/catalogue/:kind/:slug': 'operator',
  'GET /operate/signals': 'operator',
  'POST /operate/signals/release': 'operator',
  'POST /operate/signals/hold': 'operator',
  'POST /operate/signals/merge': 'operator',
  'GET /operate/applications': 'operator',
  'POST /operate/applications/approve': 'operator',
  'POST /operate/applications/reject': 'operator',
  'GET /operate/accounts': 'operator',
  'POST /operate/accounts/revoke': 'operator',
  'POST /operate/accounts/plan': 'operator',
  'GET /operate/proposals': 'operator',
  'POST /operate/proposals/accept': 'operator',
  'POST /operate/proposals/reject': 'operator',
  'GET /operate/sources': 'operator',
  'POST /operate/sources/import': 'operator',
  'GET /operate/sources/roster.opml': 'operator',
  'GET /operate/sources/:id': 'operator',
  'POST /operate/sources/:id/poll': 'operator',
  'POST /operate/sources/:id/edit': 'operator',
  'POST /operate/sources/:id/pause': 'operator',
  'POST /operate/sources/:id/resume': 'operator',
  'POST /operate/sources/:id/retire': 'operator',
  'GET /operate/add-source': 'operator',
  'POST /operate/add-source/add': 'operator',
  'GET /operate/audit': 'operator',
  'GET /operate/audit.csv': 'operator',
  'GET /operate/audit.json': 'operator',
  'GET /operate/pipeline': 'operator',
  'POST /operate/pipeline/rebuild': 'operator',
  'GET /operate/parked': 'operator',
  'POST /operate/parked/retry': 'operator',
  'POST /operate/parked/retry-message': 'operator',
  'POST /operate/parked/drop': 'operator',
  'POST /operate/parked/drop-message': 'operator',
};

/** Whether a route is among those that the table is about. */
const isOperateRoute = (url: string): boolean => url === '/operate' || url.startsWith('/operate/');

/**
 * The role that a route needs.
 * @param url the address of the route, with its parameters as they are declared
 * @throws for a route that the table lacks
 */
export function roleNeeded(method: string, url: string): Role {
  const route = `${method === 'HEAD' ? 'GET' : method} ${url}`;
  const role = Object.hasOwn(OPERATE_ROLES, route) ? OPERATE_ROLES[route] : undefined;
  if (!role) throw new Error(`${route} is missing in web/pages/operate/operator-page.ts`);
  return role;
}

/** The operator of a request. */
export interface Operator {
  readonly reader: Reader;
  /** The name in events. */
  readonly by: string;
}

/** A page for operators. */
export interface OperatorPage {
  /** Path below `/operate`, which may have parameters such as `:id`; empty for the overview. */
  readonly path: '' | `/${string}`;
  readonly title: string | ((asked: Asked) => string);
  /** The page above it; the overview by default. */
  readonly above?: { readonly path: string; readonly name: string };
  /** @param asked the query of the address with the parameters of its path, not validated */
  body(operator: Operator, asked: Asked): Promise<Markup>;
  /** Address of a script that the page can do without. */
  readonly script?: string;
  /** Seconds after which the browser reloads the page; undefined for never. */
  readonly refreshAfter?: (asked: Asked) => number | undefined | Promise<number | undefined>;
  /** The actions of its forms, by the last part of their path. Each returns to the page, or to the path that it resolves to. */
  readonly actions?: Readonly<Record<string, (operator: Operator, form: Form, asked: Asked) => Promise<unknown>>>;
  /** Maximum bytes of a form; see `registerForms` for the default. */
  readonly formBytes?: number;
}

/** The query of an address, with the parameters of its path. */
export type Asked = Readonly<Record<string, unknown>>;

/** Errors whose messages are shown to operators. */
const SHOWN_ERRORS = new Set([
  'NoSuchSignal',
  'CannotReview',
  'ProposalRefused',
  'SourceRefused',
  'PollError',
  'OtherVersionLive',
  'BrandRefused',
  'CatalogueRefused',
]);

const shownError = (error: unknown): unknown =>
  error instanceof Error && SHOWN_ERRORS.has(error.name) ? new Refusal('invalid_request', error.message) : error;

const forOperatorsAlone = (site: Site, reader: Reader): Promise<string> =>
  layout(site, {
    title: 'For operators · Clarity',
    description: 'These pages are for the operators of the service.',
    path: null,
    body: html`<article class="notice"><p class="kicker">Operate</p><h1>Only for operators</h1>
      <p>You are signed in as ${clip(neutralise(reader.email ?? reader.account.name), 120)}. The setting
      <code>OPERATORS</code> does not include this account${reader.role === 'reviewer' ? html`; <code>REVIEWERS</code> does, for the <a href="/operate">pages of reviewers</a>` : null}.</p><p><a href="/account">Your account</a></p></article>`,
  });

/** The operator or reviewer of a request that the guard let in. */
export function operatorOf({ reader }: FastifyRequest): Operator {
  if (!reader?.role) throw new Error('a page of operators was reached without its guard');
  return { reader, by: reader.email ?? reader.account.name };
}

/**
 * Guards every page below /operate by the table. Register it before the pages.
 * @throws at start for a route that the table lacks
 */
export function guardOperate(server: FastifyInstance, site: Site): void {
  server.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) if (isOperateRoute(url)) roleNeeded(one, url);
  });
  server.addHook('onRequest', async (request, reply) => {
    const { url } = request.routeOptions;
    if (url === undefined || !isOperateRoute(url)) return;
    reply.header('cache-control', 'no-store');
    const { reader, method } = request;
    // After a form, the page that it was on.
    const page = method === 'POST' ? request.url.replace(/\/[^/]*$/, '') : request.url;
    if (!reader) return redirectToSignIn(request, reply, page);
    if (mayActAs(reader.role, roleNeeded(method, url))) return;
    return sendPage(reply.code(403), await forOperatorsAlone(site, reader));
  });
}

/** Registers a page for operators and its forms. */
export function operatorPage(server: FastifyInstance, site: Site, page: OperatorPage): void {
  const address = `/operate${page.path}`;
  /** The guard of `guardOperate` let the request in. */
  const guarded = async (
    request: FastifyRequest,
    work: (operator: Operator) => Promise<FastifyReply>,
  ): Promise<FastifyReply> => {
    try {
      return await work(operatorOf(request));
    } catch (error) {
      throw shownError(error);
    }
  };

  server.get(address, (request, reply) =>
    guarded(request, async (operator) => {
      const asked = askedIn(request);
      const { path: above, name } = page.above ?? { path: '/operate', name: 'Operate' };
      const up = page.path === '' ? null : html`<a href="${above}">${name}</a>`;
      const title = typeof page.title === 'string' ? page.title : page.title(asked);
      const body = html`<header class="subject"><p class="kicker">${up ?? 'Operate'}</p><h1>${title}</h1></header>
        <div class="desk">${await page.body(operator, asked)}</div>`;
      const described = { title: `${title} · Clarity`, description: title, path: null };
      const refreshAfter = await page.refreshAfter?.(asked);
      return sendPage(
        reply,
        await layout(site, {
          ...described,
          ...(refreshAfter === undefined ? {} : { refreshAfter }),
          ...(page.script && { head: html`<script src="${page.script}" defer></script>` }),
          body,
        }),
      );
    }),
  );
  const withForms = (own: FastifyInstance): void => {
    for (const [name, act] of Object.entries(page.actions ?? {}))
      own.post(`${address}/${name}`, (request, reply) =>
        guarded(request, async (operator) => {
          const to = await act(operator, readForm(request), askedIn(request));
          return reply.redirect(typeof to === 'string' ? to : request.url.slice(0, -`/${name}`.length), 303);
        }),
      );
  };
  registerForms(server, site, withForms, page.formBytes);
}

const askedIn = ({ query, params }: FastifyRequest): Asked => ({ ...Object(query), ...Object(params) });

/** The reason of a decision, which is stored with it. @throws Refusal without a reason */
export function reasonIn({ why }: Form): string {
  if (!why) throw new Refusal('invalid_request', 'why: missing. Allowed: a reason, which is stored.');
  return why.slice(0, 500);
}

/** The field for the reason. @param id unique on the page */
export const whyField = (id: string, label = 'Reason'): Markup =>
  html`<p class="field"><label for="why-${id}">${label}</label><input id="why-${id}" name="why" maxlength="500" required></p>`;

/** How to read real sources, while the demo newsroom is read. */
export const goLive = ({ demo }: Pick<Site, 'demo'>): Markup | null =>
  demo
    ? html`<section class="made" id="go-live"><h2>Read the real sources</h2>
      <p>This is the demo newsroom. The real outlets are read by this command, in a record of their own, so that no invented
      story is mixed with theirs:</p><pre tabindex="0"><code>${GO_LIVE}</code></pre></section>`
    : null;

const MAXIMUM_COUNTED = 100;

const way = ({ reader }: Operator, path: string, name: string, waits: string, what: string): Markup | null =>
  mayActAs(reader.role, roleNeeded('GET', `/operate/${path}`))
    ? html`<li><a href="/operate/${path}">${name}</a>: ${waits}. ${what}</li>`
    : null;

export function operatePage(server: FastifyInstance, site: Site): void {
  const { database, store, now } = site;
  operatorPage(server, site, {
    path: '',
    title: 'Open cases',
    async body(operator) {
      const [applications, proposals, held, parked, doubtful, { stats }] = await Promise.all([
        listAccounts(database, { application: 'pending' }),
        loadProposals(store),
        listHeld(database, MAXIMUM_COUNTED),
        listParked(database),
        reviewQueue(database, now(), MAXIMUM_COUNTED),
        healthSnapshot(database, now()),
      ]);
      const attention = stats.failing + stats.silent + stats.degraded;
      const pending = proposals.filter(({ status }) => status === 'pending').length;
      const waiting = parked.filter(({ skipped }) => !skipped).length;
      const counted = ({ length }: readonly unknown[]): string =>
        length < MAXIMUM_COUNTED ? String(length) : `${MAXIMUM_COUNTED} or more`;
      return html`${goLive(site)}<ul class="ways">
        ${way(operator, 'applications', 'Applications', `${applications.length} open`, 'Requests for a first free key.')}
        ${way(operator, 'accounts', 'Accounts and keys', 'usage', 'Revoke a key, change a plan.')}
        ${way(operator, 'sources', 'Sources', `${attention} need attention`, 'See why, repair, pause, add and poll them.')}
        ${way(operator, 'proposals', 'Proposed sources', `${pending} open`, 'Feeds and pages that readers proposed.')}
        ${way(operator, 'review', 'Review desk', `${counted(doubtful)} not reviewed`, 'Confirm, correct, split and retract signals.')}
        ${way(operator, 'signals', 'Signals', `${counted(held)} held`, 'Release, hold and merge signals.')}
        ${way(operator, 'catalogue', 'Catalogue', 'brands, themes, groups', 'Add, rename, merge and retire them.')}
        ${way(operator, 'catalogue/candidates', 'Names that the catalogue lacks', 'from headlines', 'Accept or refuse them.')}
        ${way(operator, 'pipeline', 'Pipeline', 'delays and backlogs', 'Rebuild read models.')}
        ${way(operator, 'audit', 'Audit log', 'who, when, what, why', 'What operators did.')}
        ${way(operator, 'parked', 'Parked events', `${waiting} parked`, 'Read models could not process them.')}
      </ul>`;
    },
  });
}
