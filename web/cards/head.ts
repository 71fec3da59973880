/** Names the picture of a page to the places where its address is shared. */
import { html } from 'hono/html';
import type { Markup } from '../markup.ts';
import { CARD_SIZE } from './size.ts';

/** @param path of the picture */
export const cardHead = (baseUrl: string, path: string, alt: string): Markup =>
  html`<meta property="og:image" content="${baseUrl}${path}">
    <meta property="og:image:type" content="image/png">
    <meta property="og:image:width" content="${CARD_SIZE.width}">
    <meta property="og:image:height" content="${CARD_SIZE.height}">
    <meta property="og:image:alt" content="${alt}">
    <meta name="twitter:card" content="summary_large_image">`;
