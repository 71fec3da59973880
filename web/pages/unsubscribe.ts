/** GET and POST /unsubscribe/{token}: the link of every mailed brief, for people and for mail programs (RFC 8058). */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { changeSubscription } from '../../access/brief-subscription.ts';
import { isToken } from '../../access/web-session-store.ts';
import { seeOwnWrite } from '../../api/read-own-write.ts';
import { type Subscriber, subscriptionOfToken } from '../../projector/models/brief-subscribers-queries.ts';
import { BRIEF_SUBSCRIBERS } from '../../projector/models/brief-subscribers-read-model.ts';
import { Refusal } from '../../schemas/refusal.ts';
import { layout } from '../layout.ts';
import type { Markup } from '../markup.ts';
import { sendPage } from '../send-page.ts';
import type { Site } from '../site.ts';

const ENDED = html`<p>No further brief is mailed to you. <a href="/brief/mail">Begin it again</a>, or <a href="/brief">read
  today's here</a>.</p>`;

const asked = (token: string): Markup => html`<p>The morning brief is mailed to you at 07:30 IST.</p>
<form method="post" action="/unsubscribe/${token}"><input type="hidden" name="List-Unsubscribe" value="One-Click">
<p><button>End it</button></p></form>`;

/** A look alone ends nothing: programs that check links look at every one. */
export function unsubscribePage(server: FastifyInstance, site: Site): void {
  const find = async (token: string): Promise<Subscriber> => {
    const found = isToken(token) ? await subscriptionOfToken(site.database, token) : null;
    if (!found) throw new Refusal('not_found', 'No subscription has this link.');
    return found;
  };
  const show = async (reply: FastifyReply, title: string, body: Markup): Promise<FastifyReply> =>
    sendPage(
      reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer'),
      await layout(site, {
        title: `${title} · Clarity`,
        description: 'Ends the morning brief by mail.',
        path: null,
        body: html`<article class="notice"><p class="kicker">Morning brief by mail</p><h1>${title}</h1>${body}</article>`,
      }),
    );

  server.register(async (own) => {
    // Mail programs send a form of either kind; the address says all that is needed.
    own.removeAllContentTypeParsers();
    own.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 4_096 }, (_request, _body, done) => done(null, {}));

    own.get<{ Params: { token: string } }>('/unsubscribe/:token', async ({ params }, reply) => {
      const { ended_at } = await find(params.token);
      return ended_at ? show(reply, 'It has ended', ENDED) : show(reply, 'End the morning brief?', asked(params.token));
    });

    own.post<{ Params: { token: string } }>('/unsubscribe/:token', async ({ params }, reply) => {
      const { account } = await find(params.token);
      const position = await changeSubscription(
        site.store,
        account,
        { do: 'unsubscribe', by: 'one_click' },
        site.now(),
      );
      await seeOwnWrite(site.database, [BRIEF_SUBSCRIBERS], position);
      return show(reply, 'It has ended', ENDED);
    });
  });
}
