/**
 * `clarity sources add|edit|pause|resume|retire|check|apply|import|export`: changes to the roster; and `clarity
 * sources test|discover`: what a poll of a source would find, and the feeds of a site.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { PollError } from '../../ingest/poll/poll-error.ts';
import { discoverFeeds, type Trial, trySource } from '../../ingest/poll/try-source.ts';
import { type Becoming, becoming } from '../../ingest/preview-source.ts';
import {
  applyRoster,
  hideHeaderValues,
  loadRoster,
  planRoster,
  type RosterChange,
  selectNewSources,
} from '../../ingest/roster/roster.ts';
import {
  describeFault,
  parseRoster,
  readOpml,
  readRoster,
  writeOpml,
  writeRoster,
} from '../../ingest/roster/roster-file.ts';
import {
  addSource,
  changeSource,
  editSource,
  namedSource,
  type SourceCommand,
  type SourceFields,
} from '../../ingest/roster/source-commands.ts';
import { type Configuration, readConfiguration } from '../../schemas/configuration.ts';
import { Source, SourceId } from '../../schemas/source.ts';
import { UserError } from '../errors.ts';
import { FILE_AUTHOR, openFetcher } from '../polled-sources.ts';
import { openUnderstanding, withServices } from '../services.ts';
import { stopSignal } from '../supervise.ts';
import { type AuthorFlags, authorOf, confirmed, oneLine, printTable, warnOnStderr, withAuthor } from '../terminal.ts';

const number = (text: string): number => {
  const value = Number(text);
  if (text.trim() === '' || Number.isNaN(value)) throw new InvalidArgumentError('It must be a number.');
  return value;
};

const collect = (text: string, before: readonly string[] = []): string[] => [...before, text];

function selector(text: string, before: Record<string, string> = {}): Record<string, string> {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('It must be part=css, with one of item, title, link, summary, date.');
  return { ...before, [text.slice(0, equals).trim()]: text.slice(equals + 1).trim() };
}

function header(text: string, before: Record<string, string> = {}): Record<string, string> {
  const colon = text.indexOf(':');
  if (colon < 1) throw new InvalidArgumentError("It must be 'Name: value'.");
  return { ...before, [text.slice(0, colon).trim()]: text.slice(colon + 1).trim() };
}

export interface FieldFlags {
  readonly outlet?: string;
  readonly kind?: string;
  readonly role?: string;
  readonly authority?: number;
  readonly language?: string;
  readonly country?: string;
  readonly theme?: readonly string[];
  readonly cadence?: number;
  readonly backlog?: number;
  readonly header?: Readonly<Record<string, string>>;
  readonly articles?: string;
  readonly selector?: Readonly<Record<string, string>>;
}

/** Adds an option for each field that operators set. The schema of a source validates the values. */
export const withFields = (command: Command): Command =>
  command
    .option('--outlet <name>', 'the publisher, as readers know it')
    .option('--kind <kind>', 'rss (also Atom and JSON Feed), html, news_sitemap')
    .option('--role <role>', 'news, or oracle for a reference source that only checks coverage')
    .option('--authority <number>', 'how much its text is preferred, 0 to 1', number)
    .option('--language <code>', 'two letters, such as en or hi')
    .option('--country <code>', 'where the outlet publishes: two capital letters, such as IN')
    .option('--theme <slug>', 'a theme; repeatable', collect)
    .option('--cadence <seconds>', 'a fixed interval between polls; default: learned', number)
    .option('--backlog <days>', 'items of the first poll that count as seen on their own date', number)
    .option(
      '--header <name:value>',
      `a request header; secrets as \${SOURCE_…} from the environment; repeatable`,
      header,
    )
    .option('--articles <when>', 'when_needed fetches the articles of items without date or summary; or never')
    .option('--selector <part=css>', 'for kind html: item, title, link, summary, date; repeatable', selector);

