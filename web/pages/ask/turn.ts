/** GET /ask/{session_slug}/{turn} and POST /ask/share: a turn of a session, its owner's or a shared one. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { findTurn, shareSession } from '../../../answer/ask.ts';
import { seeOwnWrite } from '../../../api/read-own-write.ts';
import { ownSession } from '../../../projector/models/sessions-queries.ts';
import { Refusal } from '../../../schemas/refusal.ts';
import { formOf, formRoutes } from '../../forms.ts';
import { layout } from '../../layout.ts';
import { askedTurn } from '../../parts/asked-turn.ts';
import { askToSignIn } from '../../readers.ts';
import { sendPage } from '../../send-page.ts';
import type { Site } from '../../site.ts';
import { clip, neutralise } from '../../text.ts';
import { askScript } from './ask.ts';

const SLUG = /^[a-z0-9-]{1,120}$/;
const ORDINAL = /^[1-9]\d{0,3}$/;

/** 404 for whoever may not see it, without saying whether it is there. */
export function turnPage(server: FastifyInstance, site: Site): void {
  const { database, store, baseUrl, now } = site;

  server.get<{ Params: { slug: string; turn: string } }>('/ask/:slug/:turn', async (request, reply) => {
    const { reader, params } = request;
    const { slug, turn } = params;
    const account = reader?.account.id ?? null;
    const isAddress = SLUG.test(slug) && ORDINAL.test(turn);
    const found = isAddress ? await findTurn(database, slug, Number(turn), account) : null;
    if (!found) throw new Refusal('not_found', 'No question that was shared stands at this address.');
    const own = account ? await ownSession(database, slug, account) : null;
    const shown = { reader, baseUrl, slug, ordinal: found.turn.ordinal, turns: found.turns, turn: found.turn };
    const body = askedTurn({ ...shown, session: own?.id ?? null, isPublic: own?.is_public ?? true });
    const question = clip(neutralise(found.turn.question), 120);
    const described = { title: `${question} · Clarity`, description: clip(neutralise(found.turn.content), 200) };
    // A question of somebody's own has no canonical address: only what is shared is for everybody.
    const path = own && !own.is_public ? null : `/ask/${slug}/${turn}`;
    return sendPage(
      reply,
      await layout(site, {
        ...described,
        path,
        head: askScript,
        body: html`<p class="kicker"><a href="/ask">Ask</a></p><div class="desk asking" id="asked">${body}</div>`,
      }),
    );
  });

  formRoutes(server, site, (own) => {
    own.post('/ask/share', async (request, reply) => {
      const { reader } = request;
      if (!reader) return askToSignIn(request, reply, '/ask');
      const { session_id: id = '', slug = '', turn = '1', share } = formOf(request);
      const command = { id, account: reader.account.id, share: share !== 'no', now: now() };
      const { session, position } = await shareSession(store, command);
      await seeOwnWrite(database, ['sessions'], position);
      return reply.redirect(slug === session.slug && ORDINAL.test(turn) ? `/ask/${slug}/${turn}` : '/ask', 303);
    });
  });
}
