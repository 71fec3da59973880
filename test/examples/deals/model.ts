/** A read model by example: the deals of public signals. In the house it is `projector/models/deals/model.ts`. */
import type { Model } from '../../../projector/model.ts';
import type { Told } from '../../../projector/models/told.ts';
import { toldModel } from '../../../projector/models/told-model.ts';
import type { Deal, Understanding } from '../../../schemas/story.ts';

/** What is kept of a text: pure, and tested without a database. */
export const dealsOf = ({ deal }: Understanding): readonly Deal[] => (deal ? [deal] : []);

/** Its version is a hash of these files and of what they share: change one, and it is built anew beside the live one. */
export const dealsModel = (): Model<Told<Deal>> =>
  toldModel({
    name: 'deals',
    folder: new URL('.', import.meta.url),
    files: ['model.ts'],
    columns: ['type', 'amount', 'target'],
    partsOf: dealsOf,
    record: ({ type, amount, target }) => ({ type, amount, target }),
  });
