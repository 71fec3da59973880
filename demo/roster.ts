/** The newsroom's outlets as entries of a roster. */
import { Source } from '../schemas/source.ts';
import { OUTLETS } from './outlets.ts';

/** Longer than the cycle of authored events, so that the first poll takes every listed item on its own date. */
const BACKLOG_DAYS = 130;

/** @param url address of the newsroom, without a slash at its end */
export const rosterOf = (url: string): Source[] =>
  OUTLETS.map((outlet) =>
    Source.parse({
      id: `demo-${outlet.id}`,
      outlet: outlet.name,
      url: `${url}/${outlet.id}/${outlet.file}`,
      kind: outlet.kind,
      role: outlet.role,
      authority: outlet.authority,
      cadence_seconds: outlet.cadence,
      backlog_days: BACKLOG_DAYS,
      selectors: outlet.selectors,
    }),
  );
