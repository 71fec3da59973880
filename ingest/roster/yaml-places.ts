/** Where the fields of a YAML document stand. */
import { type Document, isMap, isNode, isScalar, type LineCounter } from 'yaml';

type Path = readonly PropertyKey[];

/**
 * The line, from 1, of the field at a path; of its nearest parent where the field is missing.
 * For a key that should not be there it is the line of the key.
 */
export function lineOf(document: Document, lines: LineCounter, path: Path): number | null {
  for (let length = path.length; length >= 0; length--) {
    const start = startOf(document, path.slice(0, length));
    if (start !== null) return lines.linePos(start).line;
  }
  return null;
}

function startOf(document: Document, path: Path): number | null {
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
export const fieldName = (path: Path): string =>
  path.reduce<string>(
    (name, part) => (typeof part === 'number' ? `${name}[${part}]` : name ? `${name}.${String(part)}` : String(part)),
    '',
  );
