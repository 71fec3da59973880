/** Investigations: research briefings that somebody asked for. */
import { readFileSync } from 'node:fs';
import { INVESTIGATION_PREFIX } from '../../../schemas/research.ts';
import type { Model } from '../../model.ts';
import { modelVersion } from '../../version.ts';
import { evolveInvestigation, INVESTIGATION_TYPES, type InvestigationRow, investigationOf } from './evolve.ts';

const schema = readFileSync(new URL('schema.sql', import.meta.url), 'utf8');
export const INVESTIGATIONS = 'investigations';

/** The model of investigations. */
export function investigationsModel(): Model<InvestigationRow> {
  return {
    name: INVESTIGATIONS,
    types: INVESTIGATION_TYPES,
    prefixes: [INVESTIGATION_PREFIX],
    topics: [],
    schema,
    version: modelVersion(import.meta.url, { schema }),
    keys: investigationOf,
    evolve: evolveInvestigation,
    tables: [
      {
        name: 'investigations',
        columns: ['account', 'status', 'created_at'],
        records: ({ account, status, created_at }) => [{ account, status, created_at }],
      },
    ],
  };
}
