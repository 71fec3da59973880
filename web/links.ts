/** Addresses: those that come from outside, and our own with their filters. */
import { html } from 'hono/html';
import { slugify } from '../schemas/identity.ts';
import type { Markup } from './markup.ts';
import { addressWith } from './read-query.ts';

/** Pages of what a signal names. The address of a city or mall is made of its name. */
export const brandPath = (slug: string): string => `/brand/${slug}`;
export const cityPath = (name: string): string => `/city/${slugify(name)}`;
export const mallPath = (name: string): string => `/mall/${slugify(name)}`;

/**
 * An address from outside, when it is safe to follow: http or https, and without a name and password in it, which
 * serve only to make an address look like another's. Null otherwise.
 */
export function safeLink(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null;
  const { protocol, username, password, href } = new URL(url);
  return /^https?:$/.test(protocol) && !username && !password ? href : null;
}

/** A link that leaves the service, or its text alone where the address is not safe. */
export const outwardLink = (url: string | null, text: string): Markup => {
  const safe = safeLink(url);
  return safe
    ? html`<a class="outward" href="${safe}" rel="noopener nofollow external">${text}</a>`
    : html`<span>${text}</span>`;
};

/** What narrows the feed of a page. */
export interface Filters {
  readonly q?: string | undefined;
  readonly kind?: string | undefined;
  readonly brand?: string | undefined;
  readonly theme?: string | undefined;
  readonly city?: string | undefined;
  readonly cursor?: string | undefined;
}

/** The address of a page with filters, unset ones left out: `/?kind=stores&city=Pune`. */
export const address = (path: string, filters: Filters): string => addressWith(path, { ...filters });
