/**
 * Rosters as YAML files: reading them with the line of every fault, and writing them; and as OPML, the form in which
 * feed readers exchange their lists.
 */
import { readFile } from 'node:fs/promises';
import { load } from 'cheerio/slim';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument, stringify } from 'yaml';
import { z } from 'zod';
import { mayBeSourceAddress } from '../../log/guarded-connection.ts';
import { addressKey, hasCredentials } from '../../schemas/scalar.ts';
import { Source, type SourceId } from '../../schemas/source.ts';
import { chooseFreeId } from './roster.ts';

/** A roster that cannot be used; the message has one line per fault. */

interface RosterFault {
  /** Counts from 1; null where the fault has no place, as with a file that is not there. */
  readonly line: number | null;
  /** `sources[3].url`, or empty for the file as a whole. */
  readonly field: string;
  /** The value as JSON, cut short; null where there is none. */
  readonly value: string | null;
  /** What is wrong and what is allowed. */
  readonly allowed: string;
}

export class RosterError extends Error {
  override name = 'RosterError';
  readonly file: string;
  readonly faults: readonly RosterFault[];
  constructor(file: string, faults: readonly RosterFault[]) {
    super(faults.map((fault) => describeFault(file, fault)).join('\n'));
    this.file = file;
    this.faults = faults;
  }
}

/** One line about a fault: file, line, field, value, what is allowed. */
export const describeFault = (file: string, { line, field, value, allowed }: RosterFault): string =>
  [
    line === null ? file : `${file}:${line}`,
    ...(field ? [field] : []),
    value === null ? allowed : `${value} cannot be used: ${allowed}`,
  ].join(': ');

type Fault = readonly [path: readonly PropertyKey[], message: string];

/** The faults of an issue: one, or one per unknown key. */
export function explainIssue(issue: z.core.$ZodIssue): readonly Fault[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => [[...issue.path, key], 'there is no field of this name']);
  return [[issue.path, messageOf(issue)]];
}

function messageOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'string'
        ? `must have at most ${issue.maximum} characters`
        : `must be at most ${issue.maximum}`;
    case 'invalid_type':
      return `must be given, as ${article(issue.expected)}`;
    case 'invalid_format':
      return issue.format === 'url' ? 'must be an http or https address' : issue.message;
    default:
      return issue.message;
  }
}

const article = (type: string): string => {
  const word = { int: 'whole number', record: 'map', object: 'map', array: 'list' }[type] ?? type;
  return `a ${word}`;
};

type Path = readonly PropertyKey[];

/**
 * The line, from 1, of the field at a path; of its nearest parent where the field is missing.
 * For a key that should not be there it is the line of the key.
 */
function findLine(document: Document, lines: LineCounter, path: Path): number | null {
  for (let length = path.length; length >= 0; length--) {
    const start = findStart(document, path.slice(0, length));
    if (start !== null) return lines.linePos(start).line;
  }
  return null;
}

function findStart(document: Document, path: Path): number | null {
  const last = path.at(-1);
  const parent = document.getIn(path.slice(0, -1), true);
  if (typeof last === 'string' && isMap(parent)) {
    const pair = parent.items.find(({ key }) => isScalar(key) && key.value === last);
    if (pair && isNode(pair.key)) return pair.key.range?.[0] ?? null;
  }
  const node = document.getIn(path, true);
  return isNode(node) ? (node.range?.[0] ?? null) : null;
}

/** `['sources', 3, 'url']` as `sources[3].url`. */
const formatFieldPath = (path: Path): string =>
  path.reduce<string>(
    (name, part) => (typeof part === 'number' ? `${name}[${part}]` : name ? `${name}.${String(part)}` : String(part)),
    '',
  );

/** Defaults of the sources of a file; the fields that identify a source cannot be defaults. */
const RosterDefaults = Source.omit({ id: true, outlet: true, url: true }).partial();

const RosterFile = z.strictObject({
  defaults: z.record(z.string(), z.unknown()).default({}),
  sources: z.array(z.unknown()),
});

/**
 * Reads a roster file.
 * @returns its sources, in their order
 * @throws RosterError with every fault: file, line, field, the value, and what is allowed
 */
export async function readRoster(path: string, options: RosterChecks = {}): Promise<Source[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'there is no such file' : error.message;
    throw new RosterError(path, [{ line: null, field: '', value: null, allowed: `the roster cannot be read: ${why}` }]);
  });
  return parseRoster(text, path, options);
}

/** What a roster file is checked against, besides its form. */
export interface RosterChecks {
  /** The setting ALLOW_PRIVATE_SOURCES: sources may be on private networks. */
  readonly allowPrivate?: boolean | undefined;
  /** The slugs of all themes; unset, any is taken. */
  readonly themes?: ReadonlySet<string> | undefined;
}

