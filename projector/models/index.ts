/** All read models of the service. */
import type { Model } from '../model.ts';
import { accountsModel } from './accounts/model.ts';
import { appointmentsModel } from './appointments/model.ts';
import { brandsModel } from './brands/model.ts';
import { briefSubscribersModel } from './brief_subscribers/model.ts';
import { followsModel } from './follows/model.ts';
import { inboxModel } from './inbox/model.ts';
import { inboxReadsModel } from './inbox_reads/model.ts';
import { investigationsModel } from './investigations/model.ts';
import { namesModel } from './names/model.ts';
import { openingsModel } from './openings/model.ts';
import { oracleModel } from './oracle/model.ts';
import { oracleItemsModel } from './oracle_items/model.ts';
import { resultsModel } from './results/model.ts';
import { searchModel } from './search/model.ts';
import { sessionsModel } from './sessions/model.ts';
import { signalsModel } from './signals/model.ts';
import { sourceHealthModel } from './source_health/model.ts';
import { themesModel } from './themes/model.ts';

/**
 * In the order in which they are built at a first start: the one that waits for a topic comes last.
 * @param options.baseUrl address that readers use, without a slash at the end
 */
export const readModels = (options: { baseUrl: string }): readonly Model[] => [
  accountsModel(),
  signalsModel(options),
  brandsModel(),
  themesModel(),
  searchModel(),
  namesModel(),
  openingsModel(),
  appointmentsModel(),
  resultsModel(),
  followsModel(),
  inboxModel(),
  inboxReadsModel(),
  briefSubscribersModel(),
  sessionsModel(),
  investigationsModel(),
  oracleModel(),
  oracleItemsModel(),
  sourceHealthModel(),
];
