/** The version of a model: a fingerprint of everything that decides what its rows hold. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import jsTokens from 'js-tokens';

/** 12 hexadecimal digits. */
export type Version = string;

/** Raised when the engine stores the same rows in another form, so that every model is rebuilt. */
const STORAGE_FORM = 2;

export interface VersionOf {
  /** The model's statements, see `Model.schema`. */
  readonly schema: string;
  /** Further values that the rows depend on, such as the base URL. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/**
 * Computes a version at start, so that it need not be raised by hand: a hash of the code of the model's file and of
 * every file that it imports, directly or through others, and of its statements. Comments, white space and what is
 * imported as a type alone do not count. Packages do not either: raise STORAGE_FORM where a new one gives other rows.
 * @param file address of the model's file, its `import.meta.url`
 * @throws when an imported file cannot be read
 */
export function modelVersion(file: string, { schema, parameters = {} }: VersionOf): Version {
  const about = [STORAGE_FORM, Object.entries(parameters).sort(), withoutSqlComments(schema)];
  const hash = createHash('sha256').update(JSON.stringify(about));
  for (const one of modelFiles(file)) hash.update('\0').update(readSource(one).code);
  return hash.digest('hex').slice(0, 12);
}

/** Addresses of a file and of all whose code it imports, except this one, which decides nothing about rows. */
export function modelFiles(file: string): readonly string[] {
  const files = new Set([file]);
  // A set is walked in the order of insertion, and what is added on the way is walked as well.
  for (const one of files)
    for (const imported of readSource(one).imports) if (imported !== import.meta.url) files.add(imported);
  return [...files];
}

interface Source {
  /** Without comments and white space. */
  readonly code: string;
  /** Addresses of the files that it imports; packages are not among them. */
  readonly imports: readonly string[];
}

/** By address. Files of a running program do not change, and many models share theirs. */
const sources = new Map<string, Source>();

function readSource(file: string): Source {
  const cached = sources.get(file);
  if (cached) return cached;
  const tokens = [...jsTokens(readFileSync(new URL(file), 'utf8'))].filter(
    ({ type }) => !/Comment$|^WhiteSpace$|^LineTerminatorSequence$|^HashbangComment$/.test(type),
  );
  const values = tokens.map(({ value }) => value);
  const source = {
    code: values.join('\n'),
    imports: importsOf(values)
      .filter((name) => name.startsWith('.'))
      .map((name) => new URL(name, file).href),
  };
  sources.set(file, source);
  return source;
}

const isString = (token: string | undefined): token is string => token !== undefined && /^['"]/.test(token);

/** Names of the modules whose code a module needs when it runs. */
function importsOf(tokens: readonly string[]): string[] {
  const names: string[] = [];
  for (const [index, token] of tokens.entries()) {
    if (tokens[index - 1] === '.' || (token !== 'import' && token !== 'export')) continue;
    const [next, second] = [tokens[index + 1], tokens[index + 2]];
    // `import type from './file.ts'` imports a value of that name.
    const isType = next === 'type' && second !== 'from' && second !== ',';
    if (isType || (token === 'export' && next !== '{' && next !== '*')) continue;
    if (next === '(' && isString(second)) names.push(second.slice(1, -1));
    if (next === '(' || next === '.') continue;
    const end = tokens.findIndex((one, place) => place > index && (one === ';' || isString(one)));
    const name = tokens[end];
    if (isString(name) && (end === index + 1 || tokens[end - 1] === 'from')) names.push(name.slice(1, -1));
  }
  return names;
}

/** Statements without comments, and with one space wherever there is any. Quoted text stays as it is. */
const withoutSqlComments = (statements: string): string =>
  statements
    .replace(/('(?:[^']|'')*'|"(?:[^"]|"")*")|--[^\n]*|\/\*[\s\S]*?\*\/|\s+/g, (_, quoted?: string) => quoted ?? ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