/**
 * Reads the text of a roster.
 * @param file its name, for messages
 * @throws RosterError
 */
export function parseRoster(text: string, file: string, options: RosterChecks = {}): Source[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0)
    throw new RosterError(
      file,
      document.errors.map((error) => ({
        line: lines.linePos(error.pos[0]).line,
        field: '',
        value: null,
        allowed: `is not YAML: ${error.message}`,
      })),
    );
  const content = contentOf(document, file);
  const faults: RosterFault[] = [];
  const report: Report = (path, message) => faults.push(faultAt(document, lines, content, path, message));
  const sources = check(content, options, report);
  if (faults.length > 0) throw new RosterError(file, faults);
  return sources;
}

/** A small file must not unfold into a large one. */
const MAXIMUM_ALIASES = 100;

function contentOf(document: Document, file: string): unknown {
  const refused = (allowed: string): RosterError =>
    new RosterError(file, [{ line: null, field: '', value: null, allowed }]);
  try {
    const content: unknown = document.toJS({ maxAliasCount: MAXIMUM_ALIASES }) ?? {};
    if (containsItself(content)) throw refused('contains itself: an alias must not be inside of what it names');
    return content;
  } catch (error) {
    // The parser counts what aliases unfold to, and names an alias that is not defined, by this error alone.
    if (!(error instanceof ReferenceError)) throw error;
    throw refused(`cannot be unfolded: at most ${MAXIMUM_ALIASES} uses of aliases (${error.message})`);
  }
}

const containsItself = (value: unknown, outer: readonly unknown[] = []): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (outer.includes(value) || Object.values(value).some((inner) => containsItself(inner, [...outer, value])));

type Report = (path: readonly PropertyKey[], message: string) => void;

function check(content: unknown, options: RosterChecks, report: Report): Source[] {
  const file = RosterFile.safeParse(content);
  if (!file.success) {
    for (const issue of file.error.issues) for (const [path, message] of explainIssue(issue)) report(path, message);
    return [];
  }
  const defaults = RosterDefaults.strict().safeParse(file.data.defaults);
  for (const issue of defaults.error?.issues ?? [])
    for (const [path, message] of explainIssue(issue)) report(['defaults', ...path], message);
  const sources: Source[] = [];
  const places: Places = { ids: new Map(), addresses: new Map() };
  for (const [place, entry] of file.data.sources.entries()) {
    const whole = typeof entry === 'object' && entry !== null ? { ...file.data.defaults, ...entry } : entry;
    const source = Source.safeParse(whole);
    // A bad default is reported once, at its own line, not at every source that has it.
    for (const issue of source.error?.issues ?? [])
      for (const [path, message] of explainIssue(issue))
        if (!(path[0] !== undefined && isDefault(entry, file.data.defaults, path[0])))
          report(['sources', place, ...path], message);
    if (!source.success) continue;
    checkSource(source.data, { place, places, ...options }, report);
    sources.push(source.data);
  }
  return sources;
}

const isDefault = (entry: unknown, defaults: Record<string, unknown>, field: PropertyKey): boolean =>
  typeof entry === 'object' && entry !== null && !Object.hasOwn(entry, field) && Object.hasOwn(defaults, field);

const ON_PRIVATE_NETWORK = 'must not be on a private or internal network (ALLOW_PRIVATE_SOURCES)';

/** Where ids and addresses stand first in a file. */
interface Places {
  readonly ids: Map<SourceId, number>;
  readonly addresses: Map<string, number>;
}

function checkSource(
  source: Source,
  { place, places, themes, allowPrivate = false }: RosterChecks & { readonly place: number; readonly places: Places },
  report: Report,
): void {
  const earlier = places.ids.get(source.id);
  if (earlier !== undefined) report(['sources', place, 'id'], `must be unique; sources[${earlier}] has the same id`);
  else places.ids.set(source.id, place);
  const address = addressKey(source.url);
  const twin = places.addresses.get(address);
  if (twin !== undefined) report(['sources', place, 'url'], `must be unique; sources[${twin}] has the same address`);
  else places.addresses.set(address, place);
  if (!mayBeSourceAddress(source.url, allowPrivate)) report(['sources', place, 'url'], ON_PRIVATE_NETWORK);
  for (const [index, theme] of source.themes.entries())
    if (themes && !themes.has(theme)) report(['sources', place, 'themes', index], 'must be the slug of a theme');
  for (const [path, message] of selectorFaults(source)) report(['sources', place, ...path], message);
}

