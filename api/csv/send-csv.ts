/** Sends a table. */
import type { FastifyReply } from 'fastify';
import { type Cell, writeCsv } from './write-csv.ts';

export interface CsvTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** Answers with the table as a file of that name. */
export const sendCsv = (reply: FastifyReply, name: string, { columns, rows }: CsvTable): FastifyReply =>
  reply
    .type('text/csv; charset=utf-8; header=present')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(writeCsv(columns, rows));
