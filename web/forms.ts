/** What readers send: queries and guarded forms, and the form elements that pages share. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { isOwnForm } from '../access/sign-in.ts';
import { type Reader, sameToken } from '../access/web-sessions.ts';
import { formatDay } from '../language/days.ts';
import type { Markup } from '../presentation/markup.ts';
import { followsOf } from '../projector/models/follows-queries.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { readParameters } from '../schemas/parameters.ts';
import { StoredBrandSlug } from '../schemas/scalar.ts';
import { type FollowType, targetKey } from '../schemas/subscriptions.ts';
import { excerpt } from './parts.ts';
import { type Site, signInAddress } from './site.ts';

/**
 * Reads the query of a page's address. An empty field counts as unset. Unknown fields are ignored, unlike in the API,
 * because shared links often carry tracking parameters.
 * @throws Refusal that names the invalid fields
 */
export const readQuery = <Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  query: unknown,
): z.output<z.ZodObject<Shape>> =>
  readParameters(
    schema,
    Object.fromEntries(
      Object.entries(Object(query)).filter(([, value]) => [value].flat().some((one) => String(one).trim() !== '')),
    ),
  );

/** A field that has one of a few values. */
export const oneOf = <const Values extends readonly string[]>(values: Values) =>
  z.enum(values).describe(`one of ${values.join(', ')}`);

/** Of newsletters, which add parameters to measure visits. */
const CAMPAIGN_PARAMETERS = /^utm_/;

/**
 * The parameters of a file, which programs read: unlike a form, an address of theirs has none that is unknown or empty.
 * @throws Refusal that names the parameters that are not allowed
 */
export function readFileQuery<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  query: unknown,
): z.output<z.ZodObject<Shape>> {
  const given = Object.entries(Object(query)).filter(([name]) => !CAMPAIGN_PARAMETERS.test(name));
  const empty = given.find(([, value]) => [value].flat().some((one) => String(one).trim() === ''));
  if (empty && empty[0] in schema.shape)
    throw new Refusal('invalid_request', `${empty[0]}: "" cannot be used. Leave it out, or give it a value.`);
  return readParameters(schema.strict(), Object.fromEntries(given));
}

/** True where a form sent empty fields: the address is then shortened. */
export const hasEmptyFields = ({ query }: Pick<FastifyRequest, 'query'>): boolean =>
  Object.values(Object(query)).flat().includes('');

const MAXIMUM_BYTES = 16_384;

/** The fields of a form: the last value of each name, without empty fields. */
export type Form = Readonly<Record<string, string>>;

/** The form of a request to a route of `formRoutes`. */
export const readForm = ({ body }: Pick<FastifyRequest, 'body'>): Form => (body ?? {}) as Form;

const parsed = (text: string): Form =>
  Object.fromEntries(
    [...new URLSearchParams(text)]
      .map(([name, value]) => [name, value.trim()] as const)
      .filter(([, value]) => value !== ''),
  );

/**
 * Whether a form comes from the host that it is sent to. The service may have other names than BASE_URL, such as
 * 127.0.0.1. A request under a foreign name carries no session: cookies belong to the name that set them.
 */
const isOfSameHost = ({ origin, host }: FastifyRequest['headers']): boolean =>
  origin !== undefined && host !== undefined && URL.parse(origin)?.host === host;

/**
 * Registers routes with guarded forms. A form must come from our own pages; that of a reader who is signed in must
 * carry the token of the session, so that no other site can act for the reader. Other forms get `invalid_request`
 * before their route runs.
 * @param bodyLimit maximum bytes of a form
 */
export function registerForms(
  server: FastifyInstance,
  site: Pick<Site, 'baseUrl'>,
  add: (own: FastifyInstance) => void,
  bodyLimit = MAXIMUM_BYTES,
): void {
  server.register(async (own) => {
    own.removeAllContentTypeParsers();
    own.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit },
      (_request, body, done) => done(null, parsed(String(body))),
    );
    own.addHook('preHandler', async (request, reply) => {
      if (request.method !== 'POST') return;
      reply.header('cache-control', 'no-store');
      if (!isOwnForm(request.headers, site.baseUrl) && !isOfSameHost(request.headers))
        throw new Refusal(
          'invalid_request',
          'This form was sent from another site. Open the page on this site and send the form again.',
        );
      const { reader } = request;
      if (reader && !sameToken(readForm(request).form_token ?? '', reader.formToken))
        throw new Refusal(
          'invalid_request',
          'This form belongs to another session. Go back, reload the page and send the form again.',
        );
    });
    add(own);
  });
}

