import { prepareReadModels } from '../projector/builds/promote.ts';
import { readModels } from '../projector/models/index.ts';
import type { Services } from './services.ts';

/** Makes what is missing of the read models, empty, so that no process has to wait for the first projector. */
export const preparedModels = ({
  database,
  configuration,
}: Pick<Services, 'database' | 'configuration'>): Promise<void> =>
  prepareReadModels(database, readModels({ baseUrl: configuration.BASE_URL }));