/** The fields of the options that are set. */
export const fieldsOf = (flags: FieldFlags): SourceFields =>
  Object.fromEntries(
    Object.entries({
      outlet: flags.outlet,
      kind: flags.kind,
      role: flags.role,
      authority: flags.authority,
      language: flags.language,
      country: flags.country,
      themes: flags.theme,
      cadence_seconds: flags.cadence,
      backlog_days: flags.backlog,
      headers: flags.header,
      articles: flags.articles,
      selectors: flags.selector,
    }).filter(([, value]) => value !== undefined),
  );

type Flags = AuthorFlags & FieldFlags & { readonly id?: string; readonly url?: string; readonly untested?: boolean };

const DONE = { add: 'added', edit: 'changed', pause: 'paused', resume: 'resumed', retire: 'retired' } as const;

export function addChanges(sources: Command): void {
  withAuthor(withFields(sources.command('add')))
    .argument('<url>', 'address of the feed, listing or sitemap')
    .option('--id <id>', 'kebab-case; default: derived from the outlet')
    .option('--untested', 'add it without polling it, such as while the outlet does not answer')
    .description('poll the address once and add it if that succeeds; sources test URL shows its items')
    .action((url: string, flags: Flags) => add(url, flags));
  withAuthor(withFields(sources.command('edit')))
    .argument('<id>')
    .option('--url <url>', 'new address')
    .description('change fields of a source')
    .action((id: string, flags: Flags) => {
      const fields = { ...fieldsOf(flags), ...(flags.url === undefined ? {} : { url: flags.url }) };
      if (Object.keys(fields).length === 0) throw new UserError('set at least one option, such as --authority 0.8');
      return change({ do: 'edit', id: namedSource(id), fields }, flags);
    });
  for (const [what, about] of [
    ['pause', 'stop polling it until it is resumed'],
    ['resume', 'poll it again'],
    ['retire', 'remove it from the roster; what it reported stays'],
  ] as const)
    withAuthor(sources.command(what))
      .argument('<id>')
      .description(about)
      .action((id: string, flags: Flags) => change({ do: what, id: namedSource(id) }, flags));
}

const add = (url: string, flags: Flags): Promise<void> =>
  withServices('sources', async ({ store, configuration, now }) => {
    const context = { store, fetchPage: openFetcher(configuration, now), signal: stopSignal(), clock: now };
    const wanted = { url, id: flags.id, fields: fieldsOf(flags), untested: flags.untested };
    const { id, outlet, items } = await addSource(context, wanted, authorOf(flags, 'add by command'));
    const found = items === null ? 'not tested' : `${items} items now`;
    process.stdout.write(`added ${id}: ${oneLine(outlet, 120)}, ${found}\n`);
  });

const change = (wanted: SourceCommand, flags: Flags): Promise<void> =>
  withServices('sources', async ({ store, now }) => {
    const author = authorOf(flags, `${wanted.do} by command`);
    const event =
      wanted.do === 'edit'
        ? await editSource(store, wanted.id, wanted.fields, author, now)
        : await changeSource(store, wanted, author, now);
    process.stdout.write(event ? `${DONE[wanted.do]} ${wanted.id}\n` : `${wanted.id} is unchanged\n`);
  });

type ApplyFlags = AuthorFlags & { readonly yes?: boolean };

export function addApply(sources: Command): void {
  sources
    .command('check')
    .argument('<roster.yaml>')
    .description('validate a roster file: line, field, value and what is allowed')
    .action(async (file: string) => {
      const found = await readRoster(file);
      process.stdout.write(`${file} is valid: ${found.length} source${found.length === 1 ? '' : 's'}\n`);
    });
  withAuthor(sources.command('apply'))
    .argument('<roster.yaml>')
    .option('--yes', 'do not ask for confirmation')
    .description('show the differences to a roster file, then apply it; a second run changes nothing')
    .action((file: string, flags: ApplyFlags) => apply(file, flags));
}

