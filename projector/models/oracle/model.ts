/** The latest measurement of the Oracle. */
import { readFileSync } from 'node:fs';
import { ORACLE_PREFIX, type OracleMeasurement } from '../../../schemas/oracle.ts';
import type { Model } from '../../model.ts';
import { modelVersion } from '../../version.ts';

const schema = readFileSync(new URL('schema.sql', import.meta.url), 'utf8');

/** The model of one row. */
export function oracleModel(): Model<OracleMeasurement> {
  return {
    name: 'oracle',
    types: ['OracleMeasured'],
    prefixes: [ORACLE_PREFIX],
    topics: [],
    schema,
    version: modelVersion(import.meta.url, { schema }),
    keys: () => ['latest'],
    evolve: (row, event) =>
      event.type === 'OracleMeasured' && (!row || event.data.measured_at >= row.measured_at) ? event.data : row,
    tables: [{ name: 'oracle', columns: [], records: () => [{}] }],
  };
}
