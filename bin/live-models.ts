/** The read models of the service that runs, also for a command that was started without its settings. */
import { prepareReadModels } from '../projector/builds/promote.ts';
import { liveBuild } from '../projector/builds/registry.ts';
import type { Model } from '../projector/model.ts';
import { readModels } from '../projector/models/index.ts';
import { anySignalUrl } from '../projector/models/signals/review/queries.ts';
import type { Services } from './services.ts';

/**
 * The address of the service stands in its rows, and hence in their version. Where the settings say another than the
 * live rows do, those rows win: else a replay run without `BASE_URL` or `PORT` would write another address into them.
 */
export async function liveModels({ configuration, database }: Services): Promise<readonly Model[]> {
  const own = readModels({ baseUrl: configuration.BASE_URL });
  await prepareReadModels(database, own);
  const url = await anySignalUrl(database);
  const baseUrl = url?.slice(0, url.lastIndexOf('/signal/'));
  if (!baseUrl || baseUrl === configuration.BASE_URL) return own;
  const theirs = readModels({ baseUrl });
  for (const { name, version } of theirs)
    if (name === 'signals' && (await liveBuild(database, name))?.version === version) return theirs;
  return own;
}
