/** `clarity catalogue`: brands, themes and groups, listed, shown and changed. */
import { stringify } from 'yaml';
import { z } from 'zod';
import {
  type CatalogueCommand,
  changeCatalogue,
  loadHistory,
  namedEntry,
  planCatalogue,
} from '../ingest/catalogue/catalogue-commands.ts';
import { entriesOf, entryNow, namesOfEntry } from '../ingest/catalogue/effective-catalogue.ts';
import { type ChangePreview, PREVIEW_DAYS, previewChange } from '../ingest/catalogue/understand-again.ts';
import {
  CATALOGUE_KINDS,
  CatalogueBrand,
  type CatalogueEntry,
  type CatalogueKind,
  Category,
  ENTRY_SCHEMAS,
} from '../schemas/catalogue.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { slugify } from '../schemas/scalar.ts';
import { exportFile, importFile, understandNow } from './catalogue-files.ts';
import {
  defineOperatorAction,
  defineTerminalAction,
  type OperatorActions,
  type OperatorContext,
} from './operator-action.ts';
import { oneLine, tableText } from './terminal-text.ts';

const OF = z
  .enum(CATALOGUE_KINDS)
  .default('brand')
  .meta({ description: 'what it is; default: brand', placeholder: 'kind' });
const SLUG = z.string().trim().min(1).max(120).describe('present or former slug');
/** The entry that a change is of. */
const ENTRY = {
  entry: SLUG.meta({ description: 'present or former slug', placeholder: 'slug' }),
  of: OF,
  expected: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('only while this is the number of its last change; 0 as shipped'),
};
const DRY = z.boolean().default(false).describe('only say what would change, with the stories that it concerns');

/** The catalogue by the event store: a command must not decide on what a read model had. */
const historyIn = async (context: OperatorContext) =>
  loadHistory({ store: context.store, shipped: (await context.catalogue()).shipped });

const list = defineTerminalAction({
  name: 'list',
  summary: 'list entries',
  input: z.object({ text: z.string().optional().describe('a part of a name or slug'), of: OF }),
  positional: ['text'],
  audit: 'nothing',
  async run({ text = '', of: kind }, context) {
    const wanted = slugify(text);
    const { state } = await historyIn(context);
    const all = entriesOf(state.catalogue, kind);
    const entries = all.filter(
      (entry) => wanted === '' || [entry.slug, ...namesOfEntry(entry)].some((name) => slugify(name).includes(wanted)),
    );
    return { entries, total: all.length, lastChange: (slug: string) => state.lastChange(kind, slug) };
  },
  json: ({ entries }) => entries,
  text({ entries, total, lastChange }) {
    const stateOf = (entry: CatalogueEntry): string => {
      const last = lastChange(entry.slug);
      return [entry.retired_at ? 'retired' : '', last ? `change ${last.number} by ${last.by}` : '']
        .filter(Boolean)
        .join(', ');
    };
    const table = tableText(
      ['slug', 'name', 'other names', 'state'],
      entries.map((entry) => [
        entry.slug,
        oneLine(entry.name, 40),
        oneLine(namesOfEntry(entry).slice(1).join(', '), 60),
        stateOf(entry),
      ]),
    );
    return `${table}\n${entries.length} of ${total}`;
  },
});

const show = defineTerminalAction({
  name: 'show',
  summary: 'show an entry as YAML, with its last change',
  input: z.object({ slug: SLUG, of: OF }),
  positional: ['slug'],
  audit: 'nothing',
  async run({ slug, of: kind }, context) {
    const { state } = await historyIn(context);
    const entry = namedEntry(state.catalogue, kind, slug);
    return { entry, last: state.lastChange(kind, entry.slug) };
  },
  json: ({ entry, last }) => ({ ...entry, last_change: last }),
  text: ({ entry, last }) =>
    stringify(entry) + (last ? `# change ${last.number} by ${last.by}, ${last.at}: ${last.why}` : '# as it is shipped'),
});

/** What a change did, or would do. */
export interface Changed {
  readonly changed: boolean;
  readonly kind: CatalogueKind;
  /** Of a trial run: the entry until now; null for a new one. */
  readonly before: CatalogueEntry | null;
  readonly entry: CatalogueEntry;
  readonly verb: CatalogueCommand['do'];
  /** Null for a change that was made. */
  readonly preview: ChangePreview | null;
}

