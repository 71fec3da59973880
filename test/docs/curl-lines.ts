/** The `curl` lines of a page as requests: copied lines must work. */
import { readFileSync } from 'node:fs';

export interface CurlLine {
  /** The line as the page shows it. */
  readonly line: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** A shell word: unquoted, or in single or double quotes. */
const WORD = /'([^']*)'|"([^"]*)"|(\S+)/g;

function requestOf(line: string): CurlLine {
  const words = [...line.matchAll(WORD)].slice(1).map(([, single, double, bare]) => single ?? double ?? bare ?? '');
  const headers: Record<string, string> = {};
  let [method, url, body]: [string | undefined, string, string | undefined] = [undefined, '', undefined];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (word === '-H') {
      const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(words[++index] ?? '') ?? [];
      headers[name.toLowerCase()] = value;
    } else if (word === '-X') method = words[++index];
    else if (word === '-d') body = words[++index];
    else if (!word.startsWith('-')) url = word;
  }
  method ??= body === undefined ? 'GET' : 'POST';
  if (method !== 'GET' && method !== 'POST' && method !== 'PATCH' && method !== 'DELETE')
    throw new Error(`${line}: method ${method}`);
  return { line, method, url, headers, ...(body !== undefined && { body }) };
}

/**
 * @param page a file's path from the root of the project
 * @param variables the values of `$NAME` and of other placeholders of the page
 */
export function curlLines(page: string, variables: Record<string, string>): CurlLine[] {
  let text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8').replaceAll('\\\n', ' ');
  for (const [name, value] of Object.entries(variables)) text = text.replaceAll(name, value);
  return text
    .split('\n')
    .filter((line) => line.startsWith('curl '))
    .map(requestOf);
}

/** Invented ids of the pages: nothing has them, so `not_found` is the right response. */
const MADE_UP = /sig_3f1c9a0be27d5546|fol_9d2e61c07b34aa18|sch_7c1e0a5d94b2f638|key_1d7f0c5b9e3a6824|kiri-foods-opens/;
/** Requests that the pages show as refused: a limit above the maximum, a first key before an application. */
const REFUSED = [
  ['limit=500', 400],
  [`'{"name":"Report"}'`, 403],
] as const;

/** Whether the response to a line is the one that the page shows. */
export function isExpected(line: string, status: number): boolean {
  const refused = REFUSED.find(([part]) => line.includes(part));
  if (refused) return status === refused[1];
  return MADE_UP.test(line) ? status === 404 : status >= 200 && status < 300;
}
