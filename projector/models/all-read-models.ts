/** All read models of the service. */
import { FACTS } from '../../facts/all-facts.ts';
import type { Model } from '../read-model.ts';
import { accountsModel } from './accounts-read-model.ts';
import { investigationsModel, sessionsModel } from './ask-read-models.ts';
import { auditActorsModel, auditModel } from './audit-read-models.ts';
import { brandsModel } from './brands-read-model.ts';
import { catalogueModel } from './catalogue-read-model.ts';
import { followsModel, inboxReadsModel } from './follows-read-models.ts';
import { briefSubscribersModel, savedSearchesModel } from './mail-subscriptions-read-models.ts';
import { meaningsModel } from './meanings-read-model.ts';
import { movesModel } from './moves-read-model.ts';
import { namesModel } from './names-read-model.ts';
import { oracleDaysModel, oracleItemsModel, oracleModel } from './oracle-read-models.ts';
import { factModel } from './reported-parts.ts';
import { reviewModel } from './review-read-model.ts';
import { searchModel } from './search-read-model.ts';
import { signalsModel } from './signals-read-model.ts';
import { sourceHealthModel } from './source-health-read-model.ts';
import { teamListsModel } from './team-lists-read-model.ts';

/**
 * In the order in which they are built at a first start: the one that waits for a topic comes last.
 * @param options.baseUrl address that readers use, without a slash at the end
 */
export const readModels = (options: { baseUrl: string }): readonly Model[] => [
  accountsModel(),
  signalsModel(options),
  brandsModel(),
  searchModel(),
  meaningsModel(),
  namesModel(),
  ...FACTS.map(({ table, stored }) => factModel(table, stored.field)),
  reviewModel(),
  movesModel(),
  followsModel(),
  savedSearchesModel(),
  teamListsModel(),
  inboxReadsModel(),
  briefSubscribersModel(),
  sessionsModel(),
  investigationsModel(),
  auditModel(),
  auditActorsModel(),
  catalogueModel(),
  oracleModel(),
  oracleDaysModel(),
  oracleItemsModel(),
  sourceHealthModel(),
];
