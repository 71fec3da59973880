/** `clarity sources test|discover`: what a poll of a source would find, and the feeds of a site. */
import type { Command } from 'commander';
import { PollError } from '../../ingest/poll/poll-error.ts';
import { discoverFeeds, type Trial, trySource } from '../../ingest/poll/try-source.ts';
import { type Becoming, becoming } from '../../ingest/preview-source.ts';
import { loadRoster } from '../../ingest/roster/roster.ts';
import { type Configuration, readConfiguration } from '../../schemas/configuration.ts';
import { Source, SourceId } from '../../schemas/source.ts';
import { UserError } from '../errors.ts';
import { openUnderstanding, withServices } from '../services.ts';
import { openFetcher } from '../source-access.ts';
import { stopSignal } from '../supervise.ts';
import { oneLine, printTable, warnOnStderr } from '../terminal.ts';
import { type FieldFlags, fieldsOf, withFields } from './source-changes.ts';

type Flags = FieldFlags & { readonly json?: boolean };
/** Maximum articles that a test fetches, one second apart: enough to see whether they can be read. */
const ARTICLES = 5;
type Tried = Omit<Source, 'kind'> & { readonly kind?: Source['kind'] };

export function addTry(sources: Command): void {
  withFields(sources.command('test'))
    .argument('<url-or-id>', 'an address, or the id of a source of the roster')
    .option('--json', 'print JSON')
    .description('poll once without storing anything: what is found, how it is read, and the outcome for each item')
    .action(async (target: string, flags: Flags) => {
      const configuration = readConfiguration(process.env);
      const source = /^[a-z]+:/i.test(target) ? ofAddress(target, flags) : await ofRoster(target);
      await test(source, configuration, flags);
    });
}

function ofAddress(url: string, flags: Flags): Tried {
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

async function test(source: Tried, configuration: Configuration, { json }: Flags): Promise<void> {
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
