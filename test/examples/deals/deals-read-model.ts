/** A read model by example: the deals of public signals, from the table that a kind of fact declares. */
import type { Deal } from '../../../facts/deals/fields.ts';
import { factTable } from '../../../facts/rows.ts';
import { factModel, type ReportedParts } from '../../../projector/models/reported-parts.ts';
import type { Model } from '../../../projector/read-model.ts';

/** Its version is a hash of this file's code and of all that it imports: when one changes, the model is rebuilt next to the
 * live build. */
const deals = factTable<Deal>({
  table: 'deals',
  file: import.meta.url,
  columns: [
    { name: 'type', type: 'name', required: true },
    { name: 'amount', type: 'text' },
    { name: 'target', type: 'text' },
  ],
  // Created after the rows.
  indexes: ['CREATE INDEX deals_newest ON deals (published_at, key)'],
  totals: {},
  // What is read from a report: pure, and tested without a database.
  rowsOf: ({ deal }) => (deal ? [deal] : []),
  cells: ({ type, amount, target, outlet, source_url }) => ({ type, amount, target, outlet, source_url }),
});

export const dealsModel = (): Model<ReportedParts<Deal>> => factModel(deals, 'deal');