/** Makes a change, or looks up what it would do. @param expected see `planCatalogue` */
export async function change(
  context: OperatorContext,
  command: CatalogueCommand,
  { dry = false, expected }: { readonly dry?: boolean; readonly expected?: number | undefined } = {},
): Promise<Changed> {
  const { store, database, now } = context;
  const { shipped } = await context.catalogue();
  const { do: verb, kind } = command;
  const author = context.author();
  if (dry) {
    const history = await loadHistory({ store, shipped });
    const plan = planCatalogue(history, command, author, expected);
    const slug = verb === 'add' ? null : verb === 'merge' ? command.into : command.slug;
    const before = (slug !== null && entryNow(history.state.catalogue, kind, slug)) || null;
    const preview = await previewChange(database, history, { command, plan, now: now() });
    return { changed: plan.facts.length > 0, kind, before, entry: plan.entry, verb, preview };
  }
  const { facts, entry } = await changeCatalogue({ store, shipped, now }, (history) =>
    planCatalogue(history, command, author, expected),
  );
  return { changed: facts.length > 0, kind, before: null, entry, verb, preview: null };
}

const SHOWN_HEADLINES = 5;

function previewText({ gained, lost, moved, isCut }: ChangePreview): string[] {
  const parts = [
    [gained, 'would get it'],
    [lost, 'would lose it'],
    [moved, 'carry the former name or slug'],
  ] as const;
  return parts.flatMap(([stories, what]) =>
    stories.length === 0
      ? []
      : [
          `${stories.length}${isCut ? ' or more' : ''} stories of the last ${PREVIEW_DAYS} days ${what}`,
          ...stories.slice(0, SHOWN_HEADLINES).map(({ headline }) => `  ${oneLine(headline, 120)}`),
        ],
  );
}

/** What all changes have in common. */
const CHANGE = {
  audit: 'events',
  reason: 'on pages',
  seenIn: ['catalogue'],
  json: ({ changed, entry, preview }: Changed) => ({ changed, entry, ...preview }),
  text({ changed, entry, verb, preview }: Changed) {
    if (preview)
      return [`${changed ? 'would be' : 'is already'}:\n${stringify(entry).trimEnd()}`, ...previewText(preview)].join(
        '\n',
      );
    if (!changed) return `${entry.slug} is so already`;
    return (
      `${entry.slug}: ${verb === 'add' ? 'added' : 'changed'}. The service understands its stories again in the background; ` +
      'clarity catalogue understand does so here, with its progress'
    );
  },
} as const;

export const add = defineOperatorAction({
  ...CHANGE,
  name: 'add',
  summary: 'add a brand, theme or group',
  input: z.object({
    name: z.string().min(1).max(120).describe('as headlines write it'),
    of: OF,
    slug: z.string().optional().describe('default: made of the name'),
    category: z.string().default('other').describe('of a brand; a wrong one lists them'),
    aliases: z
      .array(z.string())
      .optional()
      .meta({ description: 'another name in headlines, or a word of a theme', option: 'alias', placeholder: 'name' }),
    members: z
      .array(z.string())
      .optional()
      .meta({ description: 'a listed company of a group', option: 'member', placeholder: 'slug' }),
    parent: z.string().optional().meta({ description: 'the owner of a brand', placeholder: 'slug' }),
    context: z.array(z.string()).optional().meta({
      description: 'the name is an ordinary word: it counts only next to such a word',
      placeholder: 'word',
    }),
    dry: DRY,
  }),
  positional: ['name'],
  run({ name, of: kind, slug, category, aliases, members = [], parent, context: near, dry }, context) {
    const own = {
      brand: { category, aliases, parent, context: near, common_word: near ? true : undefined },
      theme: { words: aliases },
      group: { aliases, members },
    }[kind];
    return change(context, { do: 'add', kind, fields: { ...(slug && { slug }), name, ...own } }, { dry });
  },
});

const alias = defineTerminalAction({
  ...CHANGE,
  name: 'alias',
  summary: 'add or remove other names',
  input: z.object({
    slug: SLUG,
    names: z.array(z.string()).min(1).describe('names, or words of a theme'),
    of: OF,
    remove: z.boolean().default(false).describe('take them away'),
    dry: DRY,
  }),
  positional: ['slug', 'names'],
  async run({ slug, names, of: kind, remove, dry }, context) {
    const entry = namedEntry((await historyIn(context)).state.catalogue, kind, slug);
    const field = 'words' in entry ? 'words' : 'aliases';
    const own = 'words' in entry ? entry.words : entry.aliases;
    const missing = names.filter((name) => !own.includes(name));
    if (remove && missing.length > 0)
      throw new Refusal(
        'invalid_request',
        `${entry.slug} has no ${field} ${missing.join(', ')}. Allowed: ${own.join(', ') || 'none'}`,
      );
    const kept = remove ? own.filter((name) => !names.includes(name)) : [...new Set([...own, ...names])];
    return change(context, { do: 'edit', kind, slug: entry.slug, fields: { [field]: kept } }, { dry });
  },
});

const text = (label: string, placeholder = 'text') =>
  z.string().trim().max(200).optional().meta({ description: label, label, placeholder });