/** What was wrong with a form; null when nothing was. */
export const wrongFields = (wrong: string | null): Markup | null =>
  wrong === null ? null : html`<p class="wrong" role="alert">${excerpt(wrong, 600)}</p>`;

/**
 * What a form makes; where its fields are invalid, the form again, with status 400.
 * @param act reads the form and does what it is for
 * @param again the form with what was typed and the error
 */
export async function orAgain(
  reply: FastifyReply,
  act: () => Promise<Markup>,
  again: (wrong: string) => Markup,
): Promise<Markup> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'invalid_request') throw error;
    reply.code(400);
    return again(error.message);
  }
}

/** Hidden fields of a form. */
export const hidden = (fields: Readonly<Record<string, string>>): Markup =>
  html`${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`;

/**
 * A form that changes something; it carries the token of the reader's session.
 * @param fields hidden fields
 * @param body the visible fields and the button
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

/**
 * The place of the button that shares a page, which the script of the page adds.
 * @param title what is shared, in words
 * @param path of the page, with the filters that are set
 */
export const shareButton = (title: string, path: string): Markup =>
  html`<p class="act" data-share="${title}" data-path="${path}"></p>`;

/** An option of a list in a form. */
export interface Choice {
  /** Empty for no choice. */
  readonly value: string;
  readonly name: string;
}

/** The options of a list. @param chosen the selected value; the first when unset */
export const options = (choices: readonly Choice[], chosen: string | undefined): Markup =>
  html`${choices.map(
    ({ value, name }) =>
      html`<option value="${value}"${value === (chosen ?? choices[0]?.value) ? html` selected` : null}>${name}</option>`,
  )}`;

/** A list to choose from. @param chosen the selected value; the first choice when unset */
export const choiceField = (
  name: string,
  label: string,
  choices: readonly Choice[],
  chosen: string | undefined,
): Markup =>
  html`<div class="field"><label for="${name}">${label}</label><select id="${name}" name="${name}">${options(choices, chosen)}</select></div>`;

/** A field for a day. In words too: browsers write days in their own order. */
export const dayField = (name: string, label: string, value: string | undefined): Markup =>
  html`<div class="field"><label for="${name}">${label}</label><input type="date" id="${name}" name="${name}" value="${value ?? ''}" aria-describedby="${name}-words"><small id="${name}-words">${value ? formatDay(value) : 'any day'}</small></div>`;

/** Choices whose names are their values. */
export const plainChoices = (words: readonly string[]): Choice[] => words.map((word) => ({ value: word, name: word }));

/** What a reader can follow, as its page names it. */
interface Followable {
  readonly type: FollowType;
  /** Its slug; of a source its id. */
  readonly slug: string;
  readonly name: string;
  /** The id behind the slug of a signal. */
  readonly signalId?: string;
}

/** The button for a reader who is signed in. @param followId the id of the follow; null when not followed */
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

/** The follow button; for readers who are not signed in, a link to the sign-in page and back. */
export async function followButton(
  { database, directory }: Pick<Site, 'database' | 'directory'>,
  request: FastifyRequest,
  target: Followable,
): Promise<Markup> {
  const { reader } = request;
  const back = request.url;
  if (!reader)
    return html`<p class="act"><a class="button" href="${signInAddress(back)}" aria-label="Sign in to follow ${target.name}">Follow</a></p>`;
  const slugs =
    target.type === 'brand' ? directory.slugsOf(StoredBrandSlug.parse(target.slug)) : [target.signalId ?? target.slug];
  const keys = new Set(slugs.map((slug) => targetKey(target.type, slug)));
  const follows = await followsOf(database, reader.account.id);
  const follow = follows.find(({ target: of, removed_at }) => removed_at === null && keys.has(of));
  return followForm(reader, target, follow?.id ?? null, back);
}
