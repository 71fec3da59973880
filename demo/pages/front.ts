/** The front page: every outlet with its page and its feed. */
import { html } from 'hono/html';
import type { Document } from '../formats/document.ts';
import { OUTLETS } from '../outlets.ts';
import { page } from './layout.ts';

export const frontPage = (): Promise<Document> =>
  page(
    'The demo newsroom',
    html`<h1>The demo newsroom</h1>
<p>${OUTLETS.length} outlets that do not exist report on Indian retail. Brands, cities and malls are real, everything said of them is invented.</p>
<ul>${OUTLETS.map(
      ({ id, name, about, file, kind }) =>
        html`<li><a href="/${id}">${name}</a> <small>${kind}: <a href="/${id}/${file}">/${id}/${file}</a></small><br>${about}</li>`,
    )}</ul>`,
  );