async function apply(file: string, flags: ApplyFlags): Promise<void> {
  const wanted = await readRoster(file);
  await withServices('sources', async ({ store, now }) => {
    // The file is the author, so that what it no longer lists is retired; the reason contains the person.
    const person = authorOf(flags, `applied ${file}`);
    const author = { by: FILE_AUTHOR, why: `${person.why} (${person.by})` };
    const stored = wanted.map((source) => Source.parse(JSON.parse(JSON.stringify(source))));
    const plan = planRoster((await loadRoster(store)).roster, stored, author);
    for (const change of plan) process.stdout.write(`${describe(change)}\n`);
    process.stdout.write(`${plan.length} of ${wanted.length} sources differ\n`);
    if (plan.length === 0 || !(await confirmed('Apply this?', flags.yes))) return;
    const made = await applyRoster(store, wanted, author, now);
    process.stdout.write(`applied: ${made.length} sources changed\n`);
  });
}

const SIGNS = { added: '+', changed: '~', retired: '-' } as const;

function describe({ change, source_id, before, after }: RosterChange): string {
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

type ImportFlags = AuthorFlags & { readonly yes?: boolean };
interface ExportFlags {
  readonly format?: 'opml' | 'yaml';
  readonly output?: string;
}

export function addExchange(sources: Command): void {
  withAuthor(sources.command('import'))
    .argument('<file>', 'OPML, or a roster in YAML')
    .option('--yes', 'do not ask for confirmation')
    .description('add the sources that the roster lacks; no source is changed or retired')
    .action((file: string, flags: ImportFlags) => importFile(file, flags));
  sources
    .command('export')
    .addOption(new Option('--format <format>', 'yaml has every field, opml the feeds').choices(['yaml', 'opml']))
    .option('--output <file>', 'write to a file; its extension sets the format')
    .description('print the roster as YAML or OPML')
    .action((flags: ExportFlags) => exportRoster(flags));
}

async function readSources(file: string): Promise<readonly Source[]> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new UserError(`${file} cannot be read: ${error.message}`);
  });
  if (!/^\s*</.test(text)) return parseRoster(text, file);
  const { sources, faults } = readOpml(text, file);
  for (const fault of faults) process.stderr.write(`left out: ${oneLine(describeFault(file, fault), 500)}\n`);
  return sources;
}

const importFile = async (file: string, flags: ImportFlags): Promise<void> => {
  const listed = await readSources(file);
  await withServices('sources', async ({ store, now }) => {
    const wanted = selectNewSources((await loadRoster(store)).roster, listed);
    for (const { id, outlet, url } of wanted)
      process.stdout.write(`+ ${id}  ${oneLine(outlet, 60)}  ${oneLine(url, 300)}\n`);
    process.stdout.write(`${wanted.length} of ${listed.length} sources are new\n`);
    if (wanted.length === 0 || !(await confirmed('Add them?', flags.yes))) return;
    const author = authorOf(flags, `imported from ${file}`);
    for (const { id, ...fields } of wanted) await changeSource(store, { do: 'add', id, fields }, author, now);
    process.stdout.write(`added ${wanted.length} sources\n`);
  });
};

const exportRoster = ({ output, format = output?.endsWith('.opml') ? 'opml' : 'yaml' }: ExportFlags): Promise<void> =>
  withServices('sources', async ({ store }) => {
    const { roster } = await loadRoster(store);
    const used = [...roster.values()].filter(({ retired }) => !retired).map(({ source }) => source);
    const text = format === 'opml' ? writeOpml(used, 'Clarity') : writeRoster(used);
    if (!output) return void process.stdout.write(text);
    await writeFile(output, text);
    process.stdout.write(`wrote ${output}\n`);
  });

type TrialFlags = FieldFlags & { readonly json?: boolean };
/** Maximum articles that a test fetches, one second apart: enough to see whether they can be read. */
const ARTICLES = 5;
type Tried = Omit<Source, 'kind'> & { readonly kind?: Source['kind'] };

export function addTry(sources: Command): void {
  withFields(sources.command('test'))
    .argument('<url-or-id>', 'an address, or the id of a source of the roster')
    .option('--json', 'print JSON')
    .description('poll once without storing anything: what is found, how it is read, and the outcome for each item')
    .action(async (target: string, flags: TrialFlags) => {
      const configuration = readConfiguration(process.env);
      const source = /^[a-z]+:/i.test(target) ? ofAddress(target, flags) : await ofRoster(target);
      await test(source, configuration, flags);
    });
}