const lines = (label: string, option: string, placeholder = 'text') =>
  z
    .array(z.string())
    .optional()
    .meta({ description: label, label: `${label}, one a line`, option, placeholder, isLong: true });

/** What can be changed of an entry; each kind has some of the fields. */
const FIELDS = {
  name: text('Name, as headlines write it'),
  slug: text('Slug: the address of its page; the old one leads to it', 'slug'),
  aliases: lines('Other names in headlines', 'alias', 'name'),
  legal_names: lines('Company names in filings', 'legal-name', 'name'),
  category: Category.optional().meta({ label: 'Category', placeholder: 'category' }),
  kind: CatalogueBrand.shape.kind.unwrap().optional().meta({ label: 'Kind', placeholder: 'kind' }),
  parent: text('Owner, by slug', 'slug'),
  operators: lines('Companies that run it in India, by slug', 'operator', 'slug'),
  group: text('Group, by slug', 'slug'),
  nse: text('NSE symbol', 'symbol'),
  common_word: z.boolean().optional().describe('Its name is an ordinary word: it counts only in context'),
  context: lines('Words of its context', 'context', 'word'),
  not_context: lines('Words that rule it out', 'not-context', 'word'),
  words: lines('Words and phrases', 'word', 'word'),
  members: lines('Listed companies, by slug', 'member', 'slug'),
  categories: lines('Categories of brands', 'categories', 'category'),
  moves: lines('Kinds of move that it is for', 'move', 'move'),
};

/** The names of the fields that a kind has. */
export const editedFields = (kind: CatalogueKind): string[] =>
  Object.keys(FIELDS).filter((name) => name in ENTRY_SCHEMAS[kind].shape);

/** Lists that may be unset: emptied, they are. */
const OPTIONAL: ReadonlySet<string> = new Set(['operators', 'moves']);

export const edit = defineOperatorAction({
  ...CHANGE,
  name: 'edit',
  summary: 'change fields of an entry; a list is replaced as a whole',
  input: z.object({ ...ENTRY, ...FIELDS, dry: DRY }),
  positional: ['entry'],
  run({ entry, of: kind, dry, expected, ...given }, context) {
    const fields = Object.fromEntries(
      Object.entries(given).map(([name, value]) => {
        const isUnset = value === '' || (Array.isArray(value) && value.length === 0 && OPTIONAL.has(name));
        return [name, isUnset ? undefined : value];
      }),
    );
    if (Object.keys(fields).length === 0)
      throw new Refusal('invalid_request', 'name what changes, such as --name, --slug, --parent or --category');
    return change(context, { do: 'edit', kind, slug: entry, fields }, { dry, expected });
  },
});

export const merge = defineOperatorAction({
  ...CHANGE,
  name: 'merge',
  summary: 'merge an entry into another of its kind',
  input: z.object({
    ...ENTRY,
    into: SLUG.meta({ description: 'slug of the other', label: 'Into: its slug' }),
    dry: DRY,
  }),
  positional: ['entry', 'into'],
  run: ({ entry, into, of: kind, dry, expected }, context) =>
    change(context, { do: 'merge', kind, slug: entry, into }, { dry, expected }),
});

const retireOrRestore = (name: 'retire' | 'restore', summary: string) =>
  defineOperatorAction({
    ...CHANGE,
    name,
    summary,
    input: z.object({ ...ENTRY, dry: DRY }),
    positional: ['entry'],
    run: ({ entry, of: kind, dry, expected }, context) =>
      change(context, { do: name, kind, slug: entry }, { dry, expected }),
  });
export const retire = retireOrRestore('retire', 'put no new stories under an entry');
export const restore = retireOrRestore('restore', 'put new stories under it again');

export const CATALOGUE: OperatorActions = {
  name: 'catalogue',
  summary: 'list, show and change brands, themes and groups; export and import them as YAML',
  help: `Examples:
  clarity catalogue list zud                                    what is called so
  clarity catalogue add "Zarina Tea" --category food_and_beverage --alias Zarina --dry
  clarity catalogue alias zarina-tea "Zarina Teas"              another name; --remove takes one away
  clarity catalogue rename zarina-tea --name Zarina --slug zarina   the old slug answers 301
  clarity catalogue merge zarina-tea nordhem                    its slug and names are those of the other
  clarity catalogue retire zarina-tea --why "closed in 2026"    its page stays, new stories are not put under it
  clarity catalogue export mine.yaml && clarity catalogue import mine.yaml   changes nothing
Every change is an event with its author and reason; running processes have it within seconds.
--dry shows the stories that a change concerns. Themes and groups: --of theme, --of group.`,
  actions: [
    list,
    show,
    add,
    alias,
    edit,
    { ...edit, name: 'rename' },
    merge,
    retire,
    restore,
    exportFile,
    importFile,
    understandNow,
  ],
};
