/** What readers send: queries of addresses and guarded forms, and the form elements that pages share. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import type { z } from 'zod';
import { isOwnForm } from '../access/issuer/issuer-requests.ts';
import { sameToken } from '../access/web-session-store.ts';
import type { Reader } from '../access/web-sessions.ts';
import type { Markup } from '../presentation/markup.ts';
import { followsOf } from '../projector/models/follows-queries.ts';
import { type FollowType, targetKey } from '../schemas/follow.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { readParameters } from '../schemas/parameters.ts';
import { type Site, signInAddress } from './site.ts';

// The query of a page's address, as a form or a person writes it.

/**
 * Checks it. A field that was left empty counts as unset; what the page does not know is let pass, unlike in the API:
 * people share links with trackers hung on to them.
 * @throws Refusal naming what cannot be used
 */
export const readQuery = <Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  query: unknown,
): z.output<z.ZodObject<Shape>> =>
  readParameters(
    schema,
    Object.fromEntries(
      Object.entries(Object(query)).filter(([, value]) => typeof value !== 'string' || value.trim() !== ''),
    ),
  );

// Forms of the pages: read as text, and taken from our own pages alone.

const MAXIMUM_BYTES = 16_384;

/** What a form sends: each name once, the last wins, empty fields left out. */
export type Form = Readonly<Record<string, string>>;

/** The form of a request that `formRoutes` let in. */
export const formOf = ({ body }: Pick<FastifyRequest, 'body'>): Form => (body ?? {}) as Form;

const parsed = (text: string): Form =>
  Object.fromEntries(
    [...new URLSearchParams(text)]
      .map(([name, value]) => [name, value.trim()] as const)
      .filter(([, value]) => value !== ''),
  );

/**
 * Whether a form comes from the very address that it is sent to: the service has other names than BASE_URL, such as
 * 127.0.0.1. A stranger's name that leads here carries no session, whose cookie belongs to the name it was made for.
 */
const isOfSameHost = ({ origin, host }: FastifyRequest['headers']): boolean =>
  origin !== undefined && host !== undefined && URL.parse(origin)?.host === host;

/**
 * Registers routes whose forms are guarded: they must come from our own pages, and those of somebody who is signed in
 * must carry the token of the session, so that no other site can act for them.
 * @throws Refusal `invalid_request` for others, before their route runs
 */
export function formRoutes(
  server: FastifyInstance,
  site: Pick<Site, 'baseUrl'>,
  add: (own: FastifyInstance) => void,
): void {
  server.register(async (own) => {
    own.removeAllContentTypeParsers();
    own.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: MAXIMUM_BYTES },
      (_request, body, done) => done(null, parsed(String(body))),
    );
    own.addHook('preHandler', async (request, reply) => {
      if (request.method !== 'POST') return;
      reply.header('cache-control', 'no-store');
      if (!isOwnForm(request.headers, site.baseUrl) && !isOfSameHost(request.headers))
        throw new Refusal(
          'invalid_request',
          'This form was sent from another site. Open the page here and send it anew.',
        );
      const { reader } = request;
      if (reader && !sameToken(formOf(request).form_token ?? '', reader.formToken))
        throw new Refusal(
          'invalid_request',
          'This form was made before you signed in, or for somebody else. Go back, load the page anew and send it again.',
        );
    });
    add(own);
  });
}

// A form that changes something: it carries the token of the session that it was made for.

/** Fields that nobody sees. */
export const hidden = (fields: Readonly<Record<string, string>>): Markup =>
  html`${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`;

/**
 * @param fields what it sends besides what is typed in
 * @param body the fields that people see, and the button
 */
export const form = (
  reader: Reader | null,
  action: string,
  fields: Readonly<Record<string, string>>,
  body: Markup,
  style: 'act' | 'narrow' = 'act',
): Markup => html`<form class="${style}" method="post" action="${action}">
  ${hidden({ ...(reader ? { form_token: reader.formToken } : {}), ...fields })}${body}
</form>`;

// A list to choose one of, in a form.

export interface Choice {
  /** Empty for no choice. */
  readonly value: string;
  readonly name: string;
}

/** @param chosen the value that is chosen now; the first choice when unset */
export const choiceField = (
  name: string,
  label: string,
  choices: readonly Choice[],
  chosen: string | undefined,
): Markup =>
  html`<div class="field"><label for="${name}">${label}</label><select id="${name}" name="${name}">${choices.map(
    (choice) =>
      html`<option value="${choice.value}"${choice.value === (chosen ?? choices[0]?.value) ? html` selected` : null}>${choice.name}</option>`,
  )}</select></div>`;

/** Words that name themselves. */
export const plainChoices = (words: readonly string[]): Choice[] => words.map((word) => ({ value: word, name: word }));

// Follow and unfollow, on the page of what is followed.

interface Followable {
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
