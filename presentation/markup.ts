/** Markup that pages, mails and charts share: the type, time elements, the addresses of the site; and text as XML. */

import { html } from 'hono/html';
import { formatDay } from '../language/days.ts';
import { slugify } from '../schemas/scalar.ts';
import { formatTime } from './text.ts';

/** What the escaping `html` tag makes: what is put into it is text unless it is markup itself. */
export type Markup = ReturnType<typeof html>;

/** The finished text of a page. */
export const renderMarkup = async (markup: Markup): Promise<string> => String(await markup);

/** A `time` element. @param shown the text for readers, in IST; machines read the instant */
export const timeTag = (instant: string, shown: string): Markup => html`<time datetime="${instant}">${shown}</time>`;

/** `21 November 2026, 10:02 IST` as a `time` element. */
export const fullTime = (instant: string): Markup =>
  timeTag(instant, `${formatDay(instant)}, ${formatTime(instant)} IST`);

/** As `fullTime`, but a moment that is midnight in IST or UTC is a day without an hour: the report states none. */
export const dayOrTime = (instant: string): Markup => {
  const isDay = formatTime(instant) === '00:00' || /T00:00:00(\.0+)?Z$/.test(instant);
  return isDay ? timeTag(instant, formatDay(instant)) : fullTime(instant);
};

/** Path of the page of a brand. */
export const brandPath = (slug: string): string => `/brand/${slug}`;
/** Path of the page of a city; its slug is made of its name. */
export const cityPath = (name: string): string => `/city/${slugify(name)}`;
/** Path of the page of a mall; its slug is made of its name. */
export const mallPath = (name: string): string => `/mall/${slugify(name)}`;

/**
 * An external address when it is safe to follow: http or https, without a user name and password, which serve only to
 * make one address look like another. Null otherwise.
 */
export function safeLink(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null;
  const { protocol, username, password, href } = new URL(url);
  return /^https?:$/.test(protocol) && !username && !password ? href : null;
}

/** A link to another site, or only its text where the address is not safe. */
export const outwardLink = (url: string | null, text: string): Markup => {
  const safe = safeLink(url);
  return safe
    ? html`<a class="outward" href="${safe}" rel="noopener nofollow external">${text}</a>`
    : html`<span>${text}</span>`;
};

/** The address of a page with a query, unset fields left out: `/people?lens=board`. */
export function addressWith(path: string, fields: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set)}`;
}

/** The formats of a feed: the ending of its address, its name, and its media type. */
export const FEED_FORMATS = [
  { ending: 'rss', name: 'RSS', type: 'application/rss+xml' },
  { ending: 'atom', name: 'Atom', type: 'application/atom+xml' },
  { ending: 'json', name: 'JSON Feed', type: 'application/feed+json' },
] as const;

/** Characters that XML 1.0 cannot contain in any form, such as unpaired surrogates. */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Text escaped for an element or an attribute. */
export const escapeXml = (text: string): string =>
  text.replace(FORBIDDEN, '\uFFFD').replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** An element with text in it. @param attributes their values are escaped too */
export const element = (name: string, text: string, attributes: Readonly<Record<string, string>> = {}): string =>
  `<${name}${attributesText(attributes)}>${escapeXml(text)}</${name}>`;

/** An element without content. */
export const emptyElement = (name: string, attributes: Readonly<Record<string, string>>): string =>
  `<${name}${attributesText(attributes)}/>`;

const attributesText = (attributes: Readonly<Record<string, string>>): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
    .join('');
