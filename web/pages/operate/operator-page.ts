/**
 * Pages for operators, whom the setting OPERATORS names: each lists open cases with a form for every decision. GET
 * /operate lists the open cases of every kind.
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
import { listParked } from '../../../projector/parked-events.ts';
import { Refusal } from '../../../schemas/input-errors.ts';
import { type Form, readForm, registerForms } from '../../forms.ts';
import { layout, sendPage } from '../../layout.ts';
import { redirectToSignIn, type Site } from '../../site.ts';

/** The operator of a request. */
export interface Operator {
  readonly reader: Reader;
  /** The name in events. */
  readonly by: string;
}

/** A page for operators. */
export interface OperatorPage {
  /** Path below `/operate`; empty for the overview. */
  readonly path: '' | `/${string}`;
  readonly title: string;
  /** @param asked the query of the address, not validated */
  body(operator: Operator, asked: unknown): Promise<Markup>;
  /** Address of a script that the page can do without. */
  readonly script?: string;
  /** Seconds after which the browser reloads the page; undefined for never. */
  readonly refreshAfter?: () => number | undefined;
  /** The actions of its forms, by the last part of their path. Each returns to the page. */
  readonly actions?: Readonly<Record<string, (operator: Operator, form: Form) => Promise<void>>>;
}

/** Errors whose messages are shown to operators. */
const SHOWN_ERRORS = new Set([
  'NoSuchSignal',
  'CannotReview',
  'ProposalRefused',
  'SourceRefused',
  'PollError',
  'OtherVersionLive',
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
      <code>OPERATORS</code> does not include this account.</p><p><a href="/account">Your account</a></p></article>`,
  });

/** Registers a page for operators and its forms. */
export function operatorPage(server: FastifyInstance, site: Site, page: OperatorPage): void {
  const address = `/operate${page.path}`;
  const guarded = async (
    request: FastifyRequest,
    reply: FastifyReply,
    work: (operator: Operator) => Promise<FastifyReply>,
  ): Promise<FastifyReply> => {
    const { reader } = request;
    if (!reader) return redirectToSignIn(request, reply, address);
    reply.header('cache-control', 'no-store');
    if (!reader.operator) return sendPage(reply.code(403), await forOperatorsAlone(site, reader));
    try {
      return await work({ reader, by: reader.email ?? reader.account.name });
    } catch (error) {
      throw shownError(error);
    }
  };

  server.get(address, (request, reply) =>
    guarded(request, reply, async (operator) => {
      const up = page.path === '' ? null : html`<a href="/operate">Operate</a>`;
      const body = html`<header class="subject"><p class="kicker">${up ?? 'Operate'}</p><h1>${page.title}</h1></header>
        <div class="desk">${await page.body(operator, request.query)}</div>`;
      const described = { title: `${page.title} · Clarity`, description: page.title, path: null };
      const refreshAfter = page.refreshAfter?.();
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
  registerForms(server, site, (own) => {
    for (const [name, act] of Object.entries(page.actions ?? {}))
      own.post(`${address}/${name}`, (request, reply) =>
        guarded(request, reply, async (operator) => {
          await act(operator, readForm(request));
          return reply.redirect(address, 303);
        }),
      );
  });
}

/** The reason of a decision, which is stored with it. @throws Refusal without a reason */
export function reasonIn({ why }: Form): string {
  if (!why) throw new Refusal('invalid_request', 'why: missing. Allowed: a reason, which is stored.');
  return why.slice(0, 500);
}

/** The field for the reason. @param id unique on the page */
export const whyField = (id: string, label = 'Reason'): Markup =>
  html`<p class="field"><label for="why-${id}">${label}</label><input id="why-${id}" name="why" maxlength="500" required></p>`;

const MAXIMUM_COUNTED = 100;

const way = (path: string, name: string, waits: string, what: string): Markup =>
  html`<li><a href="/operate/${path}">${name}</a>: ${waits}. ${what}</li>`;

export function operatePage(server: FastifyInstance, site: Site): void {
  const { database, store, now } = site;
  operatorPage(server, site, {
    path: '',
    title: 'Open cases',
    async body() {
      const [applications, proposals, held, parked, doubtful] = await Promise.all([
        listAccounts(database, { application: 'pending' }),
        loadProposals(store),
        listHeld(database, MAXIMUM_COUNTED),
        listParked(database),
        reviewQueue(database, now(), MAXIMUM_COUNTED),
      ]);
      const pending = proposals.filter(({ status }) => status === 'pending').length;
      const waiting = parked.filter(({ skipped }) => !skipped).length;
      const counted = ({ length }: readonly unknown[]): string =>
        length < MAXIMUM_COUNTED ? String(length) : `${MAXIMUM_COUNTED} or more`;
      return html`<ul class="ways">
        ${way('applications', 'Applications', `${applications.length} open`, 'Requests for a first free key.')}
        ${way('accounts', 'Accounts and keys', 'usage', 'Revoke a key, change a plan.')}
        ${way('proposals', 'Proposed sources', `${pending} open`, 'Feeds and pages that readers proposed.')}
        ${way('review', 'Review desk', `${counted(doubtful)} not reviewed`, 'Confirm, correct, split and retract signals.')}
        ${way('signals', 'Signals', `${counted(held)} held`, 'Release, hold and merge signals.')}
        ${way('brands', 'Brands missing from the catalogue', 'names from headlines', 'Add them to the catalogue.')}
        ${way('parked', 'Parked events', `${waiting} parked`, 'Read models could not process them.')}
      </ul>`;
    },
  });
}
