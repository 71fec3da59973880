/** GET /operate/catalogue: the catalogue in use; /operate/catalogue/candidates: names that it lacks. */

import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { type CatalogueImport, exportCatalogue } from '../../../ingest/catalogue/catalogue-file.ts';
import { entriesOf, type LiveCatalogue, namesOfEntry } from '../../../ingest/catalogue/effective-catalogue.ts';
import { guessCategory } from '../../../ingest/catalogue/guess-category.ts';
import { DAY } from '../../../language/days.ts';
import { formatCount, formatNumber } from '../../../language/prose.ts';
import { acceptName, nameOfBrand, promote, refuse } from '../../../operations/brands.ts';
import { importFile } from '../../../operations/catalogue-files.ts';
import { addressWith, fullTime, type Markup } from '../../../presentation/markup.ts';
import { provisionalBrands } from '../../../presentation/public-records.ts';
import { slugToWords } from '../../../presentation/text.ts';
import {
  type Candidate,
  candidateBrands,
  catalogueProgress,
  headlinesOf,
  listCatalogueChanges,
  type MadeChange,
} from '../../../projector/models/catalogue-queries.ts';
import { mayActAs } from '../../../schemas/access.ts';
import {
  CATALOGUE_KINDS,
  CATEGORIES,
  type CatalogueEntry,
  CatalogueKind,
  type CatalogueProgress,
  entryPath,
} from '../../../schemas/catalogue.ts';
import { Refusal } from '../../../schemas/input-errors.ts';
import { slugify } from '../../../schemas/scalar.ts';
import { choiceField, plainChoices, readQuery } from '../../forms.ts';
import { REVIEW_SCRIPT } from '../../layout.ts';
import { excerpt, table } from '../../parts.ts';
import type { Site } from '../../site.ts';
import {
  actionForm,
  type FormOptions,
  foldedForm,
  type Operator,
  type PageAction,
  whyField,
} from './operator-forms.ts';
import { forRole, operatorPage } from './operator-page.ts';

export const CATALOGUE_PATH = '/operate/catalogue';
const CANDIDATES_PATH = `${CATALOGUE_PATH}/candidates`;
const DAYS = 30;
const SHOWN = 50;
const SHOWN_CANDIDATES = 40;
const SHOWN_CHANGES = 20;
const SHOWN_NEAR = 3;
const RELOAD_SECONDS = 3;
/** A run notes its progress every two seconds; one that has not for so long was ended. */
const SILENT = 30_000;
/** An exported catalogue has about 900 KB. */
const FILE_BYTES = 4_000_000;

const shown = (text: string, longest = 80): string => excerpt(text, longest);

/** The catalogue of this process. @throws Refusal where it has none */
export function liveOf({ catalogue }: Site): LiveCatalogue {
  if (catalogue) return catalogue;
  throw new Refusal('invalid_request', 'This process has no catalogue to change. Use "clarity catalogue".');
}

const VERBS: Readonly<Record<string, string>> = {
  CatalogueEntryAdded: 'added',
  CatalogueEntryChanged: 'changed',
  CatalogueEntryMerged: 'merged',
  CatalogueEntryRetired: 'retired',
  CatalogueEntryRestored: 'restored',
};

/** The changes, the newest first. */
export const changeList = (changes: readonly MadeChange[]): Markup =>
  changes.length === 0
    ? html`<p class="empty">No changes: it is as shipped.</p>`
    : html`<ul class="plain-list">${changes.map(
        ({ number, kind, slug, type, at, by, why }) =>
          html`<li>${number}. ${kind} <a href="${CATALOGUE_PATH}/${kind}/${slug}">${shown(slug)}</a> ${VERBS[type] ?? type} by ${shown(by)}: ${shown(why, 300)} <small>${fullTime(at.toISOString())}</small></li>`,
      )}</ul>`;

const PHASES: Readonly<Record<CatalogueProgress['phase'], string>> = {
  search: 'finding the items that contain affected names',
  history: 'finding their stories',
  items: 'understanding them',
  signals: 'comparing stories',
  stories: 'queuing new moves',
};

/** How far stories are understood by the changes, with a bar while a run is on. */
function understood(number: number, last: Awaited<ReturnType<typeof catalogueProgress>>, now: Date): Markup | null {
  const progress = last?.progress;
  if (number === 0) return null;
  const { through = 0, state = 'done', phase = 'search', done = 0, total = 0 } = progress ?? {};
  if (state === 'done' && through >= number && progress)
    return html`<p role="status">Stories are understood by all ${formatCount(number, 'change')}: the last run compared ${formatCount(progress.signals, 'story', 'stories')}, found ${formatCount(progress.stories, 'new move')} and appended ${formatCount(progress.appended, 'event')}. What reviewers corrected stays.</p>`;
  const isSilent = last && state === 'running' && now.getTime() - last.at.getTime() > SILENT;
  const running =
    state === 'running'
      ? html`${PHASES[phase]}, ${formatNumber(done)} of ${formatNumber(total)} <progress max="${Math.max(total, 1)}" value="${done}" aria-label="${PHASES[phase]}"></progress>`
      : html`waiting for the process <code>understand</code>, which begins some seconds after the last change`;
  return html`<p role="status">Stories are being understood again: ${running}${isSilent ? html`. It has made no progress for a while, and continues when its process is back` : null}.</p>`;
}

