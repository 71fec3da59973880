/** Sources as they are shown to people: the names of their headers without the values. */
import type { Source } from '../../schemas/source.ts';

/** The source with `(set)` for the value of each header: a value may hold what not everybody is to see. */
export const withHiddenHeaders = <Shown extends Partial<Source>>(source: Shown): Shown =>
  source.headers
    ? { ...source, headers: Object.fromEntries(Object.keys(source.headers).map((name) => [name, '(set)'])) }
    : source;
