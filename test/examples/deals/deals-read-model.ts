/** A read model by example: the deals of public signals. In the service it is `projector/models/openings-deals-results-read-models.ts`. */

import type { Deal } from '../../../facts/deals/fields.ts';
import { type ReportedParts, reportedPartsModel } from '../../../projector/models/reported-parts.ts';
import type { Model } from '../../../projector/read-model.ts';
import type { ReportedFacts } from '../../../schemas/signal.ts';

/** The part that is read from a report: pure, and tested without a database. */
export const dealsOf = ({ deal }: Pick<ReportedFacts, 'deal'>): readonly Deal[] => (deal ? [deal] : []);

/** Its version is a hash of this file's code and of all that it imports: when one changes, the model is rebuilt next to the
 * live build. */
export const dealsModel = (): Model<ReportedParts<Deal>> =>
  reportedPartsModel({
    name: 'deals',
    file: import.meta.url,
    field: 'deal',
    // Created after the rows.
    indexes: [
      'ALTER TABLE deals ADD PRIMARY KEY (key, number)',
      'CREATE INDEX deals_newest ON deals (published_at, key)',
    ],
    columns: ['type', 'amount', 'target'],
    partsOf: dealsOf,
    record: ({ type, amount, target }) => ({ type, amount, target }),
  });
