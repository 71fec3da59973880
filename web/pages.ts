/** Every page of the site, as a surface of the server. */
import type { FastifyPluginCallback } from 'fastify';
import type { EmbeddedIssuer } from '../access/issuer/embedded.ts';
import type { ErrorPage } from '../api/plugins/error-answers.ts';
import type { Database } from '../log/postgres/database.ts';
import type { Configuration } from '../schemas/configuration.ts';
import { type Directory, directoryOf } from '../schemas/directory.ts';
import { assets } from './assets.ts';
import { brandPage } from './pages/brand.ts';
import { renderError } from './pages/error.ts';
import { homePage } from './pages/home.ts';
import { plansPage } from './pages/plans.ts';
import { signInPage } from './pages/sign-in.ts';
import { signalPage } from './pages/signal.ts';
import { sourcesPage } from './pages/sources.ts';
import { themePage } from './pages/theme.ts';
import type { Site } from './site.ts';

export interface PagesOptions {
  readonly database: Database;
  /** Brands and themes by name; unset, they are known by their stories alone. */
  readonly directory?: Directory;
  readonly configuration: Pick<Configuration, 'BASE_URL'>;
  /** True while the demo newsroom is read: every page says so. */
  readonly demo: boolean;
  readonly now?: () => Date;
  /** The issuer whose questions are asked on pages; null where people sign in elsewhere or not at all. */
  readonly issuer?: EmbeddedIssuer | null;
}

/** What `buildServer` takes to serve the pages: `buildServer({ …, ...pages({ database, configuration, demo }) })`. */
export function pages(options: PagesOptions): { surfaces: readonly FastifyPluginCallback[]; errorPage: ErrorPage } {
  const { database, configuration, demo, now = () => new Date(), issuer = null } = options;
  const directory = options.directory ?? directoryOf({ brands: [], themes: [] });
  const site: Site = { database, directory, baseUrl: configuration.BASE_URL, now, demo };
  const surface: FastifyPluginCallback = (server, _options, done) => {
    for (const part of [homePage, signalPage, brandPage, themePage, sourcesPage, plansPage]) part(server, site);
    if (issuer) signInPage(server, site, issuer);
    assets(server);
    done();
  };
  return { surfaces: [surface], errorPage: (answer) => renderError(site, answer) };
}