function ofAddress(url: string, flags: TrialFlags): Tried {
  const fields = fieldsOf(flags);
  const source = Source.safeParse({ id: 'test', outlet: URL.parse(url)?.hostname ?? url, ...fields, url });
  if (!source.success)
    throw new UserError(source.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
  const { kind, ...rest } = source.data;
  return flags.kind || flags.selector ? { ...rest, kind: flags.kind ? kind : 'html' } : rest;
}

const ofRoster = (named: string): Promise<Source> =>
  withServices('sources', async ({ store }) => {
    const id = SourceId.safeParse(named);
    const entry = id.success ? (await loadRoster(store)).roster.get(id.data) : undefined;
    if (!entry) throw new UserError(`no source has the id ${JSON.stringify(named)}; an address starts with https://`);
    return entry.source;
  });

async function test(source: Tried, configuration: Configuration, { json }: TrialFlags): Promise<void> {
  try {
    const moment = new Date();
    const trial = await trySource(source, {
      fetchPage: openFetcher(configuration),
      signal: stopSignal(),
      now: moment,
      articles: ARTICLES,
    });
    const become = becoming(await openUnderstanding({ warn: warnOnStderr }, configuration.CATALOGUE), source, moment);
    const entries = await Promise.all(
      trial.entries.map(async (one) => ({ ...one, becomes: one.item && (await become(one.item)) })),
    );
    if (json) process.stdout.write(`${JSON.stringify({ ...trial, entries }, null, 2)}\n`);
    else print(trial, entries);
  } catch (error) {
    if (!(error instanceof PollError)) throw error;
    const { code, message, status } = error;
    if (json)
      process.stdout.write(`${JSON.stringify({ url: source.url, error: { code, message, status } }, null, 2)}\n`);
    throw new UserError(`${source.url}: ${code}: ${oneLine(message, 500)}`);
  }
}

function print(trial: Trial, entries: readonly (Trial['entries'][number] & { becomes: Becoming | null })[]): void {
  const { url, status, content_type, encoding, kind, reader, moved_to } = trial;
  const read =
    reader === 'tolerant' ? ', by the tolerant reader (malformed or unusual)' : reader ? `, by ${reader}` : '';
  process.stdout.write(
    `${oneLine(url, 300)}\n  HTTP ${status}, ${oneLine(content_type ?? 'no Content-Type', 100)}; read as ${kind} in ${encoding}${read}\n` +
      (moved_to ? `  moved permanently to ${oneLine(moved_to, 300)}\n` : '') +
      `  ${entries.length} entries, ${entries.filter(({ refused }) => refused).length} refused\n`,
  );
  for (const { entry, item, refused, becomes } of entries)
    process.stdout.write(
      item
        ? `\n  ${item.published_at?.toISOString() ?? 'no date'}  ${oneLine(item.title, 160)}\n    ${oneLine(item.url, 300)}\n    ${becomes?.fate}: ${oneLine(becomes?.why ?? '', 300)}\n`
        : `\n  refused: ${refused}\n    ${oneLine(entry.title ?? entry.link ?? entry.id ?? '', 160)}\n`,
    );
}

export function addDiscover(sources: Command): void {
  sources
    .command('discover')
    .argument('<url>', 'address of a site or page')
    .description('find the feeds of a site: those it names, else those at common addresses')
    .option('--json', 'print JSON')
    .action(async (url: string, { json }: { json?: boolean }) => {
      const feeds = await discoverFeeds(url, openFetcher(readConfiguration(process.env)), stopSignal()).catch(
        (error: unknown) => {
          throw error instanceof PollError ? new UserError(`${url}: ${error.code}: ${error.message}`) : error;
        },
      );
      if (json) return void process.stdout.write(`${JSON.stringify(feeds, null, 2)}\n`);
      if (feeds.length === 0) throw new UserError(`${url} links to no feed, and none is at the usual paths`);
      printTable(
        ['kind', 'entries', 'address', 'title'],
        feeds.map((feed) => [feed.kind, String(feed.entries), oneLine(feed.url, 300), oneLine(feed.title ?? '', 80)]),
      );
      process.stdout.write('\nclarity sources add ADDRESS adds one to the roster\n');
    });
}
