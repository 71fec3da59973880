/** `clarity sources import|export`: rosters as OPML or YAML. */
import { readFile, writeFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { changeSource } from '../../../ingest/roster/change-source.ts';
import { newSources } from '../../../ingest/roster/import-sources.ts';
import { loadRoster } from '../../../ingest/roster/load-roster.ts';
import { readOpml, writeOpml } from '../../../ingest/roster/opml.ts';
import { parseRoster } from '../../../ingest/roster/read-roster.ts';
import { describeFault } from '../../../ingest/roster/roster-error.ts';
import { writeRoster } from '../../../ingest/roster/write-roster.ts';
import type { Source } from '../../../schemas/source.ts';
import { type AuthorFlags, authorOf, withAuthor } from '../../author.ts';
import { confirmed } from '../../confirm.ts';
import { UserError } from '../../errors.ts';
import { oneLine } from '../../quote.ts';
import { withServices } from '../../services.ts';

type ImportFlags = AuthorFlags & { readonly yes?: boolean };
interface ExportFlags {
  readonly format?: 'opml' | 'yaml';
  readonly output?: string;
}

export function addExchange(sources: Command): void {
  withAuthor(sources.command('import'))
    .argument('<file>', 'OPML, or a roster in YAML')
    .option('--yes', 'without asking')
    .description('add the sources that the roster lacks; none is changed or retired')
    .action((file: string, flags: ImportFlags) => importFile(file, flags));
  sources
    .command('export')
    .addOption(new Option('--format <format>', 'yaml has every field, opml the feeds').choices(['yaml', 'opml']))
    .option('--output <file>', 'write to a file; its ending tells the format')
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
    const wanted = newSources((await loadRoster(store)).roster, listed);
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
