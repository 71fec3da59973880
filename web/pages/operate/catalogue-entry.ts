/**
 * GET /operate/catalogue/{kind}/{slug}: one brand, theme or group, with its forms; and GET /operate/catalogue/preview: what a change
 * would do, with the button that makes it. Every form leads to the preview first.
 */

import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import {
  type CatalogueCommand,
  type CatalogueHistory,
  type CataloguePlan,
  changeCatalogue,
  loadHistory,
  planCatalogue,
} from '../../../ingest/catalogue/catalogue-commands.ts';
import { entryNow } from '../../../ingest/catalogue/effective-catalogue.ts';
import { type ChangePreview, PREVIEW_DAYS, previewChange } from '../../../ingest/catalogue/understand-again.ts';
import { formatCount } from '../../../language/prose.ts';
import { fullTime, type Markup } from '../../../presentation/markup.ts';
import { clip, neutralise, slugToWords } from '../../../presentation/text.ts';
import { listCatalogueChanges } from '../../../projector/models/catalogue-queries.ts';
import { CATEGORIES, type CatalogueEntry, CatalogueKind, entryPath } from '../../../schemas/catalogue.ts';
import { quoted, Refusal } from '../../../schemas/input-errors.ts';
import { MOVES } from '../../../schemas/scalar.ts';
import { type Form, form, hidden } from '../../forms.ts';
import type { Site } from '../../site.ts';
import { CATALOGUE_PATH, changeList, liveOf, showChange } from './catalogue.ts';
import { whyField } from './operator-forms.ts';
import { type Asked, operatorPage, reasonIn } from './operator-page.ts';

const PREVIEW_PATH = `${CATALOGUE_PATH}/preview`;
const SHOWN_HEADLINES = 8;
const SHOWN_CHANGES = 30;

const shown = (text: string, longest = 120): string => clip(neutralise(text), longest);

/** How a field is written in a form: a line, lines, one of a list, or a box. */
interface Field {
  readonly name: string;
  readonly label: string;
  readonly as: 'line' | 'lines' | 'box' | readonly string[];
}
const line = (name: string, label: string): Field => ({ name, label, as: 'line' });
const lines = (name: string, label: string): Field => ({ name, label: `${label}, one a line`, as: 'lines' });
const BRAND_KINDS = ['brand', 'retailer', 'company', 'mall_operator', 'marketplace', 'd2c'];

const FIELDS: Readonly<Record<CatalogueKind, readonly Field[]>> = {
  brand: [
    line('name', 'Name, as headlines write it'),
    line('slug', 'Slug: the address of its page; the old one leads to it'),
    lines('aliases', 'Other names in headlines'),
    lines('legal_names', 'Company names in filings'),
    { name: 'category', label: 'Category', as: CATEGORIES },
    { name: 'kind', label: 'Kind', as: BRAND_KINDS },
    line('parent', 'Owner, by slug'),
    lines('operators', 'Companies that run it in India, by slug'),
    line('group', 'Group, by slug'),
    line('nse', 'NSE symbol'),
    { name: 'common_word', label: 'Its name is an ordinary word: it counts only in context', as: 'box' },
    lines('context', 'Words of its context'),
    lines('not_context', 'Words that rule it out'),
  ],
  theme: [
    line('name', 'Name'),
    line('slug', 'Slug: the address of its page; the old one leads to it'),
    lines('words', 'Words and phrases'),
    lines('categories', `Categories of brands (${CATEGORIES.slice(0, 3).join(', ')} …)`),
    lines('moves', `Kinds of move that it is for (${MOVES.join(', ')})`),
  ],
  group: [
    line('name', 'Name'),
    line('slug', 'Slug: the address of its page; the old one leads to it'),
    lines('aliases', 'Other names'),
    lines('members', 'Listed companies, by slug'),
    lines('categories', 'Categories'),
  ],
};

