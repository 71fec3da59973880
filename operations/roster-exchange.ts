/** Rosters in files: checked, applied, imported and exported; and what an address would bring, before it is a source. */
import { writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { loadCatalogue } from '../facts/text/catalogue.ts';
import { PollError } from '../ingest/poll/poll-error.ts';
import { discoverFeeds, type Trial, trySource } from '../ingest/poll/try-source.ts';
import { type Becoming, becoming } from '../ingest/preview-source.ts';
import {
  applyRoster,
  FILE_AUTHOR,
  hideHeaderValues,
  loadRoster,
  planRoster,
  type RosterChange,
  selectNewSources,
} from '../ingest/roster/roster.ts';
import {
  describeFault,
  parseRoster,
  type RosterChecks,
  readOpml,
  writeOpml,
  writeRoster,
} from '../ingest/roster/roster-file.ts';
import { changeSource, checkSourceFields, namedSource } from '../ingest/roster/source-commands.ts';
import type { EventStore } from '../log/event-store.ts';
import type { Configuration } from '../schemas/configuration.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { Source } from '../schemas/source.ts';
import { TextFile } from './fields.ts';
import { type BareContext, defineBareAction, defineOperatorAction, defineTerminalAction } from './operator-action.ts';
import { givenFields, SOURCE_FIELDS } from './source-fields.ts';
import { oneLine, tableText } from './terminal-text.ts';

/** What the settings allow in a roster. */
const checksOf = ({ ALLOW_PRIVATE_SOURCES }: Configuration): RosterChecks => ({ allowPrivate: ALLOW_PRIVATE_SOURCES });

const RosterInput = z.object({ file: TextFile.meta({ placeholder: 'roster.yaml' }) });

export const checkFile = defineBareAction({
  name: 'check',
  summary: 'validate a roster file: line, field, value and what is allowed',
  input: RosterInput,
  positional: ['file'],
  audit: 'nothing',
  async run({ file }, { configuration }) {
    const { themes } = await loadCatalogue(configuration.CATALOGUE);
    const checks = { ...checksOf(configuration), themes: new Set(themes.map(({ slug }) => slug)) };
    return { file: file.name, sources: parseRoster(file.text, file.name, checks).length };
  },
  text: ({ file, sources }) => `${file} is valid: ${sources} source${sources === 1 ? '' : 's'}`,
});

const SIGNS = { added: '+', changed: '~', retired: '-' } as const;

function changeText({ change, source_id, before, after }: RosterChange): string {
  const head = `${SIGNS[change]} ${source_id}`;
  if (!before || !after) return `${head}  ${oneLine((after ?? before)?.url ?? '', 300)}`;
  const fields = Object.keys({ ...before, ...after }) as (keyof Source)[];
  const [from, to] = [hideHeaderValues(before), hideHeaderValues(after)];
  const differing = fields
    .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
    .map(
      (field) => `\n    ${field}: ${JSON.stringify(from[field]) ?? 'unset'} -> ${JSON.stringify(to[field]) ?? 'unset'}`,
    );
  return `${head}${differing.join('')}`;
}

export const applyFile = defineTerminalAction({
  name: 'apply',
  summary: 'show the differences to a roster file, then apply it; a second run changes nothing',
  input: RosterInput,
  positional: ['file'],
  audit: 'events',
  reason: 'optional',
  asks: true,
  async run({ file }, context) {
    const { store, now } = context;
    const wanted = parseRoster(file.text, file.name, checksOf(context.configuration));
    // The file is the author, so that what it no longer lists is retired; the reason contains the person.
    const { by, why } = context.author(`applied ${file.name}`);
    const author = { by: FILE_AUTHOR, why: `${why} (${by})` };
    const stored = wanted.map((source) => Source.parse(JSON.parse(JSON.stringify(source))));
    const plan = planRoster((await loadRoster(store)).roster, stored, author);
    context.say([...plan.map(changeText), `${plan.length} of ${wanted.length} sources differ`].join('\n'));
    if (plan.length === 0) return { changed: 0 };
    await context.confirm('Apply this?');
    return { changed: (await applyRoster(store, wanted, author, now)).length };
  },
  text: ({ changed }) => (changed === 0 ? '' : `applied: ${changed} sources changed`),
});

/** The sources of a file, OPML or a roster. @returns one line for each outline of OPML that was left out */
function readSources(
  { name, text }: TextFile,
  checks: RosterChecks,
): { sources: readonly Source[]; faults: readonly string[] } {
  if (!/^\s*</.test(text)) return { sources: parseRoster(text, name, checks), faults: [] };
  const { sources, faults } = readOpml(text, name, checks);
  return { sources, faults: faults.map((fault) => oneLine(describeFault(name, fault), 500)) };
}

const newSources = async (store: Pick<EventStore, 'readAll'>, sources: readonly Source[]): Promise<Source[]> =>
  selectNewSources((await loadRoster(store)).roster, sources);

export const importFile = defineTerminalAction({
  name: 'import',
  summary: 'add the sources that the roster lacks; no source is changed or retired',
  input: z.object({ file: TextFile.describe('OPML, or a roster in YAML') }),
  positional: ['file'],
  audit: 'events',
  reason: 'optional',
  asks: true,
  async run({ file }, context) {
    const { store, now } = context;
    const { sources, faults } = readSources(file, checksOf(context.configuration));
    const wanted = await newSources(store, sources);
    context.say(
      [
        ...faults.map((fault) => `left out: ${fault}`),
        ...wanted.map(({ id, outlet, url }) => `+ ${id}  ${oneLine(outlet, 60)}  ${oneLine(url, 300)}`),
        `${wanted.length} of ${sources.length} sources are new`,
      ].join('\n'),
    );
    if (wanted.length > 0) await context.confirm('Add them?');
    const author = context.author(`imported from ${file.name}`);
    for (const { id, ...fields } of wanted) await changeSource(store, { do: 'add', id, fields }, author, now);
    return { added: wanted.length, known: sources.length - wanted.length };
  },
  text: ({ added }) => (added === 0 ? '' : `added ${added} sources`),
});

/** On a page, which shows afterwards what was added. */
export const importOnPage = defineOperatorAction({
  name: 'import',
  summary: importFile.summary,
  input: z.object({ file: TextFile.meta({ label: 'OPML, as text', isLong: true }) }),
  audit: 'events',
  reason: 'on pages',
  seenIn: ['source_health'],
  async run({ file }, context) {
    const { store, now } = context;
    const { sources } = readOpml(file.text, 'OPML', { allowPrivate: context.privateSources });
    const wanted = await newSources(store, sources);
    for (const { id, ...fields } of wanted) await changeSource(store, { do: 'add', id, fields }, context.author(), now);
    return { added: wanted.length, known: sources.length - wanted.length };
  },
});

/** The sources in use. */
export const usedSources = async (store: Pick<EventStore, 'readAll'>): Promise<Source[]> =>
  [...(await loadRoster(store)).roster.values()].filter(({ retired }) => !retired).map(({ source }) => source);

export const exportRoster = defineTerminalAction({
  name: 'export',
  summary: 'print the roster as YAML or OPML',
  input: z.object({
    format: z.enum(['yaml', 'opml']).optional().describe('yaml has every field, opml the feeds'),
    output: z
      .string()
      .optional()
      .meta({ description: 'write to a file; its extension sets the format', placeholder: 'file' }),
  }),
  audit: 'nothing',
  async run({ output, format = output?.endsWith('.opml') ? 'opml' : 'yaml' }, { store }) {
    const sources = await usedSources(store);
    const text = format === 'opml' ? writeOpml(sources, 'Clarity') : writeRoster(sources);
    if (output) await writeFile(output, text);
    return { format, output: output ?? null, text };
  },
  text: ({ output, text }) => (output === null ? text.trimEnd() : `wrote ${output}`),
});

/** Maximum articles that a test fetches, one second apart: enough to see whether they can be read. */
const ARTICLES = 5;

type TriedEntry = Trial['entries'][number] & { readonly becomes: Becoming | null };
type Tried = (Omit<Trial, 'entries'> & { readonly entries: readonly TriedEntry[] }) | FailedTrial;
interface FailedTrial {
  readonly url: string;
  readonly error: { readonly code: string; readonly message: string; readonly status: number | null };
}

/** The source that is meant: of an address with fields, or of the roster. */
async function sourceToTry(target: string, fields: Readonly<Record<string, unknown>>, context: BareContext) {
  if (!/^[a-z]+:/i.test(target)) {
    const id = namedSource(target);
    const entry = (await context.withStore(loadRoster)).roster.get(id);
    if (entry) return entry.source;
    throw new Refusal('invalid_request', `no source has the id ${JSON.stringify(id)}; an address starts with https://`);
  }
  const outlet = URL.parse(target)?.hostname ?? target;
  const isListing = fields.kind === undefined && fields.selectors !== undefined;
  const given = { outlet, ...fields, ...(isListing ? { kind: 'html' } : {}), id: 'test', url: target };
  const { kind, ...rest } = checkSourceFields(given);
  return fields.kind === undefined && !isListing ? rest : { ...rest, kind };
}

function trialText(tried: Tried): string {
  if ('error' in tried) return `${tried.url}: ${tried.error.code}: ${oneLine(tried.error.message, 500)}`;
  const { url, status, content_type, encoding, kind, reader, moved_to, cut_off, entries } = tried;
  const read =
    reader === 'tolerant' ? ', by the tolerant reader (malformed or unusual)' : reader ? `, by ${reader}` : '';
  const type = oneLine(content_type ?? 'no Content-Type', 100);
  return [
    oneLine(url, 300),
    `  HTTP ${status}, ${type}; read as ${kind} in ${encoding}${read}`,
    ...(moved_to ? [`  moved permanently to ${oneLine(moved_to, 300)}`] : []),
    ...(cut_off ? [`  too_complex: ${cut_off}`] : []),
    `  ${entries.length} entries, ${entries.filter(({ refused }) => refused).length} refused`,
    ...entries.map(({ entry, item, refused, becomes }) =>
      item
        ? `\n  ${item.published_at?.toISOString() ?? 'no date'}  ${oneLine(item.title, 160)}\n    ${oneLine(item.url, 300)}\n    ${becomes?.fate}: ${oneLine(becomes?.why ?? '', 300)}`
        : `\n  refused: ${refused}\n    ${oneLine(entry.title ?? entry.link ?? entry.id ?? '', 160)}`,
    ),
  ].join('\n');
}

export const test = defineBareAction({
  name: 'test',
  summary: 'poll once without storing anything: what is found, how it is read, and the outcome for each item',
  input: z.object({
    target: z
      .string()
      .meta({ description: 'an address, or the id of a source of the roster', placeholder: 'url-or-id' }),
    ...SOURCE_FIELDS,
  }),
  positional: ['target'],
  audit: 'nothing',
  async run({ target, ...given }, context): Promise<Tried> {
    const source = await sourceToTry(target, givenFields(given), context);
    const now = new Date();
    try {
      const { fetchPage, signal } = context;
      const trial = await trySource(source, { fetchPage, signal, now, articles: ARTICLES });
      const become = becoming(await context.understander(), source, now);
      const entries = trial.entries.map(async (one) => ({ ...one, becomes: one.item && (await become(one.item)) }));
      return { ...trial, entries: await Promise.all(entries) };
    } catch (error) {
      if (!(error instanceof PollError)) throw error;
      const { code, message, status } = error;
      return { url: source.url, error: { code, message, status } };
    }
  },
  text: trialText,
  exitCode: (tried) => ('error' in tried ? 2 : 0),
});

export const discover = defineBareAction({
  name: 'discover',
  summary: 'find the feeds of a site: those it names, else those at common addresses',
  input: z.object({ url: z.string().describe('address of a site or page') }),
  positional: ['url'],
  audit: 'nothing',
  run: ({ url }, { fetchPage, signal }) =>
    discoverFeeds(url, fetchPage, signal).catch((error: unknown) => {
      throw error instanceof PollError
        ? new Refusal('invalid_request', `${url}: ${error.code}: ${error.message}`)
        : error;
    }),
  text(feeds, { url }) {
    if (feeds.length === 0) return `${url} links to no feed, and none is at the usual paths`;
    const table = tableText(
      ['kind', 'entries', 'address', 'title'],
      feeds.map((feed) => [feed.kind, String(feed.entries), oneLine(feed.url, 300), oneLine(feed.title ?? '', 80)]),
    );
    return `${table}\n\nclarity sources add ADDRESS adds one to the roster`;
  },
  exitCode: (feeds) => (feeds.length === 0 ? 2 : 0),
});
