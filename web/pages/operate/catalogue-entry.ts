/** GET /operate/catalogue/{kind}/{slug}: an entry with its forms, which lead to GET /operate/catalogue/preview. */

import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { entryNow } from '../../../ingest/catalogue/effective-catalogue.ts';
import { type ChangePreview, PREVIEW_DAYS } from '../../../ingest/catalogue/understand-again.ts';
import { formatCount } from '../../../language/prose.ts';
import { add, type Changed, edit, editedFields, merge, restore, retire } from '../../../operations/catalogue.ts';
import { fieldsOf } from '../../../operations/fields.ts';
import { fullTime, type Markup } from '../../../presentation/markup.ts';
import { slugToWords } from '../../../presentation/text.ts';
import { listCatalogueChanges } from '../../../projector/models/catalogue-queries.ts';
import { type CatalogueEntry, CatalogueKind, entryPath } from '../../../schemas/catalogue.ts';
import { quoted, Refusal } from '../../../schemas/input-errors.ts';
import { type Form, form, hidden } from '../../forms.ts';
import { excerpt, table } from '../../parts.ts';
import type { Site } from '../../site.ts';
import { CATALOGUE_PATH, changeList, liveOf } from './catalogue.ts';
import { inputOf, type PageForm, runAction, whyField } from './operator-forms.ts';
import { operatorPage, type PageParameters } from './operator-page.ts';

const PREVIEW_PATH = `${CATALOGUE_PATH}/preview`;
const SHOWN_HEADLINES = 8;
const SHOWN_CHANGES = 30;

const shown = (text: string, longest = 120): string => excerpt(text, longest);

const kindIn = ({ of }: PageParameters): CatalogueKind | undefined => CatalogueKind.safeParse(of).data;

/** What can be previewed and confirmed, by the name of the action. */
const CHANGES: ReadonlyMap<string, PageForm> = new Map(
  [add, edit, merge, retire, restore].map((action) => [
    action.name,
    {
      action,
      // A field that was emptied, or a box that is not ticked, is a change too.
      shows: (sent) => (action.name === 'edit' ? editedFields(kindIn(sent) ?? 'brand') : []),
      to: ({ kind, entry }: Changed) => entryPath(kind, entry.slug),
    },
  ]),
);

const valueIn = (entry: CatalogueEntry | null, name: string): unknown =>
  (entry as Readonly<Record<string, unknown>> | null)?.[name];
/** A value as a form writes it. */
const written = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? 'yes' : '';
  return Array.isArray(value) ? value.join('\n') : String(value ?? '');
};
const words = (label: string): string => slugToWords(label.replaceAll('_', '-'));

/** What a change does, in words. */
function sentence({ verb, kind, entry }: Changed, slug: string): string {
  const name = shown(entry.name);
  if (verb === 'add') return `Add the ${kind} ${name} (${entry.slug}).`;
  if (verb === 'merge')
    return `Merge ${slug} into ${name}: its address answers 301 to ${entry.slug}, and its names become names of ${name}.`;
  if (verb === 'retire')
    return `Retire ${name}: new stories are not put under it; its page stays, with its past stories, and says so.`;
  return verb === 'restore' ? `Restore ${name}: new stories are put under it again.` : `Change ${name}.`;
}

/** What is different after the change. */
function differences({ before, entry }: Changed): Markup {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(entry)])].filter(
    (name) => name !== 'retired_at' && written(valueIn(before, name)) !== written(valueIn(entry, name)),
  );
  const cell = (value: unknown): string => shown(written(value).replaceAll('\n', ', ') || 'nothing', 400);
  return names.length === 0
    ? html``
    : table(
        'What changes',
        ['Field', 'Now', 'Then'],
        names.map(
          (name) =>
            html`<tr><th scope="row">${words(name)}</th><td class="long">${cell(valueIn(before, name))}</td><td class="long">${cell(valueIn(entry, name))}</td></tr>`,
        ),
      );
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
  operatorPage(server, site, {
    path: '/catalogue/preview',
    title: 'Preview of a change',
    above: { path: CATALOGUE_PATH, name: 'Catalogue' },
    async body(operator, parameters) {
      const change = CHANGES.get(String(parameters.do));
      if (!change)
        throw new Refusal(
          'invalid_request',
          `do: ${quoted(parameters.do)}. Allowed: ${[...CHANGES.keys()].join(', ')}.`,
        );
      const sent: Form = Object.fromEntries(
        Object.entries(parameters).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
      );
      const changed: Changed = await runAction(site, operator, { ...change, given: () => ({ dry: true }) }, sent);
      const { kind, entry, preview } = changed;
      if (!changed.changed || !preview)
        return html`<p>Nothing would change: <a href="${entryPath(kind, entry.slug)}">${shown(entry.name)}</a> is so already.</p>`;
      return html`<p>${sentence(changed, sent.entry ?? '')}</p>${differences(changed)}
        <section><h2>Stories</h2>${concerned(preview, kind)}</section>
        ${form(operator.reader, `${PREVIEW_PATH}/${change.action.name}`, sent, html`<p>Reason: ${shown(sent.why ?? '', 300)}</p><p><button>Confirm</button></p>`)}`;
    },
    forms: [...CHANGES.values()],
  });
}

