/** Investigations: research briefings that somebody asked for. */
import { readFileSync } from 'node:fs';
import { INVESTIGATION_PREFIX } from '../../../schemas/research.ts';
import type { Model } from '../../model.ts';
import { modelVersion } from '../../version.ts';
import { evolveInvestigation, INVESTIGATION_TYPES, type InvestigationRow, investigationOf } from './evolve.ts';

const here = (file: string): URL => new URL(file, import.meta.url);
export const INVESTIGATIONS = 'investigations';

/** The model of investigations. */
export function investigationsModel(): Model<InvestigationRow> {
  return {
    name: INVESTIGATIONS,
    types: INVESTIGATION_TYPES,
    prefixes: [INVESTIGATION_PREFIX],
    topics: [],
    schema: readFileSync(here('schema.sql'), 'utf8'),
    version: modelVersion(['schema.sql', 'model.ts', 'evolve.ts'].map(here)),
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