const Search = z.object({
  q: z.string().trim().max(120).optional(),
  kind: CatalogueKind.optional().catch(undefined),
  added: z.coerce.number().int().optional().catch(undefined),
  changed: z.coerce.number().int().optional().catch(undefined),
  kept: z.coerce.number().int().optional().catch(undefined),
  conflicts: z.string().max(2_000).optional(),
});

/** Entries whose slug or names contain a text. */
function search(live: LiveCatalogue, text: string, kind: CatalogueKind | undefined) {
  const wanted = slugify(text);
  const { catalogue } = live.effective();
  return CATALOGUE_KINDS.filter((one) => kind === undefined || one === kind).flatMap((one) =>
    entriesOf(catalogue, one)
      .filter(
        (entry) =>
          [entry.slug, ...(entry.retired_slugs ?? [])].some((slug) => slug.includes(wanted)) ||
          namesOfEntry(entry).some((name) => slugify(name).includes(wanted)),
      )
      .map((entry) => ({ kind: one, entry })),
  );
}

const detailOf = (entry: CatalogueEntry): string =>
  'words' in entry ? entry.words.join(', ') : 'members' in entry ? entry.members.join(', ') : entry.aliases.join(', ');

const entryRow = (live: LiveCatalogue, { kind, entry }: { kind: CatalogueKind; entry: CatalogueEntry }): Markup => {
  const last = live.effective().lastChange(kind, entry.slug);
  return html`<tr><th scope="row"><a href="${entryPath(kind, entry.slug)}">${shown(entry.name)}</a><small>${entry.slug}</small></th>
    <td>${kind}${entry.retired_at ? ', retired' : null}</td><td class="long">${shown(detailOf(entry), 120)}</td><td>${last ? `change ${last.number}` : 'as shipped'}</td></tr>`;
};

/** What an import did, which the address of the page names. */
const imported = ({ added, changed, kept, conflicts }: z.infer<typeof Search>): Markup | null =>
  added === undefined
    ? null
    : html`<p role="status">Imported: ${formatCount(added, 'entry', 'entries')} added, ${changed ?? 0} changed, ${kept ?? 0} kept as changed here.${
        conflicts
          ? html` In conflict, and kept as they are here: ${conflicts.split(',').map((slug) => html`<code>${shown(slug)}</code> `)}. <code>clarity catalogue import</code> prints both values of each field.`
          : null
      }</p>`;

function importedAddress({ entries }: Pick<CatalogueImport, 'entries'>): string {
  const count = (...outcomes: string[]): string =>
    String(entries.filter(({ outcome }) => outcomes.includes(outcome)).length);
  const conflicts = entries.flatMap(({ outcome, slug }) => (outcome === 'conflict' ? [slug] : []));
  return addressWith(CATALOGUE_PATH, {
    added: count('added'),
    changed: count('changed', 'merged', 'renamed'),
    kept: count('kept'),
    conflicts: conflicts.slice(0, 20).join(',') || undefined,
  });
}

const addForm = (kind: CatalogueKind): Markup => html`<details><summary>Add a ${kind}</summary>
  <form class="narrow" method="get" action="${CATALOGUE_PATH}/preview"><input type="hidden" name="do" value="add"><input type="hidden" name="of" value="${kind}">
    <p class="field"><label for="name-${kind}">Name, as headlines write it</label><input id="name-${kind}" name="name" maxlength="120" required></p>
    ${kind === 'brand' ? categoryField(`category-${kind}`) : null}
    <p class="field"><label for="more-${kind}">${kind === 'theme' ? 'Words and phrases' : kind === 'group' ? 'Members, by slug' : 'Other names in headlines'}, one a line</label><textarea id="more-${kind}" name="${kind === 'group' ? 'members' : 'aliases'}" rows="3"></textarea></p>
    ${whyField(`add-${kind}`)}<p><button>Preview</button></p></form></details>`;

const categoryField = (id: string, chosen = 'other'): Markup =>
  html`<p class="field"><label for="${id}">Category</label><select id="${id}" name="category">${CATEGORIES.map(
    (one) =>
      html`<option value="${one}"${one === chosen ? html` selected` : null}>${slugToWords(one.replaceAll('_', '-'))}</option>`,
  )}</select></p>`;

