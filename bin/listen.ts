/** The port that readers meet: REST, pages and MCP. */
import { openAccess } from '../access/access.ts';
import { signInOf } from '../access/sign-in.ts';
import { protectedResourceRoute } from '../access/tokens/protected-resource.ts';
import { webSubCallback } from '../api/routes/websub-callback.ts';
import { buildServer } from '../api/server.ts';
import { directoryOf } from '../schemas/directory.ts';
import { gazetteerOf } from '../schemas/gazetteer.ts';
import { pages } from '../web/pages.ts';
import { openAnswers } from './answers.ts';
import { openCatalogue } from './catalogue.ts';
import { openDesk } from './desk.ts';
import { hubsReach } from './hubs-reach.ts';
import { openMcp } from './mcp.ts';
import type { Closing } from './process.ts';
import { openReaders } from './readers.ts';
import { demoNotice } from './roster.ts';
import type { Services } from './services.ts';

/** The issuer's package is loaded only where people sign in here: a start without it is the faster for it. */
async function openIssuer({ configuration, database, logger }: Services) {
  const { openEmbeddedIssuer } = await import('../access/issuer/embedded.ts');
  const { mountIssuer } = await import('../access/issuer/mount.ts');
  const report = (error: unknown): void => logger.error({ err: error }, 'signing in failed');
  const issuer = await openEmbeddedIssuer(database, configuration.BASE_URL, report);
  return { issuer, mounted: mountIssuer(issuer, configuration.BASE_URL) };
}

/**
 * Starts listening on `HOST` and `PORT`.
 * @returns the port, which the system chose when `PORT` is 0
 * @throws EADDRINUSE when the port is taken
 */
export async function listen(services: Services, closing: Closing): Promise<number> {
  const { configuration, database, logger, store, now } = services;
  const readers = await openReaders(services, closing);
  const { catalogue } = await openCatalogue(configuration.CATALOGUE);
  const [directory, gazetteer] = [directoryOf(catalogue), gazetteerOf(catalogue)];
  const { BASE_URL: baseUrl } = configuration;
  const answers = await openAnswers(services);
  const signIn = signInOf(configuration);
  const embedded = signIn.kind === 'embedded' ? await openIssuer(services) : null;
  const access = openAccess({ database, configuration, now });
  const ending = new AbortController();
  closing.add(async () => ending.abort());
  const demo = await demoNotice(store, ending.signal);
  const desk = openDesk(services, ending.signal);
  const site = pages({
    ...{ database, readers, store, directory, gazetteer, configuration, access, demo, now },
    ...{ answers, desk, issuer: embedded?.issuer ?? null },
  });
  const server = await buildServer({
    database,
    readers,
    store,
    directory,
    configuration,
    access,
    answers,
    logger,
    now,
    ...site,
    surfaces: [
      ...site.surfaces,
      protectedResourceRoute(`${baseUrl}/api/v1`, 'Clarity API', signIn),
      await openMcp(services, access, readers),
      ...(hubsReach(configuration) ? [webSubCallback({ database, now })] : []),
      ...(embedded ? [embedded.mounted] : []),
    ],
  });
  await server.listen({ host: configuration.HOST, port: configuration.PORT });
  closing.serves(() => server.beginDraining());
  closing.add(() => server.close());
  const address = server.server.address();
  return typeof address === 'object' && address ? address.port : configuration.PORT;
}
