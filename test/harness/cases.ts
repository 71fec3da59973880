/**
 * The cases of a table in text, one a line: what is given, an arrow, and what is expected, each in parts between bars.
 * An indented line goes on with the one before it; a line that begins with a number sign is a comment.
 */
export const casesOf = (table: string): [given: string, ...parts: string[]][] =>
  table
    .trim()
    .replace(/\n\s+/g, ' ')
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => line.split(/ → | \| /) as [string, ...string[]]);

/** The statements of a table: the facts, joined by plus signs or none, and the wordings of them, between slashes. */
export const statementsOf = (table: string): { readonly facts: string[]; readonly wordings: string[] }[] =>
  casesOf(table).map(([facts, wordings = '']) => ({
    facts: facts === 'nothing' ? [] : facts.split(' + '),
    wordings: wordings.split(' / '),
  }));
