/**
 * `clarity catalogue`: brands, themes and groups listed, shown and changed; the same commands as the page
 * /operate/catalogue. `clarity brands`: which names from headlines are brands, decided by an operator.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { stringify } from 'yaml';
import { CatalogueError, readCatalogueFile } from '../../facts/text/catalogue.ts';
import {
  BrandRefused,
  type CatalogueCommand,
  CatalogueRefused,
  changeCatalogue,
  decideBrand,
  loadHistory,
  namedEntry,
  planCatalogue,
} from '../../ingest/catalogue/catalogue-commands.ts';
import { describeImport, exportCatalogue, planImport } from '../../ingest/catalogue/catalogue-file.ts';
import { entriesOf, namesOfEntry } from '../../ingest/catalogue/effective-catalogue.ts';
import { loadUnderstood, previewChange, understandAgain } from '../../ingest/catalogue/understand-again.ts';
import { postgresSignalIndex } from '../../ingest/match/signal-index.ts';
import { waitForOwnWrite } from '../../projector/model-progress.ts';
import { CATALOGUE_KINDS, type CatalogueEntry, type CatalogueKind } from '../../schemas/catalogue.ts';
import { directoryOf } from '../../schemas/directory.ts';
import { ITEMS } from '../../schemas/poll.ts';
import type { BRAND_DECISIONS } from '../../schemas/resources.ts';
import { slugify } from '../../schemas/scalar.ts';
import { Stopped, UserError } from '../errors.ts';
import { catalogueInUse, preparedModels, type Services, understandingInUse, withServices } from '../services.ts';
import { stopSignal } from '../supervise.ts';
import { type AuthorFlags, authorOf, oneLine, pace, printTable, progressBar, withAuthor } from '../terminal.ts';

interface Flags extends AuthorFlags {
  readonly of?: CatalogueKind;
  readonly json?: boolean;
  readonly dry?: boolean;
}

const collect = (text: string, before: readonly string[] = []): string[] => [...before, text];
const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);

const withKind = (command: Command): Command =>
  command.addOption(
    new Option('--of <kind>', 'what it is').choices([...CATALOGUE_KINDS]).default('brand' satisfies CatalogueKind),
  );
const withJson = (command: Command): Command => command.option('--json', 'print the outcome as JSON');
const changing = (command: Command): Command =>
  withAuthor(withJson(withKind(command))).option(
    '--dry',
    'only say what would change, with the stories that it concerns',
  );

/** Runs a command with the errors of the catalogue as errors for the user. */
const run = (work: (services: Services) => Promise<void>): Promise<void> =>
  withServices('catalogue', async (services) => {
    try {
      await preparedModels(services);
      await work(services);
    } catch (error) {
      throw error instanceof CatalogueRefused || error instanceof CatalogueError ? new UserError(error.message) : error;
    }
  });

const historyIn = async (services: Services) =>
  loadHistory({ store: services.store, shipped: (await catalogueInUse(services)).shipped });

const SHOWN_HEADLINES = 5;

async function change(services: Services, command: CatalogueCommand, flags: Flags): Promise<void> {
  const { store, database, now } = services;
  const { shipped } = await catalogueInUse(services);
  const author = authorOf(flags, '');
  if (flags.dry) {
    const history = await loadHistory({ store, shipped });
    const plan = planCatalogue(history, command, author);
    const preview = await previewChange(database, history, { command, plan, now: now() });
    if (flags.json) return print({ changed: plan.facts.length > 0, entry: plan.entry, ...preview });
    process.stdout.write(`${plan.facts.length > 0 ? 'would be' : 'is already'}:\n${stringify(plan.entry)}`);
    for (const [stories, what] of [
      [preview.gained, 'would get it'],
      [preview.lost, 'would lose it'],
      [preview.moved, 'carry the former name or slug'],
    ] as const)
      if (stories.length > 0) {
        process.stdout.write(
          `${stories.length}${preview.isCut ? ' or more' : ''} stories of the last 90 days ${what}\n`,
        );
        for (const { headline } of stories.slice(0, SHOWN_HEADLINES))
          process.stdout.write(`  ${oneLine(headline, 120)}\n`);
      }
    return;
  }
  const { facts, entry } = await changeCatalogue({ store, shipped, now }, (history) =>
    planCatalogue(history, command, author),
  );
  await waitForOwnWrite(database, ['catalogue'], await store.head());
  if (flags.json) print({ changed: facts.length > 0, entry });
  else if (facts.length === 0) process.stdout.write(`${entry.slug} is so already\n`);
  else
    process.stdout.write(
      `${entry.slug}: ${command.do === 'add' ? 'added' : 'changed'}. The service understands its stories again in the background; ` +
        'clarity catalogue understand does so here, with its progress\n',
    );
}

