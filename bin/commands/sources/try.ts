/** `clarity sources test`: what a poll would find, how it was read, and what would become of each item. */
import type { Command } from 'commander';
import { PollError } from '../../../ingest/poll/poll-error.ts';
import { type Trial, trySource } from '../../../ingest/poll/try-source.ts';
import { loadRoster } from '../../../ingest/roster/load-roster.ts';
import { type Configuration, readConfiguration } from '../../../schemas/configuration.ts';
import { Source } from '../../../schemas/source.ts';
import { openCatalogue } from '../../catalogue.ts';
import { UserError } from '../../errors.ts';
import { openFetcher } from '../../fetcher.ts';
import { oneLine } from '../../quote.ts';
import { withServices } from '../../services.ts';
import { stopSignal } from '../../supervise.ts';
import { type Becoming, becoming } from './becoming.ts';
import { type FieldFlags, fieldsOf, withFields } from './fields.ts';

type Flags = FieldFlags & { readonly json?: boolean };
/** Articles that a test fetches, at most: enough to see whether they can be read, with a second of rest between two. */
const ARTICLES = 5;
type Tried = Omit<Source, 'kind'> & { readonly kind?: Source['kind'] };

export function addTry(sources: Command): void {
  withFields(sources.command('test'))
    .argument('<url-or-id>', 'an address, or the id of a source of the roster')
    .option('--json', 'print JSON')
    .description('poll once without keeping anything: what is found, how it was read, what would become of each item')
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

const ofRoster = (id: string): Promise<Source> =>
  withServices('sources', async ({ store }) => {
    const entry = (await loadRoster(store)).roster.get(id);
    if (!entry) throw new UserError(`no source has the id ${JSON.stringify(id)}; an address begins with https://`);
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
    const become = becoming(await openCatalogue(configuration.CATALOGUE), source, moment);
    const entries = trial.entries.map((one) => ({ ...one, becomes: one.item && become(one.item) }));
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
    reader === 'tolerant'
      ? ', by the tolerant reader (repaired, or out of the common)'
      : reader
        ? `, by ${reader}`
        : '';
  process.stdout.write(
    `${oneLine(url, 300)}\n  HTTP ${status}, ${oneLine(content_type ?? 'no Content-Type', 100)}; read as ${kind} in ${encoding}${read}\n` +
      (moved_to ? `  moved for good to ${oneLine(moved_to, 300)}\n` : '') +
      `  ${entries.length} entries, ${entries.filter(({ refused }) => refused).length} refused\n`,
  );
  for (const { entry, item, refused, becomes } of entries)
    process.stdout.write(
      item
        ? `\n  ${item.published_at?.toISOString() ?? 'no date'}  ${oneLine(item.title, 160)}\n    ${oneLine(item.url, 300)}\n    ${becomes?.fate}: ${becomes?.why}\n`
        : `\n  refused: ${refused}\n    ${oneLine(entry.title ?? entry.link ?? entry.id ?? '', 160)}\n`,
    );
}
