/** GET /style: every part that pages are made of, in all its states. For those who work on the pages: on loopback only. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { isLoopbackHost } from '../../access/sign-in.ts';
import type { Markup } from '../../presentation/markup.ts';
import type { SignalItem } from '../../schemas/resources.ts';
import { StoredBrandSlug } from '../../schemas/scalar.ts';
import { feedList, signalEntry } from '../feed.ts';
import { choiceField, plainChoices, wrongFields } from '../forms.ts';
import { showPage } from '../layout.ts';
import { board, countedPart, figures, linkRow, part, plainList, subject, table } from '../parts.ts';
import type { Site } from '../site.ts';
import { followField } from './my-brands-view.ts';
import { addedLine } from './team-lists-view.ts';

const BRAND = { slug: StoredBrandSlug.parse('marigold'), name: 'Marigold Stores', role: 'primary' as const };

const story = (number: number, changes: Partial<SignalItem> = {}): SignalItem => ({
  id: `sig_000000000000000${number}`,
  slug: `story-${number}`,
  url: `https://clarity.test/signal/story-${number}`,
  headline: 'Marigold Stores opens its 60th outlet, the first in Kochi, and plans six in Gujarat by the end of March',
  summary: 'The 4,200 sq ft store at Backwater Mall is the third in Kerala this year.',
  move: 'stores',
  kind: 'Store opening',
  delta: '1 store',
  theme: null,
  brands: [{ ...BRAND, url: '/brand/marigold' }],
  cities: ['Kochi'],
  source: { outlet: 'Daily Trade', url: 'https://outlet.test/1' },
  outlets: 1,
  event_at: null,
  published_at: `2026-11-20T05:1${number}:00.000Z`,
  ...changes,
});

const STORIES = [
  story(4, { outlets: 4, delta: '₹420 Cr', move: 'deals', kind: null, headline: 'Quickbasket raises ₹420 Cr' }),
  story(3),
  story(2, { summary: null, delta: null, cities: [], brands: [{ ...BRAND, url: '' }] }),
];

const heads = (): Markup => html`${subject(
  html`<a href="/style">The page above</a>`,
  'A title with a way up',
  html`<p>One line that says what the page has</p>`,
  html`<a class="button" href="/style">Follow</a><a class="button plain" href="/style">Share</a><a class="button plain" href="/style">Feed</a>`,
)}
  ${linkRow('A row of links', [
    { path: '/style', name: 'Chosen', isCurrent: true },
    { path: '/style', name: 'Another' },
    { path: '/style', name: 'A third' },
  ])}`;

const controls = (): Markup => html`
  <p class="do"><button type="button">Main</button><button type="button" class="plain">Plain</button><button type="button" disabled>Disabled</button>
    <a class="button" href="/style">A link, main</a><a class="button plain" href="/style">A link, plain</a></p>
  <ul class="chips" aria-label="Chips"><li><a class="chip" href="/style" aria-current="true">All five <b>6</b></a></li><li><a class="chip" href="/style">Marigold Stores <b>2</b></a></li><li><a class="chip" href="/style">City: Kochi <span aria-hidden="true">✕</span></a></li><li><span class="chip">Read only</span></li></ul>
  ${wrongFields('name: missing. Allowed: at most 80 characters.')}
  <form class="narrow" action="/style" method="get" aria-label="Fields"><div class="row"><div class="field"><label for="text">Text</label><input id="text" name="text" value="Typed"></div>
    <div class="field"><label for="day">Day</label><input id="day" name="day" type="date" value="2026-11-20"></div>
    ${choiceField('choice', 'Choice', plainChoices(['First', 'Second']), 'Second')}<button type="submit" class="plain">Go</button></div>
    <div class="field"><label for="long">Long text</label><textarea id="long" name="long" rows="2">Typed</textarea></div>
    <label><input type="checkbox" name="box" checked>A box</label></form>
  <details><summary>A summary that opens</summary><p>What it hides.</p></details>`;

const tables = (): Markup =>
  part(
    'A table with aligned figures',
    table(
      'Results',
      ['Company', 'State', { figure: 'Revenue, ₹ Cr' }, { figure: 'Growth' }],
      [
        html`<tr><th scope="row">Northwind Foods</th><td><span class="health healthy">healthy</span></td><td class="figure">2,140</td><td class="figure">+11%</td></tr>`,
        html`<tr><th scope="row">Lotus Beauty</th><td><span class="health failing">failing</span></td><td class="figure">865</td><td class="figure">−4%</td></tr>`,
        html`<tr><th scope="row">Saffron Table<small>no report yet</small></th><td class="nothing">–</td><td class="figure nothing">–</td><td class="figure nothing">–</td></tr>`,
      ],
    ),
  );

const rail = (): Markup =>
  html`<aside class="rail" aria-label="A rail">${figures([
    ['opened', 9],
    ['planned', 14],
    ['closed', 1],
  ])}${countedPart(
    'Counted',
    ['Northwind Foods', 'Harvest Mart'].map(
      (name, at) => html`<li><a href="/style">${name}</a> <span>${7 - at}</span></li>`,
    ),
  )}</aside>`;

/** A story that a member of a team list added, and the members. */
const teamList =
  (): Markup => html`<div class="story-columns"><div class="stories feed"><section class="day"><div class="entries">
  ${signalEntry(story(3), () => '20 Nov', '', addedLine('Asha', '2026-11-20T05:13:00.000Z', html`<button type="button" class="plain">Remove</button>`))}</div></section></div>
  <aside class="rail" aria-label="Members"><section class="followed"><h2>Members</h2><ul><li>Asha <small>you, manages the list</small></li>
    <li>Bina <div class="do"><button type="button" class="plain">Remove</button></div></li></ul></section></aside></div>`;

/** Registers the page where the site itself is on loopback. */
export function stylePage(server: FastifyInstance, site: Site): void {
  if (!isLoopbackHost(new URL(site.baseUrl).hostname)) return;
  server.get('/style', (_request, reply) =>
    showPage(reply, site, {
      title: 'The parts of pages',
      description: 'Every part that pages are made of, in all its states.',
      body: html`<div class="pitch"><p>What the site is, in one line.</p>${followField(null)}</div>${heads()}${controls()}
      ${board([
        { path: '/style', count: '2', name: 'reported by readers', note: 'oldest 5 hours', isUrgent: true },
        { path: '/style', count: '0', name: 'signals held' },
        { path: '/style', count: '7', name: 'names without a page', note: 'oldest 2 days' },
      ])}
      <div class="story-columns"><div class="stories">${feedList(STORIES, { leads: new Set(['sig_0000000000000004']), unread: new Set(['sig_0000000000000003']) })}${feedList(STORIES, { density: 'compact' })}</div>${rail()}</div>
      ${teamList()}
      ${tables()}
      ${part('A list', plainList([html`<li><a href="/style">An entry</a><small>20 November 2026</small></li>`, html`<li>Another entry</li>`]))}
      <p class="note">A note below a part.</p><p class="empty">A page with nothing on it says what to do.</p>
      <nav class="pager" aria-label="Pages"><span></span><a href="/style" rel="next">Older entries</a></nav>`,
    }),
  );
}