const valueIn = (entry: CatalogueEntry, name: string): unknown => (entry as unknown as Record<string, unknown>)[name];
/** A value as a form writes it. */
const written = (value: unknown): string => (Array.isArray(value) ? value.join('\n') : String(value ?? ''));

/** A field; the name in a form is that of the entry with `f_` before it, since a command has fields of its own. */
function inputOf({ name, label, as }: Field, entry: CatalogueEntry): Markup {
  const id = `f_${name}`;
  const value = valueIn(entry, name);
  if (as === 'box')
    return html`<p class="field"><label><input type="checkbox" id="${id}" name="${id}" value="yes"${value ? html` checked` : null}> ${label}</label></p>`;
  if (as === 'lines') {
    const text = written(value);
    return html`<p class="field"><label for="${id}">${label}</label><textarea id="${id}" name="${id}" rows="${Math.min(10, text.split('\n').length + 1)}">${text}</textarea></p>`;
  }
  if (as === 'line')
    return html`<p class="field"><label for="${id}">${label}</label><input id="${id}" name="${id}" maxlength="200" value="${written(value)}"${name === 'name' || name === 'slug' ? html` required` : null}></p>`;
  return html`<p class="field"><label for="${id}">${label}</label><select id="${id}" name="${id}">${as.map((one) => html`<option value="${one}"${one === value ? html` selected` : null}>${slugToWords(one.replaceAll('_', '-'))}</option>`)}</select></p>`;
}

const linesIn = (text: string): string[] => [...new Set(text.split(/\r?\n/).flatMap((one) => one.trim() || []))];

/** Fields that may be unset: emptied, they are. */
const OPTIONAL: ReadonlySet<string> = new Set(['operators', 'moves']);

function fieldValue({ name, as }: Field, text: string | undefined): unknown {
  if (as === 'box') return text === 'yes';
  if (as !== 'lines') return text?.trim() || undefined;
  const list = linesIn(text ?? '');
  return list.length === 0 && OPTIONAL.has(name) ? undefined : list;
}

const textIn = (asked: Asked | Form, name: string): string => {
  const value = asked[name];
  return typeof value === 'string' ? value : '';
};

/** The command that a form or an address names, with the change of the entry that its page showed. */
function commandIn(asked: Asked | Form): { readonly command: CatalogueCommand; readonly expected?: number } {
  const kind = CatalogueKind.safeParse(textIn(asked, 'of')).data;
  if (!kind) throw new Refusal('invalid_request', `of: ${quoted(asked.of)}. Allowed: brand, theme, group.`);
  const [verb, slug, into] = [textIn(asked, 'do'), textIn(asked, 'slug'), textIn(asked, 'into').trim()];
  const revision = textIn(asked, 'expected');
  const expected = /^\d{1,9}$/.test(revision) ? { expected: Number(revision) } : {};
  switch (verb) {
    case 'add': {
      const more = Object.fromEntries(
        FIELDS[kind].flatMap((field) => {
          const text = textIn(asked, field.name);
          return text ? [[field.name, fieldValue(field, text)]] : [];
        }),
      );
      const { slug: _, ...fields } = more;
      return { command: { do: 'add', kind, fields: { ...(kind === 'group' && { members: [] }), ...fields } } };
    }
    case 'edit': {
      const fields = Object.fromEntries(
        FIELDS[kind].map((field) => [field.name, fieldValue(field, textIn(asked, `f_${field.name}`))]),
      );
      return { command: { do: 'edit', kind, slug, fields }, ...expected };
    }
    case 'merge':
      return { command: { do: 'merge', kind, slug, into }, ...expected };
    case 'retire':
    case 'restore':
      return { command: { do: verb, kind, slug }, ...expected };
    default:
      throw new Refusal('invalid_request', `do: ${quoted(verb)}. Allowed: add, edit, merge, retire, restore.`);
  }
}

