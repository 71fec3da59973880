/** Rosters: YAML files that list sources. */
import { readFile } from 'node:fs/promises';
import { type Document, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { Source } from '../../schemas/source.ts';
import { allowedBy } from './allowed.ts';
import { RosterError, type RosterFault } from './roster-error.ts';
import { fieldName, lineOf } from './yaml-places.ts';

/** What every source of the file has unless it says otherwise; what makes it this source cannot be a default. */
export const RosterDefaults = Source.omit({ id: true, outlet: true, url: true }).partial();

const RosterFile = z.strictObject({
  defaults: z.record(z.string(), z.unknown()).default({}),
  sources: z.array(z.unknown()),
});

/**
 * Reads a roster file.
 * @returns its sources, in their order
 * @throws RosterError with every fault: file, line, field, the value, and what is allowed
 */
export async function readRoster(path: string): Promise<Source[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'there is no such file' : error.message;
    throw new RosterError(path, [{ line: null, field: '', value: null, allowed: `the roster cannot be read: ${why}` }]);
  });
  return parseRoster(text, path);
}

/**
 * Reads the text of a roster.
 * @param file its name, for messages
 * @throws RosterError
 */
export function parseRoster(text: string, file: string): Source[] {
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
  // A bound on aliases: a small file must not unfold into a large one.
  const content: unknown = document.toJS({ maxAliasCount: 100 }) ?? {};
  const faults: RosterFault[] = [];
  const sources = check(content, (path, message) => faults.push(faultAt(document, lines, content, path, message)));
  if (faults.length > 0) throw new RosterError(file, faults);
  return sources;
}

type Report = (path: readonly PropertyKey[], message: string) => void;

function check(content: unknown, report: Report): Source[] {
  const file = RosterFile.safeParse(content);
  if (!file.success) {
    for (const issue of file.error.issues) for (const [path, message] of allowedBy(issue)) report(path, message);
    return [];
  }
  const defaults = RosterDefaults.strict().safeParse(file.data.defaults);
  for (const issue of defaults.error?.issues ?? [])
    for (const [path, message] of allowedBy(issue)) report(['defaults', ...path], message);
  const sources: Source[] = [];
  const places = new Map<string, number>();
  for (const [place, entry] of file.data.sources.entries()) {
    const whole = typeof entry === 'object' && entry !== null ? { ...file.data.defaults, ...entry } : entry;
    const source = Source.safeParse(whole);
    // A bad default is reported once, where it stands, not at every source that takes it.
    for (const issue of source.error?.issues ?? [])
      for (const [path, message] of allowedBy(issue))
        if (!(path[0] !== undefined && isDefault(entry, file.data.defaults, path[0])))
          report(['sources', place, ...path], message);
    if (!source.success) continue;
    checkSource(source.data, place, places, report);
    sources.push(source.data);
  }
  return sources;
}

const isDefault = (entry: unknown, defaults: Record<string, unknown>, field: PropertyKey): boolean =>
  typeof entry === 'object' && entry !== null && !Object.hasOwn(entry, field) && Object.hasOwn(defaults, field);

function checkSource(source: Source, place: number, places: Map<string, number>, report: Report): void {
  const earlier = places.get(source.id);
  if (earlier !== undefined) report(['sources', place, 'id'], `must be unique; sources[${earlier}] has the same id`);
  else places.set(source.id, place);
  if (source.kind === 'html' && !source.selectors)
    report(
      ['sources', place, 'selectors'],
      'must name the parts of the page: a source of kind html needs item and title',
    );
}

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
  // The value of a header may be a secret that does not belong there.
  const shown = value === undefined || path.includes('headers') ? null : JSON.stringify(value);
  return {
    line: lineOf(document, lines, path),
    field: fieldName(path),
    value: shown && shown.length > 120 ? `${shown.slice(0, 117)}...` : shown,
    allowed: message,
  };
}
