/** Tells browsers and feed readers where the feeds of a page stand. */
import { html } from 'hono/html';
import { FEED_FORMS } from '../../api/feeds/forms.ts';
import type { Markup } from '../markup.ts';

/** Elements for the head. @param path of the page, such as `/brand/zudio`; empty for the whole record */
export const feedLinks = (path: string, title: string): Markup =>
  html`${FEED_FORMS.map(
    ({ ending, name, type }) =>
      html`<link rel="alternate" type="${type}" title="${title} (${name})" href="${path}/feed.${ending}">
    `,
  )}`;