/** What is wrong with the selectors of a source: missing where they are needed, or no CSS. */
export function selectorFaults({ kind, selectors }: Source): readonly Fault[] {
  if (kind === 'html' && !selectors)
    return [[['selectors'], 'must name the parts of the page: a source of kind html needs item and title']];
  const page = load('<a></a>');
  return Object.entries(selectors ?? {}).flatMap(([part, selector]): Fault[] => {
    try {
      page(selector);
      return [];
    } catch {
      // The parser of selectors throws plain errors, and nothing else here does.
      return [[['selectors', part], 'must be a CSS selector']];
    }
  });
}

/** Whether a value may contain a secret that does not belong there: that of a header, an address with a password, or a list of such. */
export const mayBeSecret = (path: readonly PropertyKey[], value: unknown): boolean =>
  path.includes('headers') || (typeof value === 'string' ? hasCredentials(value) : Object(value) === value);

function faultAt(
  document: Document,
  lines: LineCounter,
  content: unknown,
  path: readonly PropertyKey[],
  message: string,
): RosterFault {
  const value = path.reduce<unknown>(
    (inside, part) =>
      typeof inside === 'object' && inside !== null ? (inside as Record<PropertyKey, unknown>)[part] : undefined,
    content,
  );
  const shown = value === undefined || mayBeSecret(path, value) ? null : JSON.stringify(value);
  return {
    line: findLine(document, lines, path),
    field: formatFieldPath(path),
    value: shown && shown.length > 120 ? `${shown.slice(0, 117)}...` : shown,
    allowed: message,
  };
}

/** The defaults of a source: they are not written, so that entries stay short. */
const DEFAULTS = Source.parse({ id: 'a', outlet: 'a', url: 'https://a.in/' });

/** The text of a roster file. Reading it gives the same sources. */
export function writeRoster(sources: readonly Source[]): string {
  const entries = sources.map((source) =>
    Object.fromEntries(
      Object.entries(source).filter(
        ([field, value]) =>
          value !== undefined && JSON.stringify(value) !== JSON.stringify(DEFAULTS[field as keyof Source]),
      ),
    ),
  );
  return stringify({ sources: entries }, { lineWidth: 120 });
}

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);

/** The sources that other readers can poll too: feeds. Listings and sitemaps have no place in OPML. */
export function writeOpml(sources: readonly Source[], title: string): string {
  const outlines = sources
    .filter(({ kind }) => kind === 'feed')
    .map(
      ({ id, outlet, url }) =>
        `    <outline type="rss" text="${escaped(outlet)}" title="${escaped(outlet)}" xmlUrl="${escaped(url)}" clarityId="${escaped(id)}"/>`,
    );
  return `<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0">
  <head><title>${escaped(title)}</title></head>
  <body>
${outlines.join('\n')}
  </body>
</opml>
`;
}

/**
 * Reads the feeds of an OPML file, folders and all; each feed once, as http or https, with www or a slash at the end. An
 * outline that cannot be used costs itself only.
 * @param file its name, for messages
 * @returns the sources, and one fault for each outline that was left out
 * @throws RosterError when no outline names a feed
 */
export function readOpml(
  text: string,
  file: string,
  { allowPrivate = false }: Pick<RosterChecks, 'allowPrivate'> = {},
): { readonly sources: Source[]; readonly faults: readonly RosterFault[] } {
  const page = load(text, { xml: true });
  const faults: RosterFault[] = [];
  const sources = new Map<string, Source>();
  const ids = new Set<SourceId>();
  page('outline').each((place, element) => {
    const attribute = (name: string): string | undefined =>
      Object.entries(element.attribs)
        .find(([written]) => written.toLowerCase() === name)?.[1]
        .trim();
    const url = attribute('xmlurl');
    if (!url || sources.has(addressKey(url))) return;
    const outlet = attribute('text') || attribute('title') || URL.parse(url)?.hostname || url;
    const id = chooseFreeId(attribute('clarityid') ?? outlet, ids);
    const source = Source.safeParse({ id, outlet: outlet.slice(0, 120), url });
    const isReachable = source.success && mayBeSourceAddress(source.data.url, allowPrivate);
    if (source.success && isReachable) {
      ids.add(id);
      sources.set(addressKey(url), source.data);
    } else
      faults.push({
        line: null,
        field: `outline ${place + 1}`,
        value: hasCredentials(url) ? null : JSON.stringify(url.slice(0, 120)),
        allowed: source.success
          ? ON_PRIVATE_NETWORK
          : source.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
      });
  });
  if (sources.size === 0 && faults.length === 0)
    throw new RosterError(file, [
      { line: null, field: '', value: null, allowed: 'no outline has an xmlUrl; is it OPML?' },
    ]);
  return { sources: [...sources.values()], faults };
}