/** What a command does, in words. */
function sentence(command: CatalogueCommand, { entry }: CataloguePlan): string {
  const name = shown(entry.name);
  if (command.do === 'add') return `Add the ${command.kind} ${name} (${entry.slug}).`;
  if (command.do === 'merge')
    return `Merge ${command.slug} into ${name}: its address answers 301 to ${entry.slug}, and its names become names of ${name}.`;
  if (command.do === 'retire')
    return `Retire ${name}: new stories are not put under it; its page stays, with its past stories, and says so.`;
  return command.do === 'restore' ? `Restore ${name}: new stories are put under it again.` : `Change ${name}.`;
}

/** What is different after the change. */
function differences(history: CatalogueHistory, command: CatalogueCommand, { entry }: CataloguePlan): Markup {
  const slug = command.do === 'add' ? '' : command.do === 'merge' ? command.into : command.slug;
  const before = slug ? entryNow(history.state.catalogue, command.kind, slug) : undefined;
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(entry)])].filter(
    (name) => name !== 'retired_at' && written(before && valueIn(before, name)) !== written(valueIn(entry, name)),
  );
  const cell = (value: unknown): string => shown(written(value).replaceAll('\n', ', ') || 'nothing', 400);
  return names.length === 0
    ? html``
    : html`<div class="scroll" tabindex="0" role="region" aria-label="What changes"><table><thead><tr><th scope="col">Field</th><th scope="col">Now</th><th scope="col">Then</th></tr></thead>
    <tbody>${names.map((name) => html`<tr><th scope="row">${slugToWords(name.replaceAll('_', '-'))}</th><td class="long">${cell(before && valueIn(before, name))}</td><td class="long">${cell(valueIn(entry, name))}</td></tr>`)}</tbody></table></div>`;
}

const headlines = (stories: ChangePreview['gained']): Markup =>
  html`<ul class="plain-list">${stories.slice(0, SHOWN_HEADLINES).map(({ slug, headline }) => html`<li><a href="/signal/${slug}">${shown(headline, 200)}</a></li>`)}${stories.length > SHOWN_HEADLINES ? html`<li>and ${stories.length - SHOWN_HEADLINES} more</li>` : null}</ul>`;

/** The stories that a change concerns, with the first headlines. */
function concerned({ gained, lost, moved, isCut }: ChangePreview, kind: CatalogueKind): Markup {
  const part = (stories: ChangePreview['gained'], what: string): Markup | null =>
    stories.length === 0
      ? null
      : html`<p>${formatCount(stories.length, 'story', 'stories')}${isCut ? ' or more' : ''} of the last ${PREVIEW_DAYS} days ${what}:</p>${headlines(stories)}`;
  if (gained.length + lost.length + moved.length === 0)
    return html`<p>No story of the last ${PREVIEW_DAYS} days would be put elsewhere.</p>`;
  return html`${part(gained, `would get this ${kind}`)}${part(lost, `would lose this ${kind}`)}${part(moved, 'carry the former name or slug and would be understood again')}
    <p class="note">By their words. Which are put under it is decided by understanding them again, in the background; what reviewers corrected stays.</p>`;
}

function previewPage(server: FastifyInstance, site: Site): void {
  const { database, store, now } = site;
  operatorPage(server, site, {
    path: '/catalogue/preview',
    title: 'Preview of a change',
    above: { path: CATALOGUE_PATH, name: 'Catalogue' },
    async body({ reader, by }, asked) {
      const { command, expected } = commandIn(asked);
      const why = reasonIn({ why: textIn(asked, 'why') });
      const history = await loadHistory({ store, shipped: liveOf(site).shipped });
      const plan = planCatalogue(history, command, { by, why }, expected);
      if (plan.facts.length === 0)
        return html`<p>Nothing would change: <a href="${entryPath(command.kind, plan.entry.slug)}">${shown(plan.entry.name)}</a> is so already.</p>`;
      const preview = await previewChange(database, history, { command, plan, now: now() });
      const fields = Object.fromEntries(
        Object.entries(asked).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
      );
      return html`<p>${sentence(command, plan)}</p>${differences(history, command, plan)}
        <section><h2>Stories</h2>${concerned(preview, command.kind)}</section>
        ${form(reader, `${PREVIEW_PATH}/confirm`, fields, html`<p>Reason: ${shown(why, 300)}</p><p><button>Confirm</button></p>`)}`;
    },
    actions: {
      async confirm({ by }, sent) {
        const { command, expected } = commandIn(sent);
        const author = { by, why: reasonIn(sent) };
        const { entry } = await changeCatalogue({ store, shipped: liveOf(site).shipped, now }, (history) =>
          planCatalogue(history, command, author, expected),
        );
        await showChange(site);
        return entryPath(command.kind, entry.slug);
      },
    },
  });
}