/** The names, or words, of an entry with some more or less. */
async function alias(
  services: Services,
  slug: string,
  names: readonly string[],
  flags: Flags & { readonly remove?: boolean },
): Promise<void> {
  const kind = flags.of ?? 'brand';
  const entry = namedEntry((await historyIn(services)).state.catalogue, kind, slug);
  const field = 'words' in entry ? 'words' : 'aliases';
  const own = 'words' in entry ? entry.words : entry.aliases;
  const missing = names.filter((name) => !own.includes(name));
  if (flags.remove && missing.length > 0)
    throw new UserError(`${entry.slug} has no ${field} ${missing.join(', ')}. Allowed: ${own.join(', ') || 'none'}`);
  const list = flags.remove ? own.filter((name) => !names.includes(name)) : [...new Set([...own, ...names])];
  await change(services, { do: 'edit', kind, slug: entry.slug, fields: { [field]: list } }, flags);
}

async function list(services: Services, text: string | undefined, { of, json }: Flags): Promise<void> {
  const asked = slugify(text ?? '');
  const { state } = await historyIn(services);
  const kind = of ?? 'brand';
  const found = entriesOf(state.catalogue, kind).filter(
    (entry) => asked === '' || [entry.slug, ...namesOfEntry(entry)].some((name) => slugify(name).includes(asked)),
  );
  if (json) return print(found);
  const about = (entry: CatalogueEntry): string => {
    const last = state.lastChange(kind, entry.slug);
    return [entry.retired_at ? 'retired' : '', last ? `change ${last.number} by ${last.by}` : '']
      .filter(Boolean)
      .join(', ');
  };
  printTable(
    ['slug', 'name', 'other names', 'state'],
    found.map((entry) => [
      entry.slug,
      oneLine(entry.name, 40),
      oneLine(namesOfEntry(entry).slice(1).join(', '), 60),
      about(entry),
    ]),
  );
  process.stdout.write(`${found.length} of ${entriesOf(state.catalogue, kind).length}\n`);
}

async function show(services: Services, slug: string, { of, json }: Flags): Promise<void> {
  const { state } = await historyIn(services);
  const kind = of ?? 'brand';
  const entry = namedEntry(state.catalogue, kind, slug);
  const last = state.lastChange(kind, entry.slug);
  if (json) return print({ ...entry, last_change: last });
  process.stdout.write(stringify(entry));
  process.stdout.write(
    last ? `# change ${last.number} by ${last.by}, ${last.at}: ${last.why}\n` : '# as it is shipped\n',
  );
}

async function importFile(
  services: Services,
  path: string,
  flags: Flags & { readonly theirs?: boolean },
): Promise<void> {
  const { store, database, now } = services;
  const { shipped } = await catalogueInUse(services);
  const file = readCatalogueFile(path, await readFile(path, 'utf8'));
  const author = authorOf(flags, `imported from ${path}`);
  const options = { theirs: flags.theirs ?? false };
  const outcome = flags.dry
    ? planImport(await loadHistory({ store, shipped }), file, author, options)
    : await changeCatalogue({ store, shipped, now }, (history) => planImport(history, file, author, options));
  if (!flags.dry) await waitForOwnWrite(database, ['catalogue'], await store.head());
  const conflicts = outcome.entries.filter((one) => one.outcome === 'conflict');
  if (flags.json) print({ entries: outcome.entries, same: outcome.same });
  else {
    for (const one of outcome.entries)
      process.stdout.write(`${one.outcome.padEnd(9)} ${one.kind} ${one.slug}: ${oneLine(one.text, 300)}\n`);
    process.stdout.write(`${flags.dry ? 'would be: ' : ''}${describeImport(outcome)}\n`);
  }
  if (conflicts.length > 0) process.exitCode = 1;
}

