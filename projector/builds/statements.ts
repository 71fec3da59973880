/** The statements of a model's schema. */

/** One by one; each ends with a semicolon at the end of a line. */
export const statements = (schema: string): string[] =>
  schema
    .split(/;[ \t]*(?:\n|$)/)
    .map((statement) => statement.trim())
    .filter(Boolean);

const INDEX = /^(?:--.*\n\s*)*(?:CREATE\s+(?:UNIQUE\s+)?INDEX\b|ALTER\s+TABLE\s+\w+\s+ADD\s+PRIMARY\s+KEY\b)/i;

/** True for a statement that waits until a new build has its rows. */
export const isIndex = (statement: string): boolean => INDEX.test(statement);
