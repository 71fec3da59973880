/** Text that no part of the service can store or search for, wherever it is in what a caller sends. */

/** Levels of nesting that a body may have; what the contract takes has four. */
export const MAXIMUM_DEPTH = 64;

/** What is wrong with a text; null when it can be stored. PostgreSQL takes no U+0000, and UTF-8 no lone surrogates. */
function faultOf(text: string): string | null {
  if (text.includes('\u0000')) return 'contains the character U+0000, which is not allowed';
  return text.isWellFormed() ? null : 'contains half of a surrogate pair, which is no character';
}

/**
 * Finds the first text that cannot be stored.
 * @param given what was sent, parsed
 * @returns its path, such as `messages[0].content` (empty for the value itself), and what is wrong with it; null for none
 */
export function unstorableText(given: unknown): { readonly path: string; readonly fault: string } | null {
  const waiting: { readonly value: unknown; readonly path: string; readonly depth: number }[] = [
    { value: given, path: '', depth: 0 },
  ];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, path, depth } = next;
    if (typeof value === 'string') {
      const fault = faultOf(value);
      if (fault) return { path, fault };
    }
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= MAXIMUM_DEPTH)
      return { path: path.slice(0, 60), fault: `is nested deeper than ${MAXIMUM_DEPTH} levels` };
    const inside = Array.isArray(value)
      ? value.map((one, index) => ({ value: one, path: `${path}[${index}]`, depth: depth + 1 }))
      : Object.entries(value).map(([name, one]) => ({
          value: one,
          path: path === '' ? name : `${path}.${name}`,
          depth: depth + 1,
        }));
    // The first field is looked at first.
    waiting.push(...inside.reverse());
  }
  return null;
}

/** True for a JSON text that is nested deeper than any body may be. Reads it once, without recursion. */
export function isNestedTooDeep(text: string): boolean {
  let [depth, inString] = [0, false];
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > MAXIMUM_DEPTH) return true;
    } else if (character === '}' || character === ']') depth -= 1;
  }
  return false;
}