/** A form that leads to the preview. */
const towards = (fields: Readonly<Record<string, string>>, body: Markup): Markup =>
  html`<form class="narrow" method="get" action="${PREVIEW_PATH}">${hidden(fields)}${body}<p><button>Preview</button></p></form>`;

function editFields(kind: CatalogueKind, entry: CatalogueEntry): Markup[] {
  const fields = new Map(fieldsOf(edit.input).map((field) => [field.name, field]));
  return editedFields(kind).flatMap((name) => {
    const field = fields.get(name);
    return field ? inputOf(field, name, written(valueIn(entry, name)), words) : [];
  });
}

function forms(kind: CatalogueKind, entry: CatalogueEntry, revision: number): Markup {
  const about = (verb: string) => ({ do: verb, of: kind, entry: entry.slug, expected: String(revision) });
  const verb = entry.retired_at ? 'restore' : 'retire';
  return html`<details${entry.retired_at ? null : html` open`}><summary>Edit</summary>${towards(about('edit'), html`${editFields(kind, entry)}${whyField('edit')}`)}</details>
    <details><summary>Merge into another ${kind}</summary>${towards(about('merge'), html`<p class="field"><label for="into">Into: its slug</label><input id="into" name="into" maxlength="90" required></p>${whyField('merge')}`)}</details>
    <details><summary>${verb === 'retire' ? 'Retire' : 'Restore'}</summary>${towards(about(verb), whyField(verb))}</details>`;
}

function entryPage(server: FastifyInstance, site: Site): void {
  const { database, baseUrl } = site;
  const load = ({
    kind: of,
    slug,
  }: PageParameters): { readonly kind: CatalogueKind; readonly entry: CatalogueEntry } => {
    const kind = kindIn({ of });
    if (!kind) throw new Refusal('not_found', `No entries of the catalogue are called ${quoted(of)}.`);
    const entry = entryNow(liveOf(site).effective().catalogue, kind, String(slug));
    if (entry) return { kind, entry };
    throw new Refusal('not_found', `The catalogue has no ${kind} ${quoted(slug)}.`);
  };
  operatorPage(server, site, {
    path: '/catalogue/:kind/:slug',
    title: (parameters) => shown(load(parameters).entry.name, 60),
    above: { path: CATALOGUE_PATH, name: 'Catalogue' },
    async body(_operator, parameters) {
      const { kind, entry } = load(parameters);
      const slugs = [entry.slug, ...(entry.retired_slugs ?? [])];
      const changes = await listCatalogueChanges(database, SHOWN_CHANGES, { kind, slugs });
      const revision = liveOf(site).effective().lastChange(kind, entry.slug)?.number ?? 0;
      return html`<p>${kind} <a href="${baseUrl}/${kind}/${entry.slug}">/${kind}/${entry.slug}</a>${slugs.length > 1 ? html`, formerly ${slugs.slice(1).map((slug) => html`<code>${slug}</code> `)}` : null}</p>
        ${entry.retired_at ? html`<p role="status">Retired ${fullTime(entry.retired_at)}: no new story is put under it.</p>` : null}
        <section><h2>Change</h2>${forms(kind, entry, revision)}</section>
        <section><h2>Changes</h2>${changeList(changes)}</section>`;
    },
  });
}

export function catalogueEntryPages(server: FastifyInstance, site: Site): void {
  previewPage(server, site);
  entryPage(server, site);
}
