/** The port that readers meet: REST and pages. */
import { openAccess } from '../access/access.ts';
import { buildServer } from '../api/server.ts';
import { prepareReadModels } from '../projector/builds/promote.ts';
import { readModels } from '../projector/models/index.ts';
import { directoryOf } from '../schemas/directory.ts';
import { pages } from '../web/pages.ts';
import { openCatalogue } from './catalogue.ts';
import type { Closing } from './process.ts';
import { readsDemo } from './roster.ts';
import type { Services } from './services.ts';

/**
 * Starts listening on `HOST` and `PORT`.
 * @returns the port, which the system chose when `PORT` is 0
 * @throws EADDRINUSE when the port is taken
 */
export async function listen(services: Services, closing: Closing): Promise<number> {
  const { configuration, database, logger, store } = services;
  // Before a projector ran for the first time, readers find empty views instead of an error.
  await prepareReadModels(database, readModels({ baseUrl: configuration.BASE_URL }));
  const demo = await readsDemo(store);
  const directory = directoryOf((await openCatalogue(configuration.CATALOGUE)).catalogue);
  const server = await buildServer({
    database,
    store,
    directory,
    configuration,
    access: openAccess({ database, configuration }),
    logger,
    ...pages({ database, directory, configuration, demo }),
  });
  await server.listen({ host: configuration.HOST, port: configuration.PORT });
  closing.add(() => server.close());
  const address = server.server.address();
  return typeof address === 'object' && address ? address.port : configuration.PORT;
}