const PHASES: Readonly<Record<string, string>> = {
  search: 'finding items with affected names',
  history: 'finding their stories',
  items: 'understanding items',
  signals: 'comparing stories',
  stories: 'matching new moves',
};

async function understand(services: Services, { json = false }: Flags): Promise<void> {
  const { store, topics, database, logger, now } = services;
  const [catalogue, understander] = [await catalogueInUse(services), await understandingInUse(services)];
  const signal = stopSignal();
  const bar = progressBar('catalogue', 'done', json);
  let [phase, at] = ['', pace()];
  try {
    const outcome = await understandAgain({
      catalogue,
      store,
      understander,
      logger,
      signal,
      clock: now,
      items: topics.topic(ITEMS),
      openIndex: () => postgresSignalIndex(database),
      onProgress(progress) {
        if (progress.phase !== phase) [phase, at] = [progress.phase, pace()];
        bar.show({ ...at(progress.done, progress.total), phase: PHASES[progress.phase] ?? progress.phase });
      },
    });
    bar.end();
    const { through } = await loadUnderstood(store);
    if (json) print({ through, ...outcome });
    else if (!outcome) process.stdout.write(`nothing to do: stories are understood by all ${through} changes\n`);
    else
      process.stdout.write(
        `${outcome.signals} stories compared, ${outcome.stories} new moves, ${Object.values(outcome.appended).reduce((sum, many) => sum + many, 0)} events appended\n`,
      );
  } catch (error) {
    bar.end();
    if (!signal.aborted) throw error;
    throw new Stopped('stopped; what was appended stays, and the next run does the rest');
  }
}

