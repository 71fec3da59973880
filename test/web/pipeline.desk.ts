/** The desk of operators as the process of the pages opens it, over the stores of a site that is under test. */
import pino from 'pino';
import { openDesk } from '../../bin/reader-server.ts';
import type { Services } from '../../bin/services.ts';
import { postgresTopics } from '../../log/postgres/topics/postgres-topics.ts';
import { readConfiguration } from '../../schemas/configuration.ts';
import type { Desk } from '../../web/site.ts';
import type { ServingOptions } from '../api/serving.ts';
import { type SigningIn, signingIn } from './people/signing-in.ts';

/** Serves a site whose desk measures and rebuilds. @param settings of the environment */
export async function withDesk(
  models: readonly string[],
  settings: Record<string, string> = {},
  catalogue: ServingOptions['catalogue'] = {},
): Promise<SigningIn> {
  let real: Desk | null = null;
  const opened = (): Desk => {
    if (!real) throw new Error('the site is not served yet');
    return real;
  };
  const people = await signingIn({
    models,
    catalogue,
    desk: {
      fetchPage: (...asked) => opened().fetchPage(...asked),
      retry: (entries) => opened().retry(entries),
      measure: async () => (await opened().measure?.()) as Awaited<ReturnType<NonNullable<Desk['measure']>>>,
      rebuild: async (model) => opened().rebuild?.(model),
    },
  });
  const { database, store, url, clock } = people.site.engine;
  const services: Services = {
    configuration: readConfiguration({ BASE_URL: people.baseUrl, ...settings }),
    logger: pino({ level: 'silent' }),
    database,
    databaseUrl: url,
    store,
    topics: postgresTopics(database),
    dataDir: null,
    now: clock,
    close: async () => undefined,
  };
  real = openDesk(services, AbortSignal.timeout(600_000));
  return people;
}
