/**
 * Pages for operators and reviewers, whom the settings OPERATORS and REVIEWERS name: each lists open cases with a form
 * for every decision. Every route below /operate has the role that it needs; the guard refuses one without.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import type { Reader } from '../../../access/web-sessions.ts';
import { isForOperators } from '../../../operations/operator-errors.ts';
import type { Markup } from '../../../presentation/markup.ts';
import { mayActAs, type Role } from '../../../schemas/access.ts';
import { GO_LIVE } from '../../../schemas/configuration.ts';
import { Refusal } from '../../../schemas/input-errors.ts';
import { type Form, readForm, registerForms } from '../../forms.ts';
import { layout, sendPage, showPage } from '../../layout.ts';
import { excerpt, subject } from '../../parts.ts';
import { redirectToSignIn, type Site } from '../../site.ts';
import { type Operator, type PageAction, type PageForm, runForm } from './operator-forms.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may open a route below /operate. */
    operateRole?: Role;
  }
}

const isOperateRoute = (url: string): boolean => url === '/operate' || url.startsWith('/operate/');

/** The options of a route below /operate that is no page: the guard refuses one without them. */
export const forRole = (role: Role) => ({ config: { operateRole: role } });

/** A page for operators. */
export interface OperatorPage {
  /** Path below `/operate`, which may have parameters such as `:id`; empty for the overview. */
  readonly path: '' | `/${string}`;
  readonly title: string | ((parameters: PageParameters) => string);
  /** Who may open it; operators alone by default. */
  readonly role?: Role;
  /** The page above it; the overview by default. */
  readonly above?: { readonly path: string; readonly name: string };
  /** @param parameters the query of the address with the parameters of its path, not validated */
  body(operator: Operator, parameters: PageParameters): Promise<Markup>;
  /** Links at the right of its head. */
  readonly headLinks?: (operator: Operator) => Markup | null;
  /** Address of a script that the page can do without. */
  readonly script?: string;
  /** Seconds after which the browser reloads the page; undefined for never. */
  readonly refreshAfter?: (parameters: PageParameters) => number | undefined | Promise<number | undefined>;
  /** Its forms, by the last part of their path. Each returns to the page, or to another. A form needs the role of its page too. */
  readonly forms?: readonly PageForm[];
  /** Forms that no action has. */
  readonly actions?: Readonly<
    Record<string, (operator: Operator, form: Form, parameters: PageParameters) => Promise<unknown>>
  >;
  /** Maximum bytes of a form; see `registerForms` for the default. */
  readonly formBytes?: number;
}

/** The query of an address, with the parameters of its path. */
export type PageParameters = Readonly<Record<string, unknown>>;

const shownError = (error: unknown): unknown =>
  isForOperators(error) && !(error instanceof Refusal) ? new Refusal('invalid_request', error.message) : error;

const forOperatorsAlone = (site: Site, reader: Reader): Promise<string> =>
  layout(
    site,
    {
      title: 'For operators',
      description: 'These pages are for the operators of the service.',
      body: html`<article class="notice"><p class="kicker">Operate</p><h1>Only for operators</h1>
      <p>You are signed in as ${excerpt(reader.email ?? reader.account.name, 120)}. The setting
      <code>OPERATORS</code> does not include this account${reader.role === 'reviewer' ? html`; <code>REVIEWERS</code> does, for the <a href="/operate">pages of reviewers</a>` : null}.</p><p><a href="/account">Your account</a></p></article>`,
    },
    reader,
  );

/** The operator or reviewer of a request that the guard let in. */
function operatorOf({ reader }: FastifyRequest): Operator {
  if (!reader?.role) throw new Error('a page of operators was reached without its guard');
  return { reader, by: reader.email ?? reader.account.name };
}

/**
 * Guards every page below /operate by the role of its route. Register it before the pages.
 * @param seen is called for each route
 * @throws at start for a route without a role
 */
export function guardOperate(
  server: FastifyInstance,
  site: Site,
  seen: (method: string, url: string, role: Role) => void = () => undefined,
): void {
  server.addHook('onRoute', ({ method, url, config }) => {
    if (!isOperateRoute(url)) return;
    if (!config?.operateRole) throw new Error(`${[method].flat().join(', ')} ${url} has no role`);
    for (const one of [method].flat()) seen(one, url, config.operateRole);
  });
  server.addHook('onRequest', async (request, reply) => {
    const { url, config } = request.routeOptions;
    if (url === undefined || !isOperateRoute(url)) return;
    reply.header('cache-control', 'no-store');
    const { reader, method } = request;
    // After a form, the page that it was on.
    const page = method === 'POST' ? request.url.replace(/\/[^/]*$/, '') : request.url;
    if (!reader) return redirectToSignIn(request, reply, page);
    if (config.operateRole && mayActAs(reader.role, config.operateRole)) return;
    return sendPage(reply.code(403), await forOperatorsAlone(site, reader));
  });
}

/** Registers a page for operators and its forms. */
export function operatorPage(server: FastifyInstance, site: Site, page: OperatorPage): void {
  const address = `/operate${page.path}`;
  const role = page.role ?? 'operator';
  const roleOf = (action: PageAction): Role => (role === 'operator' ? role : (action.role ?? 'operator'));
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

  server.get(address, forRole(role), (request, reply) =>
    guarded(request, async (operator) => {
      const parameters = parametersIn(request);
      const { path: above, name } = page.above ?? { path: '/operate', name: 'Operate' };
      const up = page.path === '' ? null : html`<a href="${above}">${name}</a>`;
      const title = typeof page.title === 'string' ? page.title : page.title(parameters);
      const body = html`${subject(up, title, null, page.headLinks?.(operator) ?? null)}
        <div class="desk">${await page.body(operator, parameters)}</div>`;
      const described = { title, description: title };
      const refreshAfter = await page.refreshAfter?.(parameters);
      return showPage(reply, site, {
        ...described,
        ...(refreshAfter === undefined ? {} : { refreshAfter }),
        ...(page.script && { head: html`<script src="${page.script}" defer></script>` }),
        body,
      });
    }),
  );
  const withForms = (own: FastifyInstance): void => {
    const add = (name: string, needed: Role, act: NonNullable<OperatorPage['actions']>[string]) =>
      own.post(`${address}/${name}`, forRole(needed), (request, reply) =>
        guarded(request, async (operator) => {
          const to = await act(operator, readForm(request), parametersIn(request));
          return reply.redirect(typeof to === 'string' ? to : request.url.slice(0, -`/${name}`.length), 303);
        }),
      );
    for (const one of page.forms ?? [])
      add(one.action.name, roleOf(one.action), (operator, sent, parameters) =>
        runForm(site, operator, one, sent, parameters),
      );
    for (const [name, act] of Object.entries(page.actions ?? {})) add(name, role, act);
  };
  registerForms(server, site, withForms, page.formBytes);
}

const parametersIn = ({ query, params }: FastifyRequest): PageParameters => ({ ...Object(query), ...Object(params) });

/** How to read real sources, while the demo newsroom is read. */
export const goLive = ({ demo }: Pick<Site, 'demo'>): Markup | null =>
  demo
    ? html`<section class="made" id="go-live"><h2>Read the real sources</h2>
      <p>This is the demo newsroom. The real outlets are read by this command, in a record of their own, so that no invented
      story is mixed with theirs:</p><pre tabindex="0"><code>${GO_LIVE}</code></pre></section>`
    : null;
