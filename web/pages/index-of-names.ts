/** GET /index: every name with a page, brands by first letter. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { brandPath, cityPath, type Markup } from '../../presentation/markup.ts';
import type { Entry } from '../../schemas/directory.ts';
import { readQuery } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import { namesLoader } from '../names.ts';
import type { Site } from '../site.ts';

/** Names listed for a letter; search finds the others. */
const MAXIMUM_NAMES = 300;
const OTHERS = '0-9';

const IndexQuery = z.object({
  letter: z
    .string()
    .regex(/^(?:[a-z]|0-9)$/)
    .describe('a letter from a to z, or 0-9')
    .optional(),
});

const letterOf = ({ name }: Entry): string => {
  const first = name.normalize('NFKD').charAt(0).toLowerCase();
  return /[a-z]/.test(first) ? first : OTHERS;
};

const nameList = (entries: readonly Entry[], pathOf: (entry: Entry) => string): Markup =>
  html`<ul class="names">${entries.slice(0, MAXIMUM_NAMES).map((entry) => html`<li><a href="${pathOf(entry)}">${entry.name}</a></li>`)}</ul>`;

const part = (heading: string, entries: readonly Entry[], pathOf: (entry: Entry) => string): Markup | null =>
  entries.length === 0 ? null : html`<section class="part"><h2>${heading}</h2>${nameList(entries, pathOf)}</section>`;

export function indexPage(server: FastifyInstance, site: Site): void {
  const load = namesLoader(site);
  server.get('/index', async (request, reply) => {
    const { letter } = readQuery(IndexQuery, request.query);
    const { brands, themes, cities } = await load();
    const byLetter = Map.groupBy(brands, letterOf);
    const letters = [...byLetter.keys()].sort();
    const shown = letter ?? letters.find((one) => one !== OTHERS) ?? 'a';
    const found = byLetter.get(shown) ?? [];
    const steps = html`<nav class="steps" aria-label="Letters">${letters.map(
      (one) =>
        html`<a href="/index?letter=${one}"${one === shown ? html` aria-current="page"` : null} aria-label="Brands with ${one.toUpperCase()}">${one.toUpperCase()}</a> `,
    )}</nav>`;
    const body = html`<header class="subject"><h1>Index</h1><p>Every brand, theme, city and group of companies with a page of its own.</p></header>
      <section class="part"><h2>Brands</h2>${steps}
        ${found.length === 0 ? html`<p class="note">No brands with this letter have stories yet.</p>` : nameList(found, ({ slug }) => brandPath(slug))}
        ${found.length > MAXIMUM_NAMES ? html`<p class="note">${found.length - MAXIMUM_NAMES} more brands have this letter: <a href="/">search</a> finds them by name.</p>` : null}</section>
      ${
        letter === undefined
          ? html`${part('Groups and their results season', site.directory.groups, ({ slug }) => `/group/${slug}`)}
            ${part('Themes', themes, ({ slug }) => `/theme/${slug}`)}
            ${part('Cities', cities, ({ name }) => cityPath(name))}`
          : html`<p class="note"><a href="/index">Themes, cities and groups</a></p>`
      }`;
    const path = letter === undefined ? '/index' : `/index?letter=${letter}`;
    const title = letter === undefined ? 'Index · Clarity' : `Brands with ${letter.toUpperCase()} · Clarity`;
    const description = 'Every brand, theme, city and group of companies in the record of Indian retail.';
    return sendPage(reply, await layout(site, { title, description, path, body }));
  });
}