function deskPage(server: FastifyInstance, site: Site): void {
  const { database, now } = site;
  operatorPage(server, site, {
    path: '/catalogue',
    title: 'Catalogue',
    formBytes: FILE_BYTES,
    async refreshAfter() {
      const { number } = liveOf(site).effective();
      const last = await catalogueProgress(database);
      return number > 0 && (last?.progress.state === 'running' || (last?.progress.through ?? 0) < number)
        ? RELOAD_SECONDS
        : undefined;
    },
    async body(operator, parameters) {
      const live = liveOf(site);
      const query = readQuery(Search, parameters);
      const { number, conflicts, catalogue } = live.effective();
      const [progress, changes] = await Promise.all([
        catalogueProgress(database),
        listCatalogueChanges(database, SHOWN_CHANGES),
      ]);
      const entries = query.q ? search(live, query.q, query.kind) : [];
      return html`${imported(query)}${understood(number, progress, now())}
        <p>${formatCount(catalogue.brands.length, 'brand')}, ${formatCount(catalogue.themes.length, 'theme')}, ${formatCount(catalogue.groups.length, 'group')}: the shipped files with ${formatCount(number, 'change')} made here. <a href="${CANDIDATES_PATH}">Names in headlines that it lacks</a>.</p>
        <form class="row" method="get" action="${CATALOGUE_PATH}" role="search" aria-label="Catalogue">
          <div class="field"><label for="q">Name or slug</label><input id="q" name="q" maxlength="120" value="${query.q ?? ''}"></div>
          ${choiceField('kind', 'Kind', [{ value: '', name: 'All' }, ...plainChoices(CATALOGUE_KINDS)], query.kind ?? '')}
          <div><button class="plain">Find</button></div></form>
        ${
          query.q === undefined
            ? null
            : entries.length === 0
              ? html`<p class="empty">Nothing of the catalogue is called ${shown(query.q)}.</p>`
              : html`${table(
                  'Entries found',
                  ['Name', 'Kind', 'Other names, words or members', 'Last change'],
                  entries.slice(0, SHOWN).map((one) => entryRow(live, one)),
                )}${entries.length > SHOWN ? html`<p class="note">${SHOWN} of ${entries.length}: narrow the search.</p>` : null}`
        }
        <section><h2>Add an entry</h2>${CATALOGUE_KINDS.map(addForm)}</section>
        ${conflicts.length === 0 ? null : html`<section><h2>Conflicts with the shipped files</h2><ul class="plain-list">${conflicts.map(({ kind, slug, text }) => html`<li>${kind} <code>${shown(slug)}</code> ${shown(text, 300)}</li>`)}</ul></section>`}
        <section><h2>Last changes</h2>${changeList(changes)}</section>
        <section><h2>YAML</h2><p><a href="${CATALOGUE_PATH}/export.yaml" download>Export the catalogue in use</a></p>
          ${foldedForm(operator, importFile, 'Import', {
            at: CATALOGUE_PATH,
            body: html`<p>An entry that the file has as it is shipped keeps what was changed here. What both changed stays as it is here, and is listed.</p>`,
            shown: { file: '' },
            button: 'Import',
            isPlain: true,
          })}</section>`;
    },
    forms: [{ action: importFile, to: importedAddress }],
  });
  server.get(`${CATALOGUE_PATH}/export.yaml`, forRole('operator'), async (_request, reply) => {
    const text = exportCatalogue(liveOf(site).effective().catalogue, now().toISOString());
    reply.header('cache-control', 'no-store').type('application/yaml; charset=utf-8');
    return reply.header('content-disposition', 'attachment; filename="catalogue.yaml"').send(text);
  });
}

const KEYS = html`<details class="keys" id="keys"><summary>Keys</summary>
  <p><kbd>j</kbd> and <kbd>k</kbd>: the next and the previous name. On a name: <kbd>a</kbd> accept as a brand, <kbd>r</kbd> refuse,
  <kbd>p</kbd> give it a page, <kbd>1</kbd> to <kbd>3</kbd> it is that brand. <kbd>?</kbd> shows this.</p>
  <p><label><input type="checkbox" data-keys checked> Keys are on</label></p></details>`;

interface Case {
  readonly candidate: Candidate;
  readonly isProvisional: boolean;
  readonly headlines: Awaited<ReturnType<typeof headlinesOf>>;
  readonly near: readonly { readonly slug: string; readonly name: string }[];
  /** Guessed from name and headlines. */
  readonly category: string;
}