/** A form that leads to the preview. */
const towards = (fields: Readonly<Record<string, string>>, body: Markup): Markup =>
  html`<form class="narrow" method="get" action="${PREVIEW_PATH}">${hidden(fields)}${body}<p><button>Preview</button></p></form>`;

function forms(kind: CatalogueKind, entry: CatalogueEntry, revision: number): Markup {
  const about = (verb: string) => ({ do: verb, of: kind, slug: entry.slug, expected: String(revision) });
  const verb = entry.retired_at ? 'restore' : 'retire';
  return html`<details${entry.retired_at ? null : html` open`}><summary>Edit</summary>${towards(about('edit'), html`${FIELDS[kind].map((one) => inputOf(one, entry))}${whyField('edit')}`)}</details>
    <details><summary>Merge into another ${kind}</summary>${towards(about('merge'), html`<p class="field"><label for="into">Into: its slug</label><input id="into" name="into" maxlength="90" required></p>${whyField('merge')}`)}</details>
    <details><summary>${verb === 'retire' ? 'Retire' : 'Restore'}</summary>${towards(about(verb), whyField(verb))}</details>`;
}

function entryPage(server: FastifyInstance, site: Site): void {
  const { database, baseUrl } = site;
  const kindIn = ({ kind }: Asked): CatalogueKind => {
    const found = CatalogueKind.safeParse(kind);
    if (found.success) return found.data;
    throw new Refusal('not_found', `No entries of the catalogue are called ${quoted(kind)}.`);
  };
  const load = (asked: Asked): CatalogueEntry => {
    const kind = kindIn(asked);
    const entry = entryNow(liveOf(site).effective().catalogue, kind, textIn(asked, 'slug'));
    if (entry) return entry;
    throw new Refusal('not_found', `The catalogue has no ${kind} ${quoted(asked.slug)}.`);
  };
  operatorPage(server, site, {
    path: '/catalogue/:kind/:slug',
    title: (asked) => shown(load(asked).name, 60),
    above: { path: CATALOGUE_PATH, name: 'Catalogue' },
    async body(_operator, asked) {
      const [kind, entry, live] = [kindIn(asked), load(asked), liveOf(site)];
      const slugs = [entry.slug, ...(entry.retired_slugs ?? [])];
      const changes = await listCatalogueChanges(database, SHOWN_CHANGES, { kind, slugs });
      const revision = live.effective().lastChange(kind, entry.slug)?.number ?? 0;
      return html`<p>${kind} <a href="${baseUrl}/${kind}/${entry.slug}">/${kind}/${entry.slug}</a>${slugs.length > 1 ? html`, formerly ${slugs.slice(1).map((slug) => html`<code>${slug}</code> `)}` : null}</p>
        ${entry.retired_at ? html`<p role="status">Retired ${fullTime(entry.retired_at)}: no new story is put under it.</p>` : null}
        <section>${forms(kind, entry, revision)}</section>
        <section><h2>Changes</h2>${changeList(changes)}</section>`;
    },
  });
}

export function catalogueEntryPages(server: FastifyInstance, site: Site): void {
  previewPage(server, site);
  entryPage(server, site);
}
