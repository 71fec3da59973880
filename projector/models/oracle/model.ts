/** The latest measurement of the Oracle. */
import { readFileSync } from 'node:fs';
import { ORACLE_PREFIX, type OracleMeasurement } from '../../../schemas/oracle.ts';
import type { Model } from '../../model.ts';
import { modelVersion } from '../../version.ts';

const here = (file: string): URL => new URL(file, import.meta.url);

/** The model of one row. */
export function oracleModel(): Model<OracleMeasurement> {
  return {
    name: 'oracle',
    types: ['OracleMeasured'],
    prefixes: [ORACLE_PREFIX],
    topics: [],
    schema: readFileSync(here('schema.sql'), 'utf8'),
    version: modelVersion(['schema.sql', 'model.ts'].map(here)),
    keys: () => ['latest'],
    evolve: (row, event) =>
      event.type === 'OracleMeasured' && (!row || event.data.measured_at >= row.measured_at) ? event.data : row,
    tables: [{ name: 'oracle', columns: [], records: () => [{}] }],
  };
}