function candidateCase(operator: Operator, { candidate, isProvisional, headlines, near, category }: Case): Markup {
  const { slug, name, stories, last_seen_at, decision } = candidate;
  const state = decision ?? (isProvisional ? 'provisional, without a page' : 'has a page by its second story');
  const act = (action: PageAction, fields: Record<string, string>, options: Omit<FormOptions, 'at' | 'why'>): Markup =>
    actionForm(operator, action, { at: CANDIDATES_PATH, hidden: { slug, ...fields }, why: false, ...options });
  const change = mayActAs(operator.reader.role, 'operator')
    ? html`${act(acceptName, { name, why: 'named in headlines' }, { body: categoryField(`category-${slug}`, category), button: 'Accept as a brand', label: `Accept as a brand: ${shown(name)}`, pressedBy: 'a' })}
      ${near.map((one, index) => act(nameOfBrand, { name, brand: one.slug, why: 'another name of it in headlines' }, { button: `It is ${shown(one.name)}`, label: `It is ${shown(one.name)}: ${shown(name)}`, pressedBy: String(index + 1), isPlain: true }))}`
    : null;
  return html`<article class="case" tabindex="-1" data-case><h2>${isProvisional ? shown(name) : html`<a href="/brand/${slug}">${shown(name)}</a>`}</h2>
    <p class="said">${formatCount(stories, 'story', 'stories')} in ${DAYS} days, the last ${fullTime(last_seen_at.toISOString())} · ${state} · <code>${slug}</code></p>
    <ul class="plain-list">${headlines.map((one) => html`<li><a href="/signal/${one.slug}">${shown(one.headline, 200)}</a></li>`)}</ul>
    <p class="note">${near.length === 0 ? 'No name of the catalogue is near.' : html`Nearest: ${near.map((one, at) => html`${at > 0 ? ', ' : ''}<a href="/brand/${one.slug}">${shown(one.name)}</a>`)}`}</p>
    ${change}
    ${act(refuse, { why: 'no brand' }, { button: 'Refuse', label: `Refuse ${shown(name)}`, pressedBy: 'r', isPlain: true })}
    ${decision === 'promoted' ? null : act(promote, { why: 'a brand' }, { button: 'Give it a page', label: `Give it a page: ${shown(name)}`, pressedBy: 'p', isPlain: true })}
  </article>`;
}

function candidatesPage(server: FastifyInstance, site: Site): void {
  const { database, directory, gazetteer, now } = site;
  const nearest = (name: string): Case['near'] => {
    const finding = gazetteer.findCompany(name);
    const names = finding.found ? [finding.found.name] : finding.nearest;
    return names.slice(0, SHOWN_NEAR).flatMap((one) => directory.brandNamed(one) ?? []);
  };
  const load = async (): Promise<Case[]> => {
    const catalogued = directory.brands.flatMap(({ slug }) => directory.slugsOf(slug));
    const since = new Date(now().getTime() - DAYS * DAY);
    const candidates = await candidateBrands(database, { known: catalogued, since, limit: SHOWN_CANDIDATES });
    const [provisional, headlines] = await Promise.all([
      provisionalBrands(
        site,
        candidates.map(({ slug }) => slug),
      ),
      headlinesOf(
        database,
        candidates.flatMap(({ signals }) => signals),
      ),
    ]);
    return candidates.map((candidate) => {
      const near = nearest(candidate.name);
      const own = headlines.filter(({ key }) => candidate.signals.includes(key));
      return {
        candidate,
        near,
        isProvisional: provisional.has(candidate.slug),
        category:
          guessCategory(
            candidate.name,
            own.map(({ headline }) => headline),
          ) ?? 'other',
        headlines: own,
      };
    });
  };
  operatorPage(server, site, {
    path: '/catalogue/candidates',
    role: 'reviewer',
    title: 'Names that the catalogue lacks',
    above: { path: CATALOGUE_PATH, name: 'Catalogue' },
    script: REVIEW_SCRIPT,
    async body(operator) {
      const cases = await load();
      if (cases.length === 0)
        return html`${KEYS}<p class="empty">The catalogue has every brand of the last ${DAYS} days.</p>`;
      return html`<p>${formatCount(cases.length, 'name')} of the last ${DAYS} days from headlines. A name that is accepted is a brand of the catalogue, with its past stories. A refused one has no page and does not come back. A name that only gets a page stays here.</p>
        ${KEYS}${cases.map((one) => candidateCase(operator, one))}`;
    },
    forms: [{ action: promote }, { action: refuse }, { action: acceptName }, { action: nameOfBrand }],
  });
  server.get('/operate/brands', forRole('reviewer'), async (_request, reply) =>
    reply.redirect(`${site.baseUrl}${CANDIDATES_PATH}`, 301),
  );
}

export function cataloguePages(server: FastifyInstance, site: Site): void {
  candidatesPage(server, site);
  deskPage(server, site);
}