export function addCatalogue(program: Command): void {
  const catalogue = program
    .command('catalogue')
    .description('list, show and change brands, themes and groups; export and import them as YAML')
    .addHelpText(
      'after',
      `
Examples:
  clarity catalogue list zud                                    what is called so
  clarity catalogue add "Zarina Tea" --category food_and_beverage --alias Zarina --dry
  clarity catalogue alias zarina-tea "Zarina Teas"              another name; --remove takes one away
  clarity catalogue rename zarina-tea --name Zarina --slug zarina   the old slug answers 301
  clarity catalogue merge zarina-tea nordhem                    its slug and names are those of the other
  clarity catalogue retire zarina-tea --why "closed in 2026"    its page stays, new stories are not put under it
  clarity catalogue export mine.yaml && clarity catalogue import mine.yaml   changes nothing
Every change is an event with its author and reason; running processes have it within seconds.
--dry shows the stories that a change concerns. Themes and groups: --of theme, --of group.`,
    );
  withJson(withKind(catalogue.command('list').argument('[text]', 'a part of a name or slug')))
    .description('list entries')
    .action((text: string | undefined, flags: Flags) => run((services) => list(services, text, flags)));
  withJson(withKind(catalogue.command('show').argument('<slug>', 'present or former')))
    .description('show an entry as YAML, with its last change')
    .action((slug: string, flags: Flags) => run((services) => show(services, slug, flags)));
  changing(catalogue.command('add').argument('<name>', 'as headlines write it'))
    .option('--slug <slug>', 'default: made of the name')
    .option('--category <category>', 'of a brand; a wrong one lists them', 'other')
    .option('--alias <name>', 'another name in headlines, or a word of a theme; repeat it for more', collect)
    .option('--member <slug>', 'a listed company of a group; repeat it for more', collect)
    .option('--parent <slug>', 'the owner of a brand')
    .option('--context <word>', 'the name is an ordinary word: it counts only next to such a word; repeat it', collect)
    .description('add a brand, theme or group')
    .action((name: string, { slug, category, alias: names, member, parent, context, ...flags }) =>
      run((services) => {
        const kind: CatalogueKind = flags.of;
        const own =
          kind === 'theme'
            ? { words: names }
            : kind === 'group'
              ? { aliases: names, members: member ?? [] }
              : { category, aliases: names, parent, context, common_word: context ? true : undefined };
        return change(services, { do: 'add', kind, fields: { slug, name, ...own } }, flags);
      }),
    );
  changing(catalogue.command('alias').argument('<slug>').argument('<name...>', 'names, or words of a theme'))
    .option('--remove', 'take them away')
    .description('add or remove other names')
    .action((slug: string, names: string[], flags: Flags & { remove?: boolean }) =>
      run((services) => alias(services, slug, names, flags)),
    );
  changing(catalogue.command('rename').argument('<slug>'))
    .option('--name <name>', 'the new name')
    .option('--slug <slug>', 'the new slug; the old one answers 301')
    .option('--parent <slug>', 'the owner of a brand')
    .option('--group <slug>', 'the group of a brand')
    .option('--category <category>', 'of a brand')
    .description('change the name, slug, owner, group or category')
    .action((slug: string, { name, slug: next, parent, group, category, ...flags }) =>
      run((services) => {
        const given = { name, slug: next, parent, group, category };
        const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
        if (Object.keys(fields).length === 0)
          throw new UserError('name what changes: --name, --slug, --parent, --group, --category');
        return change(services, { do: 'edit', kind: flags.of, slug, fields }, flags);
      }),
    );
  changing(catalogue.command('merge').argument('<slug>').argument('<into>', 'slug of the other'))
    .description('merge an entry into another of its kind')
    .action((slug: string, into: string, flags: Flags) =>
      run((services) => change(services, { do: 'merge', kind: flags.of ?? 'brand', slug, into }, flags)),
    );
  for (const verb of ['retire', 'restore'] as const)
    changing(catalogue.command(verb).argument('<slug>'))
      .description(verb === 'retire' ? 'put no new stories under an entry' : 'put new stories under it again')
      .action((slug: string, flags: Flags) =>
        run((services) => change(services, { do: verb, kind: flags.of ?? 'brand', slug }, flags)),
      );
  catalogue
    .command('export')
    .argument('[file]', 'default: standard output')
    .description('write the catalogue in use as YAML')
    .action((path: string | undefined) =>
      run(async (services) => {
        const { state } = await historyIn(services);
        const text = exportCatalogue(state.catalogue, services.now().toISOString());
        if (path) await writeFile(path, text);
        else process.stdout.write(text);
      }),
    );
  withAuthor(
    withJson(catalogue.command('import').argument('<file>', 'YAML as export writes it, or a file of deploy/catalogue')),
  )
    .option('--dry', 'only say what would change')
    .option('--theirs', 'the file counts also where an entry was changed here')
    .description('import a file as changes; exit code 1 when entries are in conflict, which stay as they are here')
    .action((path: string, flags: Flags & { theirs?: boolean }) =>
      run((services) => importFile(services, path, flags)),
    );
  withJson(catalogue.command('understand'))
    .description('understand the stories that changes affect now, with progress, instead of in the background')
    .action((flags: Flags) => run((services) => understand(services, flags)));
}

export function addBrands(program: Command): void {
  const brands = program.command('brands').description('promote or refuse names that the catalogue lacks');
  const decision = (name: keyof typeof BRAND_DECISIONS, description: string): void => {
    withAuthor(brands.command(name).argument('<name>', 'name or slug, as /operate/catalogue/candidates lists it'))
      .description(description)
      .action((text: string, flags: AuthorFlags) =>
        withServices('brands', (services) => decide(services, name, text, flags)),
      );
  };
  decision('promote', 'give a name a page and links before a second story names it');
  decision('refuse', 'leave a name without a page, whatever is reported');
}

/** @throws UserError for a name of the catalogue, and for one that no public signal has */
async function decide(
  services: Services,
  decision: keyof typeof BRAND_DECISIONS,
  text: string,
  flags: AuthorFlags,
): Promise<void> {
  await preparedModels(services);
  const directory = directoryOf((await catalogueInUse(services)).effective().catalogue);
  try {
    const { name, slug, known } = await decideBrand({ ...services, directory }, decision, text, authorOf(flags, ''));
    const outcome = decision === 'promote' ? 'promoted' : 'refused';
    process.stdout.write(`${name} (${slug}): ${known ? `${outcome} already` : outcome}\n`);
  } catch (error) {
    throw error instanceof BrandRefused ? new UserError(error.message) : error;
  }
}
