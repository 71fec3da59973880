/** Follow and unfollow, on the page of what is followed. */
import type { FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import type { Reader } from '../../access/web-sessions.ts';
import { followsOf } from '../../projector/models/follows-queries.ts';
import { type FollowType, targetKey } from '../../schemas/follow.ts';
import type { Markup } from '../markup.ts';
import { signInAddress } from '../readers.ts';
import type { Site } from '../site.ts';
import { form } from './form.ts';

export interface Followable {
  readonly type: FollowType;
  /** Its slug; of a source its id. */
  readonly slug: string;
  readonly name: string;
  /** The id behind the slug of a signal. */
  readonly signalId?: string;
}

/** The button for somebody who is signed in. @param followId null while it is not followed */
export const followForm = (
  reader: Reader,
  { type, slug, name }: Followable,
  followId: string | null,
  back: string,
): Markup =>
  followId === null
    ? form(reader, '/follow', { type, slug, back }, html`<button aria-label="Follow ${name}">Follow</button>`)
    : form(
        reader,
        '/unfollow',
        { id: followId, back },
        html`<button class="plain" aria-label="Stop following ${name}">Following ✓</button>`,
      );

/** The button as this reader needs it: for everybody who is not signed in a link that leads there and back. */
export async function followButton(
  { database, directory }: Pick<Site, 'database' | 'directory'>,
  request: FastifyRequest,
  target: Followable,
): Promise<Markup> {
  const { reader } = request;
  const back = request.url;
  if (!reader)
    return html`<p class="act"><a class="button plain" href="${signInAddress(back)}" aria-label="Sign in to follow ${target.name}">Follow</a></p>`;
  const slugs = target.type === 'brand' ? directory.slugsOf(target.slug) : [target.signalId ?? target.slug];
  const keys = new Set(slugs.map((slug) => targetKey(target.type, slug)));
  const follows = await followsOf(database, reader.account.id);
  const known = follows.find(({ target: of, removed_at }) => removed_at === null && keys.has(of));
  return followForm(reader, target, known?.id ?? null, back);
}
