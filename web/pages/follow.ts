/** POST /follow and POST /unfollow: the forms of the follow buttons. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { localPath } from '../../access/web-sessions.ts';
import { addFollow, type Command, removeFollow } from '../../api/follows/command.ts';
import { findTarget } from '../../api/follows/find-target.ts';
import { seeOwnWrite } from '../../api/read-own-write.ts';
import { FollowBody, FollowId } from '../../schemas/follow.ts';
import { readParameters } from '../../schemas/parameters.ts';
import { formOf, formRoutes } from '../forms.ts';
import { askToSignIn } from '../readers.ts';
import type { Site } from '../site.ts';

const Unfollow = z.object({ id: FollowId.describe('the id of a follow') });

/** Each leads back to the page that it was sent from. */
export function followPage(server: FastifyInstance, site: Site): void {
  const { database, store, now } = site;
  const commandOf = (account: string): Command => ({ store, account, now: now() });
  const backOf = (request: FastifyRequest): string => localPath(formOf(request).back, '/inbox');

  formRoutes(server, site, (own) => {
    own.post('/follow', async (request, reply) => {
      const { reader } = request;
      if (!reader) return askToSignIn(request, reply, backOf(request));
      const { type, slug } = formOf(request);
      const { target } = readParameters(FollowBody, { target: { type, slug } });
      const found = await findTarget(site, target.type, target.slug);
      const { position } = await addFollow(commandOf(reader.account.id), found);
      await seeOwnWrite(database, ['follows'], position);
      return reply.redirect(backOf(request), 303);
    });

    own.post('/unfollow', async (request, reply) => {
      const { reader } = request;
      if (!reader) return askToSignIn(request, reply, backOf(request));
      const { id } = readParameters(Unfollow, formOf(request));
      await seeOwnWrite(database, ['follows'], await removeFollow(commandOf(reader.account.id), id));
      return reply.redirect(backOf(request), 303);
    });
  });
}
